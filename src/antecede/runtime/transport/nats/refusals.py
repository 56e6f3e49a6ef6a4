"""What a NATS server will refuse however often it is asked, in words that say what to do."""

from __future__ import annotations

import re

from nats.errors import NoRespondersError, SecureConnWantedError
from nats.js.errors import APIError, ServiceUnavailableError

from antecede.core.errors import Misuse
from antecede.runtime.transport.contract import Unreachable

NOT_A_CLUSTER = 10074
NOT_ENABLED = (10039, 10076)
IF_NOBODY_ANSWERS = "start it with `nats-server -js`, or correct the address"
START_S = 2.0
"""How long a server that has just started may have no JetStream."""
VIOLATION = re.compile(r'permissions violation for (\w+) to "?([^"]*)', re.IGNORECASE)

REFUSED = re.compile(r"authorization (violation|failed)|authentication (expired|revoked|timeout)", re.IGNORECASE)


def explain_refusal(error: Exception, servers: str) -> str | None:
    """Return what to do if a server does not let a user in, or does not offer the TLS that was asked for.

    Return None for other errors.
    """
    if isinstance(error, SecureConnWantedError):
        return (
            f"the NATS server at {servers} does not offer TLS, and a tls:// URL, an SSLContext or --nats-ca asks for "
            "it: no password and no message was sent. Configure TLS at the server, or use nats:// without a certificate"
        )
    if REFUSED.search(str(error)) is None:
        return None
    return (
        f"the NATS server at {servers} refused the user or password, or none was given: correct it in the URL "
        "(nats://USER:PASSWORD@HOST) or in NatsOptions(connect=...), or let the user in at the server"
    )


def explain_silence(error: Exception, servers: str) -> str:
    """Return what to do if no connection could be made."""
    return explain_refusal(error, servers) or f"no NATS server answers at {servers}: {error!r}; {IF_NOBODY_ANSWERS}"


def check_possible(error: Exception) -> None:
    """Raise `Misuse` for what a server will refuse however often it is asked."""
    if isinstance(error, APIError) and error.err_code == NOT_A_CLUSTER:
        raise Misuse("NatsOptions(replicas=...): this server is not part of a cluster, and keeps one copy") from None


def check_started(error: Exception, passed_s: float, servers: str) -> None:
    """Raise `Misuse` if JetStream is not enabled, or nobody has listened to requests for so long that it cannot be.

    A cluster that has no leader yet, as while its servers cannot reach each other, answers with an error code.
    """
    is_refused = isinstance(error, APIError) and error.err_code in NOT_ENABLED
    is_unheard = isinstance(error, NoRespondersError) or (
        isinstance(error, ServiceUnavailableError) and error.err_code is None
    )
    is_absent = is_unheard and passed_s >= START_S
    if is_refused or is_absent:
        raise Misuse(
            f"JetStream is not enabled at {servers}: start nats-server with -js (or with `jetstream {{}}` in its "
            "configuration), and see that the account may use it"
        ) from None


def check_permissions(last_error: Exception | None, servers: str) -> None:
    """Raise `Unreachable` if the user lacks a right that is needed."""
    found = VIOLATION.search(str(last_error)) if last_error is not None else None
    if found is not None:
        raise Unreachable(
            f"the user at {servers} may not {found[1].lower()} to {found[2]}: docs/guide/06-enforcing.md lists the "
            "permissions that a process needs"
        ) from None
