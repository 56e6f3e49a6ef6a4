"""Tokens: how a host proves its name. Signed by a key that only the operator and the stations have.

A token is a JSON Web Token (HS256) with the claims `sub`, the name of the host, and `exp`, until when; and perhaps
`policy`, `store` or `drop`, and `stored_max`: what is kept for the host while it is away. Stations keep no list of
tokens: whoever shows one that was signed with the key, and has not expired, is the host it names. What is refused is
refused in the same words whatever was shown, and neither tokens nor keys are ever part of a message.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import jwt

from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.mobile.luggage import Policy, Terms
from antecede.core.roster import NAME_BYTES_MAX

KEY_BYTES_MIN = 32
DAYS_MAX = 36_500
DAY_S = 86_400.0
ALGORITHM = "HS256"


class TokenRefused(RemoteViolation):
    """Who is speaking is not known."""


def read_key(path: Path) -> bytes:
    """Return the key in a file, without the line end it may have. Raise `Misuse` if there is no key, or a short one."""
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise Misuse(f"the key {path} cannot be read: {error.strerror}") from error
    if len(key) < KEY_BYTES_MIN:
        raise Misuse(
            f"the key in {path} has {len(key)} bytes, and at least {KEY_BYTES_MIN} are needed: "
            f"make a new one with head -c 32 /dev/urandom | base64 > {path}"
        )
    return key


@dataclass(frozen=True, slots=True)
class Badge:
    """What a token says: who the host is, and what the operator wants for it if that is not the stations' policy.

    One that `removes` is not a host's: the operator shows it, and the host is gone for good.
    """

    host: str
    when_asleep: str | None = None
    stored_max: int | None = None
    removes: bool = False

    def terms(self, policy: Policy) -> Terms | None:
        """Return the terms of the token, completed from the policy of a station, or None if it has none."""
        if self.when_asleep is None and self.stored_max is None:
            return None
        return Terms(self.when_asleep or policy.when_asleep, self.stored_max or policy.stored_max)


def issue(
    key: bytes,
    host: str,
    *,
    days: float = 30.0,
    now: float | None = None,
    when_asleep: str | None = None,
    stored_max: int | None = None,
    removes: bool = False,
) -> str:
    """Return a token for `host`, signed with `key`, that is good for `days`.

    `when_asleep` and `stored_max` say what is kept for the host while it is away; without them, the policy of the
    stations holds. A token with `removes` is not for the host, but for the operator who removes it. `now` is for tests.
    """
    if not _is_name(host) or not 0 < days <= DAYS_MAX:
        raise Misuse(
            f"a token needs a name of 1 to {NAME_BYTES_MAX} bytes, and more than 0 and at most {DAYS_MAX} days: not "
            f"{host!r} and {days:g}"
        )
    Terms(when_asleep or "store", 1 if stored_max is None else stored_max)
    until = (time.time() if now is None else now) + days * DAY_S
    said = {"sub": host, "exp": int(until), "policy": when_asleep, "stored_max": stored_max, "removes": removes or None}
    return jwt.encode({claim: value for claim, value in said.items() if value is not None}, key, algorithm=ALGORITHM)


def _is_name(host: object) -> bool:
    try:
        return isinstance(host, str) and 1 <= len(host.encode()) <= NAME_BYTES_MAX
    except UnicodeEncodeError:
        return False


def read_token(key: bytes, token: str) -> Badge:
    """Return what a token says. Raise `TokenRefused` if the token is not valid."""
    try:
        claims = jwt.decode(token, key, algorithms=[ALGORITHM], options={"require": ["sub", "exp"]})
    except jwt.ExpiredSignatureError:
        raise TokenRefused("the token has expired: ask for another") from None
    except (jwt.PyJWTError, ValueError):
        raise TokenRefused("the token is not one of this system: make one with `antecede token` and its key") from None
    host, when_asleep, stored_max = claims["sub"], claims.get("policy"), claims.get("stored_max")
    if not _is_name(host):
        raise TokenRefused("the token names no host")
    try:
        Terms("store" if when_asleep is None else when_asleep, 1 if stored_max is None else stored_max)
    except Misuse:
        raise TokenRefused("the token has a policy or a limit that is not valid") from None
    return Badge(host, when_asleep, stored_max, claims.get("removes") is True)


def holder(key: bytes, token: str) -> str:
    """Return the host that a token is for. Raise `TokenRefused` if the token is not valid, or not for a host."""
    badge = read_token(key, token)
    if badge.removes:
        raise TokenRefused("the token is not for a host")
    return badge.host
