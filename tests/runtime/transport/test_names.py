"""Any name can be a NATS token and be read back; labels are short."""

from hypothesis import given
from hypothesis import strategies as st

from antecede.runtime.transport.names import LABEL_CHARS_MAX, label, token, untoken

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(NAMES)
def test_a_token_is_read_back(name: str) -> None:
    written = token(name)
    assert untoken(written) == name
    assert not set(written) & set(" .*>/\\_\t\n")


@given(st.text(max_size=20))
def test_what_is_no_token_is_none(text: str) -> None:
    try:
        name = untoken(text)
    except UnicodeEncodeError:
        return  # a lone surrogate: no subject contains one
    assert name is None or token(name) == text


@given(NAMES, NAMES)
def test_labels_are_short_and_differ(one: str, other: str) -> None:
    assert len(label(one)) <= LABEL_CHARS_MAX
    assert (label(one) == label(other)) == (one == other)
