"""What can be agreed for a host."""

from __future__ import annotations

from typing import Any

import pytest

from antecede import Misuse
from antecede.core.mobile.luggage import Terms


@pytest.mark.parametrize(("when_asleep", "stored_max"), [("forget", 5), ("store", 0), ("drop", True), ("store", 1.5)])
def test_terms_that_no_station_can_keep_are_refused(when_asleep: str, stored_max: Any) -> None:
    with pytest.raises(Misuse, match="when_asleep must be store or drop, and stored_max 1 or more: not Terms"):
        Terms(when_asleep, stored_max)
