"""What `join` and `serve_station` return: a block to be entered with `async with`, which says so if it is not.

node = await antecede.join(...)       # Misuse: write `async with antecede.join(...) as node:`
antecede.join(...).send(...)          # the same
antecede.join(...)                    # a warning, when nobody can enter it any more
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Generic, NoReturn, TypeVar

from antecede.core.errors import Misuse

T = TypeVar("T")


class Block(AbstractAsyncContextManager[T], Generic[T]):
    """A context manager that explains itself. `example` is what to write instead of anything else."""

    def __init__(self, inner: AbstractAsyncContextManager[T], example: str) -> None:
        self._inner, self._example = inner, example
        self._was_entered = False

    async def __aenter__(self) -> T:
        self._was_entered = True
        return await self._inner.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, traceback)

    def __await__(self) -> Generator[None, None, NoReturn]:
        self._was_entered = True
        raise Misuse(f"this is a block, and not to be awaited: write `{self._example}`")

    def __enter__(self) -> NoReturn:
        self._was_entered = True
        raise Misuse(f"this block is asynchronous: write `{self._example}`")

    def __exit__(self, *_: object) -> None:
        """Never called: `__enter__` raises."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__["_was_entered"] = True
        raise Misuse(f"{name!r} is not to be had before the block is entered: write `{self._example}`")

    def __del__(self) -> None:
        if not self.__dict__.get("_was_entered", True):
            warnings.warn(f"a block was made and never entered: write `{self._example}`", RuntimeWarning, stacklevel=1)
