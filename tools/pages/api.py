"""`docs/reference/api.md`: the public names of `antecede`, with signatures and the first paragraph of what they say."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import antecede
from antecede import mobile
from tools.pages.docstrings import paragraphs

INTRO = """\
# The public names

Everything in `antecede.__all__`, and in `antecede.mobile.__all__` for hosts that roam. What a driver owes an algorithm
is written in `antecede.core.algorithm`.
"""


def page() -> str:
    roaming = ["## Roaming: `antecede.mobile`", *_parts(mobile, {*mobile.__all__} - {"Effect"}, "###")]
    return "\n\n".join([INTRO.rstrip(), *_parts(antecede, set(antecede.__all__), "##"), *roaming])


def _parts(module: ModuleType, names: set[str], heading: str) -> Iterator[str]:
    public = {name: getattr(module, name) for name in sorted(names)}
    sections = {"Functions": _function, "Classes": _class, "Errors": _class, "Aliases": _alias}
    for title, shown in sections.items():
        members = [shown(name, thing) for name, thing in public.items() if _section(thing) == title]
        if members:
            yield f"{heading} {title}"
            yield from (member.replace("### ", f"{heading}# ", 1) for member in members)


def _section(thing: Any) -> str:
    if inspect.isfunction(thing):
        return "Functions"
    if not inspect.isclass(thing) or thing.__module__ == "builtins":
        return "Aliases"
    return "Errors" if issubclass(thing, BaseException) else "Classes"


def _function(name: str, function: Any) -> str:
    code = f"```python\n{name}{_signature(function)}\n```"
    return "\n\n".join([f"### {name}", code, *paragraphs(function.__doc__)[:1]])


def _class(name: str, cls: Any) -> str:
    members = [_member(member, value) for member, value in vars(cls).items() if not member.startswith("_")]
    listed = "\n".join([*_fields(cls), *filter(None, members)])
    return "\n\n".join(filter(None, [f"### {name}", *paragraphs(cls.__doc__)[:1], listed]))


def _alias(name: str, thing: Any) -> str:
    meant = thing.__name__ if inspect.isclass(thing) else " | ".join(each.__name__ for each in thing.__args__)
    return f"### {name}\n\n`{meant}`"


def _fields(cls: Any) -> list[str]:
    """Those of a dataclass, or of a named tuple."""
    if is_dataclass(cls):
        return [f"* `{field.name}: {field.type}`" for field in fields(cls)]
    annotations = inspect.get_annotations(cls)
    return [f"* `{name}: {_Bare(annotations[name])}`" for name in getattr(cls, "_fields", ())]


def _member(name: str, value: Any) -> str:
    if isinstance(value, property):
        return _item(name, value.fget)
    return _item(f"{name}{_signature(value)}", value) if inspect.isfunction(value) else ""


def _item(shown: str, function: Any) -> str:
    return f"* `{shown}`" + "".join(f": {text}" for text in paragraphs(function.__doc__)[:1])


class _Bare:
    """An annotation as it stands in the source, without the quotes that a string would be shown in."""

    def __init__(self, annotation: Any) -> None:
        self.text = getattr(annotation, "__forward_arg__", annotation)

    def __repr__(self) -> str:
        return str(self.text)


def _signature(function: Any) -> str:
    signature = inspect.signature(function)
    bare = [
        parameter.replace(annotation=_Bare(parameter.annotation))
        for name, parameter in signature.parameters.items()
        if name != "self"
    ]
    return str(signature.replace(parameters=bare, return_annotation=_Bare(signature.return_annotation)))
