"""A crawl in a process of its own, with what it takes of the machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


class CrawlProcess:
    """``scrapy crawl topical`` as a child of this process, started when this is made.

    Args:
        arguments: ``NAME=VALUE`` each, of the spider.
        settings: ``NAME=VALUE`` each; of one given twice, the last counts.
        log: file to which all that it says is added.

    Attributes:
        log: as given.
        cpu_seconds: that the process and those it has waited for (the workers of the extraction) took; 0 until it has ended.
        peak_mb: most memory that the largest of them held, in MiB; 0 until it has ended.
    """

    def __init__(self, arguments: Sequence[str], settings: Sequence[str], log: Path) -> None:
        self.log = log
        self.cpu_seconds = 0.0
        self.peak_mb = 0.0
        command = [sys.executable, "-m", "scrapy", "crawl", "topical"]
        for flag, values in (("-a", arguments), ("-s", settings)):
            command += [part for value in values for part in (flag, value)]
        with log.open("ab") as out:
            self._before = out.tell()
            # A group of its own: Ctrl-C reaches this process only, which then asks each crawl once to stop.
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, process_group=0)

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._reap(os.WNOHANG)

    def interrupt(self) -> None:
        """Ask it to stop in good order."""
        if self.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def wait(self) -> None:
        """Until it has ended."""
        self._reap(0)

    def said(self) -> str:
        """What it has added to the log."""
        with self.log.open("rb") as file:
            file.seek(self._before)
            return file.read().decode("utf-8", "replace")

    def _reap(self, options: int) -> int | None:
        if self._process.returncode is None:
            # Not through Popen, which does not ask what the process took. On Linux and macOS this holds its children's part, too.
            ended, status, usage = os.wait4(self._process.pid, options)
            if ended:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_seconds = usage.ru_utime + usage.ru_stime
                self.peak_mb = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        return self._process.returncode
