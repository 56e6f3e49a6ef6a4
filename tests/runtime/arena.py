"""Nodes as real processes over a real server, what is done to them, and the judgement in the end."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from antecede.judge.judge import Verdict, judge
from antecede.runtime.state.store import Store
from tests.runtime.conditions import Conditions
from tests.runtime.crowd import DEADLINE_S, NORMAL, Crowd
from tests.runtime.given_up import unexplained


class Arena(Crowd):
    """`names` as worker processes, each sending `messages`; `urls` for those who do not take the embedded server.

    With `gives_up`, they are processes that give up the one of that name when they are told to.
    """

    def __init__(
        self,
        folder: Path,
        names: list[str],
        *,
        messages: int,
        seed: int,
        urls: Mapping[str, str],
        conditions: Conditions,
        gives_up: str,
    ) -> None:
        super().__init__(folder, seed, conditions)
        self.gives_up = gives_up
        self.names, self.messages = names, messages
        self.urls = {name: urls.get(name, f"embedded://{folder / 'nats'}") for name in names}

    def start(self, name: str, conditions: Conditions | None = None) -> None:
        others = ",".join(other for other in self.names if other != name)
        arguments = [self.urls[name], str(self.folder), name, others, str(self.messages), str(self.seed)]
        module = "tests.runtime.survivor" if self.gives_up else "tests.runtime.worker"
        more = [self.gives_up] if self.gives_up else []
        self.launch(name, module, *arguments, *more, conditions=conditions)

    def finished(self) -> bool:
        """Everything was sent, delivered, and seen by the application."""
        events = self.events()
        sends = [event for event in events if event.kind == "send"]
        owed = sum(len(event.dests or ()) for event in sends)
        delivered = sum(event.kind == "deliver" for event in events)
        if len(sends) < self.messages * len(self.names) or delivered < owed:
            return False
        return all(
            len({identity for word, identity in self.seen(name) if word == "got"})
            == sum(event.kind == "deliver" and event.process == name for event in events)
            for name in self.names
        )

    def seen(self, name: str) -> list[tuple[str, str]]:
        path = self.folder / f"{name}.seen"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(word, identity) for word, _, identity in (line.partition(" ") for line in lines)]

    def finish(self, sent_by_others: int = 0) -> Verdict:
        """Wait for the end, and judge: the trace, and what the applications saw.

        `sent_by_others` is the number of messages of processes that are not among the `names`.
        """
        self.wait(self.finished)
        self.stop()
        verdict = self.judged(self.messages * len(self.names) + sent_by_others)
        for name in self.names:
            self._judge_application(name)
        assert self.whole()
        return verdict

    def finish_without(self, gone: str) -> Verdict:
        """Wait until all is delivered that was sent between the `names`, and judge the order of everything.

        What `gone` sent may be lost, and what was sent to it. Nobody waits for it any more, so what a lost message of
        it stood for may be overtaken (`given_up`).
        """
        self.wait(lambda: self._owed_without(gone) == [] and all(map(self._is_well, self.names)))
        self.stop()
        events = self.events()
        verdict = judge(events, listed_max=len(events))
        found = f"seed {self.seed}, {self.kills} kills: {verdict}"
        assert (verdict.duplicates, verdict.spurious, verdict.quarantined) == (0, 0, 0), found
        assert not unexplained(events, verdict.found, gone), found
        assert self.whole()
        return verdict

    def _is_well(self, name: str) -> bool:
        return (self.folder / f"{name}.well").exists()

    def _owed_without(self, gone: str) -> list[tuple[str | None, str]]:
        """Return the messages, with their destinations, that are not sent or not delivered, but for those of `gone`."""
        events = self.events()
        delivered = {(event.message, event.process) for event in events if event.kind == "deliver"}
        sends = [event for event in events if event.kind == "send" and event.process != gone]
        owed = [(event.message, dest) for event in sends for dest in sorted(event.dests or ()) if dest != gone]
        unsent = self.messages * len(self.names) - len(sends)
        return [*(one for one in owed if one not in delivered), *[(None, "")] * unsent]

    def stop(self) -> None:
        """End all processes as an operator would."""
        (self.folder / "stop").touch()
        for name, process in self.running.items():
            assert process.wait(DEADLINE_S) == 0, f"{name} failed: {self.log(name)}"

    def _judge_application(self, name: str) -> None:
        """First offers are in the order of the trace; what was acknowledged is never offered again; what was not is,
        in the same order."""
        delivered = [event.message for event in self.events() if (event.process, event.kind) == (name, "deliver")]
        acked: set[str] = set()
        firsts: dict[str, None] = {}
        at = 0
        for word, identity in self.seen(name):
            if word == "acked":
                acked.add(identity)
                continue
            assert identity not in acked, f"{name} was offered {identity} after it had acknowledged it"
            if identity in firsts:
                assert delivered.index(identity) <= at, f"{name} was offered {identity} again, out of order"
            firsts[identity] = None
            at = delivered.index(identity)
        assert list(firsts) == delivered
        (path,) = (self.folder / "stores").glob(f"*_{name}.sqlite")
        with closing(Store(path)) as store:
            assert (store.inbox(), store.read_quarantine()) == ([], [])


@contextmanager
def arena(
    folder: Path,
    names: str,
    *,
    messages: int,
    seed: int,
    urls: Mapping[str, str] | None = None,
    conditions: Conditions = NORMAL,
    gives_up: str = "",
) -> Iterator[Arena]:
    """Start everybody."""
    one = Arena(
        folder,
        names.split(),
        messages=messages,
        seed=seed,
        urls=urls or {},
        conditions=conditions,
        gives_up=gives_up,
    )
    try:
        for name in one.names:
            one.start(name)
        yield one
    finally:
        one.end()
