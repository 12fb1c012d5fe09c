"""Topics: folders of plain files that a person can edit.

A topic folder holds::

    topic.toml    title, weight_floor, the parameters of the strategies
    terms.tsv     topic terms, one a line: term <TAB> weight (the weight may be left out)
    weights.tsv   optional: weights of other words, from the domain corpus (Eq. 2 of Zhou et al. 2019)
    adjust.tsv    optional: weights set by hand, which override both: word <TAB> weight <TAB> reason
    seeds.txt     optional: start URLs, one a line

>>> topic = load_topic("partybuilding")
>>> topic.title, topic.weight("党建") > topic.weight("乡镇")
('党建', True)
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from topical_crawler.lexicon_data import lexicon
from topical_crawler.text import normalise

MEAN = "!mean"
"""The line of ``weights.tsv`` that says what a word weighs that it does not list."""
_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "title": str,
    "description": str,
    "default_strategy": str,
    "weight_floor": (int, float),
    "seeds": list,
    "allowed_hosts": list,
    "strategy": dict,
}


class TopicError(ValueError):
    """A topic cannot be read. The message names the file, the line and the remedy."""


@dataclass(frozen=True)
class Topic:
    """What a crawl is about.

    Attributes:
        name: the folder's name.
        title: what a person calls the topic.
        terms: topic terms with their weight (> 0): at least the ``weight_floor``, hand adjustments applied.
        weights: weights of other words of the domain corpus, hand adjustments applied; may be empty. All weights are relative to
            that of the mean word: Eq. 2 has the scale of its corpus, and thresholds could not be compared between topics.
        seeds: start URLs; may hold ``{keyword}``, which stands for a topic term.
        allowed_hosts: hosts (with their subdomains) that may be crawled; empty: any.
        parameters: per strategy, the keyword arguments of its table in ``topic.toml``.
        default_strategy: the strategy that the topic was made for.
        source: where the topic was read from, for messages.
    """

    name: str
    title: str
    terms: Mapping[str, float]
    weights: Mapping[str, float] = field(default_factory=dict, repr=False)
    seeds: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    default_strategy: str = "semantic"
    description: str = ""
    source: str = ""

    def weight(self, word: str) -> float:
        """w of Eq. 2 for a normalised word, relative to the mean: its own, or 1 where the domain corpus does not know it
        (Zhou et al. 2019, §5: missing words get the mean)."""
        found = self.terms.get(word)
        if found is None:
            found = self.weights.get(word, 1.0)
        return found

    def keywords(self, n: int = 10) -> list[str]:
        """The ``n`` heaviest topic terms, heaviest first.

        >>> Topic("os", "操作系统", {"内核": 2.0, "进程": 1.0, "线程": 1.5}).keywords(2)
        ['内核', '线程']
        """
        return sorted(self.terms, key=lambda t: (-self.terms[t], t))[:n]


def load_topic(name_or_path: str | Path) -> Topic:
    """Read a topic by the name of one that comes with the product, or by the path of a topic folder.

    Raises:
        TopicError: there is no such topic, or a file of it is malformed.
    """
    folder = _find(name_or_path)
    config = _read_config(folder)
    adjust = {word: weight for word, weight, _ in _read_weights(folder / "adjust.tsv", needs_weight=True)}
    others = {word: weight for word, weight, _ in _read_weights(folder / "weights.tsv", needs_weight=True)}
    # The mean is that of the domain corpus' statistics, before anybody adjusted them by hand.
    mean = others.pop(MEAN, None)
    if mean is None and others:
        mean = sum(others.values()) / len(others)
    terms, mean = _read_terms(folder, mean)
    floor = float(config.get("weight_floor", 0.0))
    terms = {t: adjust[t] / mean if t in adjust else max(w / mean, floor) for t, w in terms.items()}
    others = {w: x / mean for w, x in {**others, **{w: x for w, x in adjust.items() if w not in terms or x == 0}}.items()}
    return Topic(
        name=folder.name,
        title=config.get("title", folder.name),
        description=config.get("description", ""),
        terms={t: w for t, w in terms.items() if w > 0},
        weights=others,
        seeds=tuple(config.get("seeds", ())) + tuple(_read_seeds(folder / "seeds.txt")),
        allowed_hosts=tuple(h.lower() for h in config.get("allowed_hosts", ())),
        parameters=config.get("strategy", {}),
        default_strategy=config.get("default_strategy", "semantic"),
        source=str(folder),
    )


def list_topics() -> list[str]:
    """Names of the topics that come with the product.

    >>> "partybuilding" in list_topics()
    True
    """
    return sorted(f.name for f in lexicon().joinpath("topics").iterdir() if f.joinpath("topic.toml").is_file())


def read_seeds(path: Path) -> list[str]:
    """Start URLs of a file: one a line, the URL first, anything after white space is a note; ``#`` starts a comment.

    Raises:
        TopicError: a line does not start with an http(s) URL, or the file cannot be read.
    """
    if not path.is_file():
        raise TopicError(
            f"{path}: there is no such file of seeds. Remedy: give a file with one URL a line, or the URLs themselves"
        )
    return list(_read_seeds(path))


def _find(name_or_path: str | Path) -> Traversable:
    text = str(name_or_path)
    path = Path(text).expanduser()
    if "/" in text or "\\" in text or isinstance(name_or_path, Path):
        folder: Traversable = path
    else:
        folder = lexicon().joinpath("topics", text)
        if not folder.joinpath("topic.toml").is_file() and path.joinpath("topic.toml").is_file():
            folder = path
    if not folder.joinpath("topic.toml").is_file():
        raise TopicError(
            f"no topic {text!r}: {folder}/topic.toml does not exist. Remedy: name one of {', '.join(list_topics())}, "
            f"or give the path of a folder with topic.toml and terms.tsv (./mytopic)"
        )
    return folder


def _lines(file: Traversable) -> Iterator[tuple[int, str]]:
    """(number, line) of the lines that say something; absent file: none."""
    if not file.is_file():
        return
    data = file.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad = data.count(b"\n", 0, error.start) + 1
        raise TopicError(f"{file}, line {bad}: not UTF-8 ({error.reason}). Remedy: save the file as UTF-8") from None
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _read_weights(file: Traversable, needs_weight: bool) -> Iterator[tuple[str, float, int]]:
    first: dict[str, int] = {}
    for number, line in _lines(file):
        cells = [c.strip() for c in line.split("\t")]
        word = normalise(cells[0])
        if not word or len(word) > 50:
            raise TopicError(
                f"{file}, line {number}: a word of 1 to 50 characters is expected before the first tab, not {cells[0]!r}"
            )
        if word in first:
            raise TopicError(f"{file}, line {number}: {word!r} stands already in line {first[word]}. Remedy: keep one of the two")
        first[word] = number
        if len(cells) < 2 or not cells[1]:
            if needs_weight:
                raise TopicError(f"{file}, line {number}: {word!r} has no weight. Remedy: word <TAB> weight, e.g. {word}\t0.5")
            yield word, math.nan, number
            continue
        try:
            weight = float(cells[1])
        except ValueError:
            weight = math.nan
        if not (math.isfinite(weight) and weight >= 0):
            raise TopicError(
                f"{file}, line {number}: the weight of {word!r} is {cells[1]!r}. Remedy: a number of 0 or more, after a tab"
            )
        yield word, weight, number


def _read_terms(folder: Traversable, mean: float | None) -> tuple[dict[str, float], float]:
    """Terms with their weights, and the mean weight: ``mean``, else that of the terms; plain keywords all weigh 1."""
    file = folder / "terms.tsv"
    if not file.is_file():
        raise TopicError(f"{file}: missing. Remedy: write the topic's terms into it, one a line: term <TAB> weight")
    terms = {word: weight for word, weight, _ in _read_weights(file, needs_weight=False)}
    if not terms:
        raise TopicError(f"{file}: holds no term. Remedy: write the topic's terms into it, one a line: term <TAB> weight")
    if mean is None:
        given = [w for w in terms.values() if not math.isnan(w)]
        mean = sum(given) / len(given) if given else 1.0
    return {t: mean if math.isnan(w) else w for t, w in terms.items()}, mean


def _read_seeds(file: Traversable) -> Iterator[str]:
    for number, line in _lines(file):
        url = line.split()[0]
        if not re.match(r"https?://[^/]", url):
            raise TopicError(f"{file}, line {number}: {url!r} is no URL. Remedy: start it with http:// or https://")
        yield url


def _read_config(folder: Traversable) -> dict[str, Any]:
    file = folder / "topic.toml"
    try:
        text = file.read_text(encoding="utf-8")
        config = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TopicError(f"{file}: {error}. Remedy: see https://toml.io for the form of the file") from None
    for key, value in config.items():
        if key not in _KEYS:
            raise TopicError(f"{file}, line {line_of(text, key)}: unknown key {key!r}. Known: {', '.join(_KEYS)}")
        if not isinstance(value, _KEYS[key]) or isinstance(value, bool):
            raise TopicError(f"{file}, line {line_of(text, key)}: {key} cannot be {value!r}. Remedy: see docs/topics.md")
    for name, table in config.get("strategy", {}).items():
        if not isinstance(table, dict):
            raise TopicError(f"{file}, line {line_of(text, name)}: write [strategy.{name}] and its parameters below it")
    return config


def line_of(toml: str, key: str) -> int:
    """Number of the first line of ``toml`` that sets ``key`` or opens a table of that name; 1 where none is found."""
    pattern = re.compile(rf"^\s*(\[.*\b{re.escape(key)}\b.*\]|\"?{re.escape(key)}\"?\s*=)")
    return next((n for n, line in enumerate(toml.splitlines(), 1) if pattern.match(line)), 1)


def topic_line(topic: Topic, key: str) -> str:
    """Where ``key`` stands in a topic's ``topic.toml``, for error messages: "FILE, line N"."""
    file = Path(topic.source) / "topic.toml"
    try:
        return f"{file}, line {line_of(file.read_text(encoding='utf-8'), key)}"
    except OSError:  # inside a zipped egg
        return str(file)
