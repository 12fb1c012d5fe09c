"""Explanations in plain sentences: the verdict on a page, and the fate of any other URL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from topical_crawler.config import crawl_name, crawl_options, named_data_dir, uses_redis
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import claim_of
from topical_crawler.crawl.options import CrawlError
from topical_crawler.frontier.base import SEED_PRIORITY
from topical_crawler.frontier.sqlite import FrontierFileError
from topical_crawler.items import OFF_TOPIC_MODEL, OFF_TOPIC_TEXT
from topical_crawler.judging.sample import SampleError, asked, read_sample
from topical_crawler.meaning import UNRELATED
from topical_crawler.project import AnySettings
from topical_crawler.services import Progress
from topical_crawler.services.catalogue import Voice, catalogue
from topical_crawler.services.places import no_page, topic_of
from topical_crawler.strategies import OFF_TOPIC, load
from topical_crawler.topic.topic import Topic
from topical_crawler.web.urls import fingerprint, is_url

_MOST, _MOST_PARTS = 8, 3  # words, and priority components shown


def why(
    place: str,
    name: str,
    settings: AnySettings,
    wait: float = 15.0,
    language: str = "en",
    topic: Topic | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Explain the fate of a page.

    Args:
        place: path or URL of a corpus.
        name: number or URL of a page.
        settings: the project's. They locate the crawl of a corpus in a database, and refuse links.
        wait: seconds for a running crawl to answer.
        language: language of the sentences, one of :data:`~topical_crawler.services.catalogue.LANGUAGES`.
        topic: topic of the crawl, if already loaded.
        progress: callback while the strategy's tables are built.

    Returns:
        JSON data. "url", "title", "number" in the corpus (None: not there). "state": "kept", "rejected", or for an unfetched
            URL
        "waiting", "in_flight", "done", "dropped", "unknown". "because": a list of sentences. Their data: "relevance",
            "threshold",
        "why", "priority", "reason", "duplicate_of", "marks".

    Raises:
        CorpusError: there is no page with this number.
    """
    say = Voice(language)
    claim = claim_of(place)
    topic = topic or topic_of(None, claim)
    with CorpusStore(place, read_only=True) as store:
        if (record := store.page(name)) is not None:
            other, parent = (
                store.get(fingerprint(url).hex()) if url else None for url in (record.duplicate_of, record.why.get("parent"))
            )
            places = store.places([record.url])[record.url] if record.keep else []
            farther = store.farther(record.why["near"]) if "near" in record.why else 0.0
        elif not is_url(name):
            raise no_page(store, name)
    if record is None:
        return _unfetched(place, name, topic, settings, wait, say, progress)
    threshold = threshold_of(topic, str(claim.get("strategy") or ""))
    marks = _marks(place, record, topic, say)
    return {
        "url": record.url,
        "title": record.title,
        "number": record.order,
        "state": "kept" if record.keep else "rejected",
        "because": [
            *_judgement(record, threshold, farther, say),
            *_copy(record, other, places, say),
            *_link(record.why, record.priority, record.depth, parent, say),
            *(say("why.marked", who=who, mark=say.named(mark)) for who, mark in marks.items()),
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
    """Return the least relevance of pages kept by a topic's strategy, exclusive, or None if unknown."""
    if topic is None:
        return None
    name = strategy or topic.default_strategy
    try:
        value = topic.parameters.get(name, {}).get("page_threshold", load(name).parameters_type().page_threshold)
    except ValueError:  # the strategy is not installed
        return None
    return None if value is None else float(value)


def _marks(place: str, record: Record, topic: Topic | None, say: Voice) -> dict[str, str]:
    """Return the marks of a page by source."""
    marks: dict[str, str] = {}
    if topic and (here := [marked.mark for marked in topic.marked if marked.url == record.url]):
        marks[say("why.by_topic", file=f"{topic.name}/marked.jsonl")] = here[-1]
    people = {} if "://" in place else marks_of(Path(place).parent, record)
    return marks | {say("why.by_person", file=file): mark for file, mark in people.items()}


def marks_of(folder: Path, record: Record) -> dict[str, str]:
    """Return the marks given to a page by people, by file name in ``folder``, oldest first."""
    marks: dict[str, str] = {}
    for file in asked(folder):
        try:
            items = read_sample(file).items
        except SampleError:
            continue
        marks.update((file.name, item.mark) for item in items if item.key == record.key and item.mark)
    return marks


# -- Sentences


def meaning(reason: str, say: Voice) -> str:
    """Return the meaning of a reason in brackets, "" if the reason is clear by itself."""
    names = (name for name in catalogue() if name.startswith("reason."))
    known = reason if f"reason.{reason}" in catalogue() else ""
    found = known or next((n for name in names if reason.startswith(n := name.removeprefix("reason."))), "")
    return say("why.meaning", meaning=say(f"reason.{found}")) if found else ""


def _judgement(record: Record, threshold: float | None, farther: float, say: Voice) -> Iterator[str]:
    why = record.why
    rejected = {"reason": say.named(record.reason), "meaning": meaning(record.reason, say)}
    yield say("why.kept") if record.keep else say("why.rejected", **rejected)
    judged = "terms" in why
    if judged and threshold is not None:
        above = record.relevance > threshold
        yield say("why.above" if above else "why.below", relevance=record.relevance, threshold=threshold)
        if above is not (record.reason != OFF_TOPIC):
            yield say("why.other_threshold")
    elif judged:
        yield say("why.relevance", relevance=record.relevance)
    if terms := dict(list(why.get("terms", {}).items())[:_MOST]):
        yield say("why.terms", terms=say("list.comma").join(f"{word} {share:.0%}" for word, share in terms.items()))
    elif judged:
        yield say("why.no_term")
    if (near := why.get("near")) is not None:
        yield say("why.close" if near > UNRELATED else "why.unrelated", near=near, unrelated=UNRELATED, farther=farther)
    if (first := why.get("first_relevance")) is not None:
        yield say("why.second_look", first=first)
    if (model := why.get("model")) is not None:
        yield say("why.model", model=model)
    if record.keep:
        kind = " ".join(filter(None, (record.language, record.script and say(f"why.script.{record.script}"))))
        yield say("why.text", characters=record.characters, kind=f"{say('list.comma')}{kind}" if kind else "")
    elif judged and record.reason not in (OFF_TOPIC, OFF_TOPIC_TEXT, OFF_TOPIC_MODEL):
        yield say("why.not_about")


def _copy(record: Record, other: Record | None, places: list[str], say: Voice) -> Iterator[str]:
    if record.duplicate_of:
        near = say("why.near", similarity=record.similarity) if record.similarity else ""
        known = {"number": other.order, "title": other.title} if other else {}
        yield say("why.see_page" if other else "why.see", url=record.duplicate_of, near=near, **known)
    if further := [place for place in places if place != record.final_url]:
        yield say("why.also_at", places=say("list.comma").join(further))


def _link(why: Mapping[str, Any], priority: float, depth: int, parent: Record | None, say: Voice) -> Iterator[str]:
    if not depth:
        yield say("why.seed")
    if not why.get("parent"):
        return
    on = str(why["parent"])
    if parent:
        state = say("why.parent_kept") if parent.keep else say.named(parent.reason)
        on = say("why.parent", url=on, number=parent.order, state=state)
    yield _found(why, on, "", depth, say)
    if priority < SEED_PRIORITY:
        parts = _parts(why.get("link") or {}, say)
        yield say("why.priority", priority=priority, parts=say("why.parts", parts=parts) if parts else "")


def _found(place: Mapping[str, Any], parent: str, more: str, depth: int, say: Voice) -> str:
    """Describe the place of a link: on page ``parent`` or in a listing, and its anchor."""
    by = say("why.by_anchor", anchor=place["anchor"]) if place.get("anchor") else say("why.by_link")
    if listing := place.get("listing"):
        parent = say("why.in_listing", kind=say.named(listing), url=parent)
    away = say("why.away_one" if depth == 1 else "why.away", depth=depth) if depth else ""
    return say("why.found", by=by, parent=parent, more=more, away=away)


def _parts(parts: Mapping[str, float], say: Voice) -> str:
    """Join the components that raise a priority most, in words."""
    largest = sorted(parts.items(), key=lambda part: -part[1])[:_MOST_PARTS]
    return say("list.comma").join(say.named(name) for name, part in largest if part > 0)


# -- URLs missing in the corpus


def _unfetched(
    place: str, url: str, topic: Topic | None, settings: AnySettings, wait: float, say: Voice, progress: Progress
) -> dict[str, Any]:
    from topical_crawler.crawl.link_policy import LinkPolicy  # here, since pages of the corpus need no crawl
    from topical_crawler.crawl.steering import SteeringError

    try:
        entry, note = _ask(place, url, settings, wait, progress)
    except (CrawlError, SteeringError, FrontierFileError) as error:
        entry, note = {"state": "unknown", "dropped": "", "priority": 0.0}, say("why.not_asked", error=error)
    reason = entry["dropped"]
    if entry["state"] == "unknown" and not reason and topic is not None:
        reason = LinkPolicy(crawl_options(settings, topic, {})).refusal(url, 1) or ""
    sentences = list(_standing(entry, reason, note, say))
    story = dict.fromkeys(("title", "number", "relevance", "threshold", "duplicate_of")) | {"marks": {}, "reason": reason}
    link = {name: entry[name] for name in ("reasons", "anchor", "parent", "listing") if entry.get(name)}
    return story | {"url": url, "state": entry["state"], "priority": entry["priority"], "because": sentences, "why": link}


def _ask(place: str, url: str, settings: AnySettings, wait: float, progress: Progress) -> tuple[dict[str, Any], str]:
    """Return the entry of a URL in the queue of the corpus's crawl, and a note on it."""
    from topical_crawler.services.reach import reach
    from topical_crawler.services.reasons import ask_for_reasons

    if uses_redis(settings):
        name = crawl_name(settings, "" if "://" in place else Path(place).absolute().parent.name)  # data/TOPIC
    elif "://" not in place:
        name = str(Path(place).parent)
    elif not (name := named_data_dir(settings)):
        raise CrawlError("its folder is unknown. Give -s TOPICAL_DATA_DIR=FOLDER, or -s TOPICAL_FRONTIER=redis")
    request = {"action": "find", "urls": [url]}
    with reach(settings, name or None, wait) as crawl:
        answer = crawl.ask({**request, "reasons": True})
        if answer["entries"][0]["state"] == "waiting" and not crawl.runs:
            answer = ask_for_reasons(crawl, request, settings, progress)
        return answer["entries"][0], str(answer.get("note", ""))


def _standing(entry: Mapping[str, Any], reason: str, note: str, say: Voice) -> Iterator[str]:
    state, explained = entry["state"], meaning(reason, say)
    if state == "waiting":
        seed = entry["priority"] >= SEED_PRIORITY
        yield say("why.waits_seed") if seed else say("why.waits", priority=entry["priority"])
        if parts := _parts(entry.get("reasons", {}), say):
            yield say("why.now", parts=parts)
    elif state == "dropped":
        yield say("why.dropped", reason=say.named(reason), meaning=explained)
    elif state in ("in_flight", "done"):
        yield say(f"why.{state}")
    else:
        yield note or say("why.unseen")
        if reason:
            yield say("why.would", reason=say.named(reason), meaning=explained)
    if state != "unknown":
        if entry.get("parent"):
            more = say("why.more_pages", pages=entry["parents"] - 1) if entry["parents"] > 1 else ""
            yield _found(entry, entry["parent"], more, entry["depth"], say)
        if note:
            yield note
