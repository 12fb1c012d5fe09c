"""The initial keywords of a topic and their weights, from a tree of categories (Zhang et al., section 3.1)."""

from __future__ import annotations

import logging
from pathlib import Path

from topical_crawler.semantics.categories import CategoryError, CategoryTree, read_clc, read_odp
from topical_crawler.semantics.resources import Resources
from topical_crawler.text import normalise
from topical_crawler.topic import Topic, TopicError, topic_line

logger = logging.getLogger(__name__)


def open_tree(topic: Topic, resources: Resources, odp: str = "") -> CategoryTree | None:
    """The tree to look a topic up in; None where there is none.

    Args:
        topic: whose folder a relative path starts from.
        resources: where the Chinese Library Classification is.
        odp: path of a ``structure.rdf.u8`` of the Open Directory, gzipped or not; "": the Chinese Library Classification.

    Raises:
        TopicError: there is no such file, or it cannot be read.
        ValueError: the Classification cannot be read.
    """
    if odp:
        file = Path(topic.source, Path(odp).expanduser())
        if not file.is_file():
            raise TopicError(f"{topic_line(topic, 'tree')}: there is no file {file}. Remedy: the path of a structure.rdf.u8")
        try:
            return read_odp(file)
        except CategoryError as error:
            raise TopicError(f"{topic_line(topic, 'tree')}: {error}") from None
    clc = resources.path("clc")
    return read_clc(clc) if clc else None


def topic_word(topic: Topic) -> str:
    """The word that stands for a topic: its title, where that is one of its terms, else the heaviest term.

    >>> topic_word(Topic("dm", "数据挖掘图书", {"数据挖掘": 2.0, "聚类": 1.0}))
    '数据挖掘'
    """
    title = normalise(topic.title)
    return title if title in topic.terms else topic.keywords(1)[0]


def own_keywords(topic: Topic, most: int) -> dict[str, float]:
    """The topic word and the heaviest terms, at most ``most`` in all, weighed against the heaviest.

    >>> own_keywords(Topic("dm", "数据挖掘", {"数据挖掘": 2.0, "聚类": 1.0, "分类": 0.5}), 2)
    {'数据挖掘': 1.0, '聚类': 0.5}
    """
    heaviest = max(topic.terms.values())
    weighed = {topic_word(topic): 1.0}
    for term in topic.keywords(most):
        weighed.setdefault(term, topic.terms[term] / heaviest)
    return dict(list(weighed.items())[:most])


def initial_keywords(
    topic: Topic,
    tree: CategoryTree | None,
    category: str = "",
    threshold: float = 0.0,
    most: int = 100,
    own_terms: bool = True,
) -> dict[str, float]:
    """Q: the topic word with weight 1, and the keywords of its category with q_i = N_i / N_max (Eq. 1), heaviest first.

    The topic's own terms, weighed against the heaviest of them, join those of the category, or take their place where the tree
    has no category for the topic, or there is no tree; that is logged. The paper has the category alone, in a tree of a million
    categories; the Chinese Library Classification gives 机器学习 one word beside its own.

    Args:
        topic: what the crawl is about.
        tree: where its category is looked up.
        category: code or name of the category; "": the topic's title.
        threshold: only keywords of at least this weight are kept.
        most: keywords at most.
        own_terms: False: where there is a category, its keywords and the topic word alone.

    Raises:
        TopicError: ``category`` was given and the tree does not have it, or has several.
    """
    found: dict[str, float] = {}
    if tree is None:
        logger.info("No tree of categories: the initial keywords of %r are its own terms", topic.name)
    else:
        try:
            found = tree.keywords(tree.find(category or topic.title).code)
        except CategoryError as error:
            if category:
                raise TopicError(f"{topic_line(topic, 'category')}: {error}") from None
            logger.info(
                "The initial keywords of %r are its own terms, since there is no category of its name. To name one: category = "
                "\"CODE\" in topic.toml (%s)", topic.name, error,
            )  # fmt: skip
    joined = own_keywords(topic, most) if own_terms or not found else {}
    joined |= {word: max(weight, joined.get(word, 0.0)) for word, weight in found.items()}
    joined[topic_word(topic)] = 1.0
    heaviest = sorted(joined, key=lambda word: (word != topic_word(topic), -joined[word], word))
    return {word: joined[word] for word in heaviest[:most] if joined[word] >= threshold}
