"""Topic folders: what is read from them, and what a person is told about a mistake in one."""

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler import strategies
from topical_crawler.text.segment import normalise
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, list_topics, load_topic, read_seeds, topic_line

WriteTopic = Callable[..., Path]  # see conftest.py

TABLE_3 = ["中国", "我国", "国家", "乡镇", "项目", "知识", "公司", "学生"]


def test_everything_a_topic_folder_holds(write_topic: WriteTopic) -> None:
    folder = write_topic(
        {
            "topic.toml": """
                title = "党建"
                description = "说明"
                default_strategy = "breadth_first"
                seeds = ["http://so.example.cn/?q={keyword}"]
                allowed_hosts = ["Example.CN"]
                [strategy.semantic]
                page_threshold = 0.3
            """,
            "terms.tsv": "# 注释\n\nＬｉｎｕｘ\t2.5\t第三列\n 党建 \t 1 \n",
            "seeds.txt": "# 种子\nhttp://a.example.cn/ 甲站\n\nhttps://b.example.cn/\t乙站\n",
        }
    )
    topic = load_topic(folder)
    assert topic == Topic(
        name="mytopic",
        title="党建",
        description="说明",
        terms={"linux": 2.5 / 1.75, "党建": 1 / 1.75},
        seeds=("http://so.example.cn/?q={keyword}", "http://a.example.cn/", "https://b.example.cn/"),
        allowed_hosts=("example.cn",),
        parameters={"semantic": {"page_threshold": 0.3}},
        default_strategy="breadth_first",
        source=str(folder),
    )


def test_two_files_are_enough(write_topic: WriteTopic) -> None:
    topic = load_topic(write_topic({"topic.toml": "", "terms.tsv": "党建\n支部\n"}))
    assert (topic.title, topic.terms) == ("mytopic", {"党建": 1.0, "支部": 1.0})
    assert (topic.default_strategy, topic.seeds, topic.weight("足球")) == ("adaptive", (), 1.0)


def test_adjustments_before_terms_before_weights_before_the_mean(write_topic: WriteTopic) -> None:
    topic = load_topic(
        write_topic(
            {
                "terms.tsv": "党建\t2\n支部\t3\n新词\n国家\t4\n",
                "weights.tsv": "!mean\t0.5\n党建\t9\n会议\t0.7\n中国\t0.8\n",
                "adjust.tsv": "支部\t0.25\t太常见\n中国\t0.1\n国家\t0\n公司\t0.3\n",
            }
        )
    )
    # In units of the mean.
    expected = {"党建": 4, "支部": 0.5, "新词": 1, "会议": 1.4, "中国": 0.2, "国家": 0, "公司": 0.6, "没有": 1}
    assert {word: topic.weight(word) for word in expected} == pytest.approx(expected)
    assert set(topic.terms) == {"党建", "支部", "新词"}  # 国家 was weighed down to nothing
    assert topic.keywords(2) == ["党建", "新词"]


def test_the_mean_is_that_of_the_corpus_before_adjustments(write_topic: WriteTopic) -> None:
    files = {"terms.tsv": "党建\t10\n新词\n", "weights.tsv": "会议\t1\n中国\t3\n", "adjust.tsv": "中国\t0\n"}
    topic = load_topic(write_topic(files))
    assert topic.terms == {"党建": 5.0, "新词": 1.0}
    assert topic.weights == {"会议": 0.5, "中国": 0.0}


def test_the_scale_of_the_weights_does_not_matter(write_topic: WriteTopic) -> None:
    small = load_topic(write_topic({"terms.tsv": "党建\t0.5\n支部\t0.25\n", "adjust.tsv": "学习\t0.125\n"}))
    large = load_topic(write_topic({"terms.tsv": "党建\t512\n支部\t256\n", "adjust.tsv": "学习\t128\n"}))
    assert small == large


def test_no_term_weighs_less_than_the_floor_unless_by_hand(write_topic: WriteTopic) -> None:
    files = {
        "topic.toml": "weight_floor = 0.5",
        "terms.tsv": "党建\t8\n支部\t0.01\n学习\t1\n",
        "weights.tsv": "!mean\t4\n会议\t1\n",
        "adjust.tsv": "学习\t1.6\n",
    }
    topic = load_topic(write_topic(files))
    assert topic.terms == {"党建": 2.0, "支部": 0.5, "学习": 0.4}
    assert topic.weight("会议") == 0.25  # the floor is for terms


def test_a_term_of_weight_0_is_no_term(write_topic: WriteTopic) -> None:
    topic = load_topic(write_topic({"terms.tsv": "党建\t2\n支部\t0\n"}))
    assert (topic.terms, topic.weight("支部")) == ({"党建": 2.0}, 0.0)


@pytest.mark.parametrize("encode", [lambda s: b"\xef\xbb\xbf" + s.encode(), lambda s: s.replace("\n", "\r\n").encode()])
def test_files_as_windows_writes_them(write_topic: WriteTopic, encode: Callable[[str], bytes]) -> None:
    files = {"topic.toml": 'title = "党建"\n', "terms.tsv": "党建\t3\n支部\t2\n", "seeds.txt": "http://a.cn/\nhttp://b.cn/\n"}
    topic = load_topic(write_topic({name: encode(text) for name, text in files.items()}))
    assert (topic.title, topic.terms, topic.seeds) == ("党建", {"党建": 1.2, "支部": 0.8}, ("http://a.cn/", "http://b.cn/"))


def test_by_path_and_by_name(write_topic: WriteTopic, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_topic()
    assert load_topic(folder) == load_topic(str(folder))
    monkeypatch.chdir(folder.parent)
    assert load_topic("./mytopic").terms == load_topic("mytopic").terms == load_topic(Path("mytopic")).terms
    (folder.parent / "partybuilding").mkdir()
    (folder.parent / "partybuilding/topic.toml").write_text("")
    assert load_topic("partybuilding").title == "党建"  # a name means the product's own


@pytest.mark.parametrize("name", list_topics())
def test_the_topics_of_the_product(name: str) -> None:
    topic = load_topic(name)
    assert topic.name == name
    assert topic.title != name
    assert len(topic.terms) >= 20 and topic.seeds
    assert all(weight > 0 and term == normalise(term) for term, weight in topic.terms.items())
    assert topic.default_strategy in strategies.STRATEGIES
    assert strategies.create(topic, resources=None, segmenter="rjieba").name == topic.default_strategy
    json.dumps(dict(topic.parameters))


@pytest.mark.parametrize("name", [t for t in list_topics() if t not in ("partybuilding", "data-mining-books")])
def test_the_keyword_topics_of_the_product(name: str) -> None:
    topic = load_topic(name)
    assert set(topic.terms.values()) == {1.0}
    assert topic.description
    assert 8 <= len(topic.documents) <= 12
    assert all(150 <= len(document) <= 350 for document in topic.documents)
    described = normalise("\n".join(topic.documents))
    assert sum(term in described for term in topic.terms) >= len(topic.terms) / 2  # documents and terms speak of the same


def test_partybuilding() -> None:
    topic = load_topic("partybuilding")
    assert len(topic.terms) >= 429  # as many as the paper's
    assert len(topic.weights) > 5_000
    assert topic.seeds
    for word in TABLE_3:
        assert topic.weight(word) == 0
        assert word not in topic.terms
    assert topic.weight("党建") > topic.weight("乡镇")
    assert {"党建", "主题教育", "三会一课", "三严三实", "三个代表", "巡视"} <= set(topic.terms)


def check_message(error: pytest.ExceptionInfo[TopicError], folder: Path, place: str, *parts: str) -> None:
    """It names the file, the line, and what to do."""
    message = str(error.value)
    assert re.match(rf"{re.escape(f'{folder}/{place}')}\b", message), message
    for part in parts:
        assert part in message, message


@pytest.mark.parametrize("file", ["terms.tsv", "adjust.tsv"])
@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("支部\tviel", ("'支部'", "'viel'", "Write a number of 0 or more")),
        ("支部\t-0.5", ("'-0.5'", "Write a number of 0 or more")),
        ("支部\tnan", ("'nan'", "Write a number")),
        ("支部\t1,5", ("'1,5'", "Write a number")),
        ("党建\t3", ("'党建' is already in line 2", "Keep one")),
        ("ｓｇ\t1", ("'sg' is already in line 3", "Keep one")),
        ("\t3", ("1 to 50 characters", "before the first tab")),
        ("党" * 51 + "\t3", ("1 to 50 characters",)),
    ],
)
def test_mistakes_in_weights(write_topic: WriteTopic, file: str, line: str, parts: tuple[str, ...]) -> None:
    folder = write_topic({file: f"# 词\t权重\n党建\t1\nSG\t2\n\n{line}\n"})
    with pytest.raises(TopicError) as error:
        load_topic(folder)
    check_message(error, folder, f"{file}, line 5", *parts)


NO_WEIGHT, NO_WORD = ("has no weight", "Write word <TAB> weight"), ("Set the weight of a term",)
NO_TERM, NO_TEXT = ("no term found", "Write the topic's terms into it"), ("not UTF-8", "Save the file as UTF-8")
GBK = "# 中文\n# 第二行\n党建\t1\n".encode() + "支部\t1\n".encode("gbk")


@pytest.mark.parametrize(
    ("files", "place", "parts"),
    [
        *(({file: f"党建\t1\n{line}\n"}, f"{file}, line 2", NO_WEIGHT)
          for file in ("weights.tsv", "adjust.tsv") for line in ("支部", "支部\t", "支部 0.5")),
        *(({file: GBK}, f"{file}, line 4", NO_TEXT)
          for file in ("terms.tsv", "weights.tsv", "adjust.tsv", "seeds.txt", "topic.toml")),
        ({"terms.tsv": "党建\t0\n支部\t0\n"}, "terms.tsv", NO_WORD),
        ({"terms.tsv": "党建\t1\n", "adjust.tsv": "党建\t0\n"}, "terms.tsv", NO_WORD),
        *(({"terms.tsv": text}, "terms.tsv", NO_TERM) for text in ("", "\n\n", "# 党建\t1\n")),
    ],
    ids=str,
)  # fmt: skip
def test_files_that_are_no_topic(
    write_topic: WriteTopic, files: dict[str, str | bytes], place: str, parts: tuple[str, ...]
) -> None:
    folder = write_topic(files)
    with pytest.raises(TopicError) as error:
        load_topic(folder)
    check_message(error, folder, place, *parts)


def test_no_file_of_terms(write_topic: WriteTopic) -> None:
    folder = write_topic()
    (folder / "terms.tsv").unlink()
    with pytest.raises(TopicError) as error:
        load_topic(folder)
    check_message(error, folder, "terms.tsv", "missing", "Write the topic's terms into it")


@pytest.mark.parametrize("name", ["partybilding", "./nowhere", "/nowhere/at/all", Path("nowhere"), ""])
def test_no_such_topic_lists_those_there_are(name: str | Path) -> None:
    with pytest.raises(TopicError) as error:
        load_topic(name)
    message = str(error.value)
    assert message.startswith(f"no topic {str(name)!r}")
    assert "topic.toml does not exist" in message
    assert ", ".join(list_topics()) in message
    assert "pass the path of a folder" in message


@pytest.mark.parametrize("line", ["www.a.cn", "ftp://a.cn/", "甲站\thttp://a.cn/", "http:///", "https://"])
def test_mistakes_in_seeds(write_topic: WriteTopic, tmp_path: Path, line: str) -> None:
    folder = write_topic({"seeds.txt": f"# 种子\nhttp://a.cn/\n\n{line}\n"})
    with pytest.raises(TopicError) as error:
        load_topic(folder)
    check_message(error, folder, "seeds.txt, line 4", "is not a URL", "Start it with http:// or https://")
    with pytest.raises(TopicError) as error:
        read_seeds(folder / "seeds.txt")
    check_message(error, folder, "seeds.txt, line 4", "is not a URL")


def test_read_seeds(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    with pytest.raises(TopicError, match=re.escape(f"{file}: no such seed file. Pass a file")):
        read_seeds(file)
    file.write_text("# 注释\n  http://a.cn/  甲\nhttps://b.cn/x?y#z\n", encoding="utf-8")
    assert read_seeds(file) == ["http://a.cn/", "https://b.cn/x?y#z"]


@pytest.mark.parametrize(
    ("toml", "line", "parts"),
    [
        ('titel = "党建"', 3, ("unknown key 'titel'", "title", "weight_floor")),
        ("[semantic]\npage_threshold = 1", 3, ("unknown key 'semantic'", "strategy")),
        ("title = 3", 3, ("title cannot be 3", "See docs/topics.md")),
        ('seeds = "http://a.cn/"', 3, ("seeds cannot be 'http://a.cn/'", "See docs/topics.md")),
        ('seeds = ["www.a.cn"]', 3, ("'www.a.cn'", "Start it with")),
        ("allowed_hosts = [1]", 3, ("allowed_hosts", "See docs/topics.md")),
        ("weight_floor = true", 3, ("weight_floor cannot be True", "See docs/topics.md")),
        ("weight_floor = inf", 3, ("weight_floor", "See docs/topics.md")),
        ("weight_floor = -1", 3, ("weight_floor", "See docs/topics.md")),
        ("strategy = 1", 3, ("strategy cannot be 1", "See docs/topics.md")),
        ("[strategy]\nsemantic = 1", 4, ("Write [strategy.semantic] and its parameters below",)),
        ("= 1", 3, ("Invalid statement", "See https://toml.io")),
    ],
)
def test_mistakes_in_topic_toml(write_topic: WriteTopic, toml: str, line: int, parts: tuple[str, ...]) -> None:
    folder = write_topic({"topic.toml": f"# 主题\n\n{toml}\n"})
    with pytest.raises(TopicError) as error:
        load_topic(folder)
    assert re.search(rf"line {line}\b", str(error.value))
    check_message(error, folder, "topic.toml", *parts)


@pytest.mark.parametrize(
    ("toml", "line", "parts"),
    [
        ("[strategy.semantic]\n\npage_treshold = 1", 5, ("has no parameter 'page_treshold'", "page_threshold, link_threshold")),
        ("[strategy.semantic]\npage_threshold = -1", 4, ("page_threshold must be a number of 0 or more, not -1",)),
        ("[strategy.semantic]\ntext_threshold = true", 4, ("text_threshold must be a number",)),
        ("[strategy.semantic]\nhistory_sample = 0", 4, ("history_sample must be a whole number of 1 or more, not 0",)),
        ("[strategy.semantic]\npage_threshold = 1\ncomparisons = 5", 5, ("comparisons must be a 3 × 3 matrix",)),
        ("[strategy.semantic]\ncomparisons = [1, 2, 3]", 4, ("must be square",)),
        ("[strategy.semantic]\ncomparisons = [[1, 2, inf], [0.5, 1, 1], [1, 1, 1]]", 4, ("a number or a fraction",)),
        (
            '[strategy.semantic]\ncomparisons = [\n[1, 9, "1/9"],\n["1/9", 1, 9],\n[9, "1/9", 1],\n]',
            4,
            ("contradict each other", "x·y times c"),
        ),
        ("[strategy.semantic]\nsimilarity = 3", 4, ("[strategy.semantic.similarity]",)),
        ("[strategy.semantic.similarity]\nth3 = 1", 4, ("[strategy.semantic.similarity] has no parameter 'th3'", "th1, th2")),
        ("[strategy.semantic.similarity]\nth1 = 2", 4, ("th1 must be a number from 0 to 1, not 2",)),
        ("[strategy.semantic.structure]\nlimit = 1", 4, ("[strategy.semantic.structure] has no parameter 'limit'", "threshold")),
        ('[strategy.semantic.structure]\nthreshold = "hoch"', 4, ("threshold", "'hoch'")),
        ("[strategy.semantics]\npage_threshold = 1", 3, ("'semantics'", ", ".join(strategies.names()))),
        ('default_strategy = "semantics"', 3, ("'semantics'", ", ".join(strategies.names()))),
    ],
)
def test_mistakes_in_parameters(write_topic: WriteTopic, toml: str, line: int, parts: tuple[str, ...]) -> None:
    folder = write_topic({"topic.toml": f"# 主题\n\n{toml}\n"})
    with pytest.raises(TopicError) as error:
        strategies.create(load_topic(folder), "semantic", resources=None, segmenter="rjieba")
    check_message(error, folder, f"topic.toml, line {line}", *parts)


def test_no_such_strategy() -> None:
    with pytest.raises(ValueError, match=re.escape(f"no strategy 'bfs'. Choose one of {', '.join(strategies.names())}")):
        strategies.create("partybuilding", "bfs", resources=None)


def test_where_a_parameter_stands(write_topic: WriteTopic) -> None:
    folder = write_topic({"topic.toml": '# title\n\ntitle = "x"\n[strategy.semantic]\n"page_threshold" = 1\n'})
    topic = load_topic(folder)
    assert topic_line(topic, "page_threshold") == f"{folder}/topic.toml, line 5"
    assert topic_line(topic, "semantic") == f"{folder}/topic.toml, line 4"
    assert topic_line(topic, "nothing") == f"{folder}/topic.toml, line 1"
    assert topic_line(Topic("x", "x", {}, source="/an.egg/x"), "title") == "/an.egg/x/topic.toml"


@given(
    st.sampled_from(["topic.toml", "terms.tsv", "weights.tsv", "adjust.tsv", "seeds.txt"]),
    st.one_of(st.binary(), st.text().map(str.encode)),
)
def test_any_file_gives_a_topic_or_a_topic_error(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "topic.toml").write_text("")
        Path(folder, "terms.tsv").write_text("党建\t1\n", encoding="utf-8")
        Path(folder, name).write_bytes(content)
        try:
            load_topic(Path(folder))
        except TopicError as error:
            assert str(error).startswith(f"{folder}/{name}")
