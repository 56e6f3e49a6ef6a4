"""What is due at a number of deliveries: the window opens or closes, a state is measured, progress is told.

The ledger counts deliveries and calls `reached` at the next mark alone, so that a delivery costs one comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from antecede.sim.kernel import Kernel
from antecede.sim.measure.ledger import Ledger
from antecede.sim.measure.metrics import Meter

PROGRESS_EVERY = 1_000


class Bounds(Protocol):
    """Where a run ends, and what is measured of it."""

    @property
    def messages(self) -> int | None: ...
    @property
    def deliveries(self) -> int | None: ...
    @property
    def warmup(self) -> int: ...
    @property
    def state_every(self) -> int: ...


class Marks:
    """`state(number)` gives the size of the `number`-th state that is measured; `turned` is called when the meter in
    use changes."""

    def __init__(
        self,
        bounds: Bounds,
        ledger: Ledger,
        kernel: Kernel,
        state: Callable[[int], int],
        progress: Callable[[float], None] | None,
        *,
        turned: Callable[[Meter], None] | None = None,
    ) -> None:
        self.bounds, self.ledger, self.kernel, self.state, self.progress = bounds, ledger, kernel, state, progress
        self.turned = turned
        self._end = None if bounds.deliveries is None else bounds.warmup + bounds.deliveries
        ledger.at_mark, ledger.next_mark = self.reached, self._after(0)

    def reached(self) -> None:
        ledger, every = self.ledger, self.bounds.state_every
        deliveries = ledger.deliveries
        ledger.next_mark = self._after(deliveries)
        if deliveries == self.bounds.warmup:
            self._turn(ledger.window)
        if deliveries == self._end:
            self._turn(Meter())
            self.kernel.stop()
        if every and not deliveries % every:
            ledger.meter.state(self.state(deliveries // every))
        if self.progress is not None:
            done = (ledger.messages, self.bounds.messages) if self._end is None else (deliveries, self._end)
            self.progress(min(1.0, done[0] / (done[1] or 1)))

    def _turn(self, meter: Meter) -> None:
        self.ledger.use(meter)
        if self.turned is not None:
            self.turned(meter)

    def _after(self, deliveries: int) -> int:
        every = self.bounds.state_every
        marks = [self.bounds.warmup, self._end or 0, deliveries - deliveries % PROGRESS_EVERY + PROGRESS_EVERY]
        if every:
            marks.append(deliveries - deliveries % every + every)
        return min(mark for mark in marks if mark > deliveries)
