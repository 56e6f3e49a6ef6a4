"""A headless Chromium through its command line alone: the page's tree, its picture, its print.

A test that must act inside the page adds a script of its own at the end, and its hash to the page's policy, which so
stays in force. The script hands its result to `done(value)`. A window can not be narrower than 500 pixels, so
a phone is a frame of that width inside a page, which passes the result on.
"""

from __future__ import annotations

import html
import json
import re
import struct
import subprocess
import zlib
from base64 import b64encode
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--virtual-time-budget=5000",
)
TIMEOUT_SECONDS = 120
DONE = """
const done = (value) => {
  document.documentElement.dataset.result = JSON.stringify(value);
  if (parent !== window) parent.postMessage(JSON.stringify(value), "*");
};
"""


@dataclass(frozen=True)
class Chromium:
    """`path` is the browser, `folder` a folder of the test's own."""

    path: str
    folder: Path

    def tree(self, page: str, width: int = 1200, height: int = 900) -> str:
        """The page's HTML after its script has run."""
        return self._run(self._file("page.html", page), "--dump-dom", f"--window-size={width},{height}")

    def act(self, page: str, script: str, width: int = 1200, height: int = 900) -> Any:
        """What `script` gives to `done` inside `page`, in a window, or a frame, `width` wide."""
        url = self._file("page.html", with_script(page, DONE + script))
        if width < 500:
            url = self._file("frame.html", _frame("page.html", width, height))
        tree = self._run(url, "--dump-dom", f"--window-size={max(500, width)},{height}")
        found = re.search(r'<html[^>]* data-result="([^"]*)"', tree)
        assert found, f"the script did not finish; the page was: {tree[:2000]}"
        return json.loads(html.unescape(found[1]))

    def colours(self, page: str, width: int = 1200, height: int = 1600, *more: str) -> Counter[bytes]:
        """How many pixels of each colour a picture of the page has."""
        picture = self.folder / "page.png"
        url = self._file("page.html", page)
        self._run(url, f"--screenshot={picture}", f"--window-size={width},{height}", *more)
        return pixels(picture.read_bytes())

    def pdf(self, page: str) -> bytes:
        printed = self.folder / "page.pdf"
        self._run(self._file("page.html", page), f"--print-to-pdf={printed}", "--no-pdf-header-footer")
        return printed.read_bytes()

    def _file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return (self.folder / name).as_uri()

    def _run(self, url: str, *arguments: str) -> str:
        profile = mkdtemp(dir=self.folder)
        command = [self.path, *FLAGS, f"--user-data-dir={profile}", *arguments, url]
        finished = subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
        assert finished.returncode == 0, finished.stderr.decode(errors="replace")[-2000:]
        return finished.stdout.decode()


def with_script(page: str, script: str) -> str:
    """`page` with one more script at its end, allowed by one more hash; nothing else of the policy changes."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert page.count("script-src '") == 1
    allowed = page.replace("script-src '", f"script-src 'sha256-{digest}' '")
    return allowed.replace("</body>", f"<script>{script}</script></body>")


def _frame(file_name: str, width: int, height: int) -> str:
    return (
        "<!DOCTYPE html><body><script>"
        "onmessage = (event) => { document.documentElement.dataset.result = event.data; };</script>"
        f'<iframe src="{file_name}" width="{width}" height="{height}" frameborder="0"></iframe>'
    )


def pixels(png: bytes) -> Counter[bytes]:
    """The colours of a PNG of 8 bits per channel, not interlaced, as browsers write."""
    width, height, depth, colour, *_, interlaced = struct.unpack(">IIBBBBB", png[16:29])
    assert (depth, interlaced) == (8, 0)
    size = {2: 3, 6: 4}[colour]
    packed, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        packed += png[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    raw, stride = zlib.decompress(packed), width * size
    found: Counter[bytes] = Counter()
    above = bytearray(stride)
    for row in range(height):
        start = row * (stride + 1)
        above = _unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), above, size)
        found.update(bytes(above[place : place + 3]) for place in range(0, stride, size))
    return found


def _unfiltered(kind: int, line: bytearray, above: bytearray, size: int) -> bytearray:
    """One line of a PNG, given the one above it (the five filters of the standard, section 9)."""
    for place in range(len(line)):
        left = line[place - size] if place >= size else 0
        corner = above[place - size] if place >= size else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[place]
        elif kind == 3:
            guess = (left + above[place]) // 2
        elif kind == 4:
            guess = _paeth(left, above[place], corner)
        else:
            return line
        line[place] = (line[place] + guess) & 255
    return line


def _paeth(left: int, above: int, corner: int) -> int:
    near = left + above - corner
    return min((left, above, corner), key=lambda value: abs(near - value))
