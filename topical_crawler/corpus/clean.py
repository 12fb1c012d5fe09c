"""Cleaning of stored texts by today's rules, or by lines learned after they were stored.

The first texts of a host are stored before its repeated lines are known. The end of a crawl cleans them (:class:`LateCleaning`)
and rejects texts found off topic meanwhile (:func:`take_back`). The original rows are kept and restored (:func:`put_back`) before
the crawl resumes, so that it continues as if never interrupted. A reader of a corpus not yet cleaned, because its crawl runs or
was killed, gets the cleaned texts on the fly (:meth:`LateCleaning.over`). ``corpus clean`` (:func:`clean`) is permanent, also for
rejected texts.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import sqlalchemy as sa

from topical_crawler.cleaning.boilerplate import NOTHING, Learned, LineCounts
from topical_crawler.cleaning.characters import repair
from topical_crawler.cleaning.cleaner import CleaningOptions, TextCleaner
from topical_crawler.corpus import dedup, site_lines
from topical_crawler.corpus.record import Record, Yield, pages, record_of, storable, text_hash, uncleaned, upserting, values_of
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.text.passages import prose

_BATCH = 100  # rows read at once
_MAX_NOTED = 5000

Show = Callable[[str, int], None]


@dataclass
class Changes:
    """Changes to a corpus: further texts and characters by host, further rejected pages by reason."""

    gains: defaultdict[str, Yield] = field(default_factory=lambda: defaultdict(Yield))
    rejected: Counter[str] = field(default_factory=Counter)


@dataclass
class OfHost:
    """Changes to the texts of a host. ``lines`` counts the lines removed from kept texts."""

    pages: int = 0
    changed: int = 0
    rejected: int = 0
    before: int = 0
    after: int = 0
    lines: Counter[str] = field(default_factory=Counter)


@dataclass
class Done:
    """Changes to a corpus by host, and newly rejected pages by reason."""

    hosts: defaultdict[str, OfHost] = field(default_factory=lambda: defaultdict(OfHost))
    rejected: Counter[str] = field(default_factory=Counter)

    @property
    def pages(self) -> int:
        return sum(host.pages for host in self.hosts.values())

    @property
    def changed(self) -> int:
        return sum(host.changed for host in self.hosts.values())

    def note(self, old: Record, new: Record, removed: tuple[str, ...]) -> None:
        """Count an examined text."""
        host = self.hosts[old.host]
        host.pages += 1
        host.before += old.characters
        host.after += new.characters
        if not new.keep:
            host.rejected += 1
            self.rejected[new.reason] += 1
        elif new.text != old.text:
            host.changed += 1
            host.lines.update(removed)
            if len(host.lines) > _MAX_NOTED:
                host.lines = Counter(dict(host.lines.most_common(_MAX_NOTED // 2)))

    def changes(self) -> Changes:
        """Return the sums as :class:`Changes`."""
        found = Changes(rejected=Counter(self.rejected))
        for name, host in self.hosts.items():
            found.gains[name].add(Yield(kept=-host.rejected, characters=host.after - host.before))
        return found

    def states(self, seen: Mapping[str, int]) -> dict[str, str]:
        """Return the states for :func:`~topical_crawler.corpus.site_lines.note_clean`. ``seen`` has the counted pages by host."""
        return {
            host: site_lines.state(seen.get(host, 0), of_host.pages - of_host.rejected, of_host.after)
            for host, of_host in self.hosts.items()
        }


def clean(store: CorpusStore, options: CleaningOptions, show: Show = lambda doing, done: None, *, dry_run: bool = False) -> Done:
    """Clean all kept texts of ``store``.

    Args:
        store: the corpus, opened for writing unless ``dry_run``.
        options: cleaning options.
        show: called with the current step ("learning", "cleaning") and the number of texts done.
        dry_run: count changes without storing them.

    Raises:
        CorpusError: the corpus cannot be read or written. Changes up to then are stored.
    """
    if not dry_run:
        store.change(lambda connection: connection.execute(uncleaned.delete()))  # a resumed crawl must not undo it
    counts = _learn(store, show, dry_run=dry_run) if options.site_lines else {}
    cleaner = TextCleaner(options)
    done = Done()
    texts: set[str] = set()
    seen: dict[str, int] = {}
    for number, record in enumerate(store.records(), 1):
        learned = NOTHING
        if options.site_lines:
            host = counts.get(record.host)
            learned = host.learned() if host else store.learned(record.host, prose(record.text or "", record.layout))
            seen.setdefault(record.host, learned.seen)
        new, removed = cleaned(record, cleaner, learned)
        if dry_run:
            new = once(new, texts)
        elif new != record or record.content_hash in texts:
            new = store.replace(new)
            if new.keep:
                texts.add(new.content_hash)
        done.note(record, new, removed)
        show("cleaning", number)
    if options.site_lines and not dry_run:
        store.change(lambda connection: site_lines.note_clean(connection, done.states(seen)))
    return done


def once(record: Record, texts: set[str]) -> Record:
    """Return ``record`` as stored beside ``texts`` (a duplicate if its text is among them), and add it to them."""
    digest = text_hash(record.text or "")
    if record.keep and digest and digest in texts:
        return _duplicate(record)
    texts.add(digest)
    return record


def _duplicate(record: Record) -> Record:
    return dataclasses.replace(record, keep=False, text=None, reason=dedup.DUPLICATE)


def twins(connection: sa.Connection, record: Record, *where: sa.ColumnElement[bool]) -> Iterator[Record]:
    """Yield the other kept pages with the text of ``record``, in fetch order."""
    same = pages.c.keep, pages.c.key != record.key, pages.c.content_hash == text_hash(record.text or "")
    for row in connection.execute(sa.select(pages).where(*same, *where).order_by(pages.c.id)).mappings():
        yield record_of(row)


def cleaned(record: Record, cleaner: TextCleaner, learned: Learned) -> tuple[Record, tuple[str, ...]]:
    """Return ``record`` with its text cleaned or rejected, and the removed lines."""
    assert record.text
    clean_text = cleaner.clean(record.text, (), record.title, learned, record.layout)
    # Data masked before are not found again.
    kinds = {**record.personal, **clean_text.personal}
    personal = {kind: max(record.personal.get(kind, 0), clean_text.personal.get(kind, 0)) for kind in kinds}
    new = dataclasses.replace(
        record,
        keep=not clean_text.reason,
        text=clean_text.text or None,
        layout=list(clean_text.layout),
        reason=clean_text.reason,
        language=clean_text.language,
        script=clean_text.script,
        measures=dict(clean_text.measures),
        personal=personal,
    )
    return new, clean_text.removed


def _learn(store: CorpusStore, show: Show, *, dry_run: bool) -> dict[str, LineCounts]:
    """Count the lines of hosts with pages not counted when they were stored."""
    with store.reading() as connection:
        counts = {host: LineCounts() for host in site_lines.unlearned(connection)}
    if not counts:
        return counts
    for number, record in enumerate(store.records(), 1):
        if record.host in counts:
            counts[record.host].add(repair(prose(record.text or "", record.layout)))
        show("learning", number)
    if not dry_run:
        with store.writing() as connection:
            for host, lines in counts.items():
                site_lines.replace(connection, host, lines)
    return counts


# -- Texts stored before lines were learned


def holds_any(text: str, learned: Learned) -> bool:
    """Return True if a line of ``text`` may belong to the site. Lines removable within a text are so at its edges, too."""
    return any(map(learned.at_edge, text.split("\n")))


class LateCleaning:
    """Cleaner for the texts of hosts with lines or texts changed since the last cleaning.

    Attributes:
        total: number of texts to examine.
        looked: number of texts examined.
        done: changes so far.
    """

    def __init__(self, store: CorpusStore, options: CleaningOptions) -> None:
        self._store = store
        self._cleaner = TextCleaner(options)
        self._learned: dict[str, Learned] = {}
        self._ids: list[int] = []
        self.looked = 0
        self.done = Done()
        if options.site_lines:
            with store.reading() as connection:
                self._learned = site_lines.due(connection)
                query = sa.select(pages.c.id, pages.c.host).where(pages.c.keep).order_by(pages.c.id)
                if self._learned:
                    self._ids = [row.id for row in connection.execute(query) if row.host in self._learned]
        self.total = len(self._ids)

    def due(self, record: Record) -> tuple[Record, tuple[str, ...]]:
        """Return ``record`` after cleaning, and the removed lines."""
        learned = self._learned.get(record.host)
        if learned is None or not record.text or not holds_any(record.text, learned):
            return record, ()
        return cleaned(record, self._cleaner, learned)

    def steps(self) -> Iterator[None]:
        """Clean text after text, each in its own transaction. Can be interrupted: the next cleaning examines all texts again."""
        for start in range(0, self.total, _BATCH):
            query = sa.select(pages).where(pages.c.id.in_(self._ids[start : start + _BATCH]), pages.c.keep).order_by(pages.c.id)
            with self._store.reading() as connection:
                records = [record_of(row) for row in connection.execute(query).mappings()]
            for record in records:
                new, removed = self.due(record)
                if new != record:
                    new = self._change(record, new)
                self.done.note(record, new, removed)
                self.looked += 1
                yield
        if self.total:
            states = self.done.states({host: learned.seen for host, learned in self._learned.items()})
            self._store.change(lambda connection: site_lines.note_clean(connection, states))
        self.looked = self.total

    def over(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield ``records`` after cleaning without storing them. A text equal to another after that is a duplicate."""
        texts: set[str] = set()  # digests of cleaned texts
        for record in records:
            new, removed = self.due(record)
            if new is not record:
                new = once(new, texts)
                with self._store.reading() as connection:
                    twin = new.keep and next(twins(connection, new, pages.c.id < new.order), None)
                new = _duplicate(new) if twin else new
            elif record.keep and record.content_hash in texts:
                new = _duplicate(record)
            if new is not record:
                self.done.note(record, new, removed)
            yield new

    def _change(self, old: Record, new: Record) -> Record:
        def write(connection: sa.Connection) -> list[tuple[Record, Record]]:
            stored = _replace(connection, old, new)
            later = list(twins(connection, stored, pages.c.id > stored.order)) if stored.keep else ()
            return [(old, stored), *((twin, _replace(connection, twin, twin)) for twin in later)]

        (_, stored), *later = self._store.change(write)
        for twin, rejected in later:
            self.done.note(twin, rejected, ())
        return stored


def _replace(connection: sa.Connection, old: Record, new: Record) -> Record:
    """Store ``new`` in place of ``old``, keeping the old row for :func:`put_back`."""
    stored, _ = dedup.keep_once(connection, storable(new), replaces=True)
    before = upserting(connection.dialect.name, uncleaned).values(key=old.key, row=values_of(old))
    connection.execute(before.on_conflict_do_nothing())  # another worker may clean it, too
    return stored


def take_back(store: CorpusStore, reason: str, relevances: Mapping[str, float], done: Done) -> None:
    """Reject the kept texts of these keys for a reason, with their present relevance, and count them in ``done``."""

    def some(connection: sa.Connection) -> list[tuple[Record, Record]]:
        query = sa.select(pages).where(pages.c.keep, pages.c.key.in_(relevances)).order_by(pages.c.id)
        kept = [record_of(row) for row in connection.execute(query).mappings()]
        return [(old, _replace(connection, old, rejected(old))) for old in kept]

    def rejected(record: Record) -> Record:
        why = {**record.why, "first_relevance": record.why.get("first_relevance", record.relevance)}
        return dataclasses.replace(record, keep=False, text=None, reason=reason, relevance=relevances[record.key], why=why)

    for old, new in store.change(some):
        done.note(old, new, ())


def put_back(store: CorpusStore) -> Changes:
    """Restore the rows changed by :class:`LateCleaning` and :func:`take_back`. Return the changes."""
    changes = Changes()

    def some(connection: sa.Connection) -> list[tuple[Record, Mapping[str, object]]]:
        keys = sa.select(uncleaned.c.key).order_by(uncleaned.c.key).limit(_BATCH)
        gone = uncleaned.delete().where(uncleaned.c.key.in_(keys)).returning(uncleaned)
        found = {row.key: row.row for row in connection.execute(gone)}
        rows = connection.execute(sa.select(pages).where(pages.c.key.in_(found)).order_by(pages.c.id)).mappings()
        now = [record_of(row) for row in rows]
        for record in now:
            dedup.put_back(connection, found[record.key])
        return [(record, found[record.key]) for record in now]

    while part := store.change(some):
        for record, row in part:
            more = int(str(row["characters"])) - record.characters
            changes.gains[record.host].add(Yield(kept=1 - record.keep, characters=more))
            changes.rejected[record.reason] -= not record.keep
    return changes
