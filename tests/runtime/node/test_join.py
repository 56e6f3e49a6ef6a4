"""What `join` refuses before anything is opened, in words that say what was meant."""

import asyncio
from typing import Any

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import MemoryNetwork, join


@pytest.mark.parametrize(
    ("misspelt", "meant"), [("durabilty", "durability"), ("limit", "limits"), ("hold_back_limits", "hold_back_limit")]
)
def test_a_misspelt_argument_is_told_with_what_is_like_it(misspelt: str, meant: str) -> None:
    options: dict[str, Any] = {misspelt: 1}
    with pytest.raises(Misuse, match=f"join has no argument '{misspelt}', .*: did you mean '{meant}'?"):
        join(MemoryNetwork(), space="s", process="a", **options)


def test_an_argument_that_is_like_nothing_is_told_with_the_options_of_the_algorithm() -> None:
    async def enter() -> None:
        async with join(MemoryNetwork(), space="s", process="a", zzz=1):
            pass

    with pytest.raises(Misuse, match="ks has no option 'zzz'; it has "):
        asyncio.run(enter())
