"""Words are counted and chosen within a bound of memory; the bound cuts the rarest."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.training.vocabulary import choose_words, count_words, plan_memory
from topical_crawler.training.work_folder import TrainingError


def quiet(stage: str, done: float, note: str) -> None:
    """No display."""


def shard(folder: Path, *sentences: str) -> Path:
    file = folder / "00000.txt"
    file.write_text("".join(f"{s}\n" for s in sentences), encoding="utf-8")
    return file


def test_words_are_counted(tmp_path: Path) -> None:
    file = shard(tmp_path, "党员 学习 党员", "学习")
    assert count_words([file, file], 100, quiet) == (Counter({"党员": 4, "学习": 4}), [4, 4], 0)


@given(words=st.lists(st.sampled_from("甲乙丙丁戊己庚辛壬癸"), min_size=1, max_size=200), most=st.integers(2, 6))
def test_the_bound_forgets_rare_words_only(words: list[str], most: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = shard(tmp_path_factory.mktemp("counts"), *words)
    exact = Counter(words)
    counts, tokens, below = count_words([file], most, quiet)
    assert tokens == [len(words)]
    assert len(counts) <= most
    assert all(counts[word] <= exact[word] for word in counts)
    if not below:
        assert counts == exact


def test_a_frequent_word_survives_a_flood_of_rare_ones(tmp_path: Path) -> None:
    sentences = [f"党建 {chr(0x4E00 + i)}{chr(0x5E00 + i)}" for i in range(2000)]
    counts, _, below = count_words([shard(tmp_path, *sentences)], 50, quiet)
    assert counts["党建"] == 2000 and len(counts) <= 50 and below >= 2


def test_known_words_need_no_number_and_ties_are_in_order() -> None:
    counts = Counter({"支部": 3, "党课": 3, "天气": 1, "罕见": 1})
    found = choose_words(counts, 0, 2, 10, {"天气"})
    assert list(found.counts) == ["党课", "支部", "天气"]
    assert (found.rare, found.cut) == (1, 0)
    with pytest.raises(TrainingError, match=r"none of 4 different words occurs 9 times\. Lower --min-count"):
        choose_words(counts, 0, 9, 10)


def test_memory_bounds_the_words() -> None:
    small, large = (plan_memory(mb, 100, fasttext=False, processes=1) for mb in (300, 3000))
    assert small.words < large.words and small.counted < large.counted
    assert large.words * (2 * 4 * 100) < 3_000_000_000
    wide = plan_memory(3000, 300, fasttext=False, processes=1)
    assert wide.words < large.words
    fasttext = plan_memory(3000, 100, fasttext=True, processes=1)
    assert fasttext.buckets * 400 + fasttext.words * 3 * 400 < 3_000_000_000 and fasttext.buckets > 100_000
    with pytest.raises(TrainingError, match=r"--memory 300: 8 segmenting processes .* Set --memory \d+ or more, or fewer"):
        plan_memory(300, 100, fasttext=False, processes=8)
