"""Proposals of the three resources, on small ones of our own; vectors stand on axes: 1 computing, 2 medicine, 3 roads."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topical_crawler.authoring.neighbours import CilinProposer, Proposal, VectorProposer, propose, specificity
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.text.segment import Segmenter

TERMS = {"内核": 1.0, "线程": 1.0, "中断": 1.0, "操作系统": 1.0}
VECTORS = {
    "内核": (1, 0, 0),
    "线程": (0.95, 0.05, 0),
    "操作系统": (0.9, 0, 0.1),
    "中断": (0.3, 0, 0.95),  # its everyday sense
    "内存": (0.98, 0.02, 0),
    "缓存": (0.97, 0.1, 0),
    "刹车": (0.25, 0, 0.97),
    "停顿": (0.3, 0.1, 0.95),
    "工作": (0.97, 0.05, 0.05),
    "的内核": (1, 0, 0),
    "肺炎": (0, 1, 0),
    "调度": (0.9, 0.1, 0.1),
    "进程": (0.97, 0, 0.05),
}
HOWNET = """内核 N part|部件,heart|心
精华 N part|部件,heart|心
核心 N part|部件,heart|心
操作系统 N software|软件
软件 N software|软件
"""
SEGMENTER = Segmenter()
CILIN = """Ig02B01= 中断 中止 停顿 打断
Dk03B18# 操作系统 考古
Bo01A27@ 线程
"""


def write(folder: Path, **files: str) -> Resources:
    overrides = {}
    for name, text in files.items():
        path = folder / f"{name}.txt"
        path.write_text(text, encoding="utf-8")
        overrides[name] = path
    return Resources(None, overrides)


def vector_file(vectors: dict[str, tuple[float, ...]]) -> str:
    rows = "".join(f"{word} {' '.join(map(str, values))}\n" for word, values in vectors.items())
    return f"{len(vectors)} {len(next(iter(vectors.values())))}\n{rows}"


@pytest.fixture
def resources(tmp_path: Path) -> Resources:
    return write(tmp_path, vectors=vector_file(VECTORS), hownet=HOWNET, cilin=CILIN)


def by_word(proposals: list[Proposal]) -> dict[str, Proposal]:
    return {proposal.word: proposal for proposal in proposals}


def test_what_is_near_many_terms_comes_before_what_is_near_one(resources: Resources) -> None:
    found = propose(TERMS, resources)
    words = [proposal.word for proposal in found]
    assert set(words[:4]) == {"内存", "缓存", "进程", "调度"}
    scores = {word: proposal.score for word, proposal in by_word(found).items()}
    assert scores["停顿"] < scores["调度"] and scores["精华"] < scores["调度"]
    assert scores["工作"] < 0.3  # near all of them, but a general word
    assert not set(TERMS) & set(words) and "的内核" not in words
    assert all(0 <= proposal.score <= 1 for proposal in found)
    assert [p.score for p in found] == sorted((p.score for p in found), reverse=True)


def test_sources_name_resource_term_and_similarity(resources: Resources) -> None:
    found = by_word(propose(TERMS, resources, n=2))
    assert found["精华"].sources == (("hownet", "内核", 1.0),)
    assert found["软件"].sources[0] == ("hownet", "操作系统", 1.0)
    assert [source[:2] for source in found["停顿"].sources] == [("vectors", "中断"), ("cilin", "中断")]
    cosine = np.dot((0.3, 0.1, 0.95), (0.3, 0, 0.95)) / np.linalg.norm((0.3, 0.1, 0.95)) / np.linalg.norm((0.3, 0, 0.95))
    assert found["停顿"].sources[0][2] == pytest.approx(cosine, abs=1e-5)
    assert found["停顿"].sources[1][2] == pytest.approx(0.5 * cosine + 0.5 * 0.85, abs=1e-5)
    assert found["考古"].sources == (("cilin", "操作系统", 0.5),)


def test_n_least_score_and_known_words(resources: Resources) -> None:
    one = propose(TERMS, resources, by=["vectors"], n=1)
    assert sum(len(proposal.sources) for proposal in one) == len(TERMS)
    found = propose(TERMS, resources)
    floor = found[3].score
    assert propose(TERMS, resources, min_score=floor) == found[:4]
    assert "内存" not in by_word(propose(TERMS, resources, known=["内存"]))


def test_light_terms_count_in_proportion(resources: Resources) -> None:
    heavy = by_word(propose(TERMS, resources, by=["cilin"]))["打断"].score
    light = by_word(propose({**TERMS, "中断": 0.5}, resources, by=["cilin"]))["打断"].score
    assert light == pytest.approx(heavy / 2)


def test_each_resource_alone(resources: Resources) -> None:
    assert {s for p in propose(TERMS, resources, by=["hownet"]) for s, _, _ in p.sources} == {"hownet"}
    assert set(by_word(propose(TERMS, resources, by=["cilin"]))) == {"中止", "停顿", "打断", "考古"}
    assert propose({"天气": 1.0}, resources) == []
    assert propose({}, resources) == []


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    some = write(tmp_path, cilin=CILIN)
    assert {p.word for p in propose(TERMS, some)} == {"中止", "停顿", "打断", "考古"}
    with pytest.raises(ValueError, match=r"the resource hownet is missing. Remedy: topical-crawler resources fetch hownet"):
        propose(TERMS, some, by=["cilin", "hownet"])
    with pytest.raises(ValueError, match=r"'clc' proposes no words. Remedy: choose among hownet, cilin, vectors"):
        propose(TERMS, some, by=["clc"])
    with pytest.raises(ValueError, match=r"no resource to ask. Remedy: topical-crawler resources fetch hownet cilin vectors"):
        propose(TERMS, Resources.none())


def test_specificity() -> None:
    assert specificity("进行") < specificity("工作") < specificity("系统") < specificity("软件") < specificity("内核")
    assert specificity("线程") == 1.0 == specificity("从未见过的词")  # not in the table


def test_a_compound_without_a_vector_has_that_of_its_parts() -> None:
    words = ["内核", "调度", "内存", "肺炎"]
    vectors = WordVectors(words, np.array([[1, 0, 0], [0, 1, 0], [0.8, 0.6, 0], [0, 0, 1]], dtype=np.float32))
    proposer = VectorProposer(vectors, ["内核调度", "肺炎调查", "天气"], SEGMENTER)
    assert proposer.terms == ["内核调度"]  # 调查 has no vector
    named = list(proposer.nearest(2, lambda word: word not in ("内核", "调度")))
    assert named == [("内核调度", "内存", pytest.approx(1.4 / 2**0.5, abs=1e-6))]  # 肺炎 is not near at all


def test_composed_vectors_judge_only_where_there_are_too_few_others() -> None:
    words = ["内核", "调度", "线程", "内存"]
    vectors = WordVectors(words, np.eye(4, dtype=np.float32))
    gains = dict.fromkeys(["内核", "调度", "线程", "内核调度"], 1.0)
    three = VectorProposer(vectors, list(gains), SEGMENTER)
    two = VectorProposer(vectors, ["内核", "内核调度"], SEGMENTER)
    assert three.evidence(["调度", "天气"], gains, 5).tolist() == pytest.approx([1 / 3, 0])
    assert two.evidence(["调度"], gains, 5).tolist() == pytest.approx([0.5**0.5 / 2])


words = st.sampled_from(["内核", "线程", "中断", "操作系统", "停顿", "天气"])


@settings(max_examples=12)  # every call opens a segmenter: some 0.2 s
@given(terms=st.dictionaries(words, st.floats(0, 1e6), max_size=6), n=st.integers(1, 4))
def test_any_terms(tmp_path_factory: pytest.TempPathFactory, terms: dict[str, float], n: int) -> None:
    folder = tmp_path_factory.getbasetemp() / "shared"
    folder.mkdir(exist_ok=True)
    found = propose(terms, write(folder, vectors=vector_file(VECTORS), hownet=HOWNET, cilin=CILIN), n=n)
    assert len({p.word for p in found}) == len(found) and not {p.word for p in found} & set(terms)
    for proposal in found:
        assert 0 <= proposal.score <= 1 and proposal.sources
        assert all(term in terms and 0 < similarity <= 1 for _, term, similarity in proposal.sources)


@given(st.permutations(list(TERMS)))
def test_the_order_of_terms_does_not_matter_to_the_score(order: list[str]) -> None:
    vectors = WordVectors(list(VECTORS), np.array(list(VECTORS.values()), dtype=np.float32))
    gains = dict.fromkeys(TERMS, 1.0)
    expected = VectorProposer(vectors, list(TERMS), SEGMENTER).evidence(list(VECTORS), gains, 5)
    assert VectorProposer(vectors, order, SEGMENTER).evidence(list(VECTORS), gains, 5) == pytest.approx(expected)


def test_cilin_takes_the_best_of_several_groups(tmp_path: Path) -> None:
    path = tmp_path / "cilin.txt"
    path.write_text("Aa01A01= 电脑 微机\nAa01A02# 电脑 微机 芯片\n", encoding="utf-8")
    named = list(CilinProposer(Cilin(path), ["电脑"], None).nearest(5, lambda word: True))
    assert named == [("电脑", "微机", 0.5), ("电脑", "芯片", 0.5)]
