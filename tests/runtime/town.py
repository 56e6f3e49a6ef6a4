"""Stations and roaming hosts as real processes over a real server, what is done to them, and the judgement."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from antecede.judge.judge import Verdict
from antecede.runtime.roaming.tokens import issue
from tests.runtime.conditions import Conditions
from tests.runtime.crowd import DEADLINE_S, NORMAL, Crowd
from tests.runtime.ports import free_port

KEY = b"a key for tests, and for nothing else"
STATIONS = ("s1", "s2", "s3")
BRISK_OPTIONS = ("--ping", "2")


class Town(Crowd):
    """Three stations, and hosts that send `messages` each while they move about.

    `nats` is for stations that do not take the embedded server, `air` are the ports at which hosts find the stations.
    """

    def __init__(
        self,
        folder: Path,
        hosts: list[str],
        *,
        messages: int,
        seed: int,
        ports: Mapping[str, int],
        nats: Mapping[str, str],
        air: Mapping[str, int],
        conditions: Conditions,
    ) -> None:
        super().__init__(folder, seed, conditions)
        self.hosts, self.messages, self.stations = hosts, messages, dict(ports)
        self.nats = {name: nats.get(name, f"embedded://{folder / 'nats'}") for name in ports}
        self.urls = [f"ws://127.0.0.1:{air.get(name, port)}" for name, port in ports.items()]
        (folder / "key").write_bytes(KEY)

    def start(self, name: str, conditions: Conditions | None = None) -> None:
        (self._start_station if name in self.stations else self._start_host)(name, conditions)

    def _start_station(self, name: str, conditions: Conditions | None) -> None:
        arguments = [
            *("station", "--name", name, "--stations", ",".join(self.stations), "--nats", self.nats[name]),
            *("--key", str(self.folder / "key"), "--store", str(self.folder / "stores")),
            *("--listen", f"127.0.0.1:{self.stations[name]}"),
            *(BRISK_OPTIONS if self.conditions.brisk else ()),
        ]
        self.launch(name, "tests.runtime.command", *arguments, conditions=conditions)

    def _start_host(self, name: str, conditions: Conditions | None) -> None:
        others = ",".join(other for other in self.hosts if other != name)
        arguments = [",".join(self.urls), str(self.folder), name, issue(KEY, name), others]
        self.launch(name, "tests.runtime.roamer", *arguments, str(self.messages), str(self.seed), conditions=conditions)

    def finished(self) -> bool:
        events = self.events()
        sends = [event for event in events if event.kind == "send"]
        owed = sum(len(event.dests or ()) for event in sends)
        delivered = sum(event.kind == "deliver" for event in events)
        return len(sends) == self.messages * len(self.hosts) and delivered >= owed

    def listens(self, name: str) -> bool:
        """Whether the station has said so since its last start."""
        return "listens at" in self.log(name)

    def finish(self) -> Verdict:
        """Wait for the end, and judge the trace that the hosts wrote."""
        self.wait(lambda: self.finished() and all(map(self.listens, self.stations)))
        (self.folder / "stop").touch()
        for name in self.hosts:
            assert self.running[name].wait(DEADLINE_S) == 0, f"{name} failed: {self.log(name)}"
        for name in self.stations:
            self.running[name].terminate()
            ended = self.running[name].wait(DEADLINE_S)
            assert ended == 0, f"{name} ended with {ended}: {self.log(name)}"
        assert self.whole()
        return self.judged(self.messages * len(self.hosts))


@contextmanager
def town(
    folder: Path,
    hosts: str,
    *,
    messages: int,
    seed: int,
    ports: Mapping[str, int] | None = None,
    nats: Mapping[str, str] | None = None,
    air: Mapping[str, int] | None = None,
    conditions: Conditions = NORMAL,
) -> Iterator[Town]:
    """Start the stations, then the hosts."""
    one = Town(
        folder,
        hosts.split(),
        messages=messages,
        seed=seed,
        ports=ports or {name: free_port() for name in STATIONS},
        nats=nats or {},
        air=air or {},
        conditions=conditions,
    )
    try:
        for name in (*one.stations, *one.hosts):
            one.start(name)
        yield one
    finally:
        one.end()
