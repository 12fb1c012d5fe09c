"""What a check of a topic finds, on topics made to have it; and that topics without fault pass."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from topical_crawler.authoring.check import Finding, TopicReport, check_topic

WriteTopic = Callable[[Mapping[str, str | bytes]], Path]

TERMS = "党支部\t2\n组织生活\t1\n党员教育\t1.5\n三会一课\t1\n主题党日\t1\n"
GOOD = {
    "topic.toml": 'title = "支部工作"\n[strategy.semantic]\npage_threshold = 0.05\nlink_threshold = 0.3\ntext_threshold = 0.01\n',
    "terms.tsv": TERMS,
    "seeds.txt": "http://a.example/\nhttp://b.example/\n",
}


@pytest.fixture
def check(write_topic: WriteTopic) -> Callable[..., TopicReport]:
    """Checks a topic that is good but for the files given: ``check({"seeds.txt": ""})``."""

    def run(files: Mapping[str, str | bytes] | None = None) -> TopicReport:
        return check_topic(write_topic({**GOOD, **(files or {})}))

    return run


def found(report: TopicReport, part: str) -> Finding:
    """The one finding whose message holds ``part``."""
    (one,) = [f for f in report.findings if part in f.message]
    return one


def test_a_good_topic(check: Callable[..., TopicReport]) -> None:
    report = check()
    assert report.errors == 0
    assert [f.message for f in report.findings if f.severity == "warning"] == []


@pytest.mark.parametrize("name", ["partybuilding", "machine-learning"])
def test_the_topics_of_the_product_have_no_error(name: str) -> None:
    assert check_topic(name).errors == 0


@pytest.mark.parametrize(
    ("files", "file", "line", "part"),
    [
        ({"terms.tsv": "党建\t1\n支部\t-1\n"}, "terms.tsv", 2, "the weight of '支部' is '-1'"),
        ({"terms.tsv": "党建\t1\n\n党建\t2\n"}, "terms.tsv", 3, "is already in line 1"),
        ({"terms.tsv": "# nothing\n"}, "terms.tsv", 0, "no term found"),
        ({"terms.tsv": "党建\n".encode("gb18030")}, "terms.tsv", 1, "not UTF-8"),
        ({"topic.toml": 'title = "x"\ncolour = 1\n'}, "topic.toml", 2, "unknown key 'colour'"),
        ({"topic.toml": "title = \n"}, "topic.toml", 0, "Invalid"),
        ({"topic.toml": 'title = "x"\ndefault_strategy = "best"\n'}, "topic.toml", 2, "unknown strategy 'best'"),
        ({"topic.toml": "[strategy.semantic]\npage_treshold = 1\n"}, "topic.toml", 2, "no parameter 'page_treshold'"),
        (
            {"topic.toml": '[strategy.semantic]\ncomparisons = [[1, 9, "1/9"], ["1/9", 1, 9], [9, "1/9", 1]]\n'},
            "topic.toml",
            2,
            "contradict each other",
        ),
        ({"seeds.txt": "http://a.example/\nwww.b.example\n"}, "seeds.txt", 2, "is not a URL"),
    ],
)
def test_what_no_crawl_can_start_with_is_an_error(
    check: Callable[..., TopicReport], files: Mapping[str, str | bytes], file: str, line: int, part: str
) -> None:
    report = check(files)
    assert report.errors == 1
    first = report.findings[0]
    assert first.severity == "error"
    assert part in first.message
    assert first.file.endswith(file)
    assert first.line == line


def test_no_topic() -> None:
    report = check_topic("partybilding")
    (only,) = report.findings
    assert (report.topic, only.severity) == (None, "error")
    assert "no topic 'partybilding'" in only.message and "partybuilding" in only.remedy


ODD = ("deep learning", "两学一做·专题", "党", "因为", "陆续", "黨支部", "ＰＣ端", "党支部书记", "并发", "学生", "團課")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> TopicReport:
    """Five good terms, and from line 6 on those of an odd form."""
    folder = tmp_path_factory.mktemp("odd")
    for name, content in GOOD.items():
        (folder / name).write_text(content, encoding="utf-8")
    with (folder / "terms.tsv").open("a", encoding="utf-8") as terms:
        terms.writelines(f"{term}\t1\n" for term in ODD)
    return check_topic(folder)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("never come out of the segmentation whole", {"deep learning": 6}),
        ("with signs or blanks", {"deep learning": 6, "两学一做·专题": 7}),
        ("of one character", {"党": 8}),
        ("stop words", {"因为": 9}),
        ("no content words", {"陆续": 10}),
        ("in traditional characters", {"團課": 16}),  # 党支部 is a term
        ("differ from another term", {"党支部": 1, "黨支部": 11}),
        ("contain another term", {"党支部书记": 13}),
        ("inside longer words than alone, and do not count there (", {"并发": 14}),
        ("words of the general language", {"学生": 15}),
    ],
)
def test_terms_of_an_odd_form(odd: TopicReport, part: str, words: dict[str, int]) -> None:
    one = found(odd, part)
    assert one.file == "terms.tsv"
    assert words.items() <= dict(one.words).items()
    assert not {"组织生活", "党员教育", "主题党日"} & dict(one.words).keys()
    assert one.message.endswith(f": {len(one.words)}")


def test_a_general_word_that_was_adjusted_is_not_found_again(check: Callable[..., TopicReport]) -> None:
    report = check({"terms.tsv": TERMS + "学生\t1\n", "adjust.tsv": "学生\t0.1\t太常见\n"})
    assert not [f for f in report.findings if "general language" in f.message]


SEMANTIC, EVEN = 'title = "x"\ndefault_strategy = "semantic"\n', TERMS.replace("1.5", "1").replace("2", "1")


def test_what_a_learner_makes_up_for_is_not_found(check: Callable[..., TopicReport]) -> None:
    for terms in ("党建\t1\n", EVEN):
        assert not [f for f in check({"terms.tsv": terms}).findings if f.about == "weights"]


@pytest.mark.parametrize(
    ("files", "severity", "file", "part"),
    [
        ({"terms.tsv": TERMS + "主题教育\t50\n"}, "warning", "terms.tsv", "more than 50% of Σ w² over all 6 terms: 主题教育"),
        ({"topic.toml": SEMANTIC, "terms.tsv": "党建\t1\n"}, "warning", "terms.tsv", "1 term only"),
        ({"topic.toml": SEMANTIC, "terms.tsv": EVEN}, "note", "terms.tsv", "all terms weigh the same"),
        ({"adjust.tsv": "三会一课\t0\t试\n"}, "note", "terms.tsv", "of weight 0, without effect: 1, 1 of them by adjust.tsv"),
        ({"topic.toml": 'title = "x"\nweight_floor = 9\n'}, "warning", "topic.toml", "floor 9: 5 of 5 weigh the same"),
        ({"weights.tsv": "!mean\t1\n组织生活\t1\n"}, "note", "weights.tsv", "are also terms, without effect there: 1"),
        ({"weights.tsv": "!mean\t1\n", "adjust.tsv": "天气\t0\t词\n"}, "note", "adjust.tsv", "missing in terms.tsv and"),
        ({"adjust.tsv": "天气很好啊\t0\t词\n"}, "warning", "adjust.tsv", "never come out of the segmentation, without effect: 1"),
        ({"seeds.txt": ""}, "warning", "seeds.txt", "no seeds"),
        ({"topic.toml": "[strategy.semantic]\n"}, "note", "topic.toml", "no title"),
    ],
)
def test_weights_and_files(
    check: Callable[..., TopicReport], files: Mapping[str, str], severity: str, file: str, part: str
) -> None:
    one = found(check(files), part)
    assert (one.severity, one.file) == (severity, file)


def test_seeds(check: Callable[..., TopicReport]) -> None:
    report = check(
        {
            "topic.toml": 'title = "x"\nseeds = ["http://a.example/#top"]\nallowed_hosts = ["a.example"]\n',
            "seeds.txt": "# 种子\nhttp://a.example/\nhttp://www.a.example/\nhttp://c.example/\n",
        }
    )
    twice = found(report, "stands already in topic.toml, line 2")
    assert (twice.file, twice.line, twice.severity) == ("seeds.txt", 2, "warning")
    foreign = found(report, "not on one of allowed_hosts")
    assert (foreign.file, foreign.line) == ("seeds.txt", 4)
    assert "c.example" in foreign.remedy
