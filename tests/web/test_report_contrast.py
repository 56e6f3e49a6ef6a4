"""Contrast of the page's colours, computed from its style sheet: AA (4.5 to 1) in every scheme."""

from __future__ import annotations

import re

import pytest

from antecede.web.report import asset

Colour = tuple[float, float, float]
INKS = ("ink", "soft", "wrong", "chain", "good", "unsure")


def schemes() -> dict[str, dict[str, Colour]]:
    blocks = re.findall(r":root \{(.*?)\}", asset("page.css"), re.DOTALL)
    return dict(zip(("light", "dark", "print"), map(_colours, blocks), strict=True))


def _colours(block: str) -> dict[str, Colour]:
    found = {name: tuple(bytes.fromhex(value)) for name, value in re.findall(r"--(\w+): #(\w{6});", block)}
    found["shade"] = tuple(map(int, re.findall(r"--shade: (\d+), (\d+), (\d+);", block)[0]))
    return {name: (value[0], value[1], value[2]) for name, value in found.items()}


def _luminance(colour: Colour) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, two: Colour) -> float:
    low, high = sorted((_luminance(one), _luminance(two)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_is_21_to_1() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_every_ink_is_legible_on_every_ground(scheme: str) -> None:
    colours = schemes()[scheme]
    for ink in INKS:
        for ground in ("paper", "panel"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_are_legible_on_the_darkest_shade_of_the_matrix(scheme: str) -> None:
    colours = schemes()[scheme]
    strength = max(
        map(float, re.findall(r"\.level-\d \{ background: rgba\(var\(--shade\), ([\d.]+)\)", asset("page.css")))
    )
    paper, shade = colours["paper"], colours["shade"]
    mixed = tuple(one + (two - one) * strength for one, two in zip(paper, shade, strict=True))
    assert contrast(colours["ink"], (mixed[0], mixed[1], mixed[2])) >= 4.5
