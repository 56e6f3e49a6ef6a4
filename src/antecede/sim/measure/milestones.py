"""Do what is due at a number of deliveries: open or close the window, measure a state, report progress.

The ledger counts deliveries and calls `handle_mark` at the next mark only, so that a delivery costs one comparison.
"""

from __future__ import annotations

from collections.abc import Callable

from antecede.sim.kernel import Kernel
from antecede.sim.measure.ledger import Ledger
from antecede.sim.measure.metrics import Meter
from antecede.sim.parameters import RunParameters

PROGRESS_EVERY = 1_000


class Milestones:
    """The milestones of a run.

    `state(number)` returns the size of the `number`-th state that is measured.
    """

    def __init__(
        self,
        bounds: RunParameters,
        ledger: Ledger,
        kernel: Kernel,
        state: Callable[[int], int],
        progress: Callable[[float], None] | None,
    ) -> None:
        self.bounds, self.ledger, self.kernel, self.state, self.progress = bounds, ledger, kernel, state, progress
        self._end = None if bounds.deliveries is None else bounds.warmup + bounds.deliveries
        ledger.at_mark, ledger.next_mark = self.handle_mark, self._next_mark(0)

    def handle_mark(self) -> None:
        """Do what is due at the current number of deliveries, and set the next mark."""
        ledger, every = self.ledger, self.bounds.state_every
        deliveries = ledger.deliveries
        ledger.next_mark = self._next_mark(deliveries)
        if deliveries == self.bounds.warmup:
            ledger.use_meter(ledger.window)
        if deliveries == self._end:
            ledger.use_meter(Meter())
            self.kernel.stop()
        if every and not deliveries % every:
            ledger.meter.count_state(self.state(deliveries // every))
        if self.progress is not None:
            done = (ledger.messages, self.bounds.messages) if self._end is None else (deliveries, self._end)
            self.progress(min(1.0, done[0] / (done[1] or 1)))

    def _next_mark(self, deliveries: int) -> int:
        """Return the next number of deliveries, after `deliveries`, at which something is due."""
        every = self.bounds.state_every
        marks = [self.bounds.warmup, self._end or 0, deliveries - deliveries % PROGRESS_EVERY + PROGRESS_EVERY]
        if every:
            marks.append(deliveries - deliveries % every + every)
        return min(mark for mark in marks if mark > deliveries)
