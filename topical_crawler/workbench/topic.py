"""Operations that make a topic: from a sentence to terms, example texts and seeds."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from topical_crawler.authoring.start import (
    NEIGHBOURS,
    FirstTerm,
    Start,
    from_keywords,
    from_sentence,
    from_texts,
    known_words,
    neighbours,
    write_start,
)
from topical_crawler.config import cache_dir, replay_file, resources
from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.search import Query
from topical_crawler.recordings.reader import Recording
from topical_crawler.resources.registry import Resources
from topical_crawler.topic.files import check_seed
from topical_crawler.topic.topic import list_topics, load_topic
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.corpus import waiting
from topical_crawler.workbench.operations import MistakeError, Operation, Param, Values

LANES = (1.0, 0.5, 0.25, 0.1, 0.0)
"""Weights between which terms are moved; 0: left out."""
EXAMPLES, SEEDS = 8, 20
_NAME = re.compile(r"\w[\w-]{0,40}")
_FEW_TERMS = 8  # that examples are searched by


def propose(bench: Bench, values: Values) -> dict[str, Any]:
    """What a sentence, keywords and example texts give, as ``scrapy topic new`` finds it."""
    sentence, keywords, texts = values["sentence"].strip(), values["keywords"].strip(), values["examples"].strip()
    if not (sentence or keywords or texts):
        return {"terms": []}
    given = (sentence, keywords, texts, values["near"], frozenset(bench.indexed))
    job = bench.jobs.result(("propose", given), lambda note: _proposed(bench, sentence, keywords, texts, values["near"]), 0.1)
    if job.done.is_set() and job.error is not None:
        raise job.error
    return job.value if job.done.is_set() else {"terms": []} | waiting(job)


def _proposed(bench: Bench, sentence: str, keywords: str, texts: str, near_words: int) -> dict[str, Any]:
    wanted = resources(bench.settings)
    language, cache = wanted or Resources.none(), cache_dir(bench.settings)
    start = Start()
    if keywords:
        start.add(from_keywords(re.split(r"[,，、\s]+", keywords)))
    if sentence:
        start.add(from_sentence(sentence, known_words(language, cache)))
    if texts:
        start.add(from_texts(re.split(r"\n\s*\n", texts)))
    if not start.terms:
        raise MistakeError("no word in what you gave can be a term. Remedy: name some as keywords, such as 操作系统,内核")
    near = neighbours(start.terms, language, near_words, start.left_out, cache) if wanted and near_words else []
    words = [term.word for term in start.terms][:_FEW_TERMS]
    found, hosts = _examples(bench, words)
    return {
        "terms": [_shown(term) for term in start.terms],
        "near": [_shown(term) for term in near],
        "left_out": start.left_out,
        "lanes": LANES,
        "resources": wanted is not None,
        "texts": found,
        "seeds": _seeds(bench, [*words, *start.left_out], hosts),
    }


def _shown(term: FirstTerm) -> dict[str, Any]:
    weight = 1.0 if math.isnan(term.weight) else round(term.weight, 4)
    return {"word": term.word, "weight": weight, "why": term.why, "lane": lane(weight)}


def lane(weight: float) -> float:
    """The one of :data:`LANES` that is nearest to a weight above 0.

    >>> lane(0.3), lane(0.02)
    (0.25, 0.1)
    """
    return min(LANES[:-1], key=lambda one: abs(one - weight))


def _examples(bench: Bench, words: list[str]) -> tuple[list[dict[str, Any]], Counter[str]]:
    """The best texts with a term that the corpora on the workbench have, and how many their hosts have. Only corpora that are
    indexed already are searched."""
    found: list[dict[str, Any]] = []
    hosts: Counter[str] = Counter()
    for name in sorted(bench.indexed):
        hits = bench.index(name).search_within(Query((tuple(words),)), Filters(), 500, 3 * EXAMPLES).hits
        hosts.update(hit.page.host for hit in hits)
        for hit in hits:
            line = hit.lines[0] if hit.lines else None
            found.append({"crawl": name, "number": hit.page.number, "title": hit.page.title, "url": hit.page.url,
                          "score": hit.score, "line": [line.left, line.match, line.right] if line else None})  # fmt: skip
    return sorted(found, key=lambda text: (-text["score"], text["url"]))[:EXAMPLES], hosts


def _seeds(bench: Bench, words: list[str], hosts: Counter[str]) -> list[dict[str, str]]:
    """Addresses to start from: hosts of texts with the terms, seeds of topics that share a term, home pages of the recording
    that is replayed."""
    found: dict[str, str] = {f"http://{host}/": "host" for host, _ in hosts.most_common(SEEDS)}
    for name in [*bench.own_topics(), *list_topics()]:
        topic = load_topic(bench.topics / name if name in bench.own_topics() else name)
        if topic.seeds and any(word in topic.terms for word in words):
            found |= {url: f"topic {name}" for url in topic.seeds if url not in found}
    if files := replay_file(bench.settings):
        with Recording(files, cache_dir(bench.settings)) as recording:
            homes = [url for url in recording.urls() if urlsplit(url).path in ("", "/") and not urlsplit(url).query]
        found |= {url: "recording" for url in homes if url not in found}
    return [{"url": url, "why": why} for url, why in list(found.items())[:SEEDS]]


def create(bench: Bench, values: Values) -> dict[str, Any]:
    """Write the topic folder."""
    name, words, weights = values["name"].strip(), values["word"], values["weight"]
    if not _NAME.fullmatch(name):
        raise MistakeError(f"{name!r} is no name for a topic. Remedy: letters, digits, - and _, at most 41")
    if name in list_topics():
        raise MistakeError(f"a topic {name} comes with the program. Remedy: another name", 409)
    if len(words) != len(weights):
        raise MistakeError("every word needs a weight")
    terms: list[FirstTerm] = []
    near: list[FirstTerm] = []
    for word, text in zip(words, weights, strict=True):
        weight = Param(name=f"the weight of {word}", about="of a term", kind="number", low=0, high=100).read([text])
        yours = not word.startswith("~")  # words near the terms, which a later build replaces
        if weight:
            term = FirstTerm(word.removeprefix("~"), math.nan if yours and weight == 1 else weight, "workbench", yours)
            (terms if yours else near).append(term)
    seeds = [check_seed(url, "seeds") for url in values["seeds"].split()]
    title = values["title"].strip() or values["sentence"].strip() or name
    write_start(bench.topics / name, title, values["sentence"].strip(), terms, near, list(dict.fromkeys(seeds)))
    load_topic(bench.topics / name)  # what was written can be read
    return {"topic": name, "go": f"/topics/{name}"}


def show(bench: Bench, values: Values) -> dict[str, Any]:
    name = values["name"]
    own = name in bench.own_topics()
    topic = load_topic(bench.topics / name if own else name)
    terms = [{"word": word, "weight": topic.terms[word]} for word in topic.keywords(200)]
    return {"name": name, "title": topic.title, "description": topic.description, "terms": terms, "count": len(topic.terms),
            "seeds": list(topic.seeds), "own": own, "strategy": topic.default_strategy}  # fmt: skip


OPERATIONS = (
    Operation("propose", "/topics/new", "The terms that a sentence, keywords or example texts give, words left out, words near "
              "them, texts that have them and addresses to start from. Nothing is written.", propose, (
        Param(name="sentence", about="what the topic is about", default="", longest=2000),
        Param(name="keywords", about="terms, taken as they are", default="", longest=2000),
        Param(name="examples", about="example texts, empty lines between them", default="", longest=200_000),
        Param(name="near", about="words near the terms", kind="integer", default=NEIGHBOURS, low=0, high=500),
    )),
    Operation("create", "/topics", "Make a topic.", create, (
        Param(name="name", about="of its folder and its crawl", required=True, longest=41),
        Param(name="title", about="what people call it", default="", longest=200),
        Param(name="sentence", about="what it is about", default="", longest=2000),
        Param(name="word", about="terms; ~ before a word that is only near the topic", kind="strings"),
        Param(name="weight", about="their weights, 1 that of the mean word; 0 leaves a word out", kind="strings"),
        Param(name="seeds", about="addresses to start from, with white space between", default="", longest=100_000),
    ), acts=True),
    Operation("topic", "/topics/{name}", "The terms and seeds of a topic.", show),
)  # fmt: skip
