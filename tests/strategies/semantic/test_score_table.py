"""The score table: the same sums as word by word, and a cache that is right or not used."""

import logging
import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.semantic.score_table import ScoreTable
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity

TREE = "0 root|根 0\n1 a|甲 0\n2 b|乙 1\n3 c|丙 1\n4 other|外 4\n"
SEMEMES = ["root|根", "a|甲", "b|乙", "c|丙", "other|外"]
HOWNET = [f"词{i}" for i in range(12)]
FILES = {"hownet": "glossary.txt", "hownet_tree": "tree.txt", "vectors": "v.txt", "cilin": "cilin.txt"}
SYNONYMS = "Aa01A01= 词1 向1 新词\nAa01A02= 向2 词8 词9\nAa01A03= 别词 词2\n"
LOW = SimilarityParameters(th1=0.1, th2=0.1)
TERMS = {"词1": 1.0, "词3": 0.5, "词9": 2.0, "新词": 0.25, "向7": 1.5, "轻": 0.0}


def write_files(folder: Path) -> Resources:
    """A glossary, a tree and vectors of invented words; 词6…词11 have a vector as well, 向0…向9 only that."""
    draw = random.Random(7)
    lines = (f"{word} N {','.join(draw.sample(SEMEMES, draw.randint(1, 3)))},#{draw.choice(SEMEMES)}" for word in HOWNET * 2)
    (folder / "glossary.txt").write_text("\n".join(lines), encoding="utf-8")
    (folder / "tree.txt").write_text(TREE, encoding="utf-8")
    words = [*HOWNET[6:], *(f"向{i}" for i in range(10))]
    numbers = np.random.default_rng(7).normal(size=(len(words), 4))
    rows = "\n".join(f"{word} {' '.join(map(str, row))}" for word, row in zip(words, numbers, strict=True))
    (folder / "v.txt").write_text(f"{len(words)} 4\n{rows}\n", encoding="utf-8")
    (folder / "cilin.txt").write_text(SYNONYMS, encoding="utf-8")
    return Resources(None, {name: folder / file for name, file in FILES.items()})


@pytest.fixture
def files(tmp_path: Path) -> Resources:
    return write_files(tmp_path)


def check_against_words(table: ScoreTable, similarity: WordSimilarity, terms: dict[str, float], words: list[str]) -> None:
    for word in words:
        parts = {term: weight * similarity.sim(word, term) ** 2 for term, weight in terms.items()}
        score, nearest = table.get(word) or (0.0, None)
        assert score == pytest.approx(sum(parts.values()), abs=1e-6)
        assert nearest is None if score == 0 else parts[nearest] == pytest.approx(max(parts.values()), abs=1e-9)


unit = st.floats(0, 1)


@given(st.tuples(unit, unit, unit, unit), st.sets(st.sampled_from(list(FILES))), st.data())
def test_the_table_holds_the_sums_of_eq_3(
    tmp_path_factory: pytest.TempPathFactory, parameters: tuple[float, ...], used: set[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("table")
    write_files(folder)
    similarity = WordSimilarity(
        HowNet(folder / "glossary.txt", folder / "tree.txt" if "hownet_tree" in used else None) if "hownet" in used else None,
        WordVectors.open(folder / "v.txt") if "vectors" in used else None,
        SimilarityParameters(*parameters),
    )
    words = [*HOWNET, *(f"向{i}" for i in range(10)), "新词", "别词", "轻", "词6向1", "查无此词"]
    chosen = data.draw(st.lists(st.sampled_from(words[:-1]), min_size=1, max_size=20, unique=True))
    for terms in ({word: data.draw(st.floats(0, 3)) for word in chosen}, dict.fromkeys(words[:-2], 0.7)):
        table = ScoreTable.build(terms, similarity)
        check_against_words(table, similarity, terms, [w for w in words if w != "词6向1" or w in terms])


def test_it_is_a_mapping_of_the_words_that_have_a_part() -> None:
    table = ScoreTable.build({"党建": 2.0, "支部": 0.5, "轻": 0.0}, WordSimilarity())
    assert dict(table) == {"党建": (2.0, "党建"), "支部": (0.5, "支部")} and len(table) == 2 and table["党建"][0] == 2.0
    with pytest.raises(KeyError):
        table["轻"]


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        *(({"党建": weight}, "'党建' is") for weight in (-1.0, float("nan"), float("inf"))),
        ({"ＡＢ": 1.0, "ab": 1.0}, "occurs twice"),
    ],
)
def test_weights_and_terms_must_make_sense(terms: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ScoreTable.build(terms, WordSimilarity())


def test_a_warm_cache_reads_no_resource(files: Resources, tmp_path: Path) -> None:
    cache, seen = tmp_path / "cache", []
    made = ScoreTable.load_or_build(TERMS, files, LOW, cache, lambda part, what: seen.append((part, what)))
    assert seen[0][0] == 0.0 and seen[-1][0] == 1.0 and len(made) > 12
    for path in files.overrides.values():  # unreadable now, with the size and the time it had
        status = path.stat()
        path.write_bytes(b"\xff" * status.st_size)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    again = ScoreTable.load_or_build(dict(reversed(TERMS.items())), files, LOW, cache)
    assert dict(again) == dict(made)
    with pytest.raises(ValueError, match="not UTF-8"):
        ScoreTable.load_or_build(TERMS, files, SimilarityParameters(alpha=0.4), cache_dir=cache)


def test_what_changes_the_result_makes_another_table(files: Resources, tmp_path: Path) -> None:
    cache, tables = tmp_path / "cache", []

    def load(terms: dict[str, float] = TERMS, resources: Resources = files, **parameters: float) -> None:
        ScoreTable.load_or_build(terms, resources, SimilarityParameters(**parameters), cache_dir=cache)
        tables.append(len(list(cache.glob("scores-*.npz"))))

    load()
    load({**TERMS, "词1": 1.1})
    load(th1=0.2)
    os.utime(files.overrides["hownet_tree"], ns=(1, 1))
    load()
    load(resources=Resources.none())
    os.utime(files.overrides["cilin"], ns=(2, 2))
    load(resources=Resources.none())
    assert tables == [1, 2, 3, 4, 5, 5]  # Cilin is not used


@pytest.mark.parametrize("keep", [0, 100, -1])
def test_a_damaged_cache_is_made_again(files: Resources, tmp_path: Path, caplog: pytest.LogCaptureFixture, keep: int) -> None:
    cache = tmp_path / "cache"
    made = ScoreTable.load_or_build(TERMS, files, cache_dir=cache)
    (path,) = cache.glob("scores-*.npz")
    whole = path.read_bytes()
    path.write_bytes(whole[:keep] if keep >= 0 else whole[:200] + b"\x00" * 50 + whole[250:])
    with caplog.at_level(logging.WARNING):
        again = ScoreTable.load_or_build(TERMS, files, cache_dir=cache)
    assert dict(again) == dict(made) and "is damaged" in caplog.text and str(path) in caplog.text
    assert path.read_bytes() == whole and not list(cache.glob(".scores-*"))


def test_no_cache_and_an_empty_table(files: Resources, tmp_path: Path) -> None:
    before = set(tmp_path.iterdir())
    assert len(ScoreTable.load_or_build(TERMS, files, LOW)) > 12
    assert set(tmp_path.iterdir()) == before
    for _ in range(2):
        assert len(ScoreTable.load_or_build({}, Resources.none(), cache_dir=tmp_path)) == 0


@pytest.mark.slow
def test_real_hownet_in_bulk(shared_data: Path) -> None:
    """The full glossary, sampled: bulk and scalar SimH agree."""
    hownet = HowNet(shared_data / "hownet/glossary.txt", shared_data / "hownet/WHOLE.txt")
    similarity, draw = WordSimilarity(hownet), random.Random(1)
    words = sorted(hownet.senses)
    terms = {term: draw.random() for term in draw.sample(words, 12)}
    check_against_words(ScoreTable.build(terms, similarity), similarity, terms, draw.sample(words, 150))
