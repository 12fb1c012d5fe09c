"""Topics: folders of plain text files, editable by hand.

A topic folder holds::

    topic.toml    title, weight_floor, the parameters of the strategies
    terms.tsv     topic terms, one a line: term <TAB> weight (the weight may be left out)
    weights.tsv   optional: weights of other words, from the domain corpus (Eq. 2 of Zhou et al. 2019)
    adjust.tsv    optional: manual weights overriding both: word <TAB> weight <TAB> reason
    seeds.txt     optional: start URLs, one a line
    documents.txt optional: texts about the topic, separated by empty lines, for the strategy ``esvsm``
    marked.jsonl  optional: texts marked as on or off topic, see :mod:`topical_crawler.topic.files`

>>> topic = load_topic("partybuilding")
>>> topic.title, topic.weight("党建") > topic.weight("乡镇")
('党建', True)
"""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from topical_crawler.package_data import data_folder
from topical_crawler.topic.files import (
    MEAN,
    MarkedText,
    TopicError,
    line_of,
    read_config,
    read_documents,
    read_marked,
    read_seed_lines,
    read_terms,
    read_weights,
)
from topical_crawler.topic.topic_folder import CONFIG, TERMS, TopicFolder

__all__ = ["Topic", "list_topics", "load_topic", "read_seeds", "topic_line"]

DEFAULT_STRATEGY = "adaptive"  # for topics without a default_strategy


@dataclass(frozen=True)
class Topic:
    """Topic of a crawl.

    All weights are relative to the mean word. Eq. 2 has the scale of its corpus, so thresholds would not be comparable between
    topics.
    """

    name: str  # the folder's name
    title: str  # human-readable name
    terms: Mapping[str, float]  # topic terms with their weight (> 0), at least `weight_floor`, manual adjustments applied
    weights: Mapping[str, float] = field(default_factory=dict, repr=False)  # weights of other words of the domain corpus
    seeds: tuple[str, ...] = ()  # start URLs, with `{keyword}` as placeholder for a topic term
    allowed_hosts: tuple[str, ...] = ()  # hosts to crawl, with their subdomains. (): any
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # table in `topic.toml` by strategy
    default_strategy: str = DEFAULT_STRATEGY  # the strategy intended by the topic
    model: Mapping[str, Any] = field(default_factory=dict)  # the table `[model]` (see `strategies.models`). {}: none
    description: str = ""
    documents: tuple[str, ...] = field(default=(), repr=False)  # texts about the topic
    source: str = ""  # path of the topic, for messages
    marked: tuple[MarkedText, ...] = field(default=(), repr=False)  # on or off topic, each URL once

    def weight(self, word: str) -> float:
        """Return w of Eq. 2 for a normalised word, relative to the mean. 1 for a word unknown to the domain corpus (Zhou et al.
        2019, §5: missing words get the mean)."""
        weight = self.terms.get(word)
        return self.weights.get(word, 1.0) if weight is None else weight

    def keywords(self, n: int = 10) -> list[str]:
        """Return the ``n`` heaviest topic terms, heaviest first.

        >>> Topic("os", "操作系统", {"内核": 2.0, "进程": 1.0, "线程": 1.5}).keywords(2)
        ['内核', '线程']
        """
        return sorted(self.terms, key=lambda t: (-self.terms[t], t))[:n]


def load_topic(name_or_path: str | Path) -> Topic:
    """Read a topic by the name of a built-in one, or by the path of a topic folder.

    Raises:
        TopicError: no such topic, or a malformed file.
    """
    folder = _find(name_or_path)
    config = read_config(folder.config)
    terms = read_terms(folder.terms)
    words, adjust = read_weights(folder.weights), read_weights(folder.adjust)
    mean = mean_weight(terms, words)
    floor = float(config.get("weight_floor", 0.0))
    weighed = {t: 1.0 if math.isnan(w) else w / mean for t, w in terms.items()}
    weighed = {t: adjust[t] / mean if t in adjust else max(w, floor) for t, w in weighed.items()}
    # A term with weight 0 becomes an ordinary word of weight 0.
    silenced = dict.fromkeys((t for t, w in weighed.items() if w == 0), 0.0)
    others = {w: x / mean for w, x in {**words, **adjust}.items() if w not in terms}
    kept = {t: w for t, w in weighed.items() if w > 0}
    if not kept:
        raise TopicError(f"{folder.terms}: every term weighs 0. Set the weight of a term, or leave the weights out")
    return Topic(
        name=folder.path.name,
        title=config.get("title", folder.path.name),
        description=config.get("description", ""),
        terms=kept,
        weights={**others, **silenced},
        seeds=tuple(config.get("seeds", ())) + tuple(read_seed_lines(folder.seeds)),
        allowed_hosts=tuple(h.lower() for h in config.get("allowed_hosts", ())),
        parameters=config.get("strategy", {}),
        default_strategy=config.get("default_strategy", DEFAULT_STRATEGY),
        model=config.get("model", {}),
        documents=tuple(read_documents(folder.documents)),
        source=str(folder.path),
        marked=read_marked(folder.marked),
    )


def list_topics() -> list[str]:
    """Return the names of the built-in topics.

    >>> "partybuilding" in list_topics()
    True
    """
    return sorted(folder.name for folder in data_folder().joinpath("topics").iterdir() if TopicFolder(folder).is_topic)


def read_seeds(path: Path) -> list[str]:
    """Return the start URLs of a file, one a line: the URL first, then an optional note after white space. ``#`` starts a
    comment.

    Raises:
        TopicError: a line does not start with an http(s) URL, or the file cannot be read.
    """
    if path.is_file():
        return read_seed_lines(path)
    raise TopicError(f"{path}: no such seed file. Pass a file with one URL per line, or the URLs themselves")


def topic_line(topic: Topic, key: str) -> str:
    """Return the position of ``key`` in a topic's ``topic.toml``, for error messages: "FILE, line N"."""
    file = TopicFolder(Path(topic.source)).config
    try:
        return f"{file}, line {line_of(file.read_text(encoding='utf-8-sig'), key)}"
    except OSError:  # inside a zipped egg
        return str(file)


def mean_weight(terms: Mapping[str, float], words: dict[str, float]) -> float:
    """Return the mean weight over the domain corpus before adjustments, removing its entry from ``words``.

    Without an entry, returns the mean of the words, else of the terms, else 1 for plain keywords.
    """
    mean = words.pop(MEAN, None)
    if mean is None:
        known = list(words.values()) or [w for w in terms.values() if not math.isnan(w)]
        mean = sum(known) / len(known) if known else 1.0
    return mean or 1.0


def _find(name_or_path: str | Path) -> TopicFolder[Traversable]:
    text = str(name_or_path)
    path = Path(os.path.normpath(Path(text).expanduser().absolute()))  # resolves "..", giving it a name
    if "/" in text or "\\" in text or isinstance(name_or_path, Path):
        folder = TopicFolder[Traversable](path)
    else:
        folder = TopicFolder(data_folder().joinpath("topics", text))
        if not folder.is_topic and TopicFolder(path).is_topic:
            folder = TopicFolder[Traversable](path)
    if not folder.is_topic:
        from difflib import get_close_matches  # rarely needed

        nearest = "".join(f"Did you mean {name}? " for name in get_close_matches(text, list_topics(), 1))
        raise TopicError(
            f"no topic {text!r}: {folder.config} does not exist. {nearest}Choose one of {', '.join(list_topics())}, "
            f"or pass the path of a folder with {CONFIG} and {TERMS} (./mytopic)"
        )
    return folder
