"""The health of a topic: whatever in its files will not do what its author means.

>>> report = check_topic("operating-systems", Resources.none())
>>> report.errors, report.topic.title
(0, '操作系统')
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from topical_crawler import strategies
from topical_crawler.language import language
from topical_crawler.semantics.cilin import Cilin
from topical_crawler.semantics.hownet import HowNet
from topical_crawler.semantics.resources import RESOURCES, Resources
from topical_crawler.semantics.vectors import WordVectors
from topical_crawler.strategies.semantic import Semantic
from topical_crawler.terms.check_weights import Figures, check_thresholds, check_weights, figures
from topical_crawler.terms.check_words import (
    check_coverage,
    check_forms,
    check_general,
    check_overlaps,
    check_segmentation,
    coverage,
)
from topical_crawler.terms.findings import ADJUST, CONFIG, SEEDS, TERMS, WEIGHTS, Finding, TopicLines
from topical_crawler.text import Backend, Segmenter
from topical_crawler.topic import Topic, load_topic
from topical_crawler.topic_files import read_config
from topical_crawler.urls import fingerprint, host

DICTIONARY = "jieba's dictionary"
_SEVERITIES = ("error", "warning", "note")
_COUNTED = {"hownet": "HowNet", "vectors": "vectors", "cilin": "Cilin"}


@dataclass(frozen=True)
class Report:
    """What a check found.

    Attributes:
        name: as the topic was asked for.
        topic: None where it cannot be read.
        findings: errors first, then warnings, then notes.
        known: terms known, by resource.
        figures: of weights and thresholds; None where no strategy can be made.
    """

    name: str
    topic: Topic | None
    findings: tuple[Finding, ...]
    known: Mapping[str, int] = field(default_factory=dict)
    figures: Figures | None = None

    @property
    def errors(self) -> int:
        """Findings of that severity."""
        return sum(f.severity == "error" for f in self.findings)


def check_topic(
    name_or_path: str | Path,
    resources: Resources,
    cache_dir: Path | None = None,
    segmenter: Backend = "auto",
) -> Report:
    """Check a topic. What cannot be read is a finding, not an exception.

    Args:
        name_or_path: see :func:`~topical_crawler.topic.load_topic`.
        resources: what is there of them is asked; ``Resources.none()``: none.
        cache_dir: where tables that take long to make are kept; None: nowhere.
        segmenter: see :class:`~topical_crawler.text.Segmenter`.
    """
    name = str(name_or_path)
    try:
        topic = load_topic(name_or_path)
    except (ValueError, OSError) as error:
        return Report(name, None, (Finding.from_error(error),))
    lines = TopicLines(topic)
    findings = [*_check_files(topic, lines), *_check_seeds(topic, lines), *_check_resources(resources)]
    lexicons: dict[str, Container[str]] = {}
    try:
        lexicons |= _lexicons(resources, cache_dir)
    except ValueError as error:
        findings.append(Finding.from_error(error, "resources"))
    dictionary = language()
    lexicons[DICTIONARY] = dictionary.tags
    unknown = coverage(topic.keywords(len(topic.terms)), lexicons)
    findings += check_coverage(topic, unknown, lines)
    found = None
    try:
        strategy = _strategy(topic, segmenter)
    except ValueError as error:
        findings.append(Finding.from_error(error))
        cut = Segmenter(topic.terms, backend=segmenter, cache_dir=cache_dir).cut
    else:
        cut, found = strategy.cut, figures(strategy)
        floor = float(read_config(Path(topic.source) / CONFIG).get("weight_floor", 0.0)) if lines.words[TERMS] else 0.0
        findings += check_weights(topic, found, floor, lines)
        findings += check_thresholds(topic, found, lines)
    findings += check_segmentation(topic, cut, lines)
    findings += check_forms(topic, lines)
    findings += check_overlaps(topic, cut, dictionary, lines)
    findings += check_general(topic, dictionary, lines)
    findings.sort(key=lambda f: _SEVERITIES.index(f.severity))
    known = {resource: len(topic.terms) - len(lacking) for resource, lacking in unknown.items()}
    return Report(name, topic, tuple(dict.fromkeys(findings)), known, found)


def _strategy(topic: Topic, segmenter: Backend) -> Semantic:
    """The strategy ``semantic`` for its parameters and its segmentation: without resources it needs no table. The topic's own
    choice is made, too, because its parameters may be wrong."""
    if topic.default_strategy != Semantic.name:
        strategies.create(topic, resources=None, segmenter=segmenter)
    return cast(Semantic, strategies.create(topic, Semantic.name, resources=None, segmenter=segmenter))


def _lexicons(resources: Resources, cache_dir: Path | None) -> dict[str, Container[str]]:
    """The resources that are there, by the names of :data:`_COUNTED`."""
    hownet, vectors, cilin = (resources.path(name) for name in _COUNTED)
    found: dict[str, Container[str]] = {}
    if hownet:
        found["HowNet"] = HowNet(hownet)
    if vectors:
        found["vectors"] = WordVectors.open(vectors, cache_dir)
    if cilin:
        found["Cilin"] = Cilin(cilin)
    return found


def _check_resources(resources: Resources) -> Iterator[Finding]:
    if resources.directory is None and not resources.overrides:
        what = "language resources are switched off: words are like themselves only"
        yield Finding("note", "resources", what, "Nothing, where that is meant; else leave TOPICAL_RESOURCES=0 out")
        return
    for name in (*strategies.NEEDS["semantic"], "cilin"):
        try:
            missing = resources.path(name) is None
        except ValueError as error:
            yield Finding.from_error(error, "resources")
            continue
        if missing:
            resource = RESOURCES[name]
            what, _, remedy = resource.cost.partition(". ")
            severity = "warning" if resource.archive and name != "cilin" else "note"
            yield Finding(severity, "resources", f"{name} is missing. {what}", remedy)  # type: ignore[arg-type]


def _check_files(topic: Topic, lines: TopicLines) -> Iterator[Finding]:
    """Words that stand where they have no effect, or without a reason."""
    terms, weights, adjust = (lines.words[name] for name in (TERMS, WEIGHTS, ADJUST))
    if topic.title == topic.name:
        yield Finding("note", "files", "no title", f'Write title = "…" into {CONFIG}', CONFIG)
    twice = [w for w in weights if w in terms]
    if twice:
        yield Finding(
            "note",
            "files",
            f"words of weights.tsv that are terms, whose weight there has no effect: {len(twice)}",
            "Leave them out of weights.tsv",
            WEIGHTS,
            words=lines.located(twice, WEIGHTS),
        )
    alone = [w for w in adjust if w not in terms and w not in weights]
    if alone and weights:
        yield Finding(
            "note",
            "files",
            f"words of adjust.tsv that neither terms.tsv nor weights.tsv holds: {len(alone)}; "
            f"they weigh what is said there instead of the mean",
            "Look over their spelling",
            ADJUST,
            words=lines.located(alone, ADJUST),
        )
    silent = [w for w in adjust if w not in lines.reasons]
    if silent:
        yield Finding(
            "note",
            "files",
            f"words of adjust.tsv without a reason: {len(silent)}",
            "word <TAB> weight <TAB> reason: whoever comes later wants to know",
            ADJUST,
            words=lines.located(silent, ADJUST),
        )


def _check_seeds(topic: Topic, lines: TopicLines) -> Iterator[Finding]:
    if not lines.seeds:
        yield Finding(
            "warning", "seeds", "no seeds: a crawl needs -a seeds=", f"Write start URLs into {SEEDS}, one a line", SEEDS
        )
    first: dict[bytes, tuple[str, int]] = {}
    for url, file, number in lines.seeds:
        key = fingerprint(url)
        if key in first:
            message = f"{url} stands already in {first[key][0]}, line {first[key][1]}"
            yield Finding("warning", "seeds", message, "Keep one of the two", file, number)
        first.setdefault(key, (file, number))
        bare = host(url).split(":")[0]
        if topic.allowed_hosts and not any(bare == h or bare.endswith(f".{h}") for h in topic.allowed_hosts):
            message = f"{url} is not on one of allowed_hosts: a crawl drops it"
            yield Finding("warning", "seeds", message, f"Add {bare} to allowed_hosts, or leave the seed out", file, number)
