"""A topic folder as ``scrapy topic new`` writes it: plain files with comments that say what to edit."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

from topical_crawler.terms.folder import ADJUST, TERMS, WEIGHTS, TopicFolder, Written
from topical_crawler.terms.start import FirstTerm
from topical_crawler.topic import TopicError
from topical_crawler.topic_files import MAX_WORD, MEAN

_TOML = """\
title = {title}
description = {description}
default_strategy = "adaptive"

# A page is kept when its relevance is above page_threshold, 0 to 1 (default 0.2): raise it when what is kept is off topic, lower
# it when too little is kept. scrapy topic explain shows why a page was kept or not.
[strategy.adaptive]

# For -a strategy=semantic. A topic of a few words wants low thresholds there: a page that holds one of them is worth a look.
[strategy.semantic]
page_threshold = {page_threshold}
link_threshold = {link_threshold}
tunnel = {tunnel}             # pages off topic that may lie between two relevant ones
text_threshold = {text_threshold}  # a main text below this is not kept: lists of titles stay out
"""
THRESHOLDS = {"page_threshold": 0.02, "link_threshold": 0.02, "tunnel": 2, "text_threshold": 0.002}
"""Of the semantic strategy, for topics of a few words; chosen on the recorded real sites (docs/decisions.md)."""
_TERMS_HEAD = """\
# Term <TAB> weight (none: that of the mean word, 1) <TAB> where it comes from. One a line; yours to edit.
# Words near the first terms weigh little: they settle the order of what the first terms leave equal.
"""
_ADJUST_HEAD = """\
# Weights by hand, which go before all others: word <TAB> weight <TAB> reason. 0 silences a word that misleads.
"""
_SEEDS_HEAD = """\
# Start URLs, one a line, a note after white space. {keyword} stands for each of the heaviest terms, as in a search:
# http://search.example.cn/s?q={keyword}
"""


def check_free(path: Path) -> None:
    """Make sure that a new topic would write over nothing.

    Raises:
        TopicError: ``path`` is a file, or a folder that holds a topic, or words of one.
    """
    if path.exists() and not path.is_dir():
        raise TopicError(f"{path} is a file. Remedy: name another folder")
    if (path / "topic.toml").exists():
        raise TopicError(f"{path} holds a topic already. Remedy: name another folder, or go on with scrapy topic build or expand")
    for name in (TERMS, WEIGHTS):
        if (path / name).exists():
            raise TopicError(
                f"{path / name} is there already, and would be written over. Remedy: name another folder; a topic.toml beside "
                f"it, which may be empty, makes this one a topic"
            )


def write_start(
    path: Path, title: str, description: str, terms: Sequence[FirstTerm], near: Sequence[FirstTerm], seeds: Sequence[str]
) -> None:
    """Write a new topic folder.

    Args:
        path: the folder; made where it is not there.
        title, description: for people.
        terms: what the topic is about; a later ``scrapy topic build`` keeps those without a weight as a person's own.
        near: words near them; a later build replaces them by what it finds.
        seeds: start URLs.

    Raises:
        TopicError: there is a topic already, or no term, or one that terms.tsv cannot hold. Nothing is written then.
    """
    check_free(path)
    if not terms:
        raise TopicError(f"{path}: no term found. Remedy: name some, --keywords 操作系统,内核")
    for term in (*terms, *near):
        if (
            not 2 <= len(term.word) <= MAX_WORD
            or "\t" in term.word
            or len(term.word.splitlines()) != 1
            or term.word.startswith("#")
        ):
            raise TopicError(
                f"{term.word!r} cannot be a term. Remedy: 2 to {MAX_WORD} characters in one line, no tab, and no # in front"
            )
    path.mkdir(parents=True, exist_ok=True)
    folder_files = {
        ADJUST: _ADJUST_HEAD,
        "seeds.txt": _SEEDS_HEAD + "".join(f"{url}\n" for url in seeds),
        "topic.toml": _TOML.format(title=_string(title), description=_string(description), **THRESHOLDS),
    }
    for name, text in folder_files.items():
        if not (path / name).exists():
            path.joinpath(name).write_text(text, encoding="utf-8")
    own = [t for t in terms if math.isnan(t.weight)]
    made = [t for t in (*terms, *near) if not math.isnan(t.weight)]
    lines = {t.word: f"{t.word}\t{t.weight:.4f}\t{t.why}" for t in made}
    text = _TERMS_HEAD + "".join(f"{t.word}\t\t{t.why}\n" for t in own) + "".join(f"{line}\n" for line in lines.values())
    heads = {line: line for line in _TERMS_HEAD.splitlines()}
    mean = f"{MEAN}\t1"
    TopicFolder(path).write({TERMS: (text, Written(heads | lines)), WEIGHTS: (f"{mean}\n", Written({MEAN: mean}))})


def _string(text: str) -> str:
    """As a TOML string; JSON's is one, but for DEL."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False).replace("\x7f", "")
