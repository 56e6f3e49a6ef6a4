"""`docs/reference/api.md`: every public name, with its signature and what its docstring says."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from types import ModuleType
from typing import Any

import antecede
from antecede import checked, locality, mobile, runtime
from tools.pages.docstrings import paragraphs

INTRO = """\
# The public names

The public Python names are those in `__all__` of these five modules:

| module | what it is for | needs |
|---|---|---|
| [`antecede`](#antecede) | the algorithms, as a library without I/O | the standard library |
| [`antecede.runtime`](#antecederuntime) | processes, stations and hosts over NATS | `antecede[runtime]` |
| [`antecede.mobile`](#antecedemobile) | roaming hosts and stations without I/O | the standard library |
| [`antecede.locality`](#antecedelocality) | clocks for a known communication graph | the standard library |
| [`antecede.checked`](#antecedechecked) | checks from Python | `antecede[app]` |

`antecede` offers {lazy}
of `antecede.checked` and `antecede.runtime` too, and loads them when they are first used. What a driver owes an
algorithm is written in `antecede.core.algorithm`.
"""
MODULES: Sequence[ModuleType] = (antecede, runtime, mobile, locality, checked)
MADE_FOR_CALLERS = frozenset({"CheckResult", "Delivery", "Node", "SyncDelivery", "SyncNode"})
"""Classes whose instances come out of a call; nobody else makes them, so their constructors are not shown."""
INTERNAL = "Internal:"
"""How the docstring of a member begins that is not for applications."""
LINE_MAX = 100
"""A signature that is longer has a line for each parameter."""


def page() -> str:
    names = [f"`{name}`" for name in lazy_names()]
    intro = INTRO.format(lazy=f"{', '.join(names[:-1])} and {names[-1]}")
    return "\n\n".join([intro.rstrip(), *(part for module in MODULES for part in _module(module))])


def lazy_names() -> list[str]:
    """Return the names that `antecede` loads from another module when they are first used."""
    return sorted(set(dir(antecede)) - set(vars(antecede)))


def _module(module: ModuleType) -> Iterator[str]:
    yield f"## {module.__name__}"
    public = {name: getattr(module, name) for name in sorted(module.__all__)}
    sections = {"Functions": _function, "Classes": _class, "Errors": _class, "Aliases": _alias}
    for title, describe in sections.items():
        members = [describe(name, thing) for name, thing in public.items() if _section(thing) == title]
        if members:
            yield f"### {title}"
            yield from members


def _section(thing: Any) -> str:
    if inspect.isfunction(thing):
        return "Functions"
    if not inspect.isclass(thing) or thing.__module__ == "builtins":
        return "Aliases"
    return "Errors" if issubclass(thing, BaseException) else "Classes"


def _function(name: str, function: Any) -> str:
    return "\n\n".join([f"#### {name}", _code(f"{name}{_signature(function)}"), *paragraphs(function.__doc__)])


def _class(name: str, cls: Any) -> str:
    code = [_code(f"{name}{_signature(cls)}")] if _has_own_constructor(cls) else []
    members = [_member(member, value) for member, value in vars(cls).items() if not member.startswith("_")]
    listed = "\n".join([*_fields(cls), *filter(None, members)])
    return "\n\n".join(filter(None, [f"#### {name}", *code, *paragraphs(cls.__doc__), listed]))


def _has_own_constructor(cls: Any) -> bool:
    """Return whether callers make instances with an `__init__` that the class itself writes out."""
    is_protocol = getattr(cls, "_is_protocol", False)
    written_out = inspect.isfunction(vars(cls).get("__init__")) and not is_dataclass(cls) and not is_protocol
    return written_out and cls.__name__ not in MADE_FOR_CALLERS


def _alias(name: str, thing: Any) -> str:
    meant = thing.__name__ if inspect.isclass(thing) else " | ".join(each.__name__ for each in thing.__args__)
    return f"#### {name}\n\n`{meant}`"


def _fields(cls: Any) -> list[str]:
    """Return the fields of a dataclass or named tuple, or the members of an enumeration, as list items."""
    if is_dataclass(cls):
        return [f"* `{field.name}: {field.type}`" for field in fields(cls) if not field.name.startswith("_")]
    if issubclass(cls, Enum):
        return [f"* `{member.name}`" for member in cls]
    annotations = inspect.get_annotations(cls)
    return [f"* `{name}: {_Verbatim(annotations[name])}`" for name in getattr(cls, "_fields", ())]


def _member(name: str, value: Any) -> str:
    if isinstance(value, property):
        return _item(name, value.fget)
    function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    if not inspect.isfunction(function) or (function.__doc__ or "").startswith(INTERNAL):
        return ""
    bound = "async " if inspect.iscoroutinefunction(function) else ""
    return _item(f"{bound}{name}{_signature(function, one_line=True)}", function)


def _item(shown: str, function: Any) -> str:
    return f"* `{shown}`" + "".join(f": {text}" for text in paragraphs(function.__doc__)[:1])


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


class _Verbatim:
    """An annotation or a default as it stands in the source, without the quotes or addresses of its `repr`."""

    def __init__(self, thing: Any) -> None:
        self.text = getattr(thing, "__forward_arg__", thing)
        if inspect.isbuiltin(thing) or inspect.isfunction(thing):
            self.text = f"{thing.__module__}.{thing.__qualname__}"

    def __repr__(self) -> str:
        return str(self.text)


def _signature(function: Any, *, one_line: bool = False) -> str:
    signature = inspect.signature(function)
    parameters = [
        _verbatim(parameter) for name, parameter in signature.parameters.items() if name not in ("self", "cls")
    ]
    result = signature.return_annotation
    if inspect.isclass(function):
        result = signature.empty
    shown = signature.replace(
        parameters=parameters, return_annotation=result if result is signature.empty else _Verbatim(result)
    )
    if one_line or len(str(shown)) <= LINE_MAX:
        return str(shown)
    return _one_parameter_a_line(shown)


def _one_parameter_a_line(signature: inspect.Signature) -> str:
    """Return a signature with a line for each parameter."""
    lines, starred = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            lines.append("*")
            starred = True
        lines.append(str(parameter))
    result = "" if signature.return_annotation is signature.empty else f" -> {signature.return_annotation!r}"
    return "(\n" + "".join(f"    {line},\n" for line in lines) + f"){result}"


def _verbatim(parameter: inspect.Parameter) -> inspect.Parameter:
    if parameter.annotation is not parameter.empty:
        parameter = parameter.replace(annotation=_Verbatim(parameter.annotation))
    if callable(parameter.default) and parameter.default is not parameter.empty:
        parameter = parameter.replace(default=_Verbatim(parameter.default))
    return parameter
