"""Read what OpenTelemetry's attributes say about messages: the role of a span, and the keys of its messages.

The attribute `messaging.operation.type` (formerly `messaging.operation`) decides the role of a span. If it is missing,
the kind of the span does. The keys of a message are, best first: `messaging.message.id`, and the place in a Kafka
partition. Older names of the attributes count as the newer ones. An empty text counts as missing. `antecede.dests`, a
list of names, states the destinations of a send.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

ATTRIBUTE_NAMES = {
    "operation": ("messaging.operation.type", "messaging.operation"),
    "message": ("messaging.message.id", "messaging.message_id"),
    "destination": ("messaging.destination.name", "messaging.destination", "messaging.source.name"),
    "partition": (
        "messaging.destination.partition.id",
        "messaging.kafka.destination.partition",
        "messaging.kafka.partition",
    ),
    "offset": ("messaging.kafka.offset", "messaging.kafka.message.offset"),
    "bytes": (
        "messaging.message.body.size",
        "messaging.message.payload_size_bytes",
        "messaging.message_payload_size_bytes",
    ),
}
DESTINATIONS = "antecede.dests"
ROLE_BY_OPERATION = {
    "publish": "send",
    "send": "send",
    "create": "send",
    "receive": "receive",
    "process": "deliver",
    "deliver": "deliver",
    "settle": "internal",
}
ROLE_BY_KIND = {"server": "server", "client": "client", "producer": "send", "consumer": "receive"}

Attributes = Mapping[str, str | None]


def find(attributes: Attributes, what: str) -> str | None:
    """Return the attribute with the first of the names that `ATTRIBUTE_NAMES` has for `what`, or None."""
    return next((value for name in ATTRIBUTE_NAMES[what] if (value := attributes.get(name))), None)


def role_of(attributes: Attributes, kind: str | None) -> str:
    """Return the role of a span with these attributes.

    `kind` is server, client, producer or consumer. Any other kind is ignored.
    """
    operation = find(attributes, "operation")
    by_operation = ROLE_BY_OPERATION.get(operation.lower()) if operation else None
    return by_operation or ROLE_BY_KIND.get(kind or "", "internal")


def keys_in(attributes: Attributes) -> list[str]:
    """Return the keys by which attributes name a message, best first."""
    keys = []
    message = find(attributes, "message")
    if message is not None:
        keys.append(message)
    place = [find(attributes, what) for what in ("destination", "partition", "offset")]
    if None not in place:
        keys.append("/".join(part for part in place if part is not None))
    return keys


def list_arrivals(linked: Sequence[Sequence[str]], named: Sequence[str], parent: str | None) -> list[list[str]]:
    """Return the keys of each message that arrived with a span.

    `linked` has the keys of each link of the span, `named` has the keys in its own attributes, and `parent` is the key
    of its parent. Several links are a batch. If there is one link or none, the own attributes and the parent count too.
    """
    if len(linked) > 1:
        return [list(keys) for keys in linked]
    return [[*(linked[0] if linked else ()), *named, *([parent] if parent is not None else [])]]
