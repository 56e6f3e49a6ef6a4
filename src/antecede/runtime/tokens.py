"""Tokens: how a host proves its name. Signed by a key that only the operator and the stations have.

A token is a JSON Web Token (HS256) with two claims, `sub`, the name of the host, and `exp`, until when. Stations keep
no list of tokens: whoever shows one that was signed with the key, and has not expired, is the host it names. What is
refused is refused in the same words whatever was shown, and neither tokens nor keys are ever part of a message.
"""

from __future__ import annotations

import time
from pathlib import Path

import jwt

from antecede.core.errors import Misuse, RemoteViolation
from antecede.core.roster import NAME_BYTES_MAX

KEY_BYTES_MIN = 32
DAY_S = 86_400.0
ALGORITHM = "HS256"


class TokenRefused(RemoteViolation):
    """Who is speaking is not known."""


def read_key(path: Path) -> bytes:
    """The key in a file, without the line end it may have."""
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise Misuse(f"the key {path} can not be read: {error.strerror}") from error
    if len(key) < KEY_BYTES_MIN:
        raise Misuse(
            f"the key in {path} has {len(key)} bytes, and at least {KEY_BYTES_MIN} are needed: "
            f"head -c 32 /dev/urandom | base64 > {path}"
        )
    return key


def issue(key: bytes, host: str, *, days: float = 30.0, now: float | None = None) -> str:
    """A token for `host`."""
    if not 1 <= len(host.encode()) <= NAME_BYTES_MAX or days <= 0:
        raise Misuse(f"a name of 1 to {NAME_BYTES_MAX} bytes, for more than 0 days: not {host!r} for {days:g}")
    until = (time.time() if now is None else now) + days * DAY_S
    return jwt.encode({"sub": host, "exp": int(until)}, key, algorithm=ALGORITHM)


def holder(key: bytes, token: str) -> str:
    """The host that a token names, or `TokenRefused`."""
    try:
        claims = jwt.decode(token, key, algorithms=[ALGORITHM], options={"require": ["sub", "exp"]})
    except jwt.ExpiredSignatureError:
        raise TokenRefused("the token has expired: ask for another") from None
    except (jwt.PyJWTError, ValueError):
        raise TokenRefused("the token is not one of this system") from None
    host = claims["sub"]
    if not isinstance(host, str) or not 1 <= len(host.encode(errors="replace")) <= NAME_BYTES_MAX:
        raise TokenRefused("the token names no host")
    return host
