"""What the first characters of a file show."""

import pytest

from antecede.pipeline.read.detect_format import format_of

EVENT = '{"run":"r","process":"a","index":0,"kind":"internal"}'


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("PAR1\x15\x04", "antecede"),
        (EVENT, "antecede"),
        ("\ufeff\n" + EVENT, "antecede"),
        ("broken\n" + EVENT, "antecede"),
        ('{"resourceSpans":[]}', "otlp"),
        ('{\n  "resourceSpans": [', "otlp"),
        ('[{"traceId":"1","id":"2"}]', "zipkin"),
        ('[\n {\n "traceId": "1",\n "id": "2"', "zipkin"),
        ('{"TracerIdentity":"a","VectorClock":{"a":1}}', "tracechecker"),
        ('a {"a":1}\nevent\n', "shiviz"),
        ("(?<host>\\w+) (?<clock>{.*}) (?<event>.*)\n\n" + 'a {"a":1} x\n', "shiviz"),
        ("", None),
        ("hello\nworld\n", None),
        ('{"some":"json"}', None),
        ("[" * 100_000, None),
        ("\x00\xff\x1b" * 100, None),
    ],
)
def test_a_format_is_known_by_its_first_characters(head: str, found: str | None) -> None:
    assert format_of(head) == found
