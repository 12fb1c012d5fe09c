"""``scrapy corpus clean``: the texts of a corpus cleaned once more, by today's rules and by what its sites repeat."""

import argparse
import dataclasses
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.markup import escape
from scrapy.settings import BaseSettings

from topical_crawler.cleaning import CleaningOptions, TextCleaner
from topical_crawler.cleaning.boilerplate import NOTHING, Learned, LineCounts
from topical_crawler.cleaning.characters import repair
from topical_crawler.cli.base import add_corpus
from topical_crawler.cli.corpus import find
from topical_crawler.cli.terminal import console, corpus_progress, table
from topical_crawler.config import cleaning_options
from topical_crawler.corpus import make
from topical_crawler.corpus.dedup import DUPLICATE
from topical_crawler.corpus.record import CorpusError, Record, text_hash
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.options import CrawlError

DESCRIPTION = (
    "Clean every kept text of the corpus as a crawl does now, with the present settings: characters, boilerplate, lines that "
    "its site repeats (learned over all pages of a host first), language, quality, personal data. A text that fails becomes a "
    "rejected page with its reason; one that now equals another page's becomes a duplicate. Each page is a transaction: the "
    "same command resumes an interrupted run, a second run changes nothing, and a crawl may write to the corpus meanwhile."
)
_SHOWN_HOSTS = 20
_SHOWN_LINES = 3
_BATCH = 500
_MAX_NOTED = 5000

Show = Callable[[str, int], None]


@dataclass
class OfHost:
    """Changes to the texts of a host; ``lines`` counts the lines removed from texts that stayed."""

    pages: int = 0
    changed: int = 0
    rejected: int = 0
    before: int = 0
    after: int = 0
    lines: Counter[str] = field(default_factory=Counter)


@dataclass
class Done:
    """Changes to a corpus by host, and numbers of newly rejected pages by reason."""

    hosts: defaultdict[str, OfHost] = field(default_factory=lambda: defaultdict(OfHost))
    rejected: Counter[str] = field(default_factory=Counter)

    @property
    def pages(self) -> int:
        return sum(host.pages for host in self.hosts.values())

    @property
    def changed(self) -> int:
        return sum(host.changed for host in self.hosts.values())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and change nothing")
    parser.add_argument("--report", metavar="FILE", help="what was taken out, by host, as JSON")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    try:
        options = cleaning_options(settings)
    except CrawlError as error:
        raise CorpusError(str(error)) from None
    place = find(opts.corpus, settings)
    CorpusStore(place, read_only=True).close()  # an empty database is no corpus, and does not become one here
    with CorpusStore(place, read_only=opts.dry_run) as store, corpus_progress("cleaning") as show:
        kept = store.stats().kept
        done = clean(store, options, lambda doing, done: show(doing, done, kept), dry_run=opts.dry_run)
        name = store.name
    if opts.report:
        with open(opts.report, "w", encoding="utf-8") as file:  # noqa: PTH123 - written on the way by people's own names
            json.dump(as_data(done, name, opts.dry_run), file, ensure_ascii=False, indent=2)
    print_summary(done, name, opts.dry_run, console())
    return 0


def clean(store: CorpusStore, options: CleaningOptions, show: Show = lambda doing, done: None, *, dry_run: bool = False) -> Done:
    """Clean the kept texts of ``store``, which is opened for writing unless ``dry_run`` only looks. ``show`` is told what is done
    and of how many pages. Raises CorpusError where the corpus cannot be read or written; what was done until then is stored."""
    counts = _learn(store, show, dry_run=dry_run) if options.site_lines else {}
    cleaner = TextCleaner(options)
    done = Done()
    texts: set[str] = set()
    taken: dict[str, Counter[str]] = defaultdict(Counter)
    for number, record in enumerate(store.records(), 1):
        learned = NOTHING
        if options.site_lines:
            host = counts.get(record.host)
            learned = host.learned() if host else store.learned(record.host, record.text or "")
        new, removed = cleaned(record, cleaner, learned)
        if dry_run:
            new = _once(new, texts)
        elif new != record:
            new = store.replace(new)
            if new.keep:
                taken[record.host].update(removed)
        _note(done, record, new, removed)
        if number % _BATCH == 0:
            _store_removed(store, taken)
        show("cleaning", number)
    _store_removed(store, taken)
    return done


def _once(record: Record, texts: set[str]) -> Record:
    """``record`` as the store would take it, which has ``texts``."""
    digest = text_hash(record.text or "")
    if record.keep and digest and digest in texts:
        return dataclasses.replace(record, keep=False, text=None, reason=DUPLICATE)
    texts.add(digest)
    return record


def cleaned(record: Record, cleaner: TextCleaner, learned: Learned) -> tuple[Record, tuple[str, ...]]:
    """``record`` with its text cleaned, or rejected; and the lines that were taken out."""
    assert record.text
    clean_text = cleaner.clean(record.text, (), record.title, learned)
    # What was masked before is not found again.
    kinds = {**record.personal, **clean_text.personal}
    personal = {kind: max(record.personal.get(kind, 0), clean_text.personal.get(kind, 0)) for kind in kinds}
    new = dataclasses.replace(
        record,
        keep=not clean_text.reason,
        text=clean_text.text or None,
        reason=clean_text.reason,
        language=clean_text.language,
        script=clean_text.script,
        measures=dict(clean_text.measures),
        personal=personal,
    )
    return new, clean_text.removed


def _learn(store: CorpusStore, show: Show, *, dry_run: bool) -> dict[str, LineCounts]:
    """Count the lines of hosts of which not all pages were counted when they were stored."""
    with store.reading() as connection:
        counts = {host: LineCounts() for host in make.unlearned(connection)}
    if not counts:
        return counts
    for number, record in enumerate(store.records(), 1):
        if record.host in counts:
            counts[record.host].add(repair(record.text or ""))
        show("learning", number)
    if not dry_run:
        with store.writing() as connection:
            for host, lines in counts.items():
                make.replace(connection, host, lines)
    return counts


def _store_removed(store: CorpusStore, taken: dict[str, Counter[str]]) -> None:
    if taken:
        with store.writing() as connection:
            for host, removed in sorted(taken.items()):
                make.note_removed(connection, host, removed)
        taken.clear()


def _note(done: Done, old: Record, new: Record, removed: tuple[str, ...]) -> None:
    host = done.hosts[old.host]
    host.pages += 1
    host.before += old.characters
    host.after += new.characters if new.keep else 0
    if not new.keep:
        host.rejected += 1
        done.rejected[new.reason] += 1
    elif new.text != old.text:
        host.changed += 1
        host.lines.update(removed)
        if len(host.lines) > _MAX_NOTED:
            host.lines = Counter(dict(host.lines.most_common(_MAX_NOTED // 2)))


def as_data(done: Done, name: str, dry_run: bool) -> dict[str, Any]:
    """The report for programs."""
    hosts = [
        {
            "host": host,
            **{key: value for key, value in dataclasses.asdict(done_to).items() if key != "lines"},
            "lines": [{"line": line, "pages": count} for line, count in done_to.lines.most_common(50)],
        }
        for host, done_to in _by_changes(done)
    ]
    corpus = {"corpus": name, "dry_run": dry_run, "pages": done.pages, "changed": done.changed}
    return corpus | {"rejected": dict(done.rejected.most_common()), "hosts": hosts}


def print_summary(done: Done, name: str, dry_run: bool, out: Console) -> None:
    """The report for people."""
    would = "would be " if dry_run else ""
    out.print(f"[bold]{escape(name)}[/bold]", soft_wrap=True)
    before, after = (sum(getattr(host, when) for host in done.hosts.values()) for when in ("before", "after"))
    out.print(
        f"{done.pages:,} texts looked at: {done.changed:,} {would}changed, {done.rejected.total():,} {would}rejected; "
        f"{before:,} characters before, {after:,} after"
    )
    for reason, count in done.rejected.most_common():
        out.print(f"  rejected: {escape(reason)}: {count:,}")
    changed = [(host, done_to) for host, done_to in _by_changes(done) if done_to.changed or done_to.rejected]
    if not changed:
        return
    rows = []
    for host, done_to in changed[:_SHOWN_HOSTS]:
        lines = "\n".join(f"{count:,}× {line[:60]}" for line, count in done_to.lines.most_common(_SHOWN_LINES) if count > 1)
        rows.append([host, f"{done_to.pages:,}", f"{done_to.changed:,}", f"{done_to.rejected:,}", lines])
    if rest := changed[_SHOWN_HOSTS:]:
        sums = [f"{sum(getattr(done_to, name) for _, done_to in rest):,}" for name in ("pages", "changed", "rejected")]
        rows.append([f"{len(rest):,} more", *sums, ""])
    out.print(table(("host", "texts", "changed", "rejected", "lines taken out most often"), rows))


def _by_changes(done: Done) -> list[tuple[str, OfHost]]:
    return sorted(done.hosts.items(), key=lambda item: (-item[1].changed - item[1].rejected, item[0]))
