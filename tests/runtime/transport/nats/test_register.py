"""What is written at the broker for a name may be anything: it is a registration, or it is not."""

import pytest

from antecede.runtime.transport.nats.register import _registration

ENTRY = b'{"incarnation": "i", "epoch": %s, "nonce": "n"}'


def test_fields_of_a_later_release_are_ignored() -> None:
    found = _registration(b'{"incarnation": "i", "epoch": 3, "nonce": "n", "colour": "red"}')
    assert found is not None
    assert (found.epoch, found.form, found.has_left) == (3, 1, False)


@pytest.mark.parametrize("value", [b"", b"[]", b"5", ENTRY % b"Infinity", ENTRY % b'"x"', b"[" * 100_000])
def test_what_is_not_a_registration_is_none(value: bytes) -> None:
    assert _registration(value) is None
