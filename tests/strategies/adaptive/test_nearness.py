"""How near texts are to a topic's sentence."""

import asyncio
from collections.abc import Container, Sequence

import numpy as np
import pytest

from topical_crawler.meaning import UNRELATED
from topical_crawler.meaning.encoder import Floats, open_encoder
from topical_crawler.strategies.adaptive import nearness
from topical_crawler.strategies.adaptive.nearness import Nearness, of_page, sentence
from topical_crawler.topic.topic import Topic

MEDICINE = Topic("t", "医学知识与疾病防治", {"医学知识": 1.0}, description="医学知识与疾病防治")


class Counting:
    name = "counting"
    waits = False

    def __init__(self, fails: Container[int] = ()) -> None:
        self.asked: list[list[str]] = []
        self._fails = fails

    def encode(self, texts: Sequence[str]) -> Floats:
        self.asked.append(list(texts))
        if len(self.asked) in self._fails:
            raise OSError("http://127.0.0.1/v1/embeddings: no vectors")
        return np.array([[1.0, 0.0] if "医" in text else [0.0, 1.0] for text in texts], dtype=np.float32)


def test_names_and_texts() -> None:
    near = Nearness(MEDICINE, open_encoder("bundled"))
    texts = ["高血压的诊断与治疗", "病理学笔记", "临床诊断与用药", "主场三比一取胜", "道路运输管理条例", "单片机开发"]
    assert [cosine > UNRELATED for cosine in near.of_short(texts)] == [True, True, True, False, False, False]

    without = Nearness(MEDICINE, None)
    assert without.of(["医学"]) == without.of_short(["医学"]) == [0]
    assert without.of_page("医学", "疾病") == (0, 0) and without.name == ""


def test_a_text_is_encoded_once_and_several_at_once() -> None:
    encoder = Counting()
    near = Nearness(MEDICINE, encoder)
    assert near.of_short(["医院", "球队", "医院", "", " 医院\n"]) == [1, 0, 1, 0, 1]
    assert near.of_short(["球队"]) == [0]
    assert encoder.asked == [["医学知识与疾病防治"], ["医院", "球队"]]
    assert near.of_page("球队", "医务" * 200) == (1, 0)
    assert near.of_page("医院", "", ["医保 ", "球队"]) == (1, 1) and near.of_short(["医保"]) == [1]
    assert encoder.asked.pop() == ["医保"]
    encoder.waits = True
    near = Nearness(MEDICINE, encoder)
    assert near.of_page("医院", "", ["医保"]) == (1, 1) and encoder.asked.pop() == ["医院"] and encoder.asked.pop()
    assert encoder.asked[2:] == [["球队\n" + "医务" * (nearness.READ // 2)]]


def test_what_was_asked_before_is_at_hand() -> None:
    encoder = Counting()
    near = Nearness(MEDICINE, encoder)
    page = of_page("医院", "医务" * 200)

    async def together() -> None:
        await asyncio.gather(near.ask([*page, "球队"]), near.ask(["球队", "医保"]))

    asyncio.run(together())
    assert near.of_page("医院", "医务" * 200) == (1, 1) and near.of_short(["球队", "医保"]) == [0, 1]
    assert encoder.asked[1:] == [[*page, "球队"], ["医保"]]


def test_an_encoder_that_fails_three_times_is_asked_no_more(caplog: pytest.LogCaptureFixture) -> None:
    encoder = Counting(fails=(2, 3, 5, 6, 7))
    near = Nearness(MEDICINE, encoder)
    assert [near.of([f"医{n}"]) for n in range(8)] == [[0], [0], [1], [0], [0], [0], [0], [0]]
    assert len(encoder.asked) == 7 and near.name == "counting"
    assert "similarity of 1 texts" in caplog.text and caplog.text.count("continues without an encoder") == 1
    with pytest.raises(OSError, match="no vectors"):
        Nearness(MEDICINE, Counting(fails=(1,)))


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearness, "_REMEMBERED", 3)
    near = Nearness(MEDICINE, Counting())
    assert near.of([f"医{n}" for n in range(10)]) == [1] * 10
    assert len(near._known) == 3


def test_the_sentence_says_a_name_once() -> None:
    assert sentence(MEDICINE) == "医学知识与疾病防治"
    assert sentence(Topic("t", "党建", {}, description="基层组织")) == "党建 基层组织"
    assert sentence(Topic("t", "党建", {})) == "党建"


def test_many_anchors_are_read_while_others_go_on() -> None:
    near = Nearness(MEDICINE, open_encoder("bundled"))
    anchors = [f"第{n}场足球比赛" for n in range(200)]
    turns = 0

    async def beat() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async def read() -> None:
        beating = asyncio.create_task(beat())
        await near.ask(anchors)
        beating.cancel()

    asyncio.run(read())
    assert turns > 5
    assert near.of(anchors) == pytest.approx(Nearness(MEDICINE, open_encoder("bundled")).of(anchors), abs=1e-6)
