"""Read the time of an event: a number of any usual unit, or a date and time as text.

Programs write times as seconds, milliseconds, microseconds or nanoseconds since 1970, or as text of ISO 8601. A trace
has seconds. The size of a number tells its unit, so that nobody has to name it:

    less than 10^11      seconds         10^11 seconds after 1970 is the year 5138
    less than 10^14      milliseconds    10^11 milliseconds after 1970 is March 1973
    less than 10^17      microseconds    10^14 microseconds after 1970 is March 1973
    less than 10^20      nanoseconds     10^17 nanoseconds after 1970 is March 1973
    more                 seconds

The sign of a number has no part in this. A clock that counts milliseconds or less from another moment than 1970 may be
read in a wrong unit; convert its values into seconds. Times are never trusted for order between processes.
"""

from __future__ import annotations

import math
import re
from datetime import datetime

UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9))
"""The size below which a number has a unit, and how many of the unit are a second."""
SIZE_MAX = 1e300
"""A larger number is not a time. The difference of two times, and the sum of many, are then numbers too."""
ISO_8601 = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[Tt ](?P<minutes>\d\d:\d\d)(?P<seconds>:\d\d(?:[.,](?P<fraction>\d{1,30}))?)?"
    r" ?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)


def to_seconds(value: object) -> float | None:
    """Return a time in seconds, or None if the value is not a time.

    A number is read by its size, as above. A text is read if it is a date, or a date and a time, in the extended form
    of ISO 8601, such as `2023-11-14T22:13:20.5+01:00`. A text without a time zone is UTC. A number that is written as
    text is not a time, and neither is a boolean.
    """
    if isinstance(value, str):
        return _read_iso_8601(value)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer too large for a float
        return None
    if math.isnan(number) or abs(number) > SIZE_MAX:
        return None
    return number / next((per_second for limit, per_second in UNITS if abs(number) < limit), 1.0)


def _read_iso_8601(text: str) -> float | None:
    found = ISO_8601.fullmatch(text)
    if found is None:
        return None
    clock = (found["minutes"] or "00:00") + (found["seconds"] or ":00")[:3]
    zone = (found["zone"] or "Z").upper()
    try:
        whole = datetime.fromisoformat(f"{found['date']}T{clock}{zone}").timestamp()
    except ValueError:  # such as the 31st of February
        return None
    return whole + float(f"0.{found['fraction'] or 0}")
