"""The topic of ESVSM as a measure, and what it becomes when the topic word gives way to its hypernym (Sun et al. 2018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.relevance.hypernyms import related_words
from topical_crawler.relevance.lda import SUB_TOPICS, WORDS, description_documents, sub_topics, topic_vector
from topical_crawler.relevance.svsm import Reading, svsm
from topical_crawler.relevance.term_similarity import TermSimilarity
from topical_crawler.relevance.text_and_anchor import Measure
from topical_crawler.relevance.tfidf import Idf
from topical_crawler.semantics.resources import Resources
from topical_crawler.text import Segmenter
from topical_crawler.topic import Topic


@dataclass(frozen=True, slots=True)
class Replacement:
    """A topic word that gave way to its hypernym.

    Attributes:
        word, hypernym: normalised.
        source: what says that one is a kind of the other, see :class:`~topical_crawler.relevance.hypernyms.Hypernym`.
        page: how many pages had been judged.
    """

    word: str
    hypernym: str
    source: str
    page: int


class TopicModel:
    """Builds the measure: LDA over the topic's documents, then SVSM.

    Args:
        topic: its documents, title, description and terms are read.
        segmenter: must know the topic's terms.
        resources: HowNet for similarities; for hypernyms what there is.
        seed: of the sub-topics.
        sub_topics: how many there are to be.
        words: how many are taken of each.
        reading: of SVSM.
        cache_dir: where converted vectors are kept.

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
        reading: Reading = "terms",
        cache_dir: Path | None = None,
    ) -> None:
        self.resources = resources
        self._segmenter = segmenter
        self._documents = description_documents(topic, segmenter)
        self._size = sub_topics, words
        self._reading = reading
        self._seed = seed
        self._cache_dir = cache_dir
        self._idf = Idf.load()

    def documents(self, replacements: Sequence[Replacement] = ()) -> list[Counter[str]]:
        """The documents that the topic is read from. Where a word was replaced, the hypernym stands in its place, and one more
        document describes the hypernym: itself as often as there are other words, and the words related to it."""
        content = self._segmenter.content
        documents = [Counter(document) for document in self._documents]
        for made in replacements:
            hypernym = content(made.hypernym)  # the name of a category may be several words
            for document in documents:
                count = document.pop(made.word, 0)
                document.update(hypernym * count)
            related = related_words(made.hypernym, self.resources, self._cache_dir)
            described = hypernym * max(1, len(related))
            documents.append(Counter([*described, *(word for text in related for word in content(text))]))
        return [document for document in documents if document]

    def vector(self, replacements: Sequence[Replacement] = ()) -> dict[str, float]:
        """The topic as a vector, word → weight."""
        return topic_vector(sub_topics(self.documents(replacements), self._seed, *self._size), self._idf)

    def measure(self, replacements: Sequence[Replacement] = ()) -> Measure:
        """Sim(text, topic)."""
        topic = self.vector(replacements)
        return svsm(topic, TermSimilarity.of_terms(list(topic), self.resources), self._idf, self._reading)
