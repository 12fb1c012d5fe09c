"""What agrees better with people than Algorithm 1 alone."""

import logging
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.extended_similarity import (
    EXTENDED,
    ExtendedParameters,
    ExtendedSimilarity,
    RareSememes,
    centre,
    lend_senses,
    retrofit,
)
from experiments.glosses import Glosses
from experiments.sampling import halves
from experiments.word_pairs import Similarities, read_pairs, spearman
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.semantic.similarity import WordSimilarity


@pytest.fixture
def similarity(tmp_path: Path) -> ExtendedSimilarity:
    (tmp_path / "g.txt").write_text("男人 N human|人,male|男\n女人 N human|人,female|女\n", encoding="utf-8")
    vectors = WordVectors(["女人", "男人", "网红", "反面"], np.array([[1, 0], [0.6, 0.8], [0.8, 0.6], [-1, 0]], dtype=np.float32))
    return ExtendedSimilarity(HowNet(tmp_path / "g.txt"), vectors, ExtendedParameters(alpha=0.5, beta=0.75, th1=0.1, th2=0.1))


def test_the_extension_is_off_unless_it_is_asked_for(similarity: WordSimilarity, tmp_path: Path) -> None:
    (tmp_path / "cilin.txt").write_text("Aa01A01= 男人 汉子\n", encoding="utf-8")
    cilin, off = Cilin(tmp_path / "cilin.txt"), similarity.parameters
    same = ExtendedSimilarity(similarity.hownet, similarity.vectors, off, cilin)
    assert same.hownet is similarity.hownet and same.vectors is similarity.vectors and same.sim("汉子", "女人") == 0.0
    joined = ExtendedSimilarity(similarity.hownet, similarity.vectors, replace(off, synonyms=True), cilin)
    assert joined.sim("汉子", "男人") == pytest.approx(1.0)
    assert joined.sim("汉子", "女人") == pytest.approx(similarity.sim("男人", "女人"))
    assert joined.sim("男女人", "女人") == 0.0
    composing = ExtendedSimilarity(None, similarity.vectors, replace(off, parts=True))
    assert composing.sim_d("男人女人", "女人") == pytest.approx((1.6 / 2) ** 0.5)


def test_synonyms_without_cilin_are_done_without_and_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        ExtendedSimilarity.read(Resources.none(), EXTENDED)
    assert "Cilin is missing" in caplog.text and "--glosses FILE" in caplog.text


def test_rare_sememes_count_more(tmp_path: Path) -> None:
    lines = ["男人 N human|人,male|男", "女人 N human|人,female|女", "公鸡 N bird|禽,male|男", "老人 N human|人,aged|老年"]
    (tmp_path / "g.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    plain = HowNet(tmp_path / "g.txt")
    rare = ExtendedSimilarity(plain, None, ExtendedParameters(rarity=True)).hownet
    assert rare is not None and plain.similarity("男人", "女人") == plain.similarity("男人", "公鸡") == 0.5
    human, male, female = math.log(4 / 3), math.log(2), math.log(4)
    assert rare.similarity("男人", "女人") == pytest.approx(2 * human / (2 * human + male + female))
    assert rare.similarity("男人", "公鸡") > rare.similarity("男人", "女人") > 0
    assert rare.similarity("男人", "男人") == pytest.approx(1.0)
    (tmp_path / "g.txt").write_text("男人 N human|人\n女人 N human|人\n", encoding="utf-8")
    assert RareSememes(HowNet(tmp_path / "g.txt")).similarity("男人", "女人") == 0.0  # a sememe of all words tells nothing


def test_centred_vectors_lose_what_all_have() -> None:
    rng = np.random.default_rng(1)
    own = rng.normal(size=(300, 100))
    common = np.outer(rng.normal(size=300) * 9 + 9, np.eye(100)[0])  # a long first number, mostly of one sign
    matrix = ((own + common) / np.linalg.norm(own + common, axis=1)[:, None]).astype(np.float32)
    centred = centre(WordVectors([f"词{i}" for i in range(300)], matrix))
    like, then = (float(np.abs(m @ m.T).mean()) for m in (matrix, centred.matrix))
    assert like > 0.3 and then < 0.1
    centred.check("centred")


def test_shared_characters_and_the_cut(similarity: WordSimilarity) -> None:
    p = replace(similarity.parameters, characters=0.2, cut=0.15)
    joined = ExtendedSimilarity(similarity.hownet, similarity.vectors, p)
    assert joined.sim("男人", "女人") == pytest.approx(0.8 * similarity.sim("男人", "女人") + 0.2 * 0.5)
    assert joined.sim("反面", "方面") == 0.0  # 0.1 is cut off
    assert ExtendedSimilarity(None, None, replace(p, cut=0.0)).sim("反面", "方面") == pytest.approx(0.1)


def test_words_that_are_translated_alike(tmp_path: Path) -> None:
    (file := tmp_path / "cedict.txt").write_text(
        "# a comment\n電腦 电脑 [dian4 nao3] /computer/CL:臺|台[tai2]/\n"
        "計算機 计算机 [ji4 suan4 ji1] /calculator/Computer (Tw)/\n"
        "軟件 软件 [ruan3 jian4] /(computer) software/\n"
        "車 车 [che1] /car; vehicle/\n汽車 汽车 [qi4 che1] /motor vehicle/\n",
        encoding="utf-8",
    )
    glosses = Glosses(file)
    assert len(glosses) == 5 and "電腦" not in glosses and "电脑" in glosses
    pairs = [("电脑", "计算机"), ("电脑", "软件"), ("软件", "车"), ("电脑", "查无此词")]
    assert [glosses.similarity(*pair) for pair in pairs] == pytest.approx([1, 0, 0, 0])  # a remark and a measure word are none
    rare, common = math.log(5) ** 2, math.log(5 / 2) ** 2
    assert glosses.similarity("车", "汽车") == pytest.approx(math.sqrt(common / (rare + common)))
    file.write_text(
        "一點兒 一点儿 [yi1 dian3 r5] /erhua variant of 一點|一点[yi1 dian3]/\n"
        "臉兒 脸儿 [lian3 r5] /erhua variant of 臉|脸[lian3]; face/\n"
        "臉 脸 [lian3] /face/CL:張|张[zhang1]/\n射陽 射阳 [She4 yang2] /Sheyang county in Yancheng 鹽城|盐城[Yan2 cheng2]/\n"
        "質量 质量 [zhi4 liang4] /quality/Taiwan pr. [zhi2 liang4]/\n亞洲 亚洲 [Ya4 zhou1] /Asia/also pr. [Ya3 zhou1]/\n",
        encoding="utf-8",
    )
    # Neither another word nor another reading is a meaning.
    meanings = [[], [{"face"}], [{"face"}], [{"sheyang", "county", "in", "yancheng"}], [{"quality"}], [{"asia"}]]
    assert list(Glosses(file).glosses.values()) == meanings
    with pytest.raises(FileNotFoundError):  # it is not damaged
        Glosses(tmp_path / "none.txt")
    p = ExtendedParameters(glosses=0.4)
    assert ExtendedSimilarity(parameters=p, glosses=glosses).sim("电脑", "计算机") == pytest.approx(0.4)
    with pytest.raises(ValueError, match=r"characters and glosses together are 1\.1"):
        ExtendedParameters(characters=0.7, glosses=0.4)


def test_the_extension_agrees_with_people(shared_data: Path, fetched_resources: dict[str, str]) -> None:
    """PKU-500, the half that nothing was chosen on; every pair counts, also those that no resource knows. The sememe tree is for
    the paper's form alone."""
    tree = {"TOPICAL_HOWNET_TREE": str(shared_data / "hownet" / "WHOLE.txt")}
    resources = Resources.from_settings(fetched_resources | tree, {})
    if {"hownet", "vectors", "cilin"} & {resource.name for resource in resources.missing()}:
        pytest.skip("language resources are not fetched: topical-crawler resources fetch")
    cedict = Path(fetched_resources["TOPICAL_RESOURCES_DIR"], "cedict.txt.gz")
    if not cedict.is_file():
        pytest.skip(f"CC-CEDICT is not there: {cedict} (experiments/notes/paper-figures.md says which file)")
    pairs = read_pairs(shared_data / "wordsim" / "pku500.tsv")
    half = [pairs[i] for i in halves(len(pairs), seed=1)[1]]
    judged = np.array([pair.judgement for pair in half])
    plain = WordSimilarity.from_resources(resources)
    extended = ExtendedSimilarity(plain.hownet, plain.vectors, EXTENDED, Cilin(str(resources.path("cilin"))), Glosses(cedict))
    rho = {}
    for name, similarity in (("paper", plain), ("extended", extended)):
        found = Similarities.of([(p.first, p.second) for p in half], similarity)
        rho[name] = spearman(found.sim(similarity.parameters), judged)
    assert rho == {"paper": pytest.approx(0.381, abs=0.005), "extended": pytest.approx(0.605, abs=0.005)}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xe4\xba\xba [ren2] /person/\n", ":1: expected '"),
        (b"# empty\n", "no word in the file"),
        (b"\x1f\x8b\x08\x00broken", "damaged gzip data"),
    ],
)
def test_a_broken_dictionary_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "cedict.txt").write_bytes(content)
    with pytest.raises(ValueError, match=r"cedict\.txt") as raised:
        Glosses(tmp_path / "cedict.txt")
    assert says in str(raised.value)


GROUPS = "Aa01A01= 甲 乙 丙\nAa01A02= 丙 丁\nAa01A03# 甲 戊\nAa01A04@ 己\nAa01A05= 庚 辛\nAa01A06= 壬 癸\n"
ROWS = np.array([[1, 0], [0, 1], [0.6, 0.8], [1, 0], [-1, 0]], dtype=np.float32)
VECTORS = WordVectors(["甲", "乙", "戊", "壬", "癸"], ROWS)


@pytest.fixture
def cilin(tmp_path: Path) -> Cilin:
    (tmp_path / "cilin.txt").write_text(GROUPS, encoding="utf-8")
    return Cilin(tmp_path / "cilin.txt")


def by_the_formula(vectors: WordVectors, cilin: Cilin, rounds: int) -> dict[str, np.ndarray]:
    """Word by word: q = (own + mean of the synonyms' vectors) / 2, or what there is of the two."""
    own = {word: vectors.matrix[row].astype(float) for word, row in vectors.rows.items()}
    current = dict(own)
    groups = [group.words for group in cilin.groups.values() if group.relation == "="]
    for _ in range(rounds):
        following = dict(current)
        for word in {w for group in groups for w in group}:
            met = [current[w] for group in groups if word in group for w in group if w != word and w in current]
            terms = [*([own[word]] if word in own else []), *([np.mean(met, axis=0)] if met else [])]
            if terms:
                following[word] = np.mean(terms, axis=0)
        current = following
    return current


@pytest.mark.parametrize("rounds", [1, 2, 10])
def test_retrofitting_is_the_published_rule(cilin: Cilin, rounds: int) -> None:
    expected = by_the_formula(VECTORS, cilin, rounds)
    found = retrofit(VECTORS, cilin, rounds)
    for word, row in found.rows.items():
        length = np.linalg.norm(expected[word])
        if length > 1e-6:
            assert np.allclose(found.matrix[row], expected[word] / length, atol=1e-6), word
    assert found.words[: len(VECTORS)] == VECTORS.words
    assert set(found.words[len(VECTORS) :]) == set("丙丁" if rounds > 1 else "丙")


def test_what_has_no_synonym_stays_and_the_given_vectors_do(cilin: Cilin, tmp_path: Path) -> None:
    before = VECTORS.matrix.copy()
    found = retrofit(VECTORS, cilin)
    assert found.similarity("甲", "乙") > 0.3 and np.array_equal(VECTORS.matrix, before)
    assert np.allclose(found.matrix[found.rows["戊"]], ROWS[2]) and "庚" not in found
    assert np.allclose(np.linalg.norm(found.matrix, axis=1), 1)
    once = retrofit(VECTORS, cilin, rounds=1)  # 壬 and 癸 are opposed: each meets the other at 0
    assert once.vector("壬") == pytest.approx([1, 0]) and once.vector("癸") == pytest.approx([-1, 0])
    (tmp_path / "none.txt").write_text("Aa01A03# 甲 戊\n", encoding="utf-8")
    assert retrofit(VECTORS, Cilin(tmp_path / "none.txt")) is VECTORS


def test_senses_are_lent_to_words_that_have_none(cilin: Cilin, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("甲 N human|人\n乙 N thing|物\n丁 V do|做\n", encoding="utf-8")
    hownet = HowNet(tmp_path / "g.txt")
    richer = lend_senses(hownet, cilin)
    assert richer.senses["丙"] == sorted({*hownet.senses["甲"], *hownet.senses["乙"], *hownet.senses["丁"]})
    assert richer.senses["甲"] == hownet.senses["甲"] and "丙" not in hownet and "戊" not in richer and "庚" not in richer
    assert richer.similarity("丙", "甲") == 1.0 == richer.similarity("丙", "丁") and richer.similarity("甲", "丁") == 0.0
