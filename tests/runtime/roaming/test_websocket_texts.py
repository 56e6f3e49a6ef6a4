"""The texts between a host and a station: one module knows them, what goes in comes out, and nothing else is taken."""

import re

import pytest

from antecede.core.errors import WireError
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.websocket import Refusal, RemovalAnswer, StationAnswer
from tests.paths import ROOT


def test_no_other_module_of_hosts_and_stations_writes_or_reads_texts() -> None:
    modules = sorted((ROOT / "src" / "antecede" / "runtime" / "roaming").rglob("*.py"))
    found = [path.name for path in modules if re.search(r"\bjson\.", path.read_text())]
    assert found == ["websocket.py"]


def test_texts_of_a_station_come_back() -> None:
    answer, removal = StationAnswer("s1", 8_192, ("problems",)), RemovalAnswer("s1", "zoë")
    assert websocket.read_answer(websocket.answer(answer)) == answer
    assert websocket.read_removal(websocket.removal(removal)) == removal
    refusal = Refusal("ann:7", "zed", ("zoë",))
    assert websocket.read_refusal(websocket.read_text(websocket.refusal(refusal))) == refusal
    assert websocket.read_counts(websocket.read_text(websocket.counts(7, 4))) == (7, 4)


def test_texts_of_a_station_are_what_they_always_were() -> None:
    assert websocket.answer(StationAnswer("s1", 8_192)) == '{"station": "s1", "frame_bytes": 8192, "takes": []}'
    assert websocket.removal(RemovalAnswer("s1", "ann")) == '{"station": "s1", "removed": "ann"}'
    assert websocket.counts(7, 4) == '{"sent": 7, "got": 4}'


@pytest.mark.parametrize(
    "said",
    [
        *(b"{}", "", "[]", "{}", '{"station": "s1"}', '{"frame_bytes": 1}', '{"removed": "ann"}'),
        *(f'{{"station": "s1", "frame_bytes": {count}}}' for count in ("1e999", '"many"', "null")),
    ],
)
def test_what_is_not_an_answer_is_refused(said: str | bytes) -> None:
    for read in (websocket.read_answer, websocket.read_removal):
        with pytest.raises(WireError):
            read(said)
