"""``topical-crawler frontier``: actions on the queue of a crawl, and views of it."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from topical_crawler.cli.base import Action, add_json, amount, urls_of
from topical_crawler.cli.terminal import console, link_cell, making_progress, printable, table
from topical_crawler.crawl.mailbox import Answer
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import LAST_PAGES
from topical_crawler.frontier.base import SEED_PRIORITY
from topical_crawler.project import AnySettings
from topical_crawler.services import MistakeError
from topical_crawler.services.reach import Reached, ask_in_batches, reach
from topical_crawler.web.urls import is_url

_SHOWN_HOSTS = 30


# -- Arguments


def _common_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("crawl", nargs="?", metavar="CRAWL", help="topic, directory, or name in Redis")
    add_json(parser, "the answer as JSON")
    parser.add_argument(
        "--wait", type=amount, default=15.0, metavar="SECONDS",
        help="seconds for a running crawl to answer (default: %(default)g)",
    )  # fmt: skip


def _stats_arguments(parser: argparse.ArgumentParser) -> None:
    _common_arguments(parser)
    parser.add_argument(
        "--pages", type=int, default=LAST_PAGES, metavar="N",
        help="count the kept ones among the last N finished pages; 0: among all, which takes longer (default: %(default)s)",
    )  # fmt: skip


def _top_arguments(parser: argparse.ArgumentParser) -> None:
    _common_arguments(parser)
    parser.add_argument("-n", type=int, metavar="N", help="number of links (default: 20; with --hosts 1000)")
    parser.add_argument("--host", metavar="HOST", help="only links of this host (with its port, if any)")
    parser.add_argument("--hosts", action="store_true", help="only the number of links by host")
    parser.add_argument(
        "--no-reasons", dest="reasons", action="store_false",
        help="leave out the reasons of priorities, saves setting up the strategy while no crawl runs",
    )  # fmt: skip


def _push_arguments(parser: argparse.ArgumentParser) -> None:
    _common_arguments(parser)
    parser.add_argument("urls", nargs="+", metavar="URL|FILE", help="URLs, or files with one a line")
    parser.add_argument("--priority", type=float, metavar="X", help="priority among the links, instead of ahead of them")


def _threshold_arguments(parser: argparse.ArgumentParser) -> None:
    _common_arguments(parser)
    parser.add_argument("value", type=_threshold_of, metavar="X|default", help="a number, or default for the topic's own")


def _requeue_arguments(parser: argparse.ArgumentParser) -> None:
    _common_arguments(parser)
    parser.add_argument("urls", nargs="*", metavar="URL|FILE", help="URLs, or files with one a line")
    parser.add_argument(
        "--reason", metavar="REASON", help='all finished pages rejected for this reason ("HTTP 503", "timed out")'
    )


def _purge_arguments(parser: argparse.ArgumentParser) -> None:
    _common_arguments(parser)
    parser.add_argument("--host", metavar="HOST", help="links of this host (with its port, if any)")
    parser.add_argument("--below", type=float, metavar="X", help="links of a priority less than X")
    parser.add_argument("--all", action="store_true", help="everything")
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def _stats(opts: argparse.Namespace, settings: AnySettings) -> int:
    request = {"action": "stats", "pages": opts.pages}
    with reach(settings, opts.crawl, opts.wait) as crawl:
        answer = crawl.ask(request)
    return _show(opts, answer, lambda: stats_view(answer, crawl.name, crawl.runs))


def _top(opts: argparse.Namespace, settings: AnySettings) -> int:
    if opts.hosts and opts.host:
        raise MistakeError("--hosts is about all hosts, --host about one: leave one out")
    request = {"action": "hosts" if opts.hosts else "top", "host": opts.host}
    if opts.n is not None:
        request["n"] = opts.n
    with reach(settings, opts.crawl, opts.wait) as crawl:
        if opts.reasons and not opts.hosts:
            from topical_crawler.services.reasons import ask_for_reasons  # imports the strategies, not needed otherwise

            with making_progress() as progress:
                answer = ask_for_reasons(crawl, request, settings, progress)
        else:
            answer = crawl.ask(request)
    return _show(opts, answer, lambda: hosts_view(answer) if opts.hosts else top_view(answer))


def _push(opts: argparse.Namespace, settings: AnySettings) -> int:
    urls = _read_urls(opts)
    with reach(settings, opts.crawl, opts.wait) as crawl:
        answer = ask_in_batches(crawl, {"action": "push", "priority": opts.priority}, urls)
    return _show(opts, answer, lambda: pushed_line(answer))


def _requeue(opts: argparse.Namespace, settings: AnySettings) -> int:
    urls = _read_urls(opts)
    if bool(urls) == (opts.reason is not None):
        raise MistakeError("say what to fetch again: URLs, or --reason REASON")
    with reach(settings, opts.crawl, opts.wait) as crawl:
        if urls:
            answer = ask_in_batches(crawl, {"action": "requeue"}, urls)
        else:
            answer = crawl.ask({"action": "requeue", "reason": opts.reason})
    left = answer["asked"] - answer["requeued"]
    return _show(
        opts, answer,
        lambda: f"{answer['requeued']:,} to be fetched again" + (f", {left:,} already waiting or unknown" if left else ""),
    )  # fmt: skip


def _purge(opts: argparse.Namespace, settings: AnySettings) -> int:
    if (opts.host is None and opts.below is None) != opts.all:
        raise MistakeError("say what to purge: --host HOST, --below X, both together, or --all")
    with reach(settings, opts.crawl, opts.wait) as crawl:
        if not opts.yes:
            _confirm(crawl, opts)
        answer = crawl.ask({"action": "purge", "host": opts.host, "below": opts.below, "all": opts.all})
    return _show(opts, answer, lambda: f"{answer['purged']:,} purged, {answer['waiting']:,} still wait")


def _threshold(opts: argparse.Namespace, settings: AnySettings) -> int:
    with reach(settings, opts.crawl, opts.wait) as crawl:
        answer = crawl.ask({"action": "threshold", "value": opts.value})
    now, before = ("the topic's own" if x is None else f"{x:g}" for x in (answer["page_threshold"], answer["before"]))
    return _show(opts, answer, lambda: f"{crawl.name}: page threshold {now} (before: {before}), for pages judged from now on")


_DONE = {
    "pause": "paused: {in_flight:,} in-flight requests finish, {waiting:,} links wait",
    "resume": "resumed: {waiting:,} links wait",
    "stop": "stopping: {in_flight:,} in-flight requests finish, {waiting:,} links wait for its next start",
}
_DONE_AT_REST = {
    "pause": "it will be paused when it starts again",
    "resume": "no longer paused: {waiting:,} links wait for its next start",
}


def _steer(opts: argparse.Namespace, settings: AnySettings) -> int:
    with reach(settings, opts.crawl, opts.wait) as crawl:
        answer = crawl.ask({"action": opts.action})
    text = _DONE_AT_REST[opts.action] if crawl.runs is False else _DONE[opts.action]  # "stop" fails where no crawl runs
    return _show(opts, answer, lambda: f"{crawl.name}: {text.format(**answer)}")


def _show(opts: argparse.Namespace, answer: Answer, view: Callable[[], RenderableType]) -> int:
    if opts.json:
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        console().print(view(), markup=False)
    return 0


def _read_urls(opts: argparse.Namespace) -> list[str]:
    """Return the given URLs, and those in given files. The first argument names a crawl, unless it is a URL or a file."""
    if opts.crawl and (is_url(opts.crawl) or Path(opts.crawl).is_file()):
        opts.urls, opts.crawl = [opts.crawl, *opts.urls], None
    return [url for name in opts.urls for url in urls_of(name)]


def _confirm(crawl: Reached, opts: argparse.Namespace) -> None:
    """Ask for confirmation of a purge. Raise MistakeError without a terminal, CrawlError for a no."""
    if not sys.stdin.isatty():
        raise MistakeError("a purge cannot be undone. Confirm it with --yes")
    what = ["everything"] if opts.all else ["links"]
    if opts.host is not None:
        what.append(f"of {opts.host}")
    if opts.below is not None:
        what.append(f"of a priority below {opts.below:g}")
    waiting = crawl.ask({"action": "stats", "pages": 1})["waiting"]
    print(f"{crawl.name}: {waiting:,} wait. Drop {' '.join(what)}? [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CrawlError("nothing was purged")


def _threshold_of(text: str) -> float | None:
    if text == "default":
        return None
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor the word default") from None


ACTIONS = {
    "stats": Action("Count links waiting, in flight, finished and dropped.", _stats_arguments, _stats),
    "top": Action(
        "Show the best waiting links, with their anchors, origins and the reasons of their priorities.", _top_arguments, _top
    ),
    "push": Action("Queue seeds, to be fetched next.", _push_arguments, _push),
    "pause": Action("Stop fetching until resume, also after restarts. In-flight requests finish.", _common_arguments, _steer),
    "resume": Action("Continue after pause.", _common_arguments, _steer),
    "stop": Action("Shut all workers of the crawl down cleanly. It can be started again.", _common_arguments, _steer),
    "threshold": Action("Keep pages above another relevance from now on, also after restarts.", _threshold_arguments, _threshold),
    "requeue": Action("Fetch finished or dropped pages again.", _requeue_arguments, _requeue),
    "purge": Action("Drop waiting links, until they are found again or requeued.", _purge_arguments, _purge),
}


# -- Views of a queue


def stats_view(answer: Answer, name: str, runs: bool | None) -> Group:
    """Return the counts of a frontier, with the results of the last finished pages."""
    state = {True: "runs", False: "does not run", None: ""}[runs]
    state = ", ".join(filter(None, (state, "[paused]" if answer["paused"] else "")))
    lines: list[RenderableType] = [
        Text.assemble((printable(name), "bold"), f" {state}" if state else ""),
        Text(
            f"{answer['waiting']:,} waiting on {answer['hosts']:,} hosts, {answer['in_flight']:,} in flight, "
            f"{answer['done']:,} finished, {answer['dropped']:,} dropped"
        ),
    ]
    if pages := answer["last_pages"]:
        kept = answer["last_kept"]
        lines.append(Text(f"of the last {pages:,} pages {kept:,} were kept when they were fetched ({kept / pages:.1%})"))
    if (threshold := answer["page_threshold"]) is not None:
        lines.append(Text(f"pages are kept above a relevance of {threshold:g}"))
    if answer["marked"]:
        lines.append(Text(f"{answer['marked']:,} texts marked by topical-crawler corpus judge"))
    lines += [Text(f"{key.replace('_', ' ')}: {_plain(value)}", "dim") for key, value in answer["details"].items()]
    for title, number, counts in (
        ("rejected because", ">pages", answer["last_rejected_because"]),
        ("links dropped because", ">links", answer["dropped_because"]),
    ):
        if counts:
            rows = ((printable(reason), f"{count:,}") for reason, count in counts.items())
            lines += ["", table((title, number), rows, plain=True)]
    return Group(*lines)


def top_view(answer: Answer) -> RenderableType:
    """Return the best waiting links as a table, with anchor, origin and the parts of the priority, if known."""
    if not answer["entries"]:
        return Text("nothing waits" + (f" among the best {answer['looked_at']:,} links" if answer["looked_at"] else ""))
    rows = []
    for entry in answer["entries"]:
        origin = ""
        if entry["anchor"] or entry["parent"]:
            more = f" and {entry['parents'] - 1} more" if entry["parents"] > 1 else ""
            origin = (f"“{entry['anchor']}” " if entry["anchor"] else "") + f"on {entry['parent']}{more}"
        link = link_cell(entry["url"], origin, entry.get("reasons", {}))
        rows.append((_priority(entry), str(entry["depth"]), str(entry["rescored"]), link))
    shown = table((">priority", ">depth", ">rescored", "link"), rows, plain=True)
    return Group(shown, Text(f"\n{printable(note)}", "yellow")) if (note := answer.get("note")) else shown


def hosts_view(answer: Answer) -> RenderableType:
    """Return the hosts of the best waiting links as a table."""
    if not answer["hosts"]:
        return Text("nothing waits")
    rows = [(printable(r["host"]), f"{r['waiting']:,}", _priority(r)) for r in answer["hosts"][:_SHOWN_HOSTS]]
    if rest := answer["hosts"][_SHOWN_HOSTS:]:
        rows.append((f"{len(rest):,} more", f"{sum(row['waiting'] for row in rest):,}", ""))
    return table((f"host, of the best {answer['looked_at']:,} links", ">waiting", ">best"), rows, plain=True)


def pushed_line(answer: Answer) -> str:
    """Return the results of pushing seeds, in a line."""
    parts = [f"{answer['new']:,} new"]
    if answer["again"]:
        parts.append(f"{answer['again']:,} wait again")
    if answer["known"]:
        parts.append(f"{answer['known']:,} known already (topical-crawler frontier requeue fetches a page again)")
    parts += [f"{count:,} refused: {printable(reason)}" for reason, count in answer["dropped"].items()]
    return ", ".join(parts)


def _priority(row: Mapping[str, Any]) -> str:
    return "seed" if row["priority"] >= SEED_PRIORITY else f"{row['priority']:.4g}"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{printable(str(key))} {_plain(inner)}" for key, inner in value.items()) or "none"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else printable(str(value))
