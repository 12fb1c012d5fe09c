"""Operations for making a topic: from a sentence to terms, example texts and seeds."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from scrapy.settings import BaseSettings

from topical_crawler.authoring.folder import set_weights
from topical_crawler.authoring.seeds import Nearness, Seed, from_sites, rank
from topical_crawler.authoring.sentence import why_left_out
from topical_crawler.authoring.start import (
    SAME,
    WORD,
    FirstTerm,
    Start,
    check_free,
    from_keywords,
    from_texts,
    read_sentence,
    write_start,
)
from topical_crawler.config import cache_dir, replay_parts, resources
from topical_crawler.corpus.record import Filters, pages
from topical_crawler.corpus.search import Query
from topical_crawler.crawl.opening import edition
from topical_crawler.meaning import UNRELATED
from topical_crawler.package_data import data_folder
from topical_crawler.recordings.reader import Recording
from topical_crawler.resources.registry import Resources
from topical_crawler.services import MistakeError
from topical_crawler.services.nearness import MOST, by_nearness, ends
from topical_crawler.text.segment import normalise
from topical_crawler.topic.topic import list_topics, load_topic
from topical_crawler.web.urls import is_url
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.corpus import in_background, waiting
from topical_crawler.workbench.jobs import Progress
from topical_crawler.workbench.language import missing
from topical_crawler.workbench.operations import Operation, Param, Values

LANES = (1.0, 0.5, 0.25, 0.1, 0.0)
"""Weights between which terms are moved. 0: left out."""
_HEAVY = (16.0, 4.0)  # additional weights for topics with such heavy terms
EXAMPLES, SEEDS, TERMS = 8, 20, 200
_NAME = re.compile(r"\w[\w-]{0,40}")
_FEW_TERMS = 8  # terms to search examples by


def propose(bench: Bench, values: Values) -> dict[str, Any]:
    """Return the terms found in a sentence, keywords and example texts, like ``topical-crawler topic new``."""
    sentence, keywords, texts = values["sentence"].strip(), values["keywords"].strip(), values["examples"].strip()
    if not (sentence or keywords or texts):
        return {"terms": []}
    given = (sentence, keywords, texts, frozenset(bench.indexed))
    job = bench.jobs.result(("propose", given), lambda note: _proposed(bench, sentence, keywords, texts), 0.1)
    if job.done.is_set() and job.error is not None:
        raise job.error
    return job.value | {"missing": missing(bench)} if job.done.is_set() else {"terms": []} | waiting(job)


def read_start(settings: BaseSettings, sentence: str, keywords: str, texts: str) -> tuple[Start, list[Seed]]:
    """Return the initial terms of a topic, and the known sites of its field. Raise MistakeError if no word can be a term."""
    start = Start()
    if keywords:
        start.add(from_keywords(re.split(r"[,，、\s]+", keywords)))
    if sentence:
        start.add(read_sentence(sentence, resources(settings) or Resources.none(), cache_dir(settings)))
    if texts:
        start.add(from_texts(re.split(r"\n\s*\n", texts)))
    if not start.terms:
        raise MistakeError("none of the given words can be a term. Name some as keywords, such as 操作系统,内核")
    return start, rank([from_sites(Nearness({term.word: term.in_means for term in start.terms}))])


def _proposed(bench: Bench, sentence: str, keywords: str, texts: str) -> dict[str, Any]:
    start, sites = bench.apart(read_start, bench.settings, sentence, keywords, texts)  # the dictionary takes 140 MB
    words = [term.word for term in start.terms][:_FEW_TERMS]
    telling = [term.word for term in start.terms if term.in_means >= 1]  # a common word like 管理 would match sites of any field
    found, hosts = _examples(bench, words)
    return {
        "terms": [_shown(term) for term in start.terms],
        "foreign": start.is_foreign,
        "left_out": [
            {"word": word, "weight": 0.0, "lane": 0.0, "why": why_left_out(word)} for word in start.left_out if len(word) > 1
        ],
        "reading": _reading(start, normalise(sentence)),
        "lanes": LANES,
        "texts": found,
        "seeds": _seeds(bench, telling or words, hosts, sites),
    }


def _shown(term: FirstTerm) -> dict[str, Any]:
    weight = round(term.in_means, 4)
    return {"word": term.word, "weight": weight, "why": term.why, "lane": lane(weight)}


def _reading(start: Start, sentence: str) -> dict[str, list[str]]:
    """Return all words of a sentence, used or not, and their other names, by reason."""
    whys = {t.word: t.why for t in start.terms if t.why.startswith((WORD, SAME)) or t.word in sentence}
    whys |= {word: why_left_out(word) for word in (*start.left_out, *start.function_words)}
    reading: dict[str, list[str]] = {}
    for word, why in whys.items():
        reading.setdefault(why, []).append(word)
    return reading


def lane(weight: float, lanes: Sequence[float] = LANES) -> float:
    """Return the nearest of ``lanes`` to a weight above 0.

    >>> lane(0.3), lane(0.02)
    (0.25, 0.1)
    """
    return min(lanes[:-1], key=lambda one: abs(one - weight))


def _examples(bench: Bench, words: list[str]) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Return the best texts with a term in the indexed corpora on the workbench, and the numbers of hits by host."""
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


def _seeds(bench: Bench, words: list[str], hosts: Counter[str], sites: Sequence[Seed]) -> list[dict[str, str]]:
    """Return start URLs: hosts of texts with the terms, seeds of topics with a common term, home pages of the replayed
    recording, known sites of the field.
    """
    found: dict[str, str] = {f"http://{host}/": "host of such texts" for host, _ in hosts.most_common(SEEDS)}
    own = bench.own_topics()
    for name in [*own, *list_topics()]:
        topic = load_topic(own.get(name, name))
        if topic.seeds and any(word in topic.terms for word in words):
            found |= {url: f"seed of the topic {name}" for url in topic.seeds if url not in found}
    if files := replay_parts(bench.settings)[0]:
        with Recording(",".join(files), cache_dir(bench.settings)) as recording:
            homes = [url for url in recording.urls() if urlsplit(url).path in ("", "/") and not urlsplit(url).query]
        found |= {url: "home page of the recording" for url in homes if url not in found}
    found |= {seed.url: seed.why for seed in sites if seed.url not in found}
    return [{"url": url, "why": why} for url, why in list(found.items())[:SEEDS]]


def create(bench: Bench, values: Values) -> dict[str, Any]:
    """Write the topic folder."""
    name = _new_name(bench, values["name"])
    weights = [(word, math.nan if weight == 1 else weight) for word, weight in _weights(values) if weight]
    terms = [FirstTerm(word, weight, "workbench", yours=True) for word, weight in weights]
    seeds = read_seeds(values["seeds"])
    title = values["title"].strip() or values["sentence"].strip() or name
    write_start(bench.topics / name, title, values["sentence"].strip(), terms, list(dict.fromkeys(seeds)))
    load_topic(bench.topics / name)  # check the result
    return {"topic": name, "go": f"/topics/{name}"}


def read_seeds(text: str) -> list[str]:
    """Return start URLs. Raise MistakeError for anything else."""
    seeds = text.split()
    if wrong := [url for url in seeds if not is_url(url)]:
        raise MistakeError(f"{wrong[0]} is not an address. Start it with http:// or https://", field="seeds")
    return seeds


def _new_name(bench: Bench, text: str) -> str:
    name = text.strip()
    if not _NAME.fullmatch(name):
        raise MistakeError(f"{name!r} cannot name a topic. Use letters, digits, - and _, at most 41", field="name")
    if name in list_topics():
        raise MistakeError(f"a topic {name} comes with the program. Choose another name", 409, "name")
    if folder := bench.own_topics().get(name):
        raise MistakeError(f"{folder} holds a topic already. Choose another name", 409, "name")
    return name


def _weights(values: Values) -> Iterator[tuple[str, float]]:
    if len(values["word"]) != len(values["weight"]):
        raise MistakeError("every word needs a weight")
    for word, text in zip(values["word"], values["weight"], strict=True):
        yield word, Param(name=f"the weight of {word}", about="of a term", kind="number", low=0, high=1000).read([text])


# -- An existing topic


def _source(bench: Bench, name: str) -> Path | str:
    """Return the folder of a user's own topic, or the name of a bundled one."""
    own = bench.own_topics()
    if name not in own and name not in list_topics():
        raise MistakeError(f"there is no topic {name!r}. There are: {', '.join([*own, *list_topics()])}", 404)
    return own.get(name, name)


def _rounded(weight: float) -> float:
    """Round a weight as displayed, to recognise unchanged weights."""
    return float(f"{weight:.4g}")


def show(bench: Bench, values: Values) -> dict[str, Any]:
    name, like = values["name"], normalise(values["q"]).strip()
    topic = load_topic(_source(bench, name))
    words = [word for word in topic.keywords(len(topic.terms)) if like in word][:TERMS]
    lanes = (*(_HEAVY if max(topic.terms.values()) > 2 else ()), *LANES)
    terms = [{"word": word, "weight": _rounded(topic.terms[word]), "lane": lane(topic.terms[word], lanes)} for word in words]
    return {"name": name, "title": topic.title, "description": topic.description, "terms": terms, "count": len(topic.terms),
            "lanes": lanes, "seeds": list(topic.seeds), "own": name in bench.own_topics(),
            "corpora": [crawl for crawl, place in bench.crawls().items() if place.corpus],
            "strategy": topic.default_strategy}  # fmt: skip


def near(bench: Bench, values: Values) -> dict[str, Any]:
    """Return the texts of a corpus nearest in meaning to a topic, and the farthest."""
    topic, crawl = load_topic(_source(bench, values["name"])), values["crawl"]

    def work(note: Progress) -> list[tuple[float, str]]:
        query = sa.select(pages.c.title, pages.c.text).where(pages.c.keep).order_by(pages.c.key).limit(MOST)
        with bench.corpus(crawl).reading() as connection:
            texts = [(title or text.partition("\n")[0], text) for title, text in connection.execute(query)]
        return bench.apart(by_nearness, topic, texts, bench.settings)

    job = in_background(bench, crawl, ("near", edition(topic)), work)
    if not job.done.is_set():
        return {"texts": []} | waiting(job)
    return {"texts": ends(job.value), "of": len(job.value), "unrelated": UNRELATED}


def edit(bench: Bench, values: Values) -> dict[str, Any]:
    """Change weights of terms in a user's own topic. Bundled topics are read-only."""
    name = values["name"]
    folder = _source(bench, name)
    if isinstance(folder, str):
        raise MistakeError(f"the topic {name} comes with the program. Copy it, and edit the copy", 409)
    terms = load_topic(folder).terms
    given = {normalise(word).strip(): weight for word, weight in _weights(values)}
    set_weights(folder, {word: weight for word, weight in given.items() if weight != _rounded(terms.get(word, 0.0))})
    return {"topic": name, "go": f"/topics/{name}#saved"}


def copy(bench: Bench, values: Values) -> dict[str, Any]:
    """Copy the files of a topic."""
    source, name = _source(bench, values["name"]), _new_name(bench, values["to"])
    folder = bench.topics / name
    check_free(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for file in (data_folder().joinpath("topics", source) if isinstance(source, str) else source).iterdir():
        if file.is_file():
            folder.joinpath(file.name).write_bytes(file.read_bytes())
    return {"topic": name, "go": f"/topics/{name}"}


OPERATIONS = (
    Operation("propose", "/topics/new", "The terms in a sentence, keywords or example texts, words left out, texts with the "
              "terms, and addresses to start from. Nothing is written.", propose, (
        Param(name="sentence", about="description of the topic", default="", longest=2000),
        Param(name="keywords", about="terms, taken unchanged", default="", longest=2000),
        Param(name="examples", about="example texts, separated by empty lines", default="", longest=200_000),
    )),
    Operation("create", "/topics", "Make a topic.", create, (
        Param(name="name", about="name of its folder and its crawl", required=True, longest=41),
        Param(name="title", about="title for people", default="", longest=200),
        Param(name="sentence", about="description of the topic", default="", longest=2000),
        Param(name="word", about="terms", kind="strings"),
        Param(name="weight", about="their weights, 1 for the mean word; 0 leaves a word out", kind="strings"),
        Param(name="seeds", about="addresses to start from, separated by white space", default="", longest=100_000),
    ), acts=True),
    Operation("topic", "/topics/{name}", "The heaviest terms of a topic, at most 200, with their weights, and its seeds.", show, (
        Param(name="q", about="only terms containing this", default="", longest=50),
    )),
    Operation("near", "/topics/{name}/near", "The texts of a corpus nearest in meaning to a topic, and the farthest.",
              near, (Param(name="crawl", about="crawl of the corpus", required=True, longest=200),)),
    Operation("edit", "/topics/{name}", "Change weights of terms in a topic of your own. Other terms stay.", edit, (
        Param(name="word", about="terms, also new ones", kind="strings"),
        Param(name="weight", about="their weights, 1 for the mean word; 0 removes a term", kind="strings"),
    ), acts=True),
    Operation("copy", "/topics/{name}/copy", "Copy a topic to an editable one of your own.", copy, (
        Param(name="to", about="name of the copy", required=True, longest=41),
    ), acts=True),
)  # fmt: skip
