"""Lines of a trace as they should not be, and as they may be: each with a part of the reason, or None for an event.

Whether a line is kept is the judge's rule as much as the pipeline's, so any reader of the trace can be held to it.
"""

import json

GOOD: dict[str, object] = {"run": "r", "process": "a", "index": 1, "kind": "internal"}
SEND: dict[str, object] = {**GOOD, "kind": "send", "message": "m", "dests": ["b"]}
DEEP = "[" * 5000 + "]" * 5000


def line(**changes: object) -> str:
    return json.dumps({**GOOD, **changes})


def send(**changes: object) -> str:
    return json.dumps({**SEND, **changes})


LINES: list[tuple[str | bytes, str | None]] = [
    (line(), None),
    (send(), None),
    (json.dumps(SEND, separators=(",", ":")), None),
    (json.dumps(SEND, indent=None, separators=(" , ", " : ")), None),
    (line(process='q"uo\\te', run="ünï", message="\U0001f600"), None),
    (send(dests=[]), None),
    (send(dests=['b"', "c\\"]), None),
    (line(run=None, time=None, message=None, dests=None, attributes=None), None),
    (line(time=3), None),
    (line(time=-1e300), None),
    (line(attributes={"n": 1, "o": {"p": []}, "none": None, "s": "text"}), None),
    (line(unknown={"x": [1, 2]}), None),
    (line(index=0), None),
    (line(index=2**63 - 1), None),
    ("  " + line() + "\t\r", None),
    (line(process="x" * 65_536), None),
    (send(dests=["x" * 40_000, "y" * 40_000]), None),
    (line(kind="move"), None),
    # the text
    ("not JSON", "not a JSON object"),
    ('{"run": "r", "process": "a", "ind', "not a JSON object"),
    (line() + line(), "not a JSON object"),
    (line() + "}", "something follows"),
    (line() + " x", "not a JSON object"),
    ("[" + line() + "]", "not a JSON object"),
    ("null", "not a JSON object"),
    ("5", "not a JSON object"),
    (line().replace('"', "'"), "not a JSON object"),
    (b'{"process": "\xff", "index": 1, "kind": "internal"}', "not UTF-8"),
    ('{"process": "a", "index": 1, "kind": "internal", "attributes": {"deep": ' + DEEP + "}}", "not"),
    # one column each
    (line(kind="explode"), "kind is explode"),
    (line(kind=None), "kind is missing"),
    (line(kind=5), "kind is 5"),
    (line(index=-1), "index is -1"),
    (line(index=None), "index is missing"),
    (line(index="5"), "index is 5"),
    (line(index=1.0), "index is 1.0"),
    (line(index=True), "index is true"),
    (line(index=2**63), "index is 9223372036854775808"),
    (line(process=""), "process is missing or empty"),
    (line(process=None), "process is missing or empty"),
    (line(process=5), "process is 5; it must be text"),
    (line(process={"a": 1}), "process is"),
    (line(run=5), "run is 5"),
    (line(message=True), "message is true"),
    (line(group=["g"]), "group is"),
    (line(time="3"), "time is 3"),
    (line(time=float("nan")), "time"),
    (line(time=1.7e308), "time"),
    (line(time=-(10**301)), "time"),
    (line(time=float("inf")), "time"),
    ('{"process":"a","index":1,"kind":"internal","time":1e999}', "time"),
    (send(message=None), "message is missing or empty on send"),
    (send(message=""), "message is missing or empty on send"),
    (line(kind="receive"), "message is missing or empty on receive"),
    (line(kind="deliver"), "message is missing or empty on deliver"),
    (send(dests=None), "dests is missing on send"),
    (send(dests=None, group="g"), "dests is missing on send"),
    (send(dests="b"), "dests is b"),
    (send(dests=["b", ""]), "a destination in dests is missing or empty"),
    (send(dests=["b", None]), "a destination in dests is missing or empty"),
    (send(dests=["b", 5]), "dests is"),
    (line(dests=[""]), "a destination in dests is missing or empty"),
    (send(payload_bytes="10"), "payload_bytes is 10"),
    (send(control_bytes=1.5), "control_bytes is 1.5"),
    (line(attributes="text"), "attributes is text"),
    # fields without end
    (line(process="x" * 1_000_000), "process has 1000000 characters"),
    (line(message="x" * 65_537), "message has 65537 characters"),
    (line(run="x" * 65_537), "run has 65537 characters"),
    (send(dests=["b", "x" * 65_537]), "a destination in dests has more than 65536 characters"),
    (line(attributes={"a": "x" * 65_537}), "an attribute has more than 65536 characters"),
    (line(attributes={"x" * 65_537: "a"}), "not"),
    ('{"process": "\\ud800", "index": 1, "kind": "internal"}', "process is"),
]
