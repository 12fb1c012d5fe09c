"""``topical-crawler resources fetch``, ``list``, ``check`` and ``import``: data files of the strategies."""

import argparse
from collections.abc import Callable
from pathlib import Path

from rich.markup import escape
from rich.padding import Padding
from rich.progress import MofNCompleteColumn, TaskID, TimeElapsedColumn

from topical_crawler.cli.base import Action
from topical_crawler.cli.terminal import console, progress
from topical_crawler.project import AnySettings
from topical_crawler.resources.categories import read_clc
from topical_crawler.resources.cilin import Cilin, CilinTree
from topical_crawler.resources.fetch import fetch, is_whole
from topical_crawler.resources.hownet import HowNet, SememeTree
from topical_crawler.resources.registry import RESOURCES, Resource, Resources, find
from topical_crawler.resources.vectors import WordVectors, convert
from topical_crawler.text import counted


def _names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(RESOURCES)} (default: all)")


def _resources(names: list[str], settings: AnySettings) -> Resources:
    for name in names:
        find(name)
    return Resources.from_settings(settings)


def _fetch(opts: argparse.Namespace, settings: AnySettings) -> int:
    resources = _resources(opts.names, settings)
    with progress(TimeElapsedColumn(), "{task.fields[state]}", transient=False) as display:
        tasks: dict[str, TaskID] = {}

        def report(resource: Resource, state: str) -> None:
            if resource.name not in tasks:
                tasks[resource.name] = display.add_task(f"{resource.name:<12}", total=None, state="")
            whole = state not in ("downloading", "unpacking")
            display.update(tasks[resource.name], completed=int(whole), total=1 if whole else None, state=state)

        fetched = fetch(resources, opts.names, report)
    print(f"{len(fetched)} fetched to {resources.directory}")
    for resource in resources.missing():
        if not opts.names or resource.name in opts.names:
            print(f"{resource.name} is missing. {resource.cost}")
    return 0


def _list(opts: argparse.Namespace, settings: AnySettings) -> int:
    resources = _resources([], settings)
    out = console()
    for resource in RESOURCES.values():
        try:
            path = resources.path(resource.name)
            state = "[green]here[/]" if path else "[yellow]missing[/]"
        except ValueError as error:
            path, state = None, f"[red]damaged[/]: {escape(str(error))}"
        size = path.stat().st_size if path else resource.size
        source = "your own file" if resource.name in resources.overrides else "no archive, give a path"
        if resource.archive and resource.name not in resources.overrides:
            source = resource.archive.source
        what = f"{resource.title}, {size / 1e6:.1f} MB" if size else resource.title
        out.print(f"[bold]{resource.name:<12}[/] {state}  {escape(what)}  ({escape(source)})")
        out.print(
            Padding(escape(str(path) if path else f"without it: {resource.cost}"), (0, 0, 0, 13), expand=False), style="dim"
        )
    return 0


def _check(opts: argparse.Namespace, settings: AnySettings) -> int:
    resources = _resources(opts.names, settings)
    failed = False
    for name in opts.names or RESOURCES:
        try:
            path = resources.path(name)
            if path:
                state, result = "ok", _examine(RESOURCES[name], path, own=name in resources.overrides)
            else:
                state, result = "FAILED" if opts.names else "-", f"missing. {RESOURCES[name].cost}"
        except (ValueError, OSError) as error:
            state, result = "FAILED", str(error)
        print(f"{state:7}{name:<12} {result}")
        failed |= state == "FAILED"
    return int(failed)


def _examine(resource: Resource, path: Path, own: bool) -> str:
    """Read a resource's file and return a summary. Checks its digest first, unless it is the user's own."""
    pinned = bool(resource.sha256) and not own
    if pinned and not is_whole(resource, path):
        raise ValueError(f"{path}: not the pinned file. Run topical-crawler resources fetch {resource.name}")
    return f"{_READERS[resource.name](path)} ({'SHA-256 right' if pinned else 'own file'}, {path})"


def _check_vectors(path: Path) -> str:
    vectors = WordVectors.open(path)
    vectors.check(str(path))
    return f"{counted(len(vectors), 'word')}, {vectors.dimensions} dimensions"


_READERS: dict[str, Callable[[Path], str]] = {
    "hownet": lambda path: f"{counted(len(hownet := HowNet(path)), 'word')}, {counted(len(hownet.concepts), 'definition')}",
    "hownet_tree": lambda path: f"{len(SememeTree(path)):,} sememes",
    "vectors": _check_vectors,
    "cilin": lambda path: f"{len((cilin := Cilin(path)).groups):,} groups, {len(cilin):,} words",
    "cilin_tree": lambda path: f"{len(CilinTree(path)):,} classes",
    "clc": lambda path: f"{len(read_clc(path)):,} classes",
}


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the vectors")
    parser.add_argument("out", metavar="OUT", help="output files OUT.npy and OUT.vocab (OUT with or without .npy)")
    parser.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help="only the first N vectors of FILE, in most files those of frequent words (default: all)",
    )


def _import(opts: argparse.Namespace, settings: AnySettings) -> int:
    out = Path(opts.out)
    if out.suffix != ".npy":
        out = out.with_name(f"{out.name}.npy")
    with progress(MofNCompleteColumn(), TimeElapsedColumn()) as display:
        task = display.add_task("vectors", total=None)
        report = convert(
            opts.file,
            out,
            opts.limit,
            lambda done, total: display.update(task, completed=done, total=total, refresh=total == done),
        )
    print(f"{report.words:,} words, {report.dimensions} dimensions, of {report.read:,} vectors read")
    for reason, number in report.dropped.items():
        print(f"left out: {number:,} {reason}")
    print(f"written: {report.path} and {report.path.with_suffix('.vocab').name}")
    print(f'to use it, in the settings: TOPICAL_VECTORS = "{report.path.resolve()}"')
    return 0


ACTIONS = {
    "fetch": Action("Fetch missing resources. Started again after an interruption, it resumes.", _names, _fetch),
    "list": Action("List resources, their places, and the cost of missing ones.", lambda parser: None, _list),
    "check": Action(
        "Verify digests and read every file with the program's own reader. Exit code 1 if one fails, or if one named here is "
        "missing.",
        _names,
        _check,
    ),
    "import": Action(
        "Convert word vectors into a form opened at once by the strategies and shared between processes: a matrix of unit "
        "vectors (OUT.npy) and its words (OUT.vocab). FILE is of word2vec (text or binary), fastText (.vec) or GloVe (text), "
        "gzipped or not, recognised by its content. Name OUT.npy in TOPICAL_VECTORS to use it. Exit code 1 if FILE is damaged or "
        "of another form, such as gensim's save(). OUT is then unchanged.",
        _import_arguments,
        _import,
    ),
}
