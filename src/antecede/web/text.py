"""Format text and numbers for a page: make text from logs harmless, and quantities readable.

Text from a log is hostile until it has passed `safe`. `safe` first cuts it to a length. Then it replaces every
character that would hide, reorder or break something (controls, direction overrides, zero-width characters, lone
surrogates, long runs of combining marks) by its code point in brackets. Then it escapes HTML, quotes included. So two
names that differ only in an invisible character look different, which a reader of a trace needs.
"""

from __future__ import annotations

import math
import unicodedata
from datetime import UTC, datetime
from html import escape

NAME_CHARS_MAX = 48
LINE_CHARS_MAX = 240
TEXT_CHARS_MAX = 1000
MARKS_MAX = 4
_YEAR_2000, _YEAR_2100 = 946_684_800, 4_102_444_800
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def make_visible(text: str, chars_max: int = LINE_CHARS_MAX) -> str:
    """Return `text` with invisible characters replaced, cut to about `chars_max` characters with an ellipsis."""
    kept = text if len(text) <= chars_max else text[: chars_max - 1]
    shown = []
    marks = 0
    for char in kept:
        category = unicodedata.category(char)
        marks = marks + 1 if category.startswith("M") else 0
        if category in _UNSAFE or marks > MARKS_MAX:
            shown.append(" " if char in "\t\n\r" else f"[U+{ord(char):04X}]")
        else:
            shown.append(char)
    joined = "".join(shown)
    if len(joined) > 2 * chars_max:  # code points in brackets are longer than the characters
        joined, kept = joined[: 2 * chars_max], ""
    return joined if kept == text else joined + "…"


def safe(text: str, chars_max: int = LINE_CHARS_MAX) -> str:
    """Return `text` as safe content of an HTML or SVG element or of a quoted attribute."""
    return escape(make_visible(text, chars_max), quote=True)


def name(text: str, chars_max: int = NAME_CHARS_MAX) -> str:
    """Return a safe process, message or run name. An empty name is shown as such."""
    return safe(text, chars_max) if text else "(no name)"


def number(value: float | None) -> str:
    """Return an integer with commas between thousands, another number with one decimal, or a dash for None."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def plural(count: int, singular: str, several: str = "") -> str:
    """Return a count and its noun, in the singular or the plural."""
    return f"{number(count)} {singular if count == 1 else several or singular + 's'}"


def duration(seconds: float | None) -> str:
    """Return a time with three significant digits in a suitable unit: 850 ns, 12.5 µs, 3.2 ms, 1.5 s, 3.4 min, 2.1
    h, 4 d.
    """
    if seconds is None or not math.isfinite(seconds):
        return "–"
    size = abs(seconds)
    if size == 0:
        return "0 s"
    for limit, scale, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms"), (120, 1, "s")):
        if size < limit * 0.9995:
            return f"{_digits(seconds * scale)} {unit}"
    for limit, scale, unit in ((7200, 60, "min"), (172_800, 3600, "h"), (math.inf, 86_400, "d")):
        if size < limit:
            return f"{_digits(seconds / scale)} {unit}"
    raise AssertionError(seconds)


def moment(seconds: float | None) -> str:
    """Return a reading of a source's clock: a date if it can only be one (seconds since 1970), else the seconds."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if _YEAR_2000 <= seconds < _YEAR_2100:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S.%f").rstrip("0").rstrip(".") + " UTC"
    whole, _, fraction = f"{seconds:,.6f}".partition(".")
    return f"{whole}.{fraction}".rstrip("0").rstrip(".") + " s"


def data_size(size_bytes: float) -> str:
    """Return a size in bytes in a suitable unit."""
    for limit, scale, unit in ((1e3, 1.0, "bytes"), (1e6, 1e3, "kB"), (1e9, 1e6, "MB"), (1e12, 1e9, "GB")):
        if size_bytes < limit:
            return f"{_digits(size_bytes / scale)} {unit}"
    return f"{number(round(size_bytes / 1e12))} TB"


def percent(part: float, whole: float) -> str:
    """Return a share in percent. A share above 0 is never shown as 0 %, and one below 1 never as 100 %."""
    if whole <= 0:
        return "–"
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "less than 0.1 %"
    return "more than 99.9 %" if 99.9 < share < 100 else f"{_digits(share)} %"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"
