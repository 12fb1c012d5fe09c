"""How near texts are to a topic's sentence."""

from collections.abc import Sequence

import numpy as np
import pytest

from topical_crawler.meaning import UNRELATED
from topical_crawler.meaning.encoder import Floats, open_encoder
from topical_crawler.strategies.adaptive import nearness
from topical_crawler.strategies.adaptive.nearness import Nearness, sentence
from topical_crawler.topic.topic import Topic

MEDICINE = Topic("t", "医学知识与疾病防治", {"医学知识": 1.0}, description="医学知识与疾病防治")


class Counting:
    name = "counting"

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> Floats:
        self.asked.append(list(texts))
        return np.array([[1.0, 0.0] if "医" in text else [0.0, 1.0] for text in texts], dtype=np.float32)


def test_names_and_texts() -> None:
    near = Nearness(MEDICINE, open_encoder("bundled"))
    texts = ["高血压的诊断与治疗", "病理学笔记", "临床诊断与用药", "主场三比一取胜", "道路运输管理条例", "单片机开发"]
    assert [cosine > UNRELATED for cosine in near.of_short(texts)] == [True, True, True, False, False, False]


def test_without_an_encoder_all_are_at_0() -> None:
    near = Nearness(MEDICINE, None)
    assert near.of(["医学"]) == near.of_short(["医学"]) == [0] and near.of_page("医学", "疾病") == (0, 0) and near.name == ""


def test_a_text_is_encoded_once_and_several_at_once() -> None:
    encoder = Counting()
    near = Nearness(MEDICINE, encoder)
    assert near.of_short(["医院", "球队", "医院", "", " 医院\n"]) == [1, 0, 1, 0, 1]
    assert near.of_short(["球队"]) == [0]
    assert encoder.asked == [["医学知识与疾病防治"], ["医院", "球队"]]
    assert near.of_page("球队", "医务" * 200) == (1, 0)
    assert near.of_page("医院", "") == (1, 1)
    assert encoder.asked[2:] == [["球队\n" + "医务" * (nearness.READ // 2)]]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearness, "_REMEMBERED", 3)
    near = Nearness(MEDICINE, Counting())
    assert near.of([f"医{n}" for n in range(10)]) == [1] * 10
    assert len(near._known) == 3


def test_the_sentence_says_a_name_once() -> None:
    assert sentence(MEDICINE) == "医学知识与疾病防治"
    assert sentence(Topic("t", "党建", {}, description="基层组织")) == "党建 基层组织"
    assert sentence(Topic("t", "党建", {})) == "党建"
