"""``topical-crawler corpus list``, ``show`` and ``search``: the pages of a corpus for a person to read."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from topical_crawler.cli.base import Action, ActionParser, add_corpus, add_json, add_number, whole
from topical_crawler.cli.corpus import add_filters, filters_of
from topical_crawler.cli.terminal import WIDTH, console, corpus_progress, fitted, print_text, printable, show_paged, table
from topical_crawler.crawl.crawl_folder import claim_of
from topical_crawler.project import AnySettings

if TYPE_CHECKING:
    from topical_crawler.corpus.record import Filters, Record
    from topical_crawler.corpus.search import Found, Summary

SORTS = ("number", "date", "relevance", "characters", "host")  # of `corpus.search.SORTS`
_NUMBER, _DAY = 6, 10  # columns


# -- Arguments


def add_page(parser: argparse.ArgumentParser) -> None:
    """Declare CORPUS and PAGE."""
    parser.add_argument("corpus", metavar="CORPUS", help="topic, folder, file or database URL")
    parser.add_argument("page", metavar="NUMBER|URL", help="number of a page as in list and search, or its address")


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus(parser)
    add_filters(parser.add_argument_group("which pages"))
    parser.add_argument(
        "--sort", choices=SORTS, default="number",
        help="numbers (fetch order) and hosts ascend, dates, relevance and lengths descend (default: number)",
    )  # fmt: skip
    add_number(parser, "--limit", type=whole(0), default=20, help="pages shown")
    add_json(parser, "the pages and their total number as JSON")


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    add_page(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="title and text alone, as Markdown")
    form.add_argument("--json", action="store_true", help="all fields of an export, as JSON")


def _search_arguments(parser: argparse.ArgumentParser) -> None:
    if isinstance(parser, ActionParser):
        parser.minus = "query"  # -word
    parser.add_argument("corpus", metavar="CORPUS", help="topic, folder, file or database URL")
    parser.add_argument(
        "query", nargs="+", metavar="WORD",
        help="all of these words; '\"a phrase\"' or “a phrase”; A OR B; -word to exclude",
    )  # fmt: skip
    add_filters(parser.add_argument_group("which pages"))
    add_number(parser, "--limit", type=whole(0), default=20, help="texts shown")
    add_number(parser, "--lines", type=whole(1), default=1, help="places shown of each text")
    add_json(parser, "the texts found as JSON")


# -- Actions


def search(
    place: str,
    query: str,
    filters: Filters,
    settings: AnySettings,
    *,
    limit: int | None = 20,
    lines: int = 1,
) -> Found:
    """Return the texts of the corpus at ``place`` meeting a query and ``filters``, after updating the index.

    Args:
        place: path or URL.
        query: see :func:`~topical_crawler.corpus.search.parse_query`.
        filters: conditions.
        settings: the project's.
        limit: most texts, None for all.
        lines: most places of a text.
    """
    from topical_crawler.config import cache_dir
    from topical_crawler.corpus.record import CorpusError
    from topical_crawler.corpus.search import open_index, parse_query
    from topical_crawler.corpus.store import CorpusStore

    parsed = parse_query(query)
    CorpusStore(place, read_only=True).close()  # explains an unusable place
    with open_index(place, cache_dir(settings)) as index:
        try:
            with corpus_progress("reading texts") as show:
                index.update(lambda done, total: show("reading texts", done, total))
        except CorpusError as error:
            try:  # by an index of another user
                return replace(index.search(parsed, filters, limit, lines), note=f"New texts are missing: {error}")
            except CorpusError:
                raise error from None
        return index.search(parsed, filters, limit, lines)


def _list(opts: argparse.Namespace, settings: AnySettings) -> int:
    from topical_crawler.corpus.search import listed
    from topical_crawler.corpus.store import CorpusStore
    from topical_crawler.services.places import find_corpus

    with CorpusStore(find_corpus(opts.corpus, settings), read_only=True) as store, store.reading() as connection:
        pages, total = listed(connection, filters_of(opts), opts.sort, opts.limit)
    if opts.json:
        print_json({"total": total, "pages": [asdict(page) for page in pages]})
        return 0
    out = console()
    out.print(list_view(pages, reasons=opts.rejected or bool(opts.reason)) if total else "no page meets the conditions")
    if total > len(pages):
        out.print(f"… {total - len(pages):,} more (--limit)", style="dim")
    return 0


def _show(opts: argparse.Namespace, settings: AnySettings) -> int:
    from topical_crawler.corpus.store import CorpusStore
    from topical_crawler.services.places import find_corpus, find_page, topic_of

    place = find_corpus(opts.corpus, settings)
    with CorpusStore(place, read_only=True) as store:
        record, places = find_page(store, opts.page)
    if opts.json:
        from topical_crawler.export.rows import as_dict

        print_json(as_dict(record, places))
        return 0
    if opts.markdown:
        print_text(as_markdown(record))
        return 0
    topic = topic_of(None, claim_of(place))
    show_paged(console(most=WIDTH), *page_view(record, places, {*record.why.get("terms", ()), *(topic.terms if topic else ())}))
    return 0


def as_markdown(record: Record) -> str:
    """Return title and text of a page as Markdown."""
    from topical_crawler.text.passages import Passage, markdown, passages

    return markdown([Passage(record.title, "heading", 1), *passages(record.text or "", record.layout)])


def _search(opts: argparse.Namespace, settings: AnySettings) -> int:
    from topical_crawler.services.places import find_corpus

    place, query = find_corpus(opts.corpus, settings), " ".join(opts.query)
    found = search(place, query, filters_of(opts), settings, limit=opts.limit, lines=opts.lines)
    if found.note:
        print(found.note, file=sys.stderr)
    if opts.json:
        print_json(
            {
                "total": found.total,
                "texts": [{**asdict(hit.page), "score": hit.score, "lines": list(map(asdict, hit.lines))} for hit in found.hits],
            }
        )
        return 0
    out = console()
    for line in found_view(found, out.width if out.is_terminal else WIDTH):
        out.print(line, soft_wrap=True)
    if not found.total:
        out.print(f"no text has {query}", markup=False)
    elif found.total > len(found.hits):
        out.print(f"… {found.total - len(found.hits):,} more (--limit)", style="dim")
    return 0


ACTIONS = {
    "list": Action("List the pages of a corpus, by default 20 kept ones.", _list_arguments, _list),
    "show": Action("Show a page of a corpus: its origin and its text.", _show_arguments, _show),
    "search": Action(
        "Find the texts with all words, the best first, each with a place in context. Simplified and traditional characters, "
        "width and case are alike. Latin letters match whole words. The first search indexes the whole corpus, later ones only "
        "new texts. A crawl may write to it meanwhile.",
        _search_arguments,
        _search,
    ),
}  # fmt: skip


# -- Views


def print_json(data: Any) -> None:
    """Print data as JSON, escaping characters steering a terminal or reversing its reading direction."""
    text = json.dumps(data, ensure_ascii=False, indent=1)
    print(re.sub(r"[^\n -~]", lambda sign: sign[0] if sign[0].isprintable() else json.dumps(sign[0])[1:-1], text))


def list_view(pages: Iterable[Summary], *, reasons: bool) -> RenderableType:
    """Return pages as a table, with ``reasons`` also the reason of rejection."""
    rows: list[tuple[RenderableType, ...]] = []
    for page in pages:
        title = Text(printable(page.title or page.url), no_wrap=True, overflow="ellipsis")
        cells = str(page.number), page.date, page.host, f"{page.relevance:.2f}", f"{page.characters:,}"
        rows.append((*cells, *([page.reason] if reasons else []), title))
    names = (">number", "day", "host", ">relevance", ">characters", *(["rejected because"] if reasons else []), "title")
    return table(names, rows, plain=True)


def page_view(record: Record, places: Iterable[str], words: Iterable[str]) -> Iterator[RenderableType]:
    """Yield the parts of a page for a person to read: title, origin, and text with ``words`` highlighted."""
    yield Text(printable(record.title or "without a title"), "bold")
    why = record.why
    link = f"“{why['anchor']}” on " if why.get("anchor") else ""
    facts = {
        "address": record.url,
        "answered at": record.final_url if record.final_url != record.url else "",
        "also at": " ".join(place for place in places if place != record.final_url),
        "day": record.date,
        "author": record.author,
        "outlet": record.source,
        "section": record.section,
        "licence": record.license,
        "rights": record.rights,
        "page": f"number {record.order}, fetched {record.fetched[:19].replace('T', ' ')}" if record.order else "",
        "found": f"{link}{why['parent']}" if why.get("parent") else "",
        "depth": f"{record.depth} (links from a seed)" if record.order else "",
        "relevance": f"{record.relevance:.3g}" if record.order else "",
        "kind": record.kind,
        "text": f"{record.characters:,} characters, {' '.join(filter(None, (record.language, record.script)))}",
        "extractor": record.method,
        "rejected": record.reason and f"{record.reason} {record.duplicate_of}",
    }
    width = max(map(len, facts)) + 2
    for name, value in facts.items():
        if value and (record.keep or name not in ("text", "extractor")):
            yield Text.assemble((name.ljust(width), "dim"), printable(value))
    shown = Text()
    for paragraph in (record.text or "").split("\n"):
        shown.append("\n" + printable(paragraph.expandtabs(4)))
    if words := sorted(filter(None, words), key=len, reverse=True):
        shown.highlight_regex("(?i)" + "|".join(map(re.escape, words)), "bold yellow")
    yield shown


def found_view(found: Found, width: int) -> Iterator[Text]:
    """Yield lines of ``width`` columns with the keywords aligned."""
    room = max(20, width - _NUMBER - _DAY - 4)
    for hit in found.hits:
        for number, line in enumerate(hit.lines or [None]):
            first = (f"{hit.page.number:>{_NUMBER}}", f"{hit.page.date:<{_DAY}}") if number == 0 else (" " * _NUMBER, " " * _DAY)
            if line is None:
                yield Text.assemble((first[0], "dim"), "  ", (first[1], "dim"), "  ", printable(hit.page.title))
                continue
            left = fitted(printable(line.left), room // 2 - 4, right=True)
            match = printable(line.match)
            right = fitted(match + printable(line.right), room - room // 2 + 4)
            yield Text.assemble(
                (first[0], "dim"),
                "  ",
                (first[1], "dim"),
                "  ",
                left,
                (right[: len(match)], "bold yellow"),
                right[len(match) :].rstrip(),
            )
