"""``scrapy frontier``: look at the queue of a crawl, feed it and steer it, while it runs or between two runs."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console, RenderableType
from rich.live import Live
from scrapy.exceptions import UsageError

from topical_crawler.cli.base import ActionsCommand, AddAction
from topical_crawler.cli.frontier.display import hosts_view, pushed_line, stats_view, top_view
from topical_crawler.cli.frontier.reach import Reached, ask_in_batches, reach
from topical_crawler.crawl.mailbox import Answer
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import LAST_PAGES
from topical_crawler.frontier import FrontierFileError
from topical_crawler.topic.topic import read_seeds

WAIT = 15.0
"""Seconds in which a crawl that runs must answer, unless told."""
REFRESH = 2.0
"""Seconds between two looks of ``stats --watch``."""


class Command(ActionsCommand):
    """Look at a crawl's queue, feed it and steer it."""

    name = "frontier"
    errors = (CrawlError, FrontierFileError, ValueError, OSError)

    def syntax(self) -> str:
        return "stats|top|push|pause|resume|stop|threshold|requeue|purge [CRAWL] [options]"

    def short_desc(self) -> str:
        return "Look at the queue of a crawl, feed it, pause, resume and stop it"

    def long_desc(self) -> str:
        return (
            "Look at the queue of a crawl (stats, top), feed it (push, requeue), thin it out (purge) and steer it (pause, "
            "resume, stop, threshold), while it runs or between two runs. A crawl is named by its topic (data/<topic>) or its "
            "directory; without a name it is the one in TOPICAL_DATA_DIR, or the only one under data/. With -s "
            "TOPICAL_FRONTIER=redis it is named by its name in Redis (TOPICAL_CRAWL), and all its workers are meant. "
            "Each action has options of its own: scrapy frontier purge -h."
        )

    def add_actions(self, add: AddAction) -> None:
        def action(name: str, help: str, before: str = "") -> argparse.ArgumentParser:
            parser = add(name, help=help, description=f"{help[0].upper()}{help[1:]}.")
            parser.add_argument("crawl", nargs="?", metavar="CRAWL", help="topic, directory, or name in Redis")
            parser.add_argument("--json", action="store_true", help="the answer as JSON")
            parser.add_argument(
                "--wait", type=_seconds, default=WAIT, metavar="SECONDS",
                help="how long a crawl that runs may take to answer (default: %(default)g)",
            )  # fmt: skip
            return parser

        stats = action("stats", "counts of what waits, is in flight, finished and dropped")
        stats.add_argument("--watch", action="store_true", help="go on showing them, until Ctrl-C")
        stats.add_argument(
            "--pages", type=int, default=LAST_PAGES, metavar="N",
            help="count how many of the last N finished pages were kept; 0: of all, which takes longer (default: %(default)s)",
        )  # fmt: skip
        top = action("top", "the best of what waits, the anchor and the page by which each came in, and why it has its place")
        top.add_argument("-n", type=int, metavar="N", help="how many (default: 20; with --hosts 1000)")
        top.add_argument("--host", metavar="HOST", help="only those of this host (with its port, where it has one)")
        top.add_argument("--hosts", action="store_true", help="only how many of them each host has")
        top.add_argument(
            "--no-reasons", dest="reasons", action="store_false",
            help="leave out why each has its place; where no crawl runs, its strategy need not be made for it then",
        )  # fmt: skip
        push = action("push", "put seeds into the queue: they are fetched next")
        push.add_argument("urls", nargs="+", metavar="URL|FILE", help="URLs, or files with one a line")
        push.add_argument("--priority", type=float, metavar="X", help="a place among the links, instead of before them")
        action("pause", "fetch nothing more until resume, over restarts; what is in flight is finished")
        action("resume", "go on after pause")
        action("stop", "end all workers of the crawl in good order; it can be started again")
        threshold = action("threshold", "keep pages above another relevance from now on, over restarts")
        threshold.add_argument("value", type=_threshold_of, metavar="X|default", help="a number; default: the topic's own")
        requeue = action("requeue", "fetch finished or dropped pages again")
        requeue.add_argument("urls", nargs="*", metavar="URL|FILE", help="URLs, or files with one a line")
        requeue.add_argument(
            "--reason", metavar="REASON", help='all finished pages that were rejected for this reason ("HTTP 503", "timed out")'
        )
        purge = action("purge", "drop what waits: it is not fetched, unless it is found again or requeued")
        purge.add_argument("--host", metavar="HOST", help="links of this host (with its port, where it has one)")
        purge.add_argument("--below", type=float, metavar="X", help="links of a priority less than X")
        purge.add_argument("--all", action="store_true", help="everything")
        purge.add_argument("--yes", action="store_true", help="do not ask whether it is meant")

    # -- looking

    def _stats(self, opts: argparse.Namespace) -> None:
        request = {"action": "stats", "pages": opts.pages}
        if opts.watch and (opts.json or not sys.stdout.isatty()):
            raise UsageError("--watch shows tables in a terminal. Remedy: leave it out", print_help=False)
        with self._reach(opts) as crawl:
            if opts.watch:
                _watch(lambda: stats_view(crawl.ask(request), crawl.name, crawl.runs), crawl)
                return
            answer = crawl.ask(request)
        self._show(opts, answer, lambda: stats_view(answer, crawl.name, crawl.runs))

    def _top(self, opts: argparse.Namespace) -> None:
        if opts.hosts and opts.host:
            raise UsageError("--hosts is about all hosts, --host about one: leave one out", print_help=False)
        request = {"action": "hosts" if opts.hosts else "top", "host": opts.host}
        if opts.n is not None:
            request["n"] = opts.n
        with self._reach(opts) as crawl:
            if opts.reasons and not opts.hosts:
                from topical_crawler.cli.strategy import ask_for_reasons  # the strategies, which nothing else needs

                assert self.settings is not None
                answer = ask_for_reasons(crawl, request, self.settings)
            else:
                answer = crawl.ask(request)
        self._show(opts, answer, lambda: hosts_view(answer) if opts.hosts else top_view(answer))

    # -- feeding

    def _push(self, opts: argparse.Namespace) -> None:
        urls = _read_urls(opts)
        with self._reach(opts) as crawl:
            answer = ask_in_batches(crawl, {"action": "push", "priority": opts.priority}, urls)
        self._show(opts, answer, lambda: pushed_line(answer))

    def _requeue(self, opts: argparse.Namespace) -> None:
        urls = _read_urls(opts)
        if bool(urls) == (opts.reason is not None):
            raise UsageError("say what to fetch again: URLs, or --reason REASON", print_help=False)
        with self._reach(opts) as crawl:
            if urls:
                answer = ask_in_batches(crawl, {"action": "requeue"}, urls)
            else:
                answer = crawl.ask({"action": "requeue", "reason": opts.reason})
        left = answer["asked"] - answer["requeued"]
        self._show(
            opts, answer,
            lambda: f"{answer['requeued']:,} to be fetched again" + (f", {left:,} wait already or are not known" if left else ""),
        )  # fmt: skip

    def _purge(self, opts: argparse.Namespace) -> None:
        if (opts.host is None and opts.below is None) != opts.all:
            raise UsageError("say what to purge: --host HOST, --below X, both together, or --all", print_help=False)
        with self._reach(opts) as crawl:
            if not opts.yes:
                _confirm(crawl, opts)
            answer = crawl.ask({"action": "purge", "host": opts.host, "below": opts.below, "all": opts.all})
        self._show(opts, answer, lambda: f"{answer['purged']:,} purged, {answer['waiting']:,} still wait")

    # -- steering

    def _pause(self, opts: argparse.Namespace) -> None:
        self._steer(
            opts, "paused; {in_flight:,} in flight are still finished, {waiting:,} wait", "it will be paused when it starts again"
        )

    def _resume(self, opts: argparse.Namespace) -> None:
        self._steer(opts, "goes on; {waiting:,} wait", "no longer paused; {waiting:,} wait for its next start")

    def _stop(self, opts: argparse.Namespace) -> None:
        self._steer(opts, "stopping; {in_flight:,} in flight are still finished, {waiting:,} wait for its next start")

    def _threshold(self, opts: argparse.Namespace) -> None:
        with self._reach(opts) as crawl:
            answer = crawl.ask({"action": "threshold", "value": opts.value})
        now, before = ("the topic's own" if x is None else f"{x:g}" for x in (answer["page_threshold"], answer["before"]))
        self._show(opts, answer, lambda: f"{crawl.name}: page threshold {now} (before: {before}), for pages judged from now on")

    def _steer(self, opts: argparse.Namespace, done: str, at_rest: str = "") -> None:
        """``at_rest`` is said instead of ``done`` where no crawl runs."""
        with self._reach(opts) as crawl:
            answer = crawl.ask({"action": opts.action})
        text = at_rest if at_rest and crawl.runs is False else done
        self._show(opts, answer, lambda: f"{crawl.name}: {text.format(**answer)}")

    # -- what the actions have in common

    @contextmanager
    def _reach(self, opts: argparse.Namespace) -> Iterator[Reached]:
        assert self.settings is not None
        with reach(self.settings, opts.crawl, opts.wait) as crawl:
            yield crawl

    def _show(self, opts: argparse.Namespace, answer: Answer, view: Callable[[], RenderableType]) -> None:
        if opts.json:
            print(json.dumps(answer, ensure_ascii=False, indent=2))
        elif isinstance(shown := view(), str):
            print(shown)
        else:
            Console(highlight=False, emoji=False).print(shown)


def _watch(look: Callable[[], RenderableType], crawl: Reached) -> None:
    """Show what ``look`` gives, again and again, as long as the crawl runs."""
    with (
        contextlib.suppress(KeyboardInterrupt),
        Live(look(), console=Console(highlight=False, emoji=False), auto_refresh=False) as live,
    ):
        while crawl.runs is not False:
            time.sleep(REFRESH)
            live.update(look(), refresh=True)


def _read_urls(opts: argparse.Namespace) -> list[str]:
    """The URLs that are given, and those in files. What stands first names a crawl, unless it is a URL or a file."""
    if opts.crawl and (_is_url(opts.crawl) or Path(opts.crawl).is_file()):
        opts.urls, opts.crawl = [opts.crawl, *opts.urls], None
    return [url for given in opts.urls for url in ([given] if _is_url(given) else read_seeds(Path(given).expanduser()))]


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _confirm(crawl: Reached, opts: argparse.Namespace) -> None:
    """Ask whether a purge is meant. Raises UsageError where nobody can be asked, CrawlError where it is not."""
    if not sys.stdin.isatty():
        raise UsageError("a purge cannot be taken back. Remedy: --yes says that it is meant", print_help=False)
    what = ["everything"] if opts.all else ["links"]
    if opts.host is not None:
        what.append(f"of {opts.host}")
    if opts.below is not None:
        what.append(f"of a priority below {opts.below:g}")
    waiting = crawl.ask({"action": "stats", "pages": 1})["waiting"]
    print(f"{crawl.name}: {waiting:,} wait. Drop {' '.join(what)}? [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CrawlError("nothing was purged")


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds, 0 or more")
    return found


def _threshold_of(text: str) -> float | None:
    if text == "default":
        return None
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor the word default") from None
