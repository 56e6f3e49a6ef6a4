"""What the session says when it can not serve; that it can is what every other test shows."""

import socket
from collections import namedtuple

import pytest

from antecede.core.errors import AntecedeError, LimitReached, Misuse
from antecede.pipeline.spark import session as module
from antecede.pipeline.spark.session import SparkFailed, SparkOutOfRoom, UnreachableSpark, explain_failure, session


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("address", ["spark://127.0.0.1:{}", "sc://127.0.0.1:{}", "sc://127.0.0.1:{}/;token=x"])
def test_an_address_where_nobody_listens_is_told_at_once(address: str, closed_port: int) -> None:
    with pytest.raises(UnreachableSpark, match=r"nothing answers at .* leave --master out"):
        session(address.format(closed_port))


def test_one_of_several_masters_is_enough(closed_port: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        open_port = listener.getsockname()[1]
        module._probe(f"spark://127.0.0.1:{closed_port},127.0.0.1:{open_port}")


@pytest.mark.parametrize("address", ["local[*]", "local-cluster[2,1,1024]", "yarn"])
def test_an_address_without_a_host_is_not_tried(address: str) -> None:
    module._probe(address)


def test_a_full_disk_is_told_before_spark_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("antecede.pipeline.spark.session.shutil.disk_usage", lambda _: usage(100, 99, 1 << 20))
    with pytest.raises(SparkOutOfRoom, match=r"has 1 MB left .* SPARK_LOCAL_DIRS"):
        session("local[1]")


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ("java.io.IOException: No space left on device", SparkOutOfRoom, "SPARK_LOCAL_DIRS"),
        ("java.lang.OutOfMemoryError: Java heap space", SparkOutOfRoom, "ANTECEDE_DRIVER_MEMORY"),
        ("Could not parse Master URL: 'nonsense'", UnreachableSpark, "no Spark master"),
        ("StatusCode.UNAVAILABLE: socket closed", UnreachableSpark, "connection"),
        ("[JAVA_GATEWAY_EXITED] Java gateway process exited", Misuse, "JAVA_HOME"),
        ("Job aborted.\nCaused by: outer\nCaused by: x.Y: inner", SparkFailed, "counting: x.Y: inner"),
        (
            "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
            '  File "a.py", line 1, in f\n    x[0]\n    ^\nIndexError: list index out of range\n\tat x.Y.z(Y)\n'
            "Caused by: the same",
            SparkFailed,
            "counting: a task ended with IndexError: list index out of range",
        ),
    ],
)
def test_a_failure_becomes_one_sentence(said: str, kind: type[AntecedeError], words: str) -> None:
    with pytest.raises(kind) as failure, explain_failure("counting"):
        raise RuntimeError(said)
    assert words in str(failure.value)
    assert "\n" not in str(failure.value)


def test_running_out_of_room_is_a_limit() -> None:
    assert issubclass(SparkOutOfRoom, LimitReached)


def test_memory_is_bounded_and_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module.MEMORY_MB_MIN <= module._memory_mb() <= module.MEMORY_MB_MAX
    monkeypatch.setenv("ANTECEDE_DRIVER_MEMORY", "7g")
    assert module._settings("local[*]")["spark.driver.memory"] == "7g"
    assert "spark.driver.memory" not in module._settings("sc://somewhere")


def test_our_own_errors_pass_unchanged() -> None:
    with pytest.raises(UnreachableSpark, match=r"^as it was$"), explain_failure("counting"):
        raise UnreachableSpark("as it was")
