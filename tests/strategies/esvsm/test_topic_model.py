"""The topic model: sub-topics of a topic's documents."""

from __future__ import annotations

from collections import Counter

import pytest

from topical_crawler import Topic
from topical_crawler.strategies.esvsm.topic_model import description_documents, sub_topics, topic_vector
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf

SCHEDULING = Counter({"进程": 9, "线程": 6, "调度": 5, "抢占": 2})
MEMORY = Counter({"内存": 9, "分页": 6, "缺页": 5, "置换": 2})
TOPIC = Topic(
    "os", "操作系统", {"内核": 2.6, "进程": 0.4}, description="管理硬件。", documents=("进程等待进程。", "。", "内存分页")
)


def test_documents_and_what_else_describes_the_topic() -> None:
    """A document without words is none; a term counts as often as its weight says, at least once."""
    found = description_documents(TOPIC, Segmenter(["操作系统", "内核", "分页", "进程"]))
    assert found == [{"进程": 2, "等待": 1}, {"内存": 1, "分页": 1}, {"操作系统": 1, "管理": 1, "硬件": 1, "内核": 3, "进程": 1}]


def test_sub_topics_tell_two_subjects_apart() -> None:
    found = sub_topics([SCHEDULING, MEMORY] * 5, seed=3, topics=2, words=3)
    assert {frozenset(sub_topic) for sub_topic in found} == {
        frozenset(["进程", "线程", "调度"]),
        frozenset(["内存", "分页", "缺页"]),
    }
    for sub_topic in found:
        probabilities = list(sub_topic.values())
        assert probabilities == sorted(probabilities, reverse=True) and 0 < sum(probabilities) <= 1


def test_the_same_seed_gives_the_same_sub_topics() -> None:
    documents = [SCHEDULING, MEMORY, SCHEDULING + MEMORY]
    turned = [Counter(dict(reversed(list(document.items())))) for document in documents]
    one = sub_topics(documents, seed=1)
    assert one == sub_topics(documents, seed=1) == sub_topics(turned, seed=1)
    assert one != sub_topics(documents, seed=2)
    assert len(one) == 10
    assert all(sub_topics(documents, seed=seed, topics=2) for seed in (-1, 1 << 40))


def test_one_document_is_one_sub_topic() -> None:
    assert sub_topics([SCHEDULING], topics=1, words=2) == [pytest.approx({"进程": 9 / 22, "线程": 6 / 22})]
    assert sub_topics([SCHEDULING]) == [pytest.approx({w: n / 22 for w, n in SCHEDULING.items()})]


def test_the_vector_sums_over_the_sub_topics() -> None:
    vector = topic_vector([{"内核": 0.5, "进程": 0.3}, {"进程": 0.4}], Idf({"内核": 2.0, "进程": 3.0}))
    assert vector == pytest.approx({"进程": 2.1, "内核": 1.0})
    assert list(vector) == ["进程", "内核"]
