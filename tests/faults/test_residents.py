"""The soak tells what stays flat from what grows."""

import os
import subprocess
import sys
from pathlib import Path

from tests.faults.residents import MIB, SAMPLES_MIN, Measured, memory_bytes, size_of_folder


def measured(*samples: int) -> Measured:
    return Measured("memory of a", 1.25, 8 * MIB, list(samples))


def test_what_grows_at_first_and_then_stays_is_flat() -> None:
    assert measured(*range(0, 50 * MIB, MIB), *[50 * MIB] * 150).judge() == ""


def test_what_grows_all_the_time_is_not() -> None:
    growing = measured(*range(50 * MIB, 150 * MIB, MIB))
    assert growing.judge() == "memory of a has grown from 87.0 to 137.0 MiB"
    assert str(growing) == "memory of a: 87.00 MiB in the second quarter, 137.00 MiB in the last"


def test_a_few_measurements_show_nothing() -> None:
    assert measured(*[MIB] * (SAMPLES_MIN - 1)).judge() == "memory of a: only 39 measurements: run for longer"


def test_a_folder_has_the_size_of_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "streams" / "one").mkdir(parents=True)
    (tmp_path / "streams" / "one" / "block").write_bytes(b"x" * 1_000)
    (tmp_path / "meta").write_bytes(b"x" * 24)
    assert size_of_folder(tmp_path) == 1_024
    assert size_of_folder(tmp_path / "nowhere") == 0


def test_a_process_that_has_ended_has_no_memory() -> None:
    assert (memory_bytes(os.getpid()) or 0) > MIB
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert memory_bytes(process.pid) is None
