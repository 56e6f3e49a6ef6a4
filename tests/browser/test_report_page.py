"""The report in Chromium: shows verdict and diagram, works by mouse and keyboard, fits, prints, loads nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from antecede.web import export, report
from tests.browser.chromium import Chromium
from tests.web.page import Page
from tests.web.samples import busy_report, known_report, poisoned
from tests.web.window import known_window

pytestmark = pytest.mark.browser

KNOWN = report.render(known_report())
BUSY = report.render(busy_report(), written="2026-05-13 08:12 UTC")
ATTACK = (
    "</script></title><script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>\" onfocus=\"pwned = 1"
)
HOSTILE = report.render(poisoned(ATTACK), written=ATTACK)
LONG = report.render(poisoned("long" * 16_384), written="long" * 16_384)


def test_the_verdict_and_the_diagram_of_the_known_violation_are_shown(chromium: Chromium) -> None:
    page = Page(chromium.tree(KNOWN))
    assert "Causal order is violated" in page.text
    assert [svg["aria-label"] for svg in page.all("svg") if svg.get("class") == "space-time"] == [
        "Space-time diagram of violation 1: m3 overtakes m1"
    ]
    assert [tools for tools in page.all("div") if tools.get("class") == "tools" and "hidden" in tools] == []


def test_the_diagram_is_painted_in_both_schemes(chromium: Chromium) -> None:
    light = chromium.colours(KNOWN)
    assert light[bytes.fromhex("ffffff")] > light.total() / 2
    assert light[bytes.fromhex("a83a00")] > 1000  # the verdict, the overtaken message
    assert light[bytes.fromhex("005a94")] > 500  # the witness chain
    dark = chromium.colours(KNOWN, 1200, 1600, "--blink-settings=preferredColorScheme=0")
    assert dark[bytes.fromhex("14171a")] > dark.total() / 2
    assert dark[bytes.fromhex("ff9a5e")] > 1000


MEASURE = """
addEventListener("load", () => done({
  inner: innerWidth,
  page: document.documentElement.scrollWidth,
  wide: [...document.querySelectorAll("body *")].filter((element) =>
    !element.closest(".scroll, .view, svg, .skip") && element.getBoundingClientRect().right > innerWidth + 0.5
  ).map((element) => element.outerHTML.slice(0, 200)),
}));
"""


@pytest.mark.parametrize("width", [360, 768, 1200])
@pytest.mark.parametrize("page", [KNOWN, BUSY, HOSTILE, LONG], ids=["known", "busy", "hostile", "long"])
def test_the_page_never_scrolls_sideways(chromium: Chromium, page: str, width: int) -> None:
    measured = chromium.act(page, MEASURE, width)
    assert measured["inner"] == width
    assert measured["page"] <= width
    assert measured["wide"] == []


def test_letters_in_a_diagram_stay_readable_on_a_phone(chromium: Chromium) -> None:
    script = """addEventListener("load", () => done([...document.querySelectorAll("details[open] .space-time")].map(
      (svg) => 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)));"""
    sizes = chromium.act(BUSY, script, 360)
    assert len(sizes) == 3
    assert min(sizes) >= 9.5


def test_zooming_by_button_key_and_wheel(chromium: Chromium) -> None:
    script = """
    const view = document.querySelector(".view");
    const width = () => Math.round(view.querySelector("svg").width.baseVal.value);
    const key = (name) => view.dispatchEvent(
      new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    const wheel = (ctrlKey) => view.dispatchEvent(
      new WheelEvent("wheel", { deltaY: -300, ctrlKey, bubbles: true, cancelable: true }));
    const widths = [width()];
    document.querySelector("[data-zoom=in]").click(); widths.push(width());
    document.querySelector("[data-zoom=out]").click(); widths.push(width());
    key("+"); widths.push(width());
    key("0"); widths.push(width());
    wheel(false); widths.push(width());
    wheel(true); widths.push(width());
    for (let press = 0; press < 8; press++) key("+");
    const before = [view.scrollLeft, view.scrollTop];
    key("ArrowRight"); key("ArrowDown");
    done({ widths, moved: [view.scrollLeft - before[0], view.scrollTop - before[1]] });
    """
    found = chromium.act(KNOWN, script)
    first, zoomed, back, by_key, reset, unmoved, by_wheel = found["widths"]
    assert zoomed == by_key == round(first * 1.25)
    assert first == back == reset == unmoved
    assert by_wheel == round(first * 2.718281828)
    assert found["moved"] == [60, 60]


def test_focus_hover_and_tap_tell_what_a_mark_is(chromium: Chromium) -> None:
    script = """
    const line = document.querySelector(".readout"), said = [line.textContent];
    document.querySelectorAll(".view .event")[5].focus(); said.push(line.textContent);
    const point = (mark, kind) => mark.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
    point(document.querySelector(".message.overtaken .hit"), "pointerover"); said.push(line.textContent);
    const lit = document.querySelectorAll(".lit").length;
    point(document.querySelector(".process text"), "click"); said.push(line.textContent);
    done({ said, lit });
    """
    found = chromium.act(KNOWN, script)
    assert found["said"][0].startswith("Point at an event or a message")
    assert found["said"][1:] == [
        "b delivers m1 (event 1, clock 0.12 s): too late",
        "Message m1 from a to b: the overtaken message",
        "process a",
    ]
    assert found["lit"] == 3  # the message, its send and its deliver


def test_a_closed_violation_opens_with_a_working_diagram_and_all_open_for_print(chromium: Chromium) -> None:
    script = """
    const closed = document.querySelector("details:not([open]) figure").closest("details");
    closed.addEventListener("toggle", () => setTimeout(() => {
      const tools = !closed.querySelector(".tools").hidden;
      dispatchEvent(new Event("beforeprint"));
      const open = document.querySelectorAll(".violation details[open]").length;
      dispatchEvent(new Event("afterprint"));
      done({ tools, open, after: document.querySelectorAll(".violation details[open]").length });
    }), { once: true });
    closed.open = true;
    """
    total = BUSY.count("<article")
    assert chromium.act(BUSY, script) == {"tools": True, "open": total, "after": 4}


FILTER = """
const [processes, links] = document.querySelectorAll(".filter select"), line = document.querySelector(".filter .note");
const listed = () => [...document.querySelectorAll(".violations .violation")].filter(
  (entry) => entry.checkVisibility());
const choose = (select, value) => {
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
};
const all = document.querySelectorAll(".violations .violation").length;
"""


def test_violations_are_filtered_by_process_and_link(chromium: Chromium) -> None:
    script = (
        FILTER
        + """
    const found = { hidden: document.querySelector(".filter").hidden, all, said: [line.textContent] };
    choose(processes, "3");
    const of_process = listed();
    found.process = of_process.every((entry) => entry.dataset.process.split(" ").includes("3"));
    found.processes = of_process.length;
    const link = of_process[0].dataset.link;
    choose(links, link);
    found.both = listed().every((entry) => entry.dataset.link === link);
    found.links = listed().length;
    found.said.push(line.textContent);
    found.shapes = [...document.querySelectorAll(".shape")].every(
      (shape) => shape.checkVisibility() === [...shape.querySelectorAll(".violation")].some((one) => !one.hidden));
    choose(processes, ""); choose(links, "");
    found.after = document.querySelectorAll(".violations .violation:not([hidden])").length;
    found.said.push(line.textContent);
    done(found);
    """
    )
    found = chromium.act(BUSY, script)
    assert (found["hidden"], found["process"], found["both"], found["shapes"]) == (False, True, True, True)
    assert 0 < found["links"] < found["processes"] < found["all"] == found["after"]
    assert found["said"] == ["", f"{found['links']} of {found['all']} listed violations", ""]


def test_a_link_to_a_violation_opens_the_parts_around_it(chromium: Chromium) -> None:
    script = """
    const target = [...document.querySelectorAll("article.violation")].find((one) => one.closest(".more .more"))
      || [...document.querySelectorAll("article.violation")].pop();
    const before = target.checkVisibility();
    addEventListener("hashchange", () => setTimeout(() => done(
      [before, target.checkVisibility(), target.querySelector("details").open])));
    location.hash = target.id;
    """
    assert chromium.act(BUSY, script) == [False, True, True]


def test_tables_are_read_without_scrolling_sideways_on_a_phone(chromium: Chromium) -> None:
    script = """addEventListener("load", () => done([...document.querySelectorAll(".scroll")].filter(
      (box) => !box.closest(".matrix") && box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel)));"""
    assert chromium.act(BUSY, script, 390) == []


def test_the_reading_of_the_matrix_can_be_chosen(chromium: Chromium) -> None:
    script = """
    const shown = () => ["messages", "delay", "violations"].filter((reading) =>
      getComputedStyle(document.querySelector(`.matrix td .${reading}`)).display !== "none");
    const found = [shown()];
    for (const reading of ["delay", "violations"]) {
      document.querySelector(`.matrix [value=${reading}]`).click();
      found.push(shown());
    }
    done(found);
    """
    assert chromium.act(BUSY, script) == [["messages"], ["delay"], ["violations"]]


def test_every_violation_is_printed(chromium: Chromium) -> None:
    printed = chromium.pdf(BUSY)
    assert printed.startswith(b"%PDF")
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert pages > BUSY.count("<article") / 3  # a page has room for three diagrams at most
    assert len(re.findall(rb"/Type\s*/Page\b", chromium.pdf(KNOWN))) <= 2


def test_hostile_text_does_not_run(chromium: Chromium) -> None:
    script = """addEventListener("load", () => done({ pwned: window.pwned ?? null, images: document.images.length,
      scripts: document.scripts.length, title: document.title.includes("<img src=x onerror") }));"""
    assert chromium.act(HOSTILE, script) == {"pwned": None, "images": 0, "scripts": 2, "title": True}


def test_even_unescaped_text_would_not_run(chromium: Chromium) -> None:
    broken = KNOWN.replace("<main>", "<main><script>window.pwned = 1</script><img src='x:' onerror='window.pwned = 1'>")
    assert chromium.act(broken, 'addEventListener("load", () => done(window.pwned ?? null));') is None


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """A server on the loopback interface: its address, and what it was asked for."""
    paths: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(204)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", paths
        server.shutdown()
        thread.join()


def test_the_page_can_not_reach_the_network(chromium: Chromium, asked: tuple[str, list[str]]) -> None:
    address, paths = asked
    script = f"""
    const refused = [];
    addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
    const image = new Image(); image.src = "{address}/image";
    fetch("{address}/fetch").then(() => done("reached"), () => setTimeout(() => done(refused.sort()), 100));
    """
    assert chromium.act(KNOWN, script) == ["connect-src", "img-src"]
    assert paths == []
    control = KNOWN.replace("default-src 'none'", f"default-src {address}").replace(
        "img-src data:", f"img-src {address}"
    )
    assert chromium.act(control, script) == "reached"
    assert sorted(paths) == ["/fetch", "/image"]


def test_a_shiviz_log_is_read_by_its_own_expression_in_the_language_of_shiviz(chromium: Chromium) -> None:
    log = "".join(export.shiviz(known_window()))
    script = f"""
    const [expression, delimiter, ...rest] = {json.dumps(log)}.split("\\n"), log = rest.join("\\n");
    const events = [...log.matchAll(new RegExp(expression, "gm"))].map((match) => match.groups);
    done({{ runs: [...log.matchAll(new RegExp(delimiter, "gm"))].map((match) => match.groups.trace),
      events: events.map((event) => [event.host, event.kind, event.message, event.dests, JSON.parse(event.clock)]) }});
    """
    found = chromium.act(KNOWN, script)
    assert found["runs"] == ["r1"]
    assert len(found["events"]) == 6
    assert found["events"][0] == ["a", "send", "m1", "b", {"a": 1}]
    assert found["events"][5] == ["b", "deliver", "m1", "-", {"a": 2, "b": 2, "c": 2}]
