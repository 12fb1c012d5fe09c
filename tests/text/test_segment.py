"""Words of a text: both segmentation backends, terms kept whole, what counts as content."""

import marshal
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.text.segment import Backend, Segmenter, default_stopwords, normalise
from topical_crawler.topic.topic import list_topics, load_topic

TERMS = ["三会一课", "党支部书记工作室", "书记工作", "Linux内核", "ＧＰＵ", "k-means", "c++"]


@pytest.fixture(scope="module", params=["jieba", "rjieba"])
def backend(request: pytest.FixtureRequest) -> Backend:
    found: Backend = request.param
    return found


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where jieba keeps its compiled dictionary, so that it is compiled once for all these tests."""
    return tmp_path_factory.mktemp("tests") / "cache"


@pytest.fixture(scope="module")
def segmenter(backend: Backend, cache: Path) -> Segmenter:
    return Segmenter(TERMS, backend=backend, cache_dir=cache)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("坚持三会一课制度", ["坚持", "三会一课", "制度"]),
        ("建设党支部书记工作室", ["建设", "党支部书记工作室"]),
        ("LINUX内核调度", ["linux内核", "调度"]),
        ("ＧＰＵ与gpu编程", ["gpu", "编程"]),
        ("用K-Means聚类", ["k-means", "聚类"]),
        ("学习C++语言", ["学习", "c++", "语言"]),
    ],
)
def test_terms_stay_whole(segmenter: Segmenter, text: str, words: list[str]) -> None:
    assert segmenter.words(text) == words


@pytest.mark.slow
def test_every_term_of_a_topic_is_found_in_a_sentence(backend: Backend, cache: Path) -> None:
    for name in list_topics()[:: 7 if backend == "jieba" else 1]:  # jieba takes a second a topic, and cuts as rjieba does
        terms = load_topic(name).terms
        segmenter = Segmenter(terms, backend=backend, cache_dir=cache)
        # (not 关于…: jieba's dictionary holds 关于软件)
        assert [term for term in sorted(terms) if term not in segmenter.words(f"说到{term}的时候")] == [], name


@pytest.mark.slow
def test_segmenters_do_not_see_each_others_terms(backend: Backend, segmenter: Segmenter, cache: Path) -> None:
    other = Segmenter(["课制度"], backend=backend, cache_dir=cache)
    assert "三会一课" not in other.words("坚持三会一课制度")
    assert "课制度" in other.words("坚持三会一课制度")
    assert segmenter.words("坚持三会一课制度") == ["坚持", "三会一课", "制度"]
    if backend == "jieba":  # the dictionary that jieba keeps on disk is that without anybody's terms
        (kept,) = cache.iterdir()
        assert kept.stat().st_size > 1_000_000


def test_a_damaged_dictionary_on_disk_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "jieba.cache"
    file.write_bytes(marshal.dumps(({"党": 1},)))
    for _ in range(2):  # the second reads what the first has written
        assert Segmenter(TERMS, backend="jieba", cache_dir=tmp_path).words("坚持三会一课制度") == ["坚持", "三会一课", "制度"]
        assert file.stat().st_size > 1_000_000


def test_only_content_words_each_once_in_their_order(segmenter: Segmenter) -> None:
    text = "因为我们的党员在2024年12月31日，非常认真地学习；党员都学习了12.5%的内容 ！！"
    assert segmenter.words(text) == ["党员", "学习", "内容"]
    assert segmenter.words("") == segmenter.words(" \n，。…—— 123 的") == []


def test_cut_keeps_everything(segmenter: Segmenter) -> None:
    text = "各支部认真落实三会一课制度，Linux内核6.1。"
    assert "".join(segmenter.cut(text)) == normalise(text)


def test_own_stopwords_replace_those_of_the_product() -> None:
    assert "首页" in default_stopwords()
    assert Segmenter().words("支部首页") == ["支部"]
    assert Segmenter(stopwords=["支部", "ＷＴＯ"]).words("支部组织 wto") == ["组织"]
    assert Segmenter(["支部"], stopwords=["支部"]).words("支部") == ["支部"]  # a term always stays


def test_content() -> None:
    words = ["支部", "因为", "的", "2019", "，", "党", "linux", "没有的词"]
    assert [word for word in words if Segmenter().is_content(word)] == ["支部", "linux", "没有的词"]
    assert Segmenter(["党"]).is_content("党"), "one character counts where it is a term"


def test_stop_words_are_single_normalised_words() -> None:
    words = default_stopwords()
    assert len(words) > 300
    assert all(word == normalise(word).strip() and word for word in words)


def test_backends() -> None:
    assert Segmenter(backend="auto").backend == "rjieba"
    with pytest.raises(ValueError, match=r"unknown segmenter 'thulac'\. Use auto, jieba or rjieba"):
        Segmenter(backend="thulac")  # type: ignore[arg-type]


def test_without_rjieba(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with pytest.raises(ImportError, match="pip install rjieba, or choose jieba"):
        Segmenter(backend="rjieba")
    assert Segmenter(TERMS, cache_dir=cache).backend == "jieba"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ｌｉｎｕｘ　内核", "linux 内核"),
        ("ＡＢＣ１２３", "abc123"),
        ("㈱", "(株)"),
        ("Straße", "strasse"),
        ("党建", "党建"),
        ("①", "1"),
    ],
)
def test_normalise(text: str, expected: str) -> None:
    assert normalise(text) == expected


_TEXT = st.text(
    st.one_of(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), st.sampled_from("党员支部的，。 \nAzＺ09%-Ｋ三会一课"))
)


@given(_TEXT)
def test_normalise_twice_is_normalise_once(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(text=st.one_of(st.text(), _TEXT))
def test_words_of_any_text(segmenter: Segmenter, text: str) -> None:
    words = segmenter.words(text)
    assert len(set(words)) == len(words)
    assert all(segmenter.is_content(word) and word in normalise(text) for word in words)
