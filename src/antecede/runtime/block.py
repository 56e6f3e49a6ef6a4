"""What `join`, `join_sync` and `serve_station` return: a block to be entered, which says so if it is not.

node = await antecede.join(...)       # Misuse: write `async with antecede.join(...) as node:`
antecede.join(...).send(...)          # the same
async for message in antecede.join(...)   # the same
antecede.join(...)                    # a warning, when nobody can enter it any more

A `Host`, which is entered itself, explains the first and the last of these in the same way.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from types import TracebackType
from typing import Any, Generic, NoReturn, TypeVar

from antecede.core.errors import Misuse

T = TypeVar("T")


class Explained:
    """Explain how a block is entered, if it is awaited or never entered. `example` is what to write."""

    def __init__(self, example: str) -> None:
        self._example, self._was_used = example, False

    def _explain(self, what: str) -> Misuse:
        self._was_used = True
        return Misuse(f"{what}: write `{self._example}`")

    def __await__(self) -> Generator[Any, Any, NoReturn]:
        raise self._explain("this is a block, and not to be awaited")

    def __del__(self) -> None:
        if not self.__dict__.get("_was_used", True):
            warnings.warn(f"a block was made and never entered: write `{self._example}`", RuntimeWarning, stacklevel=1)


class ExplainedBlock(Explained):
    """Explain how the block is entered, if something is asked for that only an entered block has."""

    def __iter__(self) -> NoReturn:
        raise self._explain("this is a block, and there is nothing in it before it is entered")

    def __aiter__(self) -> NoReturn:
        raise self._explain("this is a block, and there is nothing in it before it is entered")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._explain(f"{name!r} is not to be had before the block is entered")


class AsyncBlock(ExplainedBlock, AbstractAsyncContextManager[T], Generic[T]):
    """An asynchronous context manager that explains itself."""

    def __init__(self, inner: AbstractAsyncContextManager[T], example: str) -> None:
        super().__init__(example)
        self._inner = inner

    async def __aenter__(self) -> T:
        self._was_used = True
        return await self._inner.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, traceback)

    def __enter__(self) -> NoReturn:
        raise self._explain("this block is asynchronous")

    def __exit__(self, *_: object) -> None:
        """Do nothing: `__enter__` raises."""


class SyncBlock(ExplainedBlock, AbstractContextManager[T], Generic[T]):
    """A context manager that explains itself."""

    def __init__(self, inner: AbstractContextManager[T], example: str) -> None:
        super().__init__(example)
        self._inner = inner

    def __enter__(self) -> T:
        self._was_used = True
        return self._inner.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return self._inner.__exit__(kind, error, traceback)

    async def __aenter__(self) -> NoReturn:
        raise self._explain("this block is not asynchronous")

    async def __aexit__(self, *_: object) -> None:
        """Do nothing: `__aenter__` raises."""
