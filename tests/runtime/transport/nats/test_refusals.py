"""What a server says, and what of it will not change however often it is asked."""

import pytest
from nats.errors import NoRespondersError
from nats.js.errors import APIError, ServiceUnavailableError

from antecede.core.errors import Misuse
from antecede.runtime.transport.nats.refusals import START_S, check_started, explain_refusal

NO_LEADER = ServiceUnavailableError(code=503, err_code=10008, description="JetStream system temporarily unavailable")
SINGLE_NOT_ENABLED = APIError(code=503, err_code=10076, description="JetStream not enabled")


@pytest.mark.parametrize("unheard", [NoRespondersError(), ServiceUnavailableError()])
def test_jetstream_is_not_enabled_if_nobody_listens_for_a_while(unheard: Exception) -> None:
    check_started(unheard, START_S / 2, "nats://h")
    with pytest.raises(Misuse, match="JetStream is not enabled at nats://h: start nats-server with -js"):
        check_started(unheard, START_S, "nats://h")


def test_a_server_that_says_that_jetstream_is_not_enabled_is_believed_at_once() -> None:
    with pytest.raises(Misuse, match="JetStream is not enabled"):
        check_started(SINGLE_NOT_ENABLED, 0.0, "nats://h")


def test_a_cluster_without_a_leader_is_waited_for() -> None:
    """Its servers cannot reach each other for now."""
    check_started(NO_LEADER, 100 * START_S, "nats://h")


@pytest.mark.parametrize("said", ["Authorization Violation", "authorization failed", "User Authentication Expired"])
def test_a_refused_user_is_explained(said: str) -> None:
    assert "refused the user or password" in str(explain_refusal(Exception(f"nats: '{said}'"), "nats://h"))
    assert explain_refusal(ConnectionRefusedError(said[:4]), "nats://h") is None
