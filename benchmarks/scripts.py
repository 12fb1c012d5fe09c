"""What opening shells in a browser gives and costs: a made site of pages with and without a text of their own.

    python benchmarks/scripts.py [--pages 40] [--delay 0]

Half of the pages of a site on this machine are empty frames that a script fills from JSON, the others have their text. It is
crawled without scripts, with TOPICAL_SCRIPTS, and once more with it from the archive of the second crawl. Printed for each: texts
kept, of shells and of other pages, requests, seconds by the clock, by how many more a shell takes, and seconds of processors. The
same site without any shell, crawled with the setting and without, says what the setting costs where it has nothing to do.
"""

import argparse
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "tools")]

from crawl_tools import Reply, Site, article, command, environment, make_topic  # noqa: E402

APP = 'fetch("/api" + location.pathname).then(a => a.text()).then(text => document.querySelector("#app").innerHTML = text);'
SHELL = "<!DOCTYPE html><head><title>党建：{}</title></head><body><div id=app></div><script src=/app.js></script></body>"


def site(pages: int, shells: bool) -> Site:
    links = {f"/{'shell' if shells and n % 2 else 'page'}/{n}": f"党建{n}号" for n in range(pages)}
    made = Site({"/": Reply(article("首页", links)), "/app.js": Reply(APP, content_type="application/javascript")})
    for path in links:
        text = article(f"第{path}篇")
        made.routes[f"/api{path}"] = Reply(text.partition("<body>")[2])
        made.routes[path] = Reply(SHELL.format(path) if path.startswith("/shell") else text)
    return made


def measured(topic: Path, data: Path, server: Site, **settings: object) -> tuple[list[int], int, float, float]:
    before, began, used = len(server.hits), time.monotonic(), processors()
    line = command(topic, data, f"{server.url}/", TOPICAL_QUALITY=0, **settings)
    done = subprocess.run(line, cwd=ROOT, env=environment(), capture_output=True, encoding="utf-8", check=False)
    seconds = time.monotonic() - began
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(data / "corpus.sqlite")) as corpus:
        kept = [corpus.execute("SELECT count(*) FROM pages WHERE keep AND url LIKE ?", (f"%/{kind}/%",)).fetchone()[0]
                for kind in ("shell", "page")]  # fmt: skip
    return kept, len(server.hits) - before, seconds, processors() - used


def processors() -> float:
    """Seconds that the crawls and browsers until now took of processors."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--delay", type=float, default=0)
    opts = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        topic = make_topic(place / "topic")
        on, off = {"DOWNLOAD_DELAY": opts.delay, "TOPICAL_SCRIPTS": 1}, {"DOWNLOAD_DELAY": opts.delay}
        with site(opts.pages, True) as server:
            runs = [("without", off), ("with", on | {"TOPICAL_ARCHIVE": place / "archive"}),
                    ("replayed", on | {"TOPICAL_REPLAY": place / "archive"})]  # fmt: skip
            base = 0.0
            for name, settings in runs:
                (shells, pages), requests, seconds, used = measured(topic, place / name, server, **settings)
                base = base or seconds
                more = (seconds - base) / (opts.pages // 2)
                print(f"{name:9} {shells:3} of shells, {pages:3} of other pages, {requests:4} requests, {seconds:5.1f} s, "
                      f"{more:5.2f} s more for a shell; {used:.1f} s of processors", flush=True)  # fmt: skip
        with site(opts.pages, False) as server:
            for name, settings in (("no shells, without", off), ("no shells, with", on)):
                used = [measured(topic, place / f"{name}{n}", server, **settings)[3] for n in range(3)]
                print(f"{name}: {min(used):.1f} s of processors", flush=True)


if __name__ == "__main__":
    main()
