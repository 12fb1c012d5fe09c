"""Corpus export: select the pages, gather the facts of their crawl, write the files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, BinaryIO

from topical_crawler.config import cache_dir, cleaning_options, encoder, segmenter
from topical_crawler.corpus.clean import LateCleaning
from topical_crawler.corpus.overlap import HeldOut
from topical_crawler.corpus.record import Bound, Filters, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import claim_of
from topical_crawler.crawl.opening import edition
from topical_crawler.export import rows
from topical_crawler.export.formats import FORMATS, Setup, of_name, of_splits
from topical_crawler.export.job import Job, to_files, to_folder, to_stream
from topical_crawler.export.labels import LABELS, Labels
from topical_crawler.export.manifest import Facts, Tally
from topical_crawler.export.rows import ExportError, Split, drawn, threshold
from topical_crawler.export.rows import rows as export_rows
from topical_crawler.export.tagging import JiebaTagger, Tagger, load_tagger
from topical_crawler.judging.sample import BOILERPLATE, IRRELEVANT, asked, read_sample
from topical_crawler.meaning.encoder import open_encoder
from topical_crawler.project import AnySettings
from topical_crawler.services import MistakeError
from topical_crawler.services.places import topic_of
from topical_crawler.text.segment import Segmenter, normalise
from topical_crawler.topic.topic import Topic

_OPTIONS = {"hosts": "host", "languages": "language", "scripts": "script", "kinds": "kind", "reasons": "reason"}
"""Names of options by fields of filters."""
JIEBA = "jieba"
"""The bundled tagger."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """Content and format of an export: the options of ``topical-crawler corpus export``.

    Attributes:
        corpus: path or URL.
        kind: name of the format.
        target: file or folder. None: a stream.
        filters: selection of pages.
        test_sets: files and folders. Texts overlapping with them are left out (:mod:`topical_crawler.corpus.overlap`).
        marked_off: include texts marked irrelevant or boilerplate by a person.
        limit: most texts.
        sample: number of texts to draw with ``seed``.
        without: parts to leave out of texts.
        labels: add the fields of :mod:`topical_crawler.export.labels`.
        segmented: separate words by blanks.
        tagger: :data:`JIEBA`, or MODULE:FUNCTION.
        topic: name or folder of the topic. None: the crawl's.
        force: replace an earlier export.
    """

    corpus: str
    kind: str
    target: Path | None
    filters: Filters
    test_sets: tuple[str, ...] = ()
    marked_off: bool = False
    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    mask_personal: bool = False
    simplified: bool = False
    traditional: bool = False
    without: tuple[str, ...] = ()
    metadata: bool = False
    labels: bool = False
    text_only: bool = False
    segmented: bool = False
    tagger: str = JIEBA
    per_text: bool = False
    split: Split | None = None
    topic: str | None = None
    manifest: bool = True
    force: bool = False

    @property
    def alone(self) -> bool:
        """True if every text has its own file."""
        return self.per_text or (self.kind == "tei" and self.target is not None and of_name(self.target.name) != "tei")


@dataclass(frozen=True)
class Exported:
    """Result of an export: counts, texts cleaned on the way, texts left out as marked off or for overlap with a test set."""

    tally: Tally
    cleaned: int
    marked_off: int
    overlapping: int


def check(wanted: Export) -> None:
    """Raise MistakeError for incompatible options."""
    kind, form = wanted.kind, FORMATS[wanted.kind]
    to_stream, rejected = wanted.target is None, wanted.filters.rejected
    only = {
        "--text-only": (wanted.text_only, "headers"),
        "--metadata": (wanted.metadata, "metadata"),
        "--labels": (wanted.labels, "metadata"),
        "--segmented": (wanted.segmented, "segmented"),
        "--tagger": (wanted.tagger != JIEBA and not wanted.segmented, "words"),
        "--per-text": (wanted.per_text, "alone"),
    }
    for option, (is_given, able) in only.items():
        if is_given and not getattr(form, able):
            names = ", ".join(name for name, other in FORMATS.items() if getattr(other, able))
            raise MistakeError(f"{option} goes with the formats {names}, not with {kind}")
    problems = {
        "--per-text writes a folder; name it with -o FOLDER": wanted.per_text and to_stream,
        "--per-text does not go with --rejected: rejected pages have no text": wanted.per_text and rejected,
        "--labels does not go with --rejected: rejected pages have no text": wanted.labels and rejected,
        f"--rejected does not go with --format {kind}: rejected pages have no text": rejected and not form.rejected,
        "--split divides texts, and pages that come with --rejected have none; leave one of the two away": (
            rejected and wanted.split
        ),
        "--split writes a file for each part; name them with -o FILE (corpus.jsonl gives corpus.train.jsonl, …)": (
            wanted.split and to_stream
        ),
        "--format hf writes a folder; name it with -o FOLDER": kind == "hf" and to_stream,
    }
    for problem, is_there in problems.items():
        if is_there:
            raise MistakeError(problem)


def export(wanted: Export, settings: AnySettings, stream: BinaryIO | None = None) -> Exported:
    """Write an export to its target, or to a ``stream``.

    Raises:
        MistakeError: incompatible options.
        ExportError: the target already exists, or cannot be written in this format.
    """
    check(wanted)
    target = wanted.target
    if target:
        _refuse_existing(target, wanted)
    crawl = claim_of(wanted.corpus)
    topic = topic_of(wanted.topic, crawl)
    setup = Setup(
        topic=topic.title if topic else str(crawl.get("topic", "")),
        rejected=wanted.filters.rejected,
        headers=not wanted.text_only,
        alone=wanted.alone,
        bom=target is not None,
        metadata=wanted.metadata,
        labels=LABELS if wanted.labels else (),
        tagger=tagger(wanted.tagger, topic, settings) if FORMATS[wanted.kind].words or wanted.segmented else None,
    )
    without = frozenset() if wanted.marked_off or wanted.filters.rejected else marked_off(wanted.corpus)
    wanted = replace(wanted, filters=replace(wanted.filters, without=without))
    options = cleaning_options(settings)
    meaning = open_encoder(encoder(settings), cache_dir(settings)) if wanted.labels else None
    label = Labels(meaning, _words(settings)).of if wanted.labels else None
    sets = test_sets(wanted.test_sets, settings)
    with (
        CorpusStore(wanted.corpus, read_only=True) as store,
        closing(_records(wanted, store, late := LateCleaning(store, options), sets)) as records,
    ):
        facts = Facts(
            topic=topic_facts(topic, crawl),
            crawl=_crawl_facts(crawl, store),
            filters=_conditions(wanted) | ({"test_sets": sets.files} if sets.files else {}),
            changes=(
                *(("site lines taken out",) if late.total else ()),
                *(("blanks between words",) if wanted.segmented else ()),
                *((f"domains by {meaning.name}",) if meaning else ()),
                *(title for _, title in _changes(wanted) if title),
            ),
            robots=robots(store) if target else {},
        )
        job = Job(kind=wanted.kind, setup=setup, facts=facts, split=wanted.split, manifest=wanted.manifest)
        exported = export_rows(records, store.leading_to, _counter(topic, settings), label)
        if target is not None:
            tally = (to_folder if wanted.alone or wanted.kind == "hf" else to_files)(exported, target, job)
        else:
            assert stream is not None
            tally = to_stream(exported, stream, job)
    return Exported(tally, late.done.changed if late.done.pages else 0, len(without), sum(f["texts"] for f in sets.files))


def _refuse_existing(target: Path, wanted: Export) -> None:
    """Raise ExportError if an export would replace something without ``force``."""
    if wanted.alone or wanted.kind == "hf":
        if not wanted.force and target.is_dir() and any(target.iterdir()):
            raise ExportError(f"{target} already exists. Name another folder, or replace an earlier export with --force")
        return
    for file in of_splits(target, wanted.split).values():
        if file.exists() and not (wanted.force and file.is_file()):
            remedy = "Name another file, or add --force to replace it" if file.is_file() else "Name a file"
            raise ExportError(f"{file} already exists. {remedy}")


def marked_off(place: str) -> frozenset[str]:
    """Return the keys of a corpus's pages marked irrelevant or boilerplate by a person.

    Raises:
        SampleError: a file with questions cannot be read.
    """
    files = () if "://" in place else asked(Path(place).parent)
    marks = {item.key: item.mark for file in files for item in read_sample(file).items}
    return frozenset(key for key, mark in marks.items() if mark in (IRRELEVANT, BOILERPLATE))


def _changes(wanted: Export) -> list[tuple[rows.Change, str]]:
    """Return the changes to make to a record, each with its name in the manifest."""
    changes: list[tuple[object, rows.Change, str]] = [
        (wanted.without, rows.without(*wanted.without), f"without {', '.join(wanted.without)}"),
        (wanted.filters.no_personal, rows.without_personal, ""),  # a filter
        (wanted.mask_personal, rows.masked, "personal data masked"),
        (wanted.simplified, rows.simplified, "simplified"),
        (wanted.traditional, rows.traditional, "traditional"),
    ]
    return [(change, title) for is_wanted, change, title in changes if is_wanted]


def _records(wanted: Export, store: CorpusStore, late: LateCleaning, sets: HeldOut) -> Generator[Record, None, None]:
    """Yield the records to export: filtered, cleaned, sampled, changed, and up to the limit."""
    records: Iterator[Record] = (
        record for record in late.over(store.records(wanted.filters)) if record.keep or wanted.filters.rejected
    )
    if wanted.sample:
        records = drawn(records, threshold(store.keys(wanted.filters), wanted.sample, wanted.seed), wanted.seed)
    if sets.files:
        records = (record for record in records if not sets.found(record.text or ""))
    yield from itertools.islice(_changed(records, [change for change, _ in _changes(wanted)]), wanted.sample or wanted.limit)


def _changed(records: Iterator[Record], steps: list[rows.Change]) -> Iterator[Record]:
    for record in records:
        changed: Record | None = record
        for step in steps:
            changed = step(changed) if changed else None
        if changed:
            yield changed


def _conditions(wanted: Export) -> dict[str, Any]:
    """Return the conditions of the export as requested."""
    values = {field.name: getattr(wanted.filters, field.name) for field in fields(wanted.filters)}
    conditions: dict[str, Any] = {_OPTIONS.get(name, name): value for name, value in values.items() if value}
    if bounds := conditions.pop("bounds", ()):
        conditions["where"] = [f"{bound.name}{bound.operator}{bound.value:g}" for bound in bounds]
    if without := conditions.pop("without", ()):
        conditions["without_marked_off"] = len(without)
    if wanted.limit:
        conditions["limit"] = wanted.limit
    if wanted.sample:
        conditions |= {"sample": wanted.sample, "seed": wanted.seed}
    return conditions


# -- Facts in an export on its topic, crawl and hosts, and word segmentation


def _crawl_facts(crawl: Mapping[str, Any], store: CorpusStore) -> dict[str, Any]:
    """Return the crawl's facts for the manifest. ``seeds`` are its start URLs."""
    names = {"strategy": "strategy", "seed": "random_seed", "started": "started", "version": "version"}
    facts = {called: crawl[name] for name, called in names.items() if name in crawl}
    return facts | {"seeds": [record.url for record in store.records(Filters(rejected=True, bounds=(Bound("depth", "=", 0),)))]}


def topic_facts(topic: Topic | None, crawl: Mapping[str, Any]) -> dict[str, Any]:
    """Return the topic's facts for the manifest: name, title, description, keywords, and ``edition``, a digest of its current
    state.
    """
    if topic is None:
        return {"name": crawl["topic"]} if crawl.get("topic") else {}
    facts = {"name": topic.name, "title": topic.title, "description": topic.description, "keywords": topic.keywords()}
    return facts | {"edition": edition(topic)}


def robots(store: CorpusStore) -> dict[str, dict[str, Any]]:
    """Return the robots.txt facts of the corpus by host."""
    names = ("robots", "crawl_delay", "asked")
    return {host: {name: getattr(facts, name) for name in names} for host, facts in store.host_facts().items()}


def test_sets(names: Sequence[str], settings: AnySettings) -> HeldOut:
    """Return the test sets in these files and folders, segmented by the segmenter's dictionary."""
    cut = _words(settings)
    return HeldOut(names, lambda text: cut(normalise(text)))


def _words(settings: AnySettings) -> Callable[[str], list[str]]:
    """Return a function to split a normalised text into words of the segmenter's dictionary."""
    return Segmenter(backend=segmenter(settings), cache_dir=cache_dir(settings)).known


def _counter(topic: Topic | None, settings: AnySettings) -> Callable[[str], int]:
    """Return a function to count the words of a text with the crawl's segmenter."""
    cut = Segmenter(topic.terms if topic else (), backend=segmenter(settings), cache_dir=cache_dir(settings)).pieces
    return lambda text: sum(not word.isspace() for word in cut(text))


def tagger(name: str, topic: Topic | None, settings: AnySettings) -> Tagger:
    """Return the tagger of ``--tagger``. jieba's uses the dictionary of the crawl's segmenter and keeps topic terms whole."""
    if name != JIEBA:
        return load_tagger(name)
    terms = list(topic.terms) if topic else []
    cache = cache_dir(settings)
    return JiebaTagger(Segmenter(terms, backend=segmenter(settings), cache_dir=cache), terms, cache)
