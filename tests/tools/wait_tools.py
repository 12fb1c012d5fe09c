"""Waiting for what must come, however long it takes."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fork_tools import Forked

HANGS = 240.0
"""Seconds after which a test is taken to hang: it ends the test, and decides nothing else."""


def wait_for(condition: Callable[[], object], explain: Callable[[], object] = lambda: "it never came") -> Any:
    """What ``condition`` gives, as soon as it holds; ``explain`` says what there was instead, should it never hold. Asking takes
    a fifth of the time at most: the processor is for what is waited for."""
    deadline = time.monotonic() + HANGS
    while True:
        asked = time.monotonic()
        if held := condition():
            return held
        now = time.monotonic()
        assert now < deadline, explain()
        time.sleep(min(max(0.01, 4 * (now - asked)), 1.0))


@contextmanager
def ended_where_it_hangs(process: subprocess.Popen[str] | Forked) -> Iterator[None]:
    """What reads from ``process`` here comes to an end."""
    hangs = threading.Timer(HANGS, process.kill)
    hangs.start()
    try:
        yield
    finally:
        hangs.cancel()


def judging_page(process: subprocess.Popen[str] | Forked) -> tuple[str, str]:
    """The address of the page that a command shows to a person, once it is there; and all that the command said until then."""
    assert process.stderr is not None
    said = ""
    with ended_where_it_hangs(process):
        while "Ctrl-C" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
    address = re.search(r"http://127[^ \n]+", said)
    assert address is not None
    return address[0], said


def stopped(process: subprocess.Popen[str] | Forked) -> tuple[str, str]:
    """What the command still writes, output and errors, once Ctrl-C has told it to end."""
    with ended_where_it_hangs(process):
        process.send_signal(signal.SIGINT)
        return process.communicate()


def stopped_at_its_browser(line: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a command that was told to end while it waited for the browser that it had
    opened; what it wrote until then is left out."""
    browser = f"{sys.executable} -c 'import sys; sys.stdin.read()' %s"  # ends with the standard input of the command
    with subprocess.Popen(
        [sys.executable, "-m", "topical_crawler", *line], cwd=cwd, env={**environment, "BROWSER": browser}, encoding="utf-8",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        judging_page(process)
        out, err = stopped(process)
    return process.returncode, out, err
