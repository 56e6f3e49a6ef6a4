"""Names of processes and spaces, as other systems take them: NATS subjects and stream names, and file names.

Letters, digits and `-` stand for themselves; any other byte of the UTF-8 is `=` and two hexadecimal digits. So
different names stay different, a name can be read back, and none contains a dot, a space, a slash or an underscore,
which are left for joining names. Where the length is limited, a name that comes out too long is replaced by its
digest.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

LABEL_CHARS_MAX = 100
PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
ESCAPE = re.compile(rb"=([0-9A-F]{2})")


@lru_cache(maxsize=65_536)
def token(name: str) -> str:
    """Return the name as one token of a subject."""
    return "".join(chr(byte) if byte in PLAIN else f"={byte:02X}" for byte in name.encode())


@lru_cache(maxsize=65_536)
def untoken(written: str) -> str | None:
    """Return the name of which `token` makes `written`, or None if there is no such name."""
    try:
        name = ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), written.encode()).decode()
    except UnicodeDecodeError:
        return None
    return name if token(name) == written else None


def label(name: str) -> str:
    """Return a text for the name that can be part of a stream's name or of a file's.

    The text is never long. The name cannot be read from it, because a long name is replaced by its digest.
    """
    written = token(name)
    return written if len(written) <= LABEL_CHARS_MAX else f"={hashlib.sha256(name.encode()).hexdigest()}"
