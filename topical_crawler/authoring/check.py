"""Checks of a topic's files for content without the intended effect.

>>> report = check_topic("operating-systems")
>>> report.errors, report.topic.title
(0, '操作系统')
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from topical_crawler import strategies
from topical_crawler.cleaning.characters import to_mainland, to_simplified
from topical_crawler.meaning import NONE
from topical_crawler.text import counted
from topical_crawler.text.segment import Backend, Segmenter, default_stopwords, normalise
from topical_crawler.text.statistics import Language, language
from topical_crawler.topic.files import read_config, read_lines
from topical_crawler.topic.topic import DEFAULT_STRATEGY, Topic, load_topic, topic_line
from topical_crawler.topic.topic_folder import ADJUST, CONFIG, SEEDS, TERMS, WEIGHTS, TopicFolder
from topical_crawler.web.urls import fingerprint, host

Severity = Literal["error", "warning", "note"]

_LOCATED = re.compile(r"(?P<file>.+?)(?:, line |:)(?P<line>\d+): (?P<rest>.+)", re.DOTALL)
_NAMED = re.compile(r"(?P<file>[^:]+\.(?:toml|tsv|txt)): (?P<rest>.+)", re.DOTALL)

_DOMINATES = 0.2  # least share of Σ w² to report for a term, or three times its even share among few
_FEW_TERMS = 5

Cut = Callable[[str], list[str]]  # segmentation with the topic's terms
CONTEXTS = ("{}", "，{}。", "关于{}的说明", "他们讨论{}问题", "全面了解{}情况")
"""Neutral contexts for testing if a term comes out whole."""
GENERAL_RATE = 0.0015
"""Least share of a general corpus's documents with a word of the general language: 学生, 主题, 书记."""
_NAMES = ("nr", "ns", "nt", "nz")
_USUAL_RATE = 2e-5  # least document rate of longer words to examine: twenty in a million
_SIGNS = re.compile(r"[\W_]")
_SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check."""

    severity: Severity  # "error": no crawl can start; "warning": likely a mistake; "note": worth knowing
    about: str  # "files", "segmentation", "weights" or "seeds"
    message: str  # the fact
    remedy: str = ""  # the fix; "" for none
    file: str = ""  # name in the topic's folder, or a path; "" for none
    line: int = 0  # the first line concerned; 0 for the whole file
    words: tuple[tuple[str, int], ...] = ()  # words or URLs concerned, with their lines (0: unknown), most important first

    @classmethod
    def from_error(cls, error: Exception, about: str = "files") -> Finding:
        """Parse an error of the form "FILE, line N: message. Fix".

        >>> finding = Finding.from_error(ValueError("./t/terms.tsv, line 3: '党建' is already in line 1. Keep one"))
        >>> finding.file, finding.line, finding.message, finding.remedy
        ('./t/terms.tsv', 3, "'党建' is already in line 1", 'Keep one')
        """
        file, line, rest = "", 0, str(error)
        if match := _LOCATED.fullmatch(rest):
            file, line, rest = match["file"], int(match["line"]), match["rest"]
        elif match := _NAMED.fullmatch(rest):
            file, rest = match["file"], match["rest"]
        message, _, remedy = rest.partition(". ")
        return cls("error", about, message.rstrip(". "), remedy, file, line)


@dataclass(frozen=True)
class TopicReport:
    """The results of all checks."""

    name: str  # as requested
    topic: Topic | None  # None if it cannot be read
    findings: tuple[Finding, ...]  # errors first, then warnings, then notes

    @property
    def errors(self) -> int:
        return sum(f.severity == "error" for f in self.findings)


def check_topic(name_or_path: str | Path, cache_dir: Path | None = None, segmenter: Backend = "auto") -> TopicReport:
    """Check a topic. An unreadable file is a finding, not an exception.

    ``cache_dir`` caches tables that are slow to build. None: no cache.
    """
    name = str(name_or_path)
    try:
        topic = load_topic(name_or_path)
    except (ValueError, OSError) as error:
        return TopicReport(name, None, (Finding.from_error(error),))
    lines = TopicLines(topic)
    findings = [*check_files(topic, lines), *check_seeds(topic, lines)]
    try:
        strategies.create(topic, resources=None, cache_dir=cache_dir, segmenter=segmenter, encoder=NONE)
    except ValueError as error:
        findings.append(Finding.from_error(error))
    floor = float(read_config(TopicFolder(Path(topic.source)).config).get("weight_floor", 0.0)) if lines.words[TERMS] else 0.0
    findings += check_weights(topic, floor, lines)
    dictionary, cut = language(), Segmenter(topic.terms, backend=segmenter, cache_dir=cache_dir).cut
    findings += check_segmentation(topic, cut, lines)
    findings += check_forms(topic, lines)
    findings += check_overlaps(topic, cut, dictionary, lines)
    findings += check_general(topic, dictionary, lines)
    findings.sort(key=lambda f: _SEVERITIES.index(f.severity))
    return TopicReport(name, topic, tuple(dict.fromkeys(findings)))


class TopicLines:
    """The lines of a topic's words in its files, unknown for a topic in a zipped egg."""

    def __init__(self, topic: Topic) -> None:
        folder = Path(topic.source)
        self.words: dict[str, dict[str, int]] = {}  # by word file: the line of each word, normalised
        for name in (TERMS, WEIGHTS, ADJUST):
            found = read_lines(folder / name)
            self.words[name] = {normalise(line.partition("\t")[0].strip()): number for number, line in found}
        lines = [(line.split()[0], SEEDS, number) for number, line in read_lines(folder / SEEDS)]
        configured = topic.seeds[: len(topic.seeds) - len(lines)]
        self.seeds = [(url, CONFIG, self.config(topic, "seeds")) for url in configured] + lines  # (URL, file, line)

    def located(self, words: Iterable[str], file: str = TERMS) -> tuple[tuple[str, int], ...]:
        """Return ``words`` with their lines in ``file``."""
        return tuple((word, self.words[file].get(word, 0)) for word in words)

    @staticmethod
    def config(topic: Topic, key: str) -> int:
        """Return the line of topic.toml with ``key``, 0 if there is none."""
        match = re.search(r", line (\d+)$", topic_line(topic, key))
        return int(match[1]) if match else 0


# -- files, seeds


def check_files(topic: Topic, lines: TopicLines) -> Iterator[Finding]:
    """Find words without effect in their file."""
    terms, weights, adjust = (lines.words[name] for name in (TERMS, WEIGHTS, ADJUST))
    if topic.title == topic.name:
        yield Finding("note", "files", "no title", f'Write title = "…" into {CONFIG}', CONFIG)
    twice = [w for w in weights if w in terms]
    message = f"words of weights.tsv that are also terms, without effect there: {len(twice)}"
    yield from _words(lines, twice, "note", "files", message, "Leave them out of weights.tsv", WEIGHTS)
    alone = [w for w in adjust if w not in terms and w not in weights] if weights else []
    message = f"words of adjust.tsv missing in terms.tsv and weights.tsv: {len(alone)}; they get this weight instead of the mean"
    yield from _words(lines, alone, "note", "files", message, "Check their spelling", ADJUST)


def check_seeds(topic: Topic, lines: TopicLines) -> Iterator[Finding]:
    """Find missing seeds, duplicate seeds, and seeds dropped by a crawl."""
    if not lines.seeds:
        remedy = f"Write start URLs into {SEEDS}, one a line"
        yield Finding("warning", "seeds", "no seeds: a crawl needs -a seeds=", remedy, SEEDS)
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


# -- weights


def check_weights(topic: Topic, floor: float, lines: TopicLines) -> Iterator[Finding]:
    """Find weights that dominate, are 0, lie at ``weight_floor``, or are missing."""
    n, learns = len(topic.terms), topic.default_strategy == DEFAULT_STRATEGY  # it learns more words and their weights
    if n < _FEW_TERMS and not learns:
        message = f"{counted(n, 'term')} only: most pages of the topic have none of them"
        yield Finding("warning", "weights", message, "Add terms to terms.tsv", TERMS)
    most = max(_DOMINATES, 3 / n)
    total = sum(weight**2 for weight in topic.terms.values())
    heavy = {t: share for t in topic.keywords(n) if (share := topic.terms[t] ** 2 / total) > most}
    shares = ", ".join(f"{t} {share:.0%}" for t, share in heavy.items())
    message = f"a term carries more than {most:.0%} of Σ w² over all {n} terms: {shares}"
    yield from _words(lines, heavy, "warning", "weights", message, "Set a lower weight in adjust.tsv")
    zero = [t for t in lines.words[TERMS] if t not in topic.terms]
    by_hand = sum(t in lines.words[ADJUST] for t in zero)
    message = f"terms of weight 0, without effect: {len(zero)}, {by_hand} of them by adjust.tsv"
    yield from _words(lines, zero, "note", "weights", message)
    low = [t for t, w in topic.terms.items() if w == floor and t not in lines.words[ADJUST]]
    if floor and low:
        severity: Severity = "warning" if len(low) == n else "note"
        message = f"terms raised to weight_floor {floor:g}: {len(low)} of {n} weigh the same"
        remedy = "Lower weight_floor if rare terms should count for less"
        yield Finding(severity, "weights", message, remedy, CONFIG, lines.config(topic, "weight_floor"))
    if len(set(topic.terms.values())) == 1 and n > 1 and not floor and not learns:
        remedy = "Compute weights from a domain corpus (Eq. 2) with topical-crawler topic build, if you have one"
        yield Finding("note", "weights", "all terms weigh the same", remedy, TERMS)


# -- terms in running text


def check_segmentation(topic: Topic, cut: Cut, lines: TopicLines) -> Iterator[Finding]:
    """Find terms that do not come out of the segmentation whole, alone or in running text."""
    never, sometimes, example = [], [], ""
    for term in topic.keywords(len(topic.terms)):
        cuts = [cut(context.format(term)) for context in CONTEXTS]
        broken = [words for words in cuts if term not in words]
        if len(broken) == len(cuts):
            never.append(term)
        elif broken:
            sometimes.append(term)
            example = example or "/".join(broken[0])
    message = "that never come out of the segmentation whole, and count for nothing"
    remedy = "Write them as in running text, without blanks and signs, or leave them out"
    yield from _terms(lines, never, "warning", message, remedy)
    remedy = "Add the longer words around them as terms, if they belong to the topic"
    yield from _terms(lines, sometimes, "note", f"that do not come out whole everywhere ({example})", remedy)
    spoilt = [w for w in lines.words[ADJUST] if w not in topic.terms and w not in cut(w)]
    message = f"words of adjust.tsv that never come out of the segmentation, without effect: {len(spoilt)}"
    remedy = "Write them as cut by the segmentation, or leave them out"
    yield from _words(lines, spoilt, "warning", "segmentation", message, remedy, ADJUST)


def check_forms(topic: Topic, lines: TopicLines) -> Iterator[Finding]:
    """Find terms of an odd form: one character, signs or blanks, traditional characters, variants of each other, stop words."""
    terms = topic.keywords(len(topic.terms))
    simple = {t: to_simplified(t) for t in terms}
    writings = defaultdict(list)
    for term in terms:
        writings[_SIGNS.sub("", simple[term])].append(term)
    longer = [t for t in terms if len(t) > 1]
    stopwords = default_stopwords()

    def kind(severity: Severity, words: Iterable[str], message: str, remedy: str = "") -> Iterator[Finding]:
        return _terms(lines, words, severity, message, remedy)

    single = (t for t in terms if len(t) == 1)
    yield from kind("warning", single, "of one character, found in all kinds of text", "Write words")
    message = "that are stop words and count on nearly every page"
    yield from kind("warning", (t for t in longer if t in stopwords), message, "Leave them out of terms.tsv")
    function_words = (t for t in longer if t not in stopwords and not _plain().is_content(t))
    message = "that are no content words by their part of speech, and count all the same"
    yield from kind("note", function_words, message, "Leave out those unrelated to the topic")
    signs = (t for t in terms if _SIGNS.search(t))
    yield from kind("note", signs, "with signs or blanks, usual cuts of text", "Add the form without them")
    message = "in traditional characters, missing on pages in simplified ones"
    traditional = (t for t in terms if simple[t] != t and to_mainland(t) not in terms)
    yield from kind("warning", traditional, message, "Write simplified characters")
    alike = (t for group in writings.values() if len(group) > 1 for t in group)
    message = "that differ from another term only in signs or in the form of characters"
    yield from kind("note", alike, message, "Keep both only if pages use both")


def check_overlaps(topic: Topic, cut: Cut, language: Language, lines: TopicLines) -> Iterator[Finding]:
    """Find terms inside terms, terms hidden in longer words of the language, and ordinary words broken by a term."""
    terms = topic.terms
    holding = [t for t in topic.keywords(len(terms)) if any(part in terms for part in _parts(t))]
    remedy = "Nothing to do if only the longer term should count"
    yield from _terms(lines, holding, "note", "that contain another term, not counted there", remedy)
    hidden: dict[str, dict[str, float]] = defaultdict(dict)
    breaks: dict[str, list[str]] = defaultdict(list)
    for word, rate in language.rates.items():
        if rate < _USUAL_RATE or len(word) < 3 or word in terms:
            continue
        if not (held := [part for part in _parts(word) if part in terms]):
            continue
        if cut(word) == [word]:
            for term in held:
                hidden[term][word] = rate
        else:
            breaks[max(held, key=len)].append(word)
    often = {t: sorted(w, key=lambda x: -w[x]) for t, w in hidden.items() if sum(w.values()) > language.rate(t)}
    most_first = sorted(often, key=lambda t: -sum(hidden[t].values()))
    message = f"that stand more often inside longer words than alone, and do not count there ({_examples(often)})"
    yield from _terms(lines, most_first, "note", message, "Add the longer words of the topic as terms")
    message = f"that break longer words of the language ({_examples(breaks)})"
    yield from _terms(lines, breaks, "note", message, "Check if those are meant")


def check_general(topic: Topic, language: Language, lines: TopicLines) -> Iterator[Finding]:
    """Find terms common throughout the language, with a weight not set by hand."""
    general = [
        t
        for t in sorted(topic.terms, key=lambda t: -language.rate(t))
        if language.rate(t) >= GENERAL_RATE and not language.tag(t).startswith(_NAMES) and t not in lines.words[ADJUST]
    ]
    message = "that are words of the general language: off-topic pages have them, too"
    remedy = f"Set a weight by hand in adjust.tsv, e.g. {general[0] if general else ''}<TAB>0.05<TAB>general word"
    yield from _terms(lines, general, "warning", message, remedy, "weights")


@functools.cache
def _plain() -> Segmenter:
    return Segmenter()


def _parts(word: str) -> Iterator[str]:
    """Return the proper parts of a word, of two characters and more."""
    n = len(word)
    return (word[i:j] for i in range(n - 1) for j in range(i + 2, n + 1) if j - i < n)


def _examples(words: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{term} in {' '.join(longer[:3])}" for term, longer in list(words.items())[:3])


def _words(
    lines: TopicLines, words: Iterable[str], severity: Severity, about: str, message: str, remedy: str = "", file: str = TERMS
) -> Iterator[Finding]:
    """Yield a finding on words of a file, if there are any."""
    if located := lines.located(words, file):
        yield Finding(severity, about, message, remedy, file, words=located)


def _terms(
    lines: TopicLines, terms: Iterable[str], severity: Severity, message: str, remedy: str, about: str = "segmentation"
) -> Iterator[Finding]:
    """Yield a finding on terms, if there are any."""
    terms = list(terms)
    yield from _words(lines, terms, severity, about, f"terms {message}: {len(terms)}", remedy)
