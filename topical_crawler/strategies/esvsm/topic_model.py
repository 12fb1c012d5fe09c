"""Topic model of ESVSM by LDA (Sun et al. 2018, sections 1.1 and 2.1), rebuilt around hypernyms (1.4)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.resources.categories import read_clc
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.esvsm.hypernyms import find_category, installed_cilin
from topical_crawler.strategies.esvsm.vector_space import TermSimilarity, TermSvsm
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf
from topical_crawler.topic.topic import Topic

SUB_TOPICS = 10  # sub-topics of a topic model (Sun et al. 2018, section 2.1)
WORDS = 20  # most probable words per sub-topic (ibid.)
_PASSES = 20

WordCounts = Mapping[str, int]


def description_documents(topic: Topic, segmenter: Segmenter) -> list[Counter[str]]:
    """Return the content words of each of the topic's documents, plus one document of title, description and terms.

    Each term is repeated according to its weight, at least once.

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
    """Return the sub-topics of a topic: the ``words`` most probable words of each, with their probability.

    A single document yields a single sub-topic of its most frequent words with their shares, as many words as all sub-topics
    would have together.

    Args:
        documents: word counts, none of them empty.
        seed: random seed. The same seed gives the same sub-topics.
        topics: number of sub-topics.
        words: words per sub-topic.
    """
    if len(documents) == 1:
        (only,) = documents
        total = sum(only.values())
        frequent = sorted(only, key=lambda word: (-only[word], word))[: topics * words]
        return [{word: only[word] / total for word in frequent}]
    from gensim.models import LdaModel  # a second to import

    names = dict(enumerate(sorted({word for document in documents for word in document})))
    number = {word: i for i, word in names.items()}
    bags = [sorted((number[word], count) for word, count in document.items()) for document in documents]
    log = logging.getLogger("gensim")  # reports every pass, and warns of small collections like these
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        model = LdaModel(bags, num_topics=topics, id2word=names, passes=_PASSES, random_state=seed % (1 << 32))
        return [{word: float(p) for word, p in model.show_topic(i, words)} for i in range(topics)]
    finally:
        log.setLevel(level)


def topic_vector(topics: Sequence[Mapping[str, float]], idf: Idf) -> dict[str, float]:
    """Return the topic as a vector: word → Σ over the sub-topics of its probability · IDF, heaviest first.

    >>> topic_vector([{"内核": 0.5, "进程": 0.25}, {"内核": 0.25}], Idf({"内核": 2.0, "进程": 4.0}))
    {'内核': 1.5, '进程': 1.0}
    """
    total: dict[str, float] = {}
    for sub_topic in topics:
        for word, probability in sub_topic.items():
            total[word] = total.get(word, 0.0) + probability * idf.of(word)
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


# -- Hypernyms

RELATED = 20  # neighbours of a hypernym among the vectors, as many as there are words in a sub-topic


def related_words(word: str, resources: Resources, cache_dir: Path | None = None, n: int = RELATED) -> list[str]:
    """Return distinct words describing a normalised hypernym, in place of an article on it.

    Collects the words of its groups in Cilin, its ``n`` nearest neighbours among the word vectors, and the ``n`` heaviest
    keywords of its category in the Chinese Library Classification. Skips missing resources and the hypernym itself.
    """
    words: list[str] = []
    if cilin := installed_cilin(resources):
        words += [*cilin.synonyms(word), *cilin.kin(word)]
    if path := resources.path("vectors"):
        words += [near for near, _ in WordVectors.open(path, cache_dir).nearest(word, n)]
    if path := resources.path("clc"):
        tree = read_clc(path)
        if (category := find_category(tree, word)) is not None:
            words += list(tree.keywords(category.code))[:n]
    return [w for w in dict.fromkeys(words) if w != word]


# -- The topic as a measure


@dataclass(frozen=True, slots=True)
class Replacement:
    """Replacement of a topic word by its hypernym, both normalised."""

    word: str
    hypernym: str
    source: str  # source of the hypernym, see `Hypernym`
    page: int  # number of pages judged before it


class TopicModel:
    """Builder of the measure: LDA over the topic's documents (:func:`sub_topics`), then SVSM.

    ``resources`` provide HowNet for similarities, and all installed sources for hypernyms. ``cache_dir`` keeps converted
    vectors.

    >>> from topical_crawler import load_topic
    >>> topic = load_topic("partybuilding")
    >>> model = TopicModel(topic, Segmenter(topic.terms), Resources.none())
    >>> list(model.vector())[0], len(model.vector()), model.measure().of(["天气"])
    ('主题教育', 200, 0.0)
    """

    def __init__(
        self,
        topic: Topic,
        segmenter: Segmenter,
        resources: Resources,
        seed: int = 0,
        *,
        sub_topics: int = SUB_TOPICS,
        words: int = WORDS,
        cache_dir: Path | None = None,
    ) -> None:
        self.resources = resources
        self.texts = topic.documents
        self._segmenter = segmenter
        self._documents = description_documents(topic, segmenter)
        self._size = sub_topics, words
        self._seed = seed
        self._cache_dir = cache_dir
        self._idf = Idf.load()

    def documents(self, replacements: Sequence[Replacement] = ()) -> list[Counter[str]]:
        """Return the documents behind the topic.

        Each hypernym takes the place of its word, and adds a document describing it: its related words, and itself as often as
        there are related words.
        """
        content = self._segmenter.content
        documents = [Counter(document) for document in self._documents]
        for replacement in replacements:
            hypernym = content(replacement.hypernym)  # a category name may have several words
            for document in documents:
                document.update(hypernym * document.pop(replacement.word, 0))
            related = related_words(replacement.hypernym, self.resources, self._cache_dir)
            described = hypernym * max(1, len(related))
            documents.append(Counter([*described, *(word for text in related for word in content(text))]))
        return [document for document in documents if document]

    def heaviest(self, words: Sequence[str], most: int) -> dict[str, int]:
        """Return the ``most`` words with the greatest TF-IDF, each with its count."""
        counts = Counter(words)
        chosen = sorted(counts, key=lambda word: (-counts[word] * self._idf.of(word), word))[:most]
        return {word: counts[word] for word in chosen}

    def vector(self, replacements: Sequence[Replacement] = ()) -> dict[str, float]:
        """Return the topic as a vector, word → weight."""
        return topic_vector(sub_topics(self.documents(replacements), self._seed, *self._size), self._idf)

    def measure(self, replacements: Sequence[Replacement] = ()) -> TermSvsm:
        """Build the measure Sim(text, topic)."""
        topic = self.vector(replacements)
        return TermSvsm(topic, TermSimilarity.of_terms(list(topic), self.resources).means(), self._idf)
