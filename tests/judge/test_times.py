"""Which values are times, and how many seconds they are."""

import math

import pytest

from antecede.judge.times import to_seconds

MOMENT = 1_700_000_000.5
"""2023-11-14T22:13:20.5Z."""


@pytest.mark.parametrize(
    "value",
    [
        1_700_000_000.5,
        1_700_000_000_500,
        1_700_000_000_500.0,
        1_700_000_000_500_000,
        1_700_000_000_500_000_000,
        "2023-11-14T22:13:20.5Z",
        "2023-11-14t22:13:20.500z",
        "2023-11-14 22:13:20.5",
        "2023-11-14T22:13:20,500000000",
        "2023-11-14T23:13:20.5+01:00",
        "2023-11-14T23:13:20.5 +0100",
        "2023-11-14T17:13:20.5-05",
        "2023-11-15T03:43:20.5+05:30",
    ],
)
def test_one_moment_in_every_spelling(value: object) -> None:
    assert to_seconds(value) == MOMENT


@pytest.mark.parametrize("number", [0, -1, 3, 0.1, 1e-300, -5e10, 1_699_999_999.123456, 99_999_999_999, 1e20, -1e300])
def test_a_plain_number_of_seconds_stays_exactly_that(number: float) -> None:
    assert to_seconds(number) == number


@pytest.mark.parametrize(("limit", "seconds"), [(10**11, 1e8), (10**14, 1e8), (10**17, 1e8)])
def test_the_unit_changes_at_the_stated_sizes(limit: int, seconds: float) -> None:
    assert to_seconds(limit) == to_seconds(float(limit)) == seconds
    assert to_seconds(-limit) == -seconds
    below = to_seconds(math.nextafter(limit, 0))
    assert below is not None
    assert below > 1e10


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01", 0.0),
        ("1970-01-01T00:01", 60.0),
        ("1969-12-31T23:59:59.25Z", -0.75),
        ("0001-01-01T00:00:00+14:00", -62135647200.0),
        ("9999-12-31T23:59:59Z", 253402300799.0),
        ("1970-01-01T00:00:00.000000001Z", 1e-9),
    ],
)
def test_dates_far_and_near(text: str, seconds: float) -> None:
    assert to_seconds(text) == seconds


@pytest.mark.parametrize(
    "value",
    [
        "",
        "noon",
        "12:00",
        "1700000000.5",
        "20231114",
        "2023-11",
        "2023-02-31",
        "2023-11-14T24:30:00Z",
        "2023-11-14T22:13:60Z",
        "2023-11-14T22:13.5Z",
        "2023-11-14T",
        "2023-11-14X22:13:20Z",
        "2023-11-14T22:13:20+25:00",
        "0000-01-01",
        "２０２３-11-14",
        "2023-11-14T22:13:20Z\n",
        "2023-11-14T22:13:20." + "5" * 100_000,
        math.nan,
        math.inf,
        -math.inf,
        10**400,
        True,
        None,
        [],
        {"seconds": 1},
        b"2023-11-14",
    ],
)
def test_what_is_not_a_time(value: object) -> None:
    assert to_seconds(value) is None
