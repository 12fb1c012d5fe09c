"""``scrapy corpus why``: in plain sentences, why a page was kept or rejected, and what became of any other address."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.text import Text
from scrapy.settings import BaseSettings

from topical_crawler.cli.base import add_json, amount, is_url
from topical_crawler.cli.corpus import find, topic_of
from topical_crawler.cli.corpus.reading import add_page, print_json, read_crawl
from topical_crawler.cli.terminal import WIDTH, console, printable
from topical_crawler.corpus.record import CorpusError, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.options import CrawlError
from topical_crawler.frontier import FrontierFileError
from topical_crawler.items import OFF_TOPIC_MODEL, OFF_TOPIC_TEXT, SEED_PRIORITY
from topical_crawler.judging.sample import SampleError, asked, read_sample
from topical_crawler.strategies import OFF_TOPIC, load
from topical_crawler.topic.topic import Topic

DESCRIPTION = (
    "Say why a page was kept or rejected: its relevance and the words behind it, the link that led to it, what the check of its "
    "text said, the page that it is a copy of, the marks of people. Of an address that was not fetched: whether it waits, with "
    "which priority and why, or is refused, and by which rule. A crawl that runs is asked for it."
)
_MOST = 8  # words and parts of a priority that are told

MEANINGS = {
    "off topic": "its relevance is not above the threshold",
    "off-topic text": "title and description are on topic, the main text is not",
    "off topic by the model": "the strategy keeps it, the topic's model does not",
    "duplicate": "the corpus has the same or nearly the same text",
    "part": "it is a further part of an article, and its text is in the row of the first",
    "no text": "no main text was found",
    "near-empty": "too little is left without menus, datelines and notices",
    "list of links": "more than half of the text is links",
    "boilerplate only": "nothing but menus, prompts and the like",
    "copyright only": "nothing but copyright notices and imprint",
    "garbled text": "it was decoded wrongly, or is broken at its source",
    "language": "it is in another language",
    "low quality: repetition": "lines or phrases repeat again and again",
    "low quality: symbols": "too many symbols or figures",
    "low quality: no sentences": "a list of words, no sentences",
    "low quality: characters": "too few Chinese characters, or rare ones only",
    "page too large": "its source is too long",
    "extraction timed out": "its text could not be found in time",
    "extraction failed": "an extractor raised an error",
    "extraction crashed": "the extracting process died",
    "list page": "a page of links or excerpts, without a text of its own",
    "tag page": "a page of links of one tag or category",
    "home page": "the first page of the site, of links or excerpts",
    "video page": "a video with hardly any text",
    "gallery page": "images with hardly any text",
    "not a text page": "neither HTML, XML nor plain text",
    "redirected": "another address has the page",
    "too many redirects": "redirects did not end",
    "HTTP": "that was the server's answer",
    "robots.txt cannot be had": "its host gave no robots.txt, and without one nothing is fetched",
    "host away": "its host could not be reached, however often it rested",
    "robots.txt": "the site forbids it",
    "too large": "the answer has more bytes than allowed",
    "timed out": "no answer in time",
    "headers too large": "the answer has longer headers than allowed",
    "private address": "its host is a machine of a private network",
    "unusual port": "its address names a port that is not one of the web",
    "unknown host": "the name does not resolve",
    "connection failed": "the connection was refused or broke off",
    "broken encoding": "the body cannot be decompressed",
    "unreachable": "the recording has no answer for it",
    "below threshold": "it stands on a page on topic, and its priority was too low",
    "no topic word in anchor": "it stands on off-topic pages, with no topic term in its anchor",
    "its page is off topic": "it stands on off-topic pages, whose links the strategy does not follow",
    "file type": "by its name a picture, an archive or another file that is no page",
    "other site": "its host is not among those allowed (-a hosts)",
    "too deep": "more links from a seed than allowed (-a depth)",
    "trap": "the path repeats itself or is very long, or many pages like it gave no text",
    "same page": "but for parameters that change nothing on this host it is a page that was fetched",
    "barren host": "its host was left after too many pages without a text",
    "no room": "the queue was full, and it was one of the worst",
    "purged": "a person removed it (scrapy frontier purge)",
    "damaged entry": "its bytes in Redis could not be read",
    "host limit": "its host has given as many pages as allowed",
    "unusable address": "no address of the web, or a very long one",
}
"""What reasons mean, by their beginnings."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_page(parser)
    add_json(parser, "the sentences, and what they are made of, as JSON")
    parser.add_argument(
        "--wait", type=amount, default=15.0, metavar="SECONDS",
        help="how long a crawl that runs may take to answer (default: %(default)g)",
    )  # fmt: skip


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    story = why(find(opts.corpus, settings), opts.page, settings, opts.wait)
    if opts.json:
        print_json(story)
        return 0
    out = console(most=WIDTH)
    out.print(Text(printable(f"{story['title'] or ''} {story['url']}".strip()), "bold"))
    for sentence in story["because"]:
        out.print(Text(printable(sentence)))
    return 0


def why(place: str, name: str, settings: BaseSettings, wait: float = 15.0) -> dict[str, Any]:
    """What became of a page and why.

    Args:
        place: path or URL of a corpus.
        name: number or address of a page.
        settings: the project's: they say where the crawl of a corpus in a database is, and which links it refuses.
        wait: seconds for a crawl that runs to answer.

    Returns:
        JSON data: "url", "title", "number" in the corpus (None: not there), "state" ("kept", "rejected", or of an address that
        was not fetched "waiting", "in_flight", "done", "dropped", "unknown"), "because", a list of sentences, and what they are
        made of: "relevance", "threshold", "why", "priority", "reason", "duplicate_of", "marks".

    Raises:
        CorpusError: there is no page of this number.
    """
    claim = read_crawl(place)
    topic = topic_of(None, claim)
    with CorpusStore(place, read_only=True) as store:
        if (record := store.page(name)) is not None:
            other = store.page(record.duplicate_of) if record.duplicate_of else None
            parent = store.page(str(record.why.get("parent") or "")) if record.why.get("parent") else None
            places = store.places([record.url])[record.url] if record.keep else []
        elif not is_url(name):
            raise CorpusError(
                f"{store.name} has no page {name}. Remedy: name a number that scrapy corpus list shows, or an address"
            )
    if record is None:
        return _unfetched(place, name, topic, settings, wait)
    threshold = threshold_of(topic, str(claim.get("strategy") or ""))
    marks = _marks(place, record, topic)
    return {
        "url": record.url,
        "title": record.title,
        "number": record.order,
        "state": "kept" if record.keep else "rejected",
        "because": [
            *_judgement(record, threshold),
            *_copy(record, other, places),
            *_link(record.why, record.priority, record.depth, parent),
            *(f"{who} marked it as {mark}." for who, mark in marks.items()),
        ],
        "relevance": record.relevance,
        "threshold": threshold,
        "why": dict(record.why),
        "priority": record.priority,
        "reason": record.reason,
        "duplicate_of": record.duplicate_of,
        "marks": marks,
    }


def threshold_of(topic: Topic | None, strategy: str) -> float | None:
    """The relevance above which a strategy keeps pages of a topic; None where that is not known."""
    if topic is None:
        return None
    name = strategy or topic.default_strategy
    try:
        value = topic.parameters.get(name, {}).get("page_threshold", load(name).parameters_type().page_threshold)
    except ValueError:  # a strategy that is not installed
        return None
    return None if value is None else float(value)


def _marks(place: str, record: Record, topic: Topic | None) -> dict[str, str]:
    """Who marked a page, and how."""
    marks = (
        {f"The topic's {topic.name}/marked.jsonl": text.mark for text in topic.marked if text.url == record.url} if topic else {}
    )
    for file in () if "://" in place else asked(Path(place).parent):
        try:
            items = read_sample(file).items
        except SampleError:
            continue
        marks |= {f"A person ({file.name})": item.mark for item in items if item.key == record.key and item.mark}
    return marks


# -- Sentences


def meaning(reason: str) -> str:
    """What a reason means, in brackets; "" if it says enough."""
    found = MEANINGS.get(reason) or next((text for name, text in MEANINGS.items() if reason.startswith(name)), "")
    return f" ({found})" if found else ""


def _judgement(record: Record, threshold: float | None) -> Iterator[str]:
    why = record.why
    yield "It was kept." if record.keep else f"It was rejected: {record.reason}{meaning(record.reason)}."
    judged = "terms" in why
    if judged and threshold is not None:
        above = record.relevance > threshold
        yield f"Its relevance of {record.relevance:.3g} is {'' if above else 'not '}above the topic's threshold of {threshold:g}."
        if above is not (record.reason != OFF_TOPIC):
            yield "When it was judged another threshold held: a person or the wanted precision had set it."
    elif judged:
        yield f"Its relevance is {record.relevance:.3g}."
    if terms := dict(list(why.get("terms", {}).items())[:_MOST]):
        yield f"These words carry it: {', '.join(f'{word} {share:.0%}' for word, share in terms.items())}."
    elif judged:
        yield "No word speaks for the topic."
    if (first := why.get("first_relevance")) is not None:
        yield f"At first its relevance was {first:.3g}; a second look came to this, with what the crawl had learned by then."
    if (model := why.get("model")) is not None:
        yield f"The topic's model takes it to be on topic with a probability of {model:.2f}."
    if record.keep:
        kind = " ".join(filter(None, (record.language, record.script)))
        yield f"The check of its text ({record.characters:,} characters{f', {kind}' if kind else ''}) found nothing against it."
    elif judged and record.reason not in (OFF_TOPIC, OFF_TOPIC_TEXT, OFF_TOPIC_MODEL):
        yield "So it was on topic, and the reason is the page or its text, not what it is about."


def _copy(record: Record, other: Record | None, places: list[str]) -> Iterator[str]:
    if record.duplicate_of:
        named = f"page {other.order} “{other.title}”, " if other else ""
        near = f", similarity {record.similarity:.2f}" if record.similarity else ""
        yield f"See {named}{record.duplicate_of}{near}."
    if further := [place for place in places if place != record.final_url]:
        yield f"Its text was also seen at {', '.join(further)}."


def _link(why: Mapping[str, Any], priority: float, depth: int, parent: Record | None) -> Iterator[str]:
    if not depth:
        yield "It was a seed, or a person pushed it."
    if not why.get("parent"):
        return
    on = f"{why['parent']} (page {parent.order}, {'kept' if parent.keep else parent.reason})" if parent else why["parent"]
    by = f"by the link “{why['anchor']}”" if why.get("anchor") else "by a link without text"
    yield f"It was found {by} on {on}{_away(depth)}."
    if priority < SEED_PRIORITY:
        yield f"Its priority was {priority:.3g}{_parts(why.get('link') or {})}."


def _away(depth: int) -> str:
    return f", {depth} {'link' if depth == 1 else 'links'} from a seed" if depth else ""


def _parts(parts: Mapping[str, float]) -> str:
    largest = sorted(parts.items(), key=lambda part: -abs(part[1]))[:_MOST]
    return f", made of: {', '.join(f'{name} {part:.3g}' for name, part in largest)}" if parts else ""


# -- Addresses that the corpus does not have


def _unfetched(place: str, url: str, topic: Topic | None, settings: BaseSettings, wait: float) -> dict[str, Any]:
    from topical_crawler.config import crawl_options  # not for pages of the corpus: what speaks with crawls
    from topical_crawler.crawl.link_policy import LinkPolicy
    from topical_crawler.crawl.steering import SteeringError

    try:
        entry, note = _ask(place, url, settings, wait)
    except (CrawlError, SteeringError, FrontierFileError) as error:
        entry, note = {"state": "unknown", "dropped": "", "priority": 0.0}, f"Its crawl could not be asked: {error}."
    reason = entry["dropped"]
    if entry["state"] == "unknown" and not reason and topic is not None:
        reason = LinkPolicy(crawl_options(settings, topic, {})).refusal(url, 1) or ""
    sentences = list(_standing(entry, reason, note))
    story = dict.fromkeys(("title", "number", "relevance", "threshold", "duplicate_of")) | {"marks": {}, "reason": reason}
    link = {name: entry[name] for name in ("reasons", "anchor", "parent") if entry.get(name)}
    return story | {"url": url, "state": entry["state"], "priority": entry["priority"], "because": sentences, "why": link}


def _ask(place: str, url: str, settings: BaseSettings, wait: float) -> tuple[dict[str, Any], str]:
    """What the queue of the crawl that made a corpus knows of an address, and a note on that."""
    from topical_crawler.cli.frontier.reach import reach
    from topical_crawler.cli.strategy import ask_for_reasons
    from topical_crawler.config import crawl_name, named_data_dir, uses_redis

    if uses_redis(settings):
        name = crawl_name(settings, "" if "://" in place else Path(place).absolute().parent.name)  # data/TOPIC
    elif "://" not in place:
        name = str(Path(place).parent)
    elif not (name := named_data_dir(settings)):
        raise CrawlError("where it ran is not known. Remedy: -s TOPICAL_DATA_DIR=FOLDER, or -s TOPICAL_FRONTIER=redis")
    request = {"action": "find", "urls": [url]}
    with reach(settings, name or None, wait) as crawl:
        answer = crawl.ask({**request, "reasons": True})
        if answer["entries"][0]["state"] == "waiting" and not crawl.runs:
            answer = ask_for_reasons(crawl, request, settings)
        return answer["entries"][0], str(answer.get("note", ""))


def _standing(entry: Mapping[str, Any], reason: str, note: str) -> Iterator[str]:
    state, link = entry["state"], {"anchor": entry.get("anchor", ""), "parent": entry.get("parent", "")}
    if state == "waiting":
        seed = entry["priority"] >= SEED_PRIORITY
        yield "It was not fetched yet: it waits " + ("as a seed." if seed else f"with a priority of {entry['priority']:.3g}.")
        if parts := _parts(entry.get("reasons", {})):
            yield f"Its priority is{parts.removeprefix(',')} (as of now)."
    elif state == "in_flight":
        yield "It is being fetched, or was when the crawl ended; then it is fetched again."
    elif state == "done":
        yield "It was fetched, and this corpus has no row of it: another corpus has, or the row was lost."
    elif state == "dropped":
        yield f"It is not fetched: {reason}{meaning(reason)}."
    else:
        yield note or "The crawl has not seen it: no page that it fetched links to it."
        if reason:
            yield f"If it was found, it would not be fetched: {reason}{meaning(reason)}."
    if state != "unknown":
        if link["parent"]:
            by = f"by the link “{link['anchor']}”" if link["anchor"] else "by a link without text"
            more = f", and on {entry['parents'] - 1} more pages" if entry["parents"] > 1 else ""
            yield f"It was found {by} on {link['parent']}{more}{_away(entry['depth'])}."
        if note:
            yield note
