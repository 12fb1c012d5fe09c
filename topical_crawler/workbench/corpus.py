"""Operations on a corpus: search, read, explain, count words, mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from topical_crawler.config import archive_folder, cache_dir, extraction_limits
from topical_crawler.corpus.record import Bound, Filters, conditions, pages, parse_day
from topical_crawler.corpus.search import SORTS, Summary, listed, parse_query
from topical_crawler.export.rows import as_dict
from topical_crawler.extraction.documents import format_of
from topical_crawler.extraction.pool import DocumentPool
from topical_crawler.judging.sample import MARKS
from topical_crawler.recordings.reader import Recording, RecordingError, recorded_files
from topical_crawler.services import MistakeError
from topical_crawler.services.asking import mark_page
from topical_crawler.services.documents import read_as_page
from topical_crawler.services.places import find_page
from topical_crawler.services.why import marks_of, why
from topical_crawler.text.segment import normalise
from topical_crawler.text.statistics import WordStatistics
from topical_crawler.text.wordlist import collocates, general_chinese, keyness
from topical_crawler.web.dom import decode
from topical_crawler.web.rights import parse as parse_rights
from topical_crawler.web.urls import REDIRECTED
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.jobs import Job, Progress
from topical_crawler.workbench.operations import Operation, Param, Values

WITHIN = 1000
"""Most texts ranked for a search, since common words have many."""
PER_PAGE = 50
READ = 1000
"""Texts for word counts by default: about a million characters, some seconds."""
_SHOWN_VALUES = 12  # of a facet
_PATIENCE = 0.05  # seconds for a page to wait for background counts

FILTERS = (
    Param(name="host", about="only these hosts and their subdomains", kind="strings"),
    Param(name="since", about="only pages dated on or after this day, YYYY-MM-DD", longest=10),
    Param(name="until", about="only pages dated on or before this day, YYYY-MM-DD", longest=10),
    Param(name="min_relevance", about="only pages of this relevance or more", kind="number", low=0),
    Param(name="below_relevance", about="only pages of less than this relevance", kind="number", low=0),
    Param(name="min_characters", about="only texts of this length or more", kind="integer", low=0, default=0),
    Param(name="kind", about="only pages of this kind (article, forum …)", kind="strings"),
    Param(
        name="rights", about="unreserved, licensed, or reservations to exclude, such as noai,ai-train=no", default="", longest=200
    ),
    Param(name="reason", about="pages rejected for this reason instead of texts", kind="strings"),
    Param(name="rejected", about="rejected pages, too", kind="boolean", default=False),
)
_QUERY = Param(name="q", about='words, all required; "a phrase"; A OR B; -word', default="", longest=500)


def filters_of(values: Values, **more: Any) -> Filters:
    """Return the conditions in the values of :data:`FILTERS`, with ``more`` fields. Raise MistakeError for invalid ones."""
    below = values["below_relevance"]
    return Filters(
        hosts=tuple(values["host"]),
        since=parse_day(values["since"]) if values["since"] else "",
        until=parse_day(values["until"]) if values["until"] else "",
        min_relevance=values["min_relevance"],
        min_characters=values["min_characters"],
        kinds=tuple(values["kind"]),
        rights=parse_rights(values["rights"]) if values["rights"] else (),
        reasons=tuple(values["reason"]),
        rejected=values["rejected"] or bool(values["reason"]),
        bounds=() if below is None else (Bound("relevance", "<", below),),
        **more,
    )


def in_background(bench: Bench, crawl: str, what: Hashable, work: Callable[[Progress], Any], wait: float = _PATIENCE) -> Job:
    """Return a job on the current state of a corpus. It runs once for each state."""
    job = bench.jobs.result((bench.version(crawl), what), work, wait)
    if job.done.is_set() and job.error is not None:
        raise job.error
    return job


def waiting(job: Job) -> dict[str, Any]:
    """Return the response for unfinished work."""
    done, total = job.progress
    return {"waiting": True, "done": done, "total": total}


def by_host(bench: Bench, crawl: str, wait: float = _PATIENCE) -> Job:
    """Count pages fetched and kept by host, without redirects."""

    def work(note: Progress) -> dict[str, tuple[int, int]]:
        kept = sa.func.sum(sa.case((pages.c.keep, 1), else_=0))
        query = sa.select(pages.c.host, sa.func.count(), kept).where(pages.c.reason != REDIRECTED).group_by(pages.c.host)
        with bench.corpus(crawl).reading() as connection:
            return {str(host): (int(fetched), int(texts)) for host, fetched, texts in connection.execute(query)}

    return in_background(bench, crawl, "by host", work, wait)


def totals(hosts: Mapping[str, tuple[int, int]]) -> dict[str, int]:
    """Return the numbers of pages fetched and kept over all hosts."""
    return {"fetched": sum(fetched for fetched, _ in hosts.values()), "kept": sum(kept for _, kept in hosts.values())}


# -- Search


def search(bench: Bench, values: Values) -> dict[str, Any]:
    crawl, filters = values["crawl"], filters_of(values)
    first, size = values["from"], values["limit"]
    if not values["q"]:

        def work(note: Progress) -> list[Summary]:
            with bench.corpus(crawl).reading() as connection:
                return listed(connection, filters, values["sort"], size, offset=first, counted=False)[0]

        # Pages by number are found at once. Any other order reads them all.
        wait = 60.0 if values["sort"] == "number" else _PATIENCE
        job = in_background(bench, crawl, ("list", filters, values["sort"], first, size), work, wait)
        if not job.done.is_set():
            return {"hits": [], "total": None, "more": False} | waiting(job)
        shown = job.value
        return {"hits": [asdict(page) | {"lines": []} for page in shown], "total": None, "more": len(shown) == size}
    if filters.rejected:
        raise MistakeError("rejected pages have no text to search. Leave out the words or the reason")
    query = parse_query(values["q"])
    index = bench.index(crawl)

    def update(note: Progress) -> None:
        index.update(note)
        bench.indexed.add(crawl)

    taken = in_background(bench, crawl, "index", update)
    if crawl not in bench.indexed:
        return {"hits": [], "total": None, "more": False} | waiting(taken)
    found = index.search_within(query, filters, WITHIN, size, first, values["lines"])
    hits = [asdict(hit.page) | {"lines": [asdict(line) for line in hit.lines]} for hit in found.hits]
    if values["order"] == "left":
        hits.sort(key=lambda hit: hit["lines"][0]["left"][::-1] if hit["lines"] else "")
    elif values["order"] == "right":
        hits.sort(key=lambda hit: hit["lines"][0]["right"] if hit["lines"] else "")
    more = first + size < found.total
    return {"hits": hits, "total": None if found.more else found.total, "more": more, "behind": not taken.done.is_set()}


def count(bench: Bench, values: Values) -> dict[str, Any]:
    """Return the total number of hits, left out by :func:`search` for speed."""
    crawl, filters = values["crawl"], filters_of(values)

    def work(note: Progress) -> int:
        if values["q"]:
            return bench.index(crawl).count(parse_query(values["q"]), filters)
        with bench.corpus(crawl).reading() as connection:
            return int(connection.scalar(sa.select(sa.func.count()).select_from(pages).where(*conditions(filters))) or 0)

    job = in_background(bench, crawl, ("count", values["q"], filters), work)
    return {"total": job.value} if job.done.is_set() else waiting(job)


def facets(bench: Bench, values: Values) -> dict[str, Any]:
    crawl, filters = values["crawl"], filters_of(values)

    def work(note: Progress) -> dict[str, Any]:
        numbers: Sequence[int] | None = None
        more = False
        if values["q"]:
            found = bench.index(crawl).search_within(parse_query(values["q"]), filters, WITHIN, 0)
            numbers, more = found.numbers, found.more
        with bench.corpus(crawl).reading() as connection:
            return {"facets": count_facets(connection, filters, numbers), "of": len(numbers) if numbers and more else None}

    job = in_background(bench, crawl, ("facets", values["q"], filters), work)
    return job.value if job.done.is_set() else waiting(job)


def count_facets(connection: sa.Connection, filters: Filters, numbers: Sequence[int] | None = None) -> dict[str, Any]:
    """Count pages by "host", "year", "relevance" (in tenths) and "kind", each as a list of pairs, most frequent first.

    The pages are those matching ``filters``, or the given ``numbers``. "reason" counts all rejected pages.
    """
    chosen = list(conditions(filters)) if numbers is None else [pages.c.id.in_(numbers)]
    columns = {
        "host": pages.c.host,
        "year": sa.func.substr(pages.c.date, 1, 4),
        "relevance": sa.case(*((pages.c.relevance < (n + 1) / 10, n) for n in range(9)), else_=9),
        "kind": pages.c.kind,
    }
    number = sa.func.count()
    counted = connection.execute(sa.select(*columns.values(), number).where(*chosen).group_by(*columns.values()))
    totals: dict[str, Counter[Any]] = {name: Counter() for name in columns}
    for *values, many in counted:
        for name, value in zip(columns, values, strict=True):
            totals[name][value / 10 if name == "relevance" else value] += many
    reasons = connection.execute(sa.select(pages.c.reason, number).where(~pages.c.keep).group_by(pages.c.reason)).tuples()
    found = {name: _ordered(name, counter) for name, counter in totals.items()}
    return found | {"reason": _ordered("reason", Counter(dict(reasons.all())))}


def _ordered(name: str, counter: Counter[Any]) -> list[tuple[Any, int]]:
    """Return the most frequent values. Years and relevances are in descending order."""
    counter.pop("", None)
    if name in ("year", "relevance"):
        return sorted(counter.items(), reverse=True)[:_SHOWN_VALUES]
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN_VALUES]


# -- One text


def read(bench: Bench, values: Values) -> dict[str, Any]:
    crawl, number = values["crawl"], values["page"]
    place = bench.place(crawl)
    record, places = find_page(bench.corpus(crawl), number)
    topic = bench.topic(crawl)
    words = {*record.why.get("terms", ()), *(topic.keywords(500) if topic else ())}
    mark = next(reversed(marks_of(place.folder.path, record).values()), None)
    return {"text": as_dict(record, places), "keep": record.keep, "reason": record.reason, "number": record.order,
            "terms": sorted(words), "mark": mark, "source": record.url if _archived(bench, crawl) else None}  # fmt: skip


def why_of(bench: Bench, values: Values) -> dict[str, Any]:
    bench.corpus(values["crawl"])
    place, topic = bench.place(values["crawl"]), bench.topic(values["crawl"])
    return why(place.corpus, values["page"], bench.settings, language=values["language"], topic=topic)


def mark(bench: Bench, values: Values) -> dict[str, Any]:
    crawl, place = values["crawl"], bench.place(values["crawl"])
    record, _ = find_page(bench.corpus(crawl), values["page"])
    before = next(reversed(marks_of(place.folder.path, record).values()), None)
    new = None if values["mark"] == "none" else values["mark"]
    judged = bench.open.get(crawl)
    file = judged.file if judged else None
    learned = mark_page(place.corpus, place.folder.path, record, new, bench.topic(crawl), bench.settings, file)
    if judged:
        judged.tell()
    return {"mark": new, "before": before or "none", "learned": learned, "number": record.order}


def source(bench: Bench, values: Values) -> dict[str, Any]:
    """Return the page as fetched, from the archive."""
    crawl = values["crawl"]
    record, _ = find_page(bench.corpus(crawl), values["page"])
    if not (files := _archived(bench, crawl)):
        raise MistakeError("nothing of this crawl was archived. Start the next one with -s TOPICAL_ARCHIVE=1", 404)
    with Recording(files, cache_dir(bench.settings)) as recording:
        answer = recording.get(record.final_url) or recording.get(record.url)
    if answer is None:
        raise MistakeError(f"the archive has no answer for {record.url}", 404)
    if kind := format_of(answer.body):
        with closing(DocumentPool(1, extraction_limits(bench.settings)[1])) as pool:
            html, reason = read_as_page(pool, answer.body, kind, record.url)
        if reason:
            raise MistakeError(f"{record.url} cannot be shown as text: {reason}", 404)
        return {"html": html}
    return {"html": decode(answer.body, answer.header("content-type"))[0]}


def _archived(bench: Bench, crawl: str) -> list[Path]:
    """Return the files of a crawl's archive."""
    folder = archive_folder(bench.settings, crawl) or bench.place(crawl).folder.archive
    with suppress(RecordingError):
        return recorded_files(folder)
    return []


# -- Words


def counted(bench: Bench, crawl: str, filters: Filters, most: int) -> Job:
    """Count the words of up to ``most`` texts of a crawl, in the order of their keys: a random but fixed sample."""

    def work(note: Progress) -> WordStatistics:
        cut, counts = bench.segmenter(crawl), WordStatistics()
        for text in (texts := _texts(bench, crawl, filters, most)):
            counts.add([word for word in cut.cut(text) if word.isalpha()])
            note(counts.documents, len(texts))
        return counts

    return in_background(bench, crawl, ("words", filters, most), work)


def _texts(bench: Bench, crawl: str, filters: Filters, most: int) -> list[str]:
    query = sa.select(pages.c.text).where(*conditions(filters), pages.c.keep).order_by(pages.c.key).limit(most)
    with bench.corpus(crawl).reading() as connection:
        return list(connection.scalars(query))


def words(bench: Bench, values: Values) -> dict[str, Any]:
    crawl, filters = values["crawl"], filters_of(values)
    job = counted(bench, crawl, filters, values["texts"])
    other = counted(bench, values["reference"], Filters(), values["texts"]) if values["reference"] != "general" else None
    for one in filter(None, (job, other)):
        if not one.done.is_set():
            return waiting(one)
    counts: WordStatistics = job.value
    total = counts.occurrences.total()

    def work(note: Progress) -> dict[str, Any]:
        reference = other.value.occurrences if other else general_chinese(counts.occurrences)
        is_content = bench.segmenter(crawl).is_content if values["content"] else lambda word: True
        keys = [key._asdict() for key in keyness(counts, reference, values["least"]) if is_content(key.word)]
        common = [
            {"word": word, "occurrences": n, "texts": counts.spread[word], "per_million": 1e6 * n / total}
            for word, n in sorted(counts.occurrences.items(), key=lambda item: (-item[1], item[0]))
            if is_content(word)
        ]
        shown = values["limit"]
        return {"texts": counts.documents, "words": total, "different": len(counts.occurrences), "keys": keys[:shown],
                "list": common[:shown]}  # fmt: skip

    shown = tuple(values[name] for name in ("reference", "texts", "content", "least", "limit"))
    ordered = in_background(bench, crawl, ("ordered", filters, shown), work)
    return ordered.value if ordered.done.is_set() else waiting(ordered)


def collocations(bench: Bench, values: Values) -> dict[str, Any]:
    crawl, filters = values["crawl"], filters_of(values)
    node = normalise(values["word"]).strip()
    if not node:
        return {"word": "", "collocates": [], "texts": 0}

    def work(note: Progress) -> dict[str, Any]:
        cut = bench.segmenter(crawl)
        texts: list[list[str]] = []
        for text in (read := _texts(bench, crawl, filters, values["texts"])):
            texts.append([word for word in cut.cut(text) if word.isalpha()])
            note(len(texts), len(read))
        allowed = frozenset(filter(cut.is_content, {word for text in texts for word in text})) if values["content"] else None
        found = collocates(texts, node, values["span"], values["least"], allowed)
        return {"word": node, "texts": len(texts), "collocates": [c._asdict() for c in found[: values["limit"]]],
                "count": sum(text.count(node) for text in texts)}  # fmt: skip

    # The index could select texts with the node, but the whole sample is needed to count all other words.
    key = ("collocates", node, filters, values["span"], values["least"], values["texts"], values["content"], values["limit"])
    job = in_background(bench, crawl, key, work)
    return job.value if job.done.is_set() else {"word": node} | waiting(job)


_COUNTED = (
    Param(name="texts", about="number of texts to count words in, a random but fixed sample", kind="integer",
          default=READ, low=1, high=1_000_000),
    Param(name="least", about="least occurrences of a word", kind="integer", default=3, low=1, high=1_000_000),
    Param(name="limit", about="most words returned", kind="integer", default=100, low=1, high=10_000),
    Param(name="content", about="leave function words and numbers out", kind="boolean", default=True),
)  # fmt: skip

OPERATIONS = (
    Operation(
        "corpus", "/crawls/{crawl}/corpus",
        "Search the texts of a crawl, with keywords in context, or list its pages. A search ranks at most 1,000 texts.",
        search,
        (
            _QUERY, *FILTERS,
            Param(name="sort", about="order of a list without words", default="number", choices=tuple(SORTS)),
            Param(name="order", about="order of lines: best texts, or by the context left or right of the word",
                  default="best", choices=("best", "left", "right")),
            Param(name="from", about="pages to skip", kind="integer", default=0, low=0, high=1_000_000),
            Param(name="limit", about="most pages returned", kind="integer", default=PER_PAGE, low=1, high=500),
            Param(name="lines", about="most lines returned for each text", kind="integer", default=1, low=1, high=50),
        ),
    ),
    Operation("count", "/crawls/{crawl}/count", "Number of texts matching a query and conditions.", count, (_QUERY, *FILTERS)),
    Operation("facets", "/crawls/{crawl}/facets",
              "Numbers of pages matching a query and conditions, by host, year, relevance, kind and reason.",
              facets, (_QUERY, *FILTERS)),
    Operation("text", "/crawls/{crawl}/texts/{page}", "A text with all facts on its page.", read,
              (Param(name="q", about="words to highlight in the text", default="", longest=500),)),
    Operation("why", "/crawls/{crawl}/texts/{page}/why", "Why a page was kept or rejected, in sentences.", why_of,
              (Param(name="language", about="language of the sentences", default="en", choices=("en", "zh")),)),
    Operation("source", "/crawls/{crawl}/texts/{page}/source", "The page as fetched, if an archive has it.", source),
    Operation("mark", "/crawls/{crawl}/texts/{page}/mark",
              "Mark a text, like topical-crawler corpus judge. Its crawl learns from it. none removes the mark.", mark,
              (Param(name="mark", about="the mark", required=True, choices=(*MARKS, "none")),), acts=True),
    Operation("words", "/crawls/{crawl}/words", "The most frequent words, and the key words against a reference.", words,
              (*FILTERS, *_COUNTED,
               Param(name="reference", about="general (jieba's bundled frequencies), or another crawl",
                     default="general", longest=200))),
    Operation("collocates", "/crawls/{crawl}/collocates", "Words more frequent near a word than elsewhere.", collocations,
              (*FILTERS, *_COUNTED, Param(name="word", about="the word, as cut by the segmenter", default="", longest=50),
               Param(name="span", about="words on either side", kind="integer", default=5, low=1, high=20))),
)  # fmt: skip
