"""Name messages for people: first the title of the message, then its id, both short.

The *title* says what a message is about: the topic that its send names, or the name of the span that sent it. Names and
ids can be long. They are shortened such that names that differ still differ (`tell_apart`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from antecede.judge.events import Event

TITLE_CHARS_MAX = 40
ID_CHARS_MAX, TITLED_ID_CHARS_MAX = 24, 12
TOPICS = (
    "messaging.destination.name",
    "messaging.destination",
    "messaging.source.name",
    *("topic", "subject", "queue", "channel"),
)
"""The attributes that name the topic of a message, the best first."""
SPAN_NAME = "name"


def title_of(send: Event) -> str:
    """Return the title of a message: its topic, its group, or the name of its span. It is empty if there is none."""
    attributes = send.attributes or {}
    found = [attributes.get(name) for name in TOPICS] + [send.group, attributes.get(SPAN_NAME)]
    title = next((text for text in found if text), "")
    return "" if send.message in title.split() else cut_middle(title, TITLE_CHARS_MAX)


def name_messages(ids: Iterable[str], titles: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each message: its title with its id in parentheses, or its id alone if it has no title."""
    known = list(ids)
    labels = tell_apart((one for one in known if not titles.get(one)), ID_CHARS_MAX)
    titled = tell_apart((one for one in known if titles.get(one)), TITLED_ID_CHARS_MAX)
    return labels | {one: f"{titles[one]} ({label})" for one, label in titled.items()}


def cut_middle(text: str, chars_max: int) -> str:
    """Return `text`. If it is too long, an ellipsis replaces its middle, because ids often differ at their ends."""
    if len(text) <= chars_max:
        return text
    tail = (chars_max - 1) // 2
    return f"{text[: chars_max - 1 - tail]}…{text[len(text) - tail :]}"


def tell_apart(texts: Iterable[str], chars_max: int, show: Callable[[str], str] = str) -> dict[str, str]:
    """Return a label of at most `chars_max` characters for each text, such that different texts have different labels.

    A text that is too long loses its middle. Texts that look the same after this are shown from the place on where they
    begin to differ. If that is not enough, they get a number. `show` is applied to each label, and labels must differ
    after it.
    """
    same: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        same.setdefault(show(cut_middle(text, chars_max)), []).append(text)
    labels = {group[0]: label for label, group in same.items() if len(group) == 1}
    taken = set(labels.values())
    for group in same.values():
        if len(group) > 1:
            start = _shared_start(min(group), max(group))
            for text in group:
                labels[text] = _find_free(_cut_around(text, start, chars_max), chars_max, taken, show)
                taken.add(labels[text])
    return labels


def _shared_start(first: str, last: str) -> int:
    """Return how many characters all texts of a sorted group share at their beginning, from its two ends."""
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (one, two) in pairs if one != two), min(len(first), len(last)))


def _cut_around(text: str, start: int, chars_max: int) -> str:
    """Return the beginning of a text, and its part from `start` on, where it differs from others."""
    if len(text) <= chars_max:
        return text
    head = chars_max // 3
    rest = text[max(head, start) :]
    label = f"{text[:head]}…{rest}"
    return label if len(label) <= chars_max else f"{label[: chars_max - 1]}…"


def _find_free(label: str, chars_max: int, taken: set[str], show: Callable[[str], str]) -> str:
    """Return the label, with a number at its end if it is taken."""
    shown, number = show(label), 1
    while shown in taken:
        number += 1
        end = f"~{number}"
        shown = show(label[: chars_max - len(end)]) + end
    return shown
