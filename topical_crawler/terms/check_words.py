"""Do the terms of a topic come out of running text, and what do the language resources know of them?"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from topical_crawler.language import Language
from topical_crawler.terms.findings import ADJUST, TERMS, Finding, Severity, TopicLines
from topical_crawler.text import Segmenter, default_stopwords
from topical_crawler.topic import Topic

Cut = Callable[[str], list[str]]
"""A segmentation that knows the topic's terms."""
CONTEXTS = ("{}", "，{}。", "关于{}的说明", "他们讨论{}问题", "全面了解{}情况")
"""Neutral surroundings in which a term has to come out whole."""
GENERAL_RATE = 0.0015
"""Share of the documents of a general corpus from which on a term is a word of the general language: 学生, 主题, 书记."""
_NAMES = ("nr", "ns", "nt", "nz")
_USUAL_RATE = 2e-5
"""Of longer words that are looked at: twenty of a million documents hold them."""
_SIGNS = re.compile(r"[\W_]")


def coverage(terms: Sequence[str], lexicons: Mapping[str, Container[str]]) -> dict[str, list[str]]:
    """Per lexicon the terms that it does not know, in their order.

    >>> coverage(["党建", "三会一课"], {"dictionary": {"党建"}, "vectors": set()})
    {'dictionary': ['三会一课'], 'vectors': ['党建', '三会一课']}
    """
    return {name: [t for t in terms if t not in known] for name, known in lexicons.items()}


def check_coverage(topic: Topic, unknown: Mapping[str, Sequence[str]], lines: TopicLines) -> Iterator[Finding]:
    """Terms that match themselves only, and terms that nothing knows.

    Args:
        topic: whose terms they are.
        unknown: see :func:`coverage`.
        lines: of the topic.
    """
    terms = topic.keywords(len(topic.terms))
    meaning = [set(unknown[name]) for name in ("HowNet", "vectors") if name in unknown]
    literal = [t for t in terms if all(t in lacking for lacking in meaning)]
    if meaning and literal:
        yield Finding(
            "note",
            "coverage",
            f"{len(literal)} of {len(terms)} terms are in neither HowNet nor the vectors: they match only themselves",
            "Where a term has a more usual name, write that into terms.tsv, too",
            TERMS,
            words=lines.located(literal),
        )
    nowhere = [t for t in literal if all(t in lacking for lacking in map(set, unknown.values()))]
    if nowhere and len(unknown) > 1:
        yield Finding(
            "note",
            "coverage",
            f"{len(nowhere)} of {len(terms)} terms are known to no resource at all ({', '.join(unknown)}): "
            f"new words and phrases, or misspelt ones",
            "Look over their spelling",
            TERMS,
            words=lines.located(nowhere),
        )


def check_segmentation(topic: Topic, cut: Cut, lines: TopicLines) -> Iterator[Finding]:
    """Terms that do not come out whole, alone or in running text."""
    never, sometimes, example = [], [], ""
    for term in topic.keywords(len(topic.terms)):
        cuts = [cut(context.format(term)) for context in CONTEXTS]
        broken = [words for words in cuts if term not in words]
        if len(broken) == len(cuts):
            never.append(term)
        elif broken:
            sometimes.append(term)
            example = example or "/".join(broken[0])
    yield from _of_terms(
        "warning",
        "that never come out of the segmentation whole, and count for nothing",
        "Write them as running text has them, without blanks and signs, or leave them out",
        never,
        lines,
    )
    yield from _of_terms(
        "note",
        f"that do not come out whole everywhere ({example})",
        "Add the longer words that swallow them as terms, where they belong to the topic",
        sometimes,
        lines,
    )
    spoilt = [w for w in lines.words[ADJUST] if w not in topic.terms and w not in cut(w)]
    if spoilt:
        yield Finding(
            "warning",
            "segmentation",
            f"words of adjust.tsv that never come out of the segmentation, without effect: {len(spoilt)}",
            "Write them as the segmentation cuts them, or leave them out",
            ADJUST,
            words=lines.located(spoilt, ADJUST),
        )


def check_forms(topic: Topic, lines: TopicLines) -> Iterator[Finding]:
    """Terms of an odd form: one character, signs or blanks, traditional characters, the same in another writing, stop words."""
    import opencc

    terms = topic.keywords(len(topic.terms))
    convert = opencc.OpenCC("t2s").convert
    simple = {t: str(convert(t)) for t in terms}
    writings = defaultdict(list)
    for term in terms:
        writings[_SIGNS.sub("", simple[term])].append(term)
    longer = [t for t in terms if len(t) > 1]
    kinds: tuple[tuple[Severity, str, str, list[str]], ...] = (
        ("warning", "of one character, which stand in all kinds of text", "Write words", [t for t in terms if len(t) == 1]),
        (
            "warning",
            "that are stop words and count on nearly every page",
            "Leave them out of terms.tsv",
            [t for t in longer if t in default_stopwords()],
        ),
        (
            "note",
            "that are no content words by their part of speech, and count all the same",
            "Leave out those that say nothing of the topic",
            [t for t in longer if t not in default_stopwords() and not _plain().is_content(t)],
        ),
        (
            "note",
            "with signs or blanks, at which text is usually cut",
            "Add the writing without them",
            [t for t in terms if _SIGNS.search(t)],
        ),
        (
            "warning",
            "in traditional characters, which pages in simplified ones do not hold",
            "Write simplified characters",
            [t for t in terms if simple[t] != t],
        ),
        (
            "note",
            "that differ from another term in signs or in the form of characters only",
            "Keep both only if pages use both",
            [t for group in writings.values() if len(group) > 1 for t in group],
        ),
        (
            "note",
            "that are compared in another form than the written one: half-width, lower case",
            "",
            [t for t, raw in lines.raw[TERMS].items() if raw != t and t in topic.terms],
        ),
    )
    for severity, message, remedy, found in kinds:
        yield from _of_terms(severity, message, remedy, found, lines)


def check_overlaps(topic: Topic, cut: Cut, language: Language, lines: TopicLines) -> Iterator[Finding]:
    """Terms inside terms, terms hidden in longer words of the language, ordinary words that a term breaks."""
    terms = topic.terms
    yield from _of_terms(
        "note",
        "that hold another term, which does not count where they stand",
        "Nothing, where the longer term is meant to count alone",
        [t for t in topic.keywords(len(terms)) if any(part in terms for part in _parts(t))],
        lines,
    )
    hidden: dict[str, dict[str, float]] = defaultdict(dict)
    breaks: dict[str, list[str]] = defaultdict(list)
    for word, rate in language.rates.items():
        if rate < _USUAL_RATE or len(word) < 3 or word in terms:
            continue
        if not (found := [part for part in _parts(word) if part in terms]):
            continue
        if cut(word) == [word]:
            for term in found:
                hidden[term][word] = rate
        else:
            breaks[max(found, key=len)].append(word)
    often = {t: sorted(w, key=lambda x: -w[x]) for t, w in hidden.items() if sum(w.values()) > language.rate(t)}
    yield from _of_terms(
        "note",
        f"that stand more often inside longer words than alone, and do not count there ({_examples(often)})",
        "Add the longer words that belong to the topic as terms",
        sorted(often, key=lambda t: -sum(hidden[t].values())),
        lines,
    )
    yield from _of_terms(
        "note", f"that break longer words of the language ({_examples(breaks)})", "Look whether those are meant", breaks, lines
    )


def check_general(topic: Topic, language: Language, lines: TopicLines) -> Iterator[Finding]:
    """Terms that the language uses everywhere, at a weight that nobody has set by hand."""
    general = [
        t
        for t in sorted(topic.terms, key=lambda t: -language.rate(t))
        if language.rate(t) >= GENERAL_RATE and not language.tag(t).startswith(_NAMES) and t not in lines.words[ADJUST]
    ]
    yield from _of_terms(
        "warning",
        "that are words of the general language: off-topic pages hold them, too",
        f"A weight by hand: a line in adjust.tsv, e.g. {general[0] if general else ''}<TAB>0.05<TAB>general word",
        general,
        lines,
        "weights",
    )


@functools.cache
def _plain() -> Segmenter:
    """A segmenter that knows no topic."""
    return Segmenter()


def _parts(word: str) -> Iterator[str]:
    """The proper parts of a word, of two characters and more."""
    n = len(word)
    return (word[i:j] for i in range(n - 1) for j in range(i + 2, n + 1) if j - i < n)


def _examples(words: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{term} in {' '.join(longer[:3])}" for term, longer in list(words.items())[:3])


def _of_terms(
    severity: Severity, message: str, remedy: str, terms: Iterable[str], lines: TopicLines, about: str = "segmentation"
) -> Iterator[Finding]:
    """The finding that some terms have something in common; none where there are none."""
    words = lines.located(terms)
    if words:
        yield Finding(severity, about, f"terms {message}: {len(words)}", remedy, TERMS, words=words)
