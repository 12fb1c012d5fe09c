"""The topic out of its description documents by latent Dirichlet allocation (Sun et al. 2018, sections 1.1 and 2.1)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence

from topical_crawler.relevance.tfidf import Idf
from topical_crawler.text import Segmenter
from topical_crawler.topic import Topic

SUB_TOPICS = 10
"""Sub-topics of a topic model (Sun et al. 2018, section 2.1)."""
WORDS = 20
"""Most probable words taken of each (ibid.)."""
_PASSES = 20

WordCounts = Mapping[str, int]


def description_documents(topic: Topic, segmenter: Segmenter) -> list[Counter[str]]:
    """The content words of each of the topic's documents, and as one more document what else describes it: title, description
    and terms, each term as often as its weight says (at least once).

    >>> from topical_crawler import Topic
    >>> topic = Topic("os", "操作系统", {"内核": 2.0}, documents=("进程等待进程。",))
    >>> [dict(document) for document in description_documents(topic, Segmenter(["操作系统", "内核"]))]
    [{'进程': 2, '等待': 1}, {'操作系统': 1, '内核': 2}]
    """
    documents = [Counter(segmenter.content(text)) for text in topic.documents]
    known = Counter(segmenter.content(f"{topic.title}\n{topic.description}"))
    known.update({term: max(1, round(weight)) for term, weight in topic.terms.items()})
    return [document for document in (*documents, known) if document]


def sub_topics(
    documents: Sequence[WordCounts], seed: int = 0, topics: int = SUB_TOPICS, words: int = WORDS
) -> list[dict[str, float]]:
    """The sub-topics of a topic: the ``words`` most probable words of each, with their probability.

    Of one document nothing can be told apart: its most frequent words are the one sub-topic, as many as all the others would
    have together, with their shares.

    Args:
        documents: how often each word stands in each; none is empty.
        seed: of the first, random division; the same seed gives the same sub-topics.
        topics: how many there are to be.
        words: how many are taken of each.
    """
    if len(documents) == 1:
        (only,) = documents
        total = sum(only.values())
        frequent = sorted(only, key=lambda word: (-only[word], word))[: topics * words]
        return [{word: only[word] / total for word in frequent}]
    from gensim.models import LdaModel

    vocabulary = sorted({word for document in documents for word in document})
    number = {word: i for i, word in enumerate(vocabulary)}
    bags = [sorted((number[word], count) for word, count in document.items()) for document in documents]
    log = logging.getLogger("gensim")  # it reports every pass, and warns of collections as small as these
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        names = dict(enumerate(vocabulary))
        model = LdaModel(bags, num_topics=topics, id2word=names, passes=_PASSES, random_state=seed % (1 << 32))
        return [{word: float(p) for word, p in model.show_topic(i, words)} for i in range(topics)]
    finally:
        log.setLevel(level)


def topic_vector(found: Sequence[Mapping[str, float]], idf: Idf) -> dict[str, float]:
    """The topic as a vector: word → Σ over the sub-topics of its probability · IDF, heaviest first.

    >>> topic_vector([{"内核": 0.5, "进程": 0.25}, {"内核": 0.25}], Idf({"内核": 2.0, "进程": 4.0}))
    {'内核': 1.5, '进程': 1.0}
    """
    total: dict[str, float] = {}
    for sub_topic in found:
        for word, probability in sub_topic.items():
            total[word] = total.get(word, 0.0) + probability * idf.of(word)
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))
