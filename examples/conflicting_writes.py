"""A replicated database that keeps conflicting writes, with two clock entries on a version instead of thirteen.

Run: python examples/conflicting_writes.py

Meldal, Sankar and Vera 1991 (§7) name distributed databases as a use of their clocks: the links between sites are known
beforehand and few. Thirteen sites form a tree. Each key is written at two of them, and copied along the links. A site
that gets a version asks: does it replace mine, because its writer knew mine, or were both written without knowledge of
each other? In the second case it keeps both, and the next writer sees the conflict. For this any two writes of one key
must be compared, so the clocks are planned for pairs: those two sites of each key.

The program keeps for itself which writes precede which, and checks every decision. It also counts the writes that would
have been lost if the version that came last had replaced the others.
"""

import random
import sys
from dataclasses import dataclass, field

from antecede import locality

SITES = [f"s{number}" for number in range(13)]
LINKS = [(SITES[(number - 1) // 3], SITES[number]) for number in range(1, 13)]
WRITERS = {"stock": ("s4", "s5"), "price": ("s1", "s7"), "order": ("s11", "s12")}
STEPS = 3000


@dataclass(frozen=True)
class Version:
    """A write of `key`: its number and the writes before it, for the check, and its timestamp, for the sites."""

    key: str
    number: int
    before: frozenset[int]
    stamp: locality.ClockStamp


@dataclass
class Site:
    """`versions` are those of each key that replace each other in no way; `seen` are all writes that precede."""

    clock: locality.LocalClock
    versions: dict[str, list[Version]] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)


class Database:
    """All sites, what is on its way between them, and the decisions that were taken."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        graph = locality.Graph.both_ways(LINKS)
        self.plan = locality.plan(graph, pairs=WRITERS.values())
        self.sites = {name: Site(locality.LocalClock(self.plan.allocation, name)) for name in SITES}
        self.links = {link: list[tuple[locality.ClockStamp, list[Version], set[int]]]() for link in graph.links}
        self.writes = self.decisions = self.conflicts = self.wrong = 0

    def write(self) -> None:
        key = self.chance.choice(sorted(WRITERS))
        site = self.sites[self.chance.choice(WRITERS[key])]
        site.clock.event()
        self.writes += 1
        site.versions[key] = [Version(key, self.writes, frozenset(site.seen), site.clock.timestamp())]
        site.seen.add(self.writes)

    def copy(self) -> None:
        sender, receiver = link = self.chance.choice(sorted(self.links))
        site = self.sites[sender]
        versions = [version for each in site.versions.values() for version in each]
        self.links[link].append((site.clock.send(receiver), versions, set(site.seen)))

    def arrive(self) -> None:
        link = self.chance.choice(sorted(self.links))
        if self.links[link]:
            stamp, versions, seen = self.links[link].pop(0)
            site = self.sites[link[1]]
            site.clock.receive(stamp)
            for version in versions:
                self.take(site, version)
            site.seen |= seen

    def take(self, site: Site, new: Version) -> None:
        """Keep the new version, unless one here replaces it, and drop those that it replaces."""
        mine = site.versions.get(new.key, [])
        if new in mine:
            return
        orders = [self.compare(old, new) for old in mine]
        if locality.Order.AFTER not in orders:
            kept = [old for old, order in zip(mine, orders, strict=True) if order is not locality.Order.BEFORE]
            site.versions[new.key] = [*kept, new]
            self.conflicts += bool(kept)

    def compare(self, old: Version, new: Version) -> locality.Order:
        said = locality.compare_events(old.stamp, new.stamp, self.plan.allocation)
        is_before, is_after = old.number in new.before, new.number in old.before
        right = (said is locality.Order.BEFORE, said is locality.Order.AFTER) == (is_before, is_after)
        self.decisions += 1
        self.wrong += not right
        return said


def main() -> int:
    database = Database(random.Random(1991))
    for _ in range(STEPS):
        database.chance.choice([database.write, *[database.copy] * 4, *[database.arrive] * 6])()
    print(f"{database.writes} writes, {database.decisions} decisions, {database.wrong} of them wrong")
    print(f"{database.conflicts} times the last version would have replaced one that its writer did not know")
    entries = max(len(version.stamp.clock) for site in database.sites.values() for version in site.versions["stock"])
    print(f"a version has {entries} clock entries instead of {len(SITES)}: {locality.saving(database.plan)}")
    return 1 if database.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
