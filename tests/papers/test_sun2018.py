"""Sun et al. 2018 by their printed numbers: the example of section 1.2, the constants of section 2. (Eq. 9: test_eq9.py.)

Table 1, the similarities behind Eq. 5, is a picture without its numbers in the text at hand; Eq. 5 prints their means.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from experiments.baselines.vector_space import Reading, Similarities, svsm
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.esvsm.hypernyms import direct_hypernym
from topical_crawler.strategies.esvsm.strategy import EsvsmParameters
from topical_crawler.strategies.esvsm.topic_model import SUB_TOPICS, WORDS
from topical_crawler.text.statistics import Idf, Vsm, norm

TOPIC = {"平台": 0.24, "课程": 0.1, "文本": 0.09}
"""Eq. 3, and Eq. 4: the topic's semantic values are 1."""
DOCUMENT = {"章节": 1.4, "部分": 1.1, "步骤": 0.4}
"""Eq. 3."""
MEANS = {"章节": 0.645, "部分": 0.089, "步骤": 0.679}
"""Eq. 5."""
PRINTED = (0.916, 0.039, 0.184)
"""Eq. 6."""

WORDS_OF_DOCUMENT = list(DOCUMENT)
IDF = Idf({word: weight * len(DOCUMENT) for word, weight in DOCUMENT.items()})  # each word once: tf is a third
SIMILARITY = Similarities(
    list(TOPIC), {w: i for i, w in enumerate(MEANS)}, np.array([[mean] * len(TOPIC) for mean in MEANS.values()], dtype=np.float32)
)


def cosine(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / (norm(a) * norm(b))


def test_eq_6_multiplies_each_weight_by_its_mean_similarity() -> None:
    """The products are (0.903, 0.098, 0.272). None of the three that are printed follows from the printed factors."""
    products = tuple(DOCUMENT[w] * MEANS[w] for w in DOCUMENT)
    assert products == pytest.approx((0.903, 0.0979, 0.2716))
    assert [abs(p - q) > 0.01 for p, q in zip(products, PRINTED, strict=True)] == [True, True, True]
    measure = svsm(TOPIC, SIMILARITY, IDF, "positions")
    assert measure.parts(WORDS_OF_DOCUMENT) == pytest.approx(dict(zip(DOCUMENT, products, strict=True)), rel=1e-6)


def test_eq_7_over_positions() -> None:
    """0.962 by the products. By the numbers printed in Eq. 8 it is 0.934: 0.670 follows from neither, nor is it their plain
    product, 0.240, which Eq. 8 writes."""
    products = tuple(DOCUMENT[w] * MEANS[w] for w in DOCUMENT)
    topic = tuple(TOPIC.values())
    found = svsm(TOPIC, SIMILARITY, IDF, "positions").of(WORDS_OF_DOCUMENT)
    assert found == pytest.approx(cosine(topic, products), rel=1e-6) == pytest.approx(0.962, abs=5e-4)
    assert cosine(topic, PRINTED) == pytest.approx(0.934, abs=5e-4)
    assert sum(x * y for x, y in zip(topic, PRINTED, strict=True)) == pytest.approx(0.240, abs=5e-4)


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        # Neither side has a term of the other.
        ("terms", 0.0),
        # Every topic term gets Σ_d w_d·mean_d where all similarities of a word are its mean: the direction (1, 1, 1).
        ("projected", sum(TOPIC.values()) / (norm(list(TOPIC.values())) * math.sqrt(3))),
    ],
)
def test_the_example_in_the_other_readings(reading: Reading, expected: float) -> None:
    assert svsm(TOPIC, SIMILARITY, IDF, reading).of(WORDS_OF_DOCUMENT) == pytest.approx(expected, rel=1e-6)


def test_vsm_finds_no_relevance_where_no_term_is_shared() -> None:
    """Section 1.2: "the vector space model … takes a page without a common term as irrelevant"."""
    assert Vsm(TOPIC, IDF).of(WORDS_OF_DOCUMENT) == 0.0


def test_constants_of_section_2() -> None:
    """10 sub-topics × 20 words; fewer than 1,000 results; the topic word is replaced once. The 15 s are pages by default."""
    parameters = EsvsmParameters()
    assert (SUB_TOPICS, WORDS) == (parameters.sub_topics, parameters.words) == (10, 20)
    assert (parameters.least_results, parameters.max_replacements) == (1000, 1)
    assert parameters.link_threshold == 0.0  # no link is dropped
    assert parameters.page_weight == parameters.anchor_weight == 0.5  # λ1 and λ2 of Eq. 9


def test_hypernyms_of_section_1_3_in_hownet(shared_data: Path, tmp_path: Path) -> None:
    """交响乐 → 音乐 as printed. 鱼 is printed with 水产; the HowNet of 2000 has it below 兽, its word for animals."""
    glossary = (shared_data / "hownet/glossary.txt").read_text(encoding="utf-8-sig").splitlines()
    own = tmp_path / "glossary.txt"  # these two words of it
    own.write_text("\n".join(line for line in glossary if line.split()[0] in ("交响乐", "鱼")), encoding="utf-8")
    resources = Resources(None, {"hownet": own, "hownet_tree": shared_data / "hownet/WHOLE.txt"})
    found = {word: direct_hypernym(word, resources) for word in ("交响乐", "鱼")}
    assert {word: made.word for word, made in found.items() if made} == {"交响乐": "音乐", "鱼": "兽"}
