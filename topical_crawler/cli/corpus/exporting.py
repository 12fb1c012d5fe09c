"""The work of ``topical-crawler corpus export``: choose the pages, gather the facts of their crawl, write the files."""

import argparse
import itertools
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.cli.base import UsageError
from topical_crawler.cli.corpus import filters_of
from topical_crawler.cli.corpus.export import JIEBA, STREAM
from topical_crawler.config import cache_dir, cleaning_options, segmenter
from topical_crawler.corpus.clean import LateCleaning
from topical_crawler.corpus.record import Bound, Filters, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import claim_of
from topical_crawler.crawl.options import CrawlError
from topical_crawler.export import rows
from topical_crawler.export.formats import FORMATS, Setup, of_name, of_splits
from topical_crawler.export.job import Job, to_files, to_folder, to_stream
from topical_crawler.export.manifest import Facts, Tally
from topical_crawler.export.rows import ExportError, Split, drawn, threshold
from topical_crawler.export.rows import rows as export_rows
from topical_crawler.export.tagging import JiebaTagger, Tagger, load_tagger
from topical_crawler.judging.sample import BOILERPLATE, IRRELEVANT, asked, read_sample
from topical_crawler.project import AnySettings
from topical_crawler.services.places import find_corpus, topic_of
from topical_crawler.text import counted
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic


def export(opts: argparse.Namespace, settings: AnySettings) -> int:
    usual = "txt" if opts.per_text else "jsonl" if opts.output == STREAM else ""
    kind = opts.format or usual or _by_name(opts.output)
    alone = opts.per_text or (kind == "tei" and opts.output != STREAM and of_name(opts.output) != "tei")
    folder = alone or kind == "hf"
    opts.rejected = opts.rejected or bool(opts.reason)
    split = check(opts, kind)
    target = None if opts.output == STREAM else Path(opts.output).expanduser()
    if target:
        _refuse_existing(target, split, folder, opts.force)
    place = find_corpus(opts.corpus, settings)
    crawl = claim_of(place)
    topic = topic_of(opts.topic, crawl)
    setup = Setup(
        topic=topic.title if topic else str(crawl.get("topic", "")),
        rejected=opts.rejected,
        headers=not opts.text_only,
        alone=alone,
        bom=target is not None,
        metadata=opts.metadata,
        raw=opts.raw,
        tagger=tagger(opts.tagger, topic, settings) if FORMATS[kind].words else None,
    )
    without = frozenset() if opts.marked_off or opts.rejected else marked_off(place)
    filters = filters_of(opts, no_personal=opts.no_personal, without=without)
    options = _cleaning(settings)
    with (
        CorpusStore(place, read_only=True) as store,
        closing(_records(opts, store, filters, late := LateCleaning(store, options))) as records,
    ):
        if opts.raw and not store.has_raw:
            remedy = "collect with -s TOPICAL_KEEP_RAW=1, or corpus rebuild with it from an archive"
            raise ExportError(f"--raw: {store.name} has no text before cleaning. Remedy: {remedy}")
        facts = Facts(
            topic=topic_facts(topic, crawl),
            crawl=_crawl_facts(crawl, store),
            filters=_conditions(opts, filters),
            changes=(*(("site lines taken out",) if late.total else ()), *(title for _, title in _changes(opts) if title)),
            robots=robots(store) if target else {},
        )
        job = Job(kind=kind, setup=setup, facts=facts, split=split, manifest=not opts.no_manifest)
        exported = export_rows(records, store.places, store.copies, _counter(topic, settings))
        if target is None:
            # Bytes, so that Chinese comes out whatever the locale.
            with open(sys.stdout.fileno(), "wb", closefd=False) as out:
                to_stream(exported, out, job)
            _say_cleaned(late)
            return 0
        tally = to_folder(exported, target, job) if folder else to_files(exported, target, job)
    print(_summary(tally, opts.output, split), file=sys.stderr)
    _say_cleaned(late)
    if filters.without:
        marked = f"{len(filters.without)} that are marked irrelevant or boilerplate"
        print(f"without {marked} (--marked-off takes them)", file=sys.stderr)
    return 0


def _by_name(output: str) -> str:
    kind = of_name(output)
    if kind is None:
        names = " ".join(suffix for form in FORMATS.values() for suffix in form.suffixes)
        problem = f"the name {output} tells no format. Remedy: end it in one of {names} (then .gz or .zst), or name a --format"
        raise UsageError(problem)
    return kind


def _refuse_existing(target: Path, split: Split | None, folder: bool, force: bool) -> None:
    """Raises ExportError where an export to ``target`` would replace something without being told to."""
    if folder:
        if not force and target.is_dir() and any(target.iterdir()):
            raise ExportError(
                f"{target} is there already. Remedy: name another folder, or replace an earlier export with --force"
            )
        return
    for file in of_splits(target, split).values():
        if file.exists() and not (force and file.is_file()):
            remedy = "name another file, or add --force to replace it" if file.is_file() else "name a file"
            raise ExportError(f"{file} is there already. Remedy: {remedy}")


def check(opts: argparse.Namespace, kind: str) -> Split | None:
    """How the texts are to be divided. Raises UsageError for options that do not go together, ValueError for no such shares."""
    problem = ""
    if opts.text_only and kind not in ("txt", "md"):
        problem = f"--text-only goes with the formats txt and md, not with {kind}"
    elif opts.metadata and not FORMATS[kind].metadata:
        problem = f"--metadata goes with the formats {', '.join(n for n, f in FORMATS.items() if f.metadata)}, not with {kind}"
    elif opts.raw and not FORMATS[kind].raw:
        problem = f"--raw goes with the formats {', '.join(n for n, f in FORMATS.items() if f.raw)}, not with {kind}"
    elif opts.tagger != JIEBA and not FORMATS[kind].words:
        problem = f"--tagger goes with the formats {', '.join(n for n, f in FORMATS.items() if f.words)}, not with {kind}"
    elif opts.per_text and not FORMATS[kind].alone:
        problem = f"--per-text goes with the formats {', '.join(n for n, f in FORMATS.items() if f.alone)}, not with {kind}"
    elif opts.per_text and opts.output == STREAM:
        problem = "--per-text writes a folder; name it with -o FOLDER"
    elif opts.per_text and opts.rejected:
        problem = "--per-text does not go with --rejected: rejected pages have no text"
    elif opts.rejected and not FORMATS[kind].rejected:
        problem = f"--rejected does not go with --format {kind}: rejected pages have no text"
    elif (opts.rejected or opts.reason) and opts.split:
        problem = "--split divides texts, and pages that come with --rejected have none; leave one of the two away"
    elif opts.output == STREAM and opts.split:
        problem = "--split writes a file for each part; name them with -o FILE (corpus.jsonl gives corpus.train.jsonl, …)"
    elif opts.output == STREAM and kind == "hf":
        problem = "--format hf writes a folder; name it with -o FOLDER"
    elif opts.output == STREAM and kind == "parquet" and sys.stdout.isatty():
        problem = "Parquet is nothing for a screen; name a file with -o FILE"
    if problem:
        raise UsageError(problem)
    return Split.parse(opts.split, opts.split_by, opts.split_seed) if opts.split else None


def marked_off(place: str) -> frozenset[str]:
    """Keys of the pages of a corpus that a person who was asked about it marked as irrelevant or boilerplate. Raises SampleError
    where a file with questions cannot be read."""
    files = () if "://" in place else asked(Path(place).parent)
    marks = {item.key: item.mark for file in files for item in read_sample(file).items}
    return frozenset(key for key, mark in marks.items() if mark in (IRRELEVANT, BOILERPLATE))


def _changes(opts: argparse.Namespace) -> list[tuple[rows.Change, str]]:
    """What is done to a record, each with its name in the manifest."""
    changes: dict[str, tuple[rows.Change, str]] = {
        "without": (rows.without(*opts.without), f"without {', '.join(opts.without)}"),
        "no_personal": (rows.without_personal, ""),  # a filter
        "mask_personal": (rows.masked, "personal data masked"),
        "simplified": (rows.simplified, "simplified"),
        "traditional": (rows.traditional, "traditional"),
    }
    return [change for name, change in changes.items() if getattr(opts, name)]


def _cleaning(settings: AnySettings) -> CleaningOptions:
    try:
        return cleaning_options(settings)
    except CrawlError as error:
        raise ExportError(str(error)) from None


def _say_cleaned(late: LateCleaning) -> None:
    if late.done.pages:
        how = "the end of the crawl, or topical-crawler corpus clean, cleans the corpus itself"
        print(
            f"{counted(late.done.changed, 'text')} cleaned on the way of lines that their sites repeat ({how})", file=sys.stderr
        )


def _records(opts: argparse.Namespace, store: CorpusStore, filters: Filters, late: LateCleaning) -> Generator[Record, None, None]:
    """Filtered, cleaned, drawn, changed, and not more than asked for."""
    records: Iterator[Record] = (record for record in late.over(store.records(filters)) if record.keep or filters.rejected)
    if opts.raw:
        records = store.with_raw(records)
    if opts.sample:
        records = drawn(records, threshold(store.keys(filters), opts.sample, opts.seed), opts.seed)
    yield from itertools.islice(_changed(records, [change for change, _ in _changes(opts)]), opts.sample or opts.limit)


def _changed(records: Iterator[Record], steps: list[rows.Change]) -> Iterator[Record]:
    for record in records:
        changed: Record | None = record
        for step in steps:
            changed = step(changed) if changed else None
        if changed:
            yield changed


def _conditions(opts: argparse.Namespace, filters: Filters) -> dict[str, Any]:
    """The conditions as they were asked for."""
    names = ("host", "min_relevance", "since", "until", "new_since", "min_characters", "language", "script", "kind", "reason")
    values = {name: getattr(opts, name) for name in (*names, "rejected", "no_personal", "limit")}
    conditions = {name: value for name, value in values.items() if value not in (None, 0, [])}
    if opts.where:
        conditions["where"] = [f"{bound.name}{bound.operator}{bound.value:g}" for bound in opts.where]
    if opts.rights:
        conditions["rights"] = list(opts.rights)
    if filters.without:
        conditions["without_marked_off"] = len(filters.without)
    if opts.sample:
        conditions |= {"sample": opts.sample, "seed": opts.seed}
    return conditions


def _summary(tally: Tally, output: str, split: Split | None) -> str:
    text = f"{counted(tally.whole.texts + tally.whole.rejected, 'page')} written to {output}"
    if split:
        text += f" ({', '.join(f'{name} {tally.splits[name].texts if name in tally.splits else 0}' for name in split.names)})"
    return text


# -- What an export tells of its topic, its crawl and its hosts, and how it cuts texts into words


def _crawl_facts(crawl: Mapping[str, Any], store: CorpusStore) -> dict[str, Any]:
    """For the manifest; ``seeds`` are the addresses that the crawl began with."""
    names = {"strategy": "strategy", "seed": "random_seed", "started": "started", "version": "version"}
    facts = {called: crawl[name] for name, called in names.items() if name in crawl}
    return facts | {"seeds": [record.url for record in store.records(Filters(rejected=True, bounds=(Bound("depth", "=", 0),)))]}


def topic_facts(topic: Topic | None, crawl: Mapping[str, Any]) -> dict[str, Any]:
    """For the manifest: name, title and description; ``edition`` is a digest of its terms, weights and parameters as now."""
    if topic is None:
        return {"name": crawl["topic"]} if crawl.get("topic") else {}
    from topical_crawler.crawl.opening import edition

    facts = {"name": topic.name, "title": topic.title, "description": topic.description, "keywords": topic.keywords()}
    return facts | {"edition": edition(topic)}


def robots(store: CorpusStore) -> dict[str, dict[str, Any]]:
    """By host, what its robots.txt said, as the corpus notes it."""
    names = ("robots", "crawl_delay", "asked")
    return {host: {name: getattr(facts, name) for name in names} for host, facts in store.host_facts().items()}


def _counter(topic: Topic | None, settings: AnySettings) -> Callable[[str], int]:
    """Counts the words of a text as the crawl's segmenter cuts it."""
    cut = Segmenter(topic.terms if topic else (), backend=segmenter(settings), cache_dir=cache_dir(settings)).pieces
    return lambda text: sum(not word.isspace() for word in cut(text))


def tagger(name: str, topic: Topic | None, settings: AnySettings) -> Tagger:
    """The tagger that ``--tagger`` names; jieba's cuts with the dictionary of the crawl's segmenter, topic terms kept whole."""
    if name != JIEBA:
        return load_tagger(name)
    terms = list(topic.terms) if topic else []
    cache = cache_dir(settings)
    return JiebaTagger(Segmenter(terms, backend=segmenter(settings), cache_dir=cache), terms, cache)
