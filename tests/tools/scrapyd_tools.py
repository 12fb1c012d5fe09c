"""A real scrapyd with the configuration of ``deploy/``, in a folder and on a port of a test's own."""

import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Self

import psutil
from packaging_tools import ROOT
from redis_tools import free_port
from wait_tools import HANGS

PATIENCE = HANGS
"""Seconds after which a server or a crawl is taken to hang."""
USERNAME, PASSWORD = "deployer", "se%ret$1"


class Scrapyd:
    """A scrapyd that runs inside the ``with`` block, and none of its crawls after it.

    Args:
        folder: empty; what scrapyd keeps lies there.
        variables: further environment variables, for scrapyd and its crawls.
    """

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.log = folder / "scrapyd.log"
        self.environment = {n: value for n, value in os.environ.items() if n not in ("PYTHONPATH", "SCRAPY_SETTINGS_MODULE")}
        self.environment |= {"HOME": str(folder), "SCRAPYD_HTTP_PORT": str(self.port)}
        self.environment |= {"SCRAPYD_USERNAME": USERNAME, "SCRAPYD_PASSWORD": PASSWORD, **variables}

    def __enter__(self) -> Self:
        shutil.copy(ROOT / "deploy" / "scrapyd.conf", self.folder)
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "scrapyd"], cwd=self.folder, env=self.environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.call("daemonstatus.json")
                return self
            except urllib.error.URLError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    self.__exit__()
                    raise RuntimeError(f"scrapyd did not start: {self.said()}") from None
                time.sleep(0.1)

    def __exit__(self, *_: object) -> None:
        """Crawls, and the children of crawls, are ended by their numbers: scrapyd would leave them behind."""
        with contextlib.suppress(psutil.NoSuchProcess):
            family = [psutil.Process(self._process.pid), *psutil.Process(self._process.pid).children(recursive=True)]
            for process in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
        self._process.wait()

    def page(self, path: str, user: tuple[str, str] | None = (USERNAME, PASSWORD), **fields: str | list[str]) -> bytes:
        """What scrapyd answers; ``fields`` are sent by POST, a list as several fields of one name.

        Raises:
            urllib.error.HTTPError: refused.
        """
        data = urllib.parse.urlencode(fields, doseq=True).encode() if fields else None
        request = urllib.request.Request(self.url + path, data)
        if user is not None:
            request.add_header("Authorization", "Basic " + base64.b64encode(":".join(user).encode()).decode())
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return bytes(answer.read())

    def call(self, service: str, **fields: str | list[str]) -> Any:
        """The JSON that a service answers."""
        return json.loads(self.page(service, **fields))

    def deploy(self, source: Path) -> None:
        """Upload the project in ``source`` by scrapyd-deploy and its scrapy.cfg, in which only the port is changed."""
        config = source / "scrapy.cfg"
        config.write_text(config.read_text(encoding="utf-8").replace(":6800/", f":{self.port}/"), encoding="utf-8")
        line = [sys.executable, "-m", "scrapyd_client.deploy"]
        done = subprocess.run(line, cwd=source, env=self.environment, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stdout + done.stderr + self.said()
        answer = json.loads(done.stdout)
        assert (answer["status"], answer["project"], answer["spiders"]) == ("ok", "topical_crawler", 1)
        self.version = str(answer["version"])  # scrapyd knows the spiders of a version that is named without asking again

    def schedule(self, *settings: str, **arguments: str) -> str:
        """Start a crawl of the spider ``topical``; the number of the job."""
        job = {"project": "topical_crawler", "spider": "topical", "_version": self.version, "setting": list(settings)}
        answer = self.call("schedule.json", **job, **arguments)
        assert answer["status"] == "ok", answer
        return str(answer["jobid"])

    def log_of(self, job: str) -> str:
        """The log of a job that has ended, as scrapyd serves it; waits for its end.

        Raises:
            TimeoutError: it did not end.
        """
        deadline = time.monotonic() + PATIENCE
        while job not in {found["id"] for found in self.call("listjobs.json?project=topical_crawler")["finished"]}:
            if time.monotonic() > deadline:
                raise TimeoutError(self.said())
            time.sleep(0.3)
        return (self.folder / "logs" / "topical_crawler" / "topical" / f"{job}.log").read_text(encoding="utf-8")

    def said(self) -> str:
        """scrapyd's own log."""
        return self.log.read_text(encoding="utf-8", errors="replace")
