"""What the code names in English has a Chinese name."""

import ast
import inspect
import re
from collections import Counter
from pathlib import Path

import pytest
from crawl_tools import DEMO
from scrapy.settings import Settings

from topical_crawler import Candidate, Evidence, services, strategies, workbench
from topical_crawler.authoring.seeds import Nearness, from_sites, rank
from topical_crawler.authoring.start import from_keywords, from_sentence, from_texts, other_names
from topical_crawler.extraction.kinds import KINDS
from topical_crawler.services.catalogue import Voice, catalogue
from topical_crawler.strategies import STRATEGIES
from topical_crawler.strategies.adaptive.link_model import _IN_WORDS, in_words
from topical_crawler.strategies.adaptive.strategy import Adaptive
from topical_crawler.topic.files import ON_TOPIC
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.topic import _seeds


def has_chinese_name(name: str) -> bool:
    named = Voice("zh").named(name)
    return named != name and bool(re.search("[一-鿿]", named))


def test_kinds_of_pages_and_marks() -> None:
    assert [name for name in (*KINDS, *ON_TOPIC) if not has_chinese_name(name)] == []


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_parts_of_a_priority(name: str) -> None:
    strategy = strategies.create("partybuilding", name, resources=None)
    evidence = Evidence("http://www.wutong.cn/", 0.8, True, "党课开讲")
    parts = strategy.explain(Candidate("http://www.wutong.cn/archives/党建_2.html?id=3", (evidence,)))
    assert [part for part in parts if not has_chinese_name(part)] == []


def test_all_parts_that_a_learned_priority_can_have() -> None:
    """Only the largest parts of a priority are told, and before much is learned most are 0: their words stand in the code."""
    sentences = re.findall(r'^ +f?"([^"]+)": [A-Z_]+_WEIGHT', inspect.getsource(Adaptive.explain), re.MULTILINE)
    assert len(sentences) == 5
    assert [one for one in sentences if not has_chinese_name(re.sub("{[^}]+}", "0.5", one))] == []
    assert [kind for kind in _IN_WORDS if not has_chinese_name(in_words((kind, "7")))] == []


def test_what_the_workbench_cannot_do_is_said_in_chinese() -> None:
    """Every error of its own. The words of the code around a value are those that the catalogue has."""
    said = []
    modules = sorted(file for room in (services, workbench) for file in Path(room.__path__[0]).glob("*.py"))
    for file in modules:
        if file.stem.endswith("command"):  # speaks to a terminal
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MistakeError":
                said += [_example(node.args[0])] if not isinstance(node.args[0], ast.Name) else []
    assert len(said) > 20
    assert [one for one in said if not has_chinese_name(one)] == []
    assert Voice("zh").named("limit is a whole number from 1 to 500, not '0'") == "limit 应是 1 到 500 的整数，不能是 '0'"


FIRST_USE = (
    "authoring/folder.py", "authoring/start.py", "cli/topic/new.py", "cli/topic/seeds.py", "commands/crawl.py",
    "spiders/topical.py", "topic/files.py", "topic/topic.py", "topic/topic_folder.py",
)  # fmt: skip
ENGLISH = re.compile(r"(?:\b[a-z]+,? ){3}")


def test_first_errors_of_the_command_line_are_said_in_chinese() -> None:
    """Each of their sentences. Commands in them stay."""
    said = []
    for file in FIRST_USE:
        for node in ast.walk(ast.parse((Path(services.__path__[0]).parent / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and "TypeError" not in ast.unparse(node.exc):
                said.append(_example(node.exc.args[0]))
    named = [re.sub("topical-crawler [a-z ]+", "", Voice("zh").named(one)) for one in said]
    assert len(said) > 40
    unknown = "党建: 党建. "  # another program's words, such as those of a TOML file
    assert [one for one in named if ENGLISH.search(one) and not one.startswith(unknown)] == []


def _example(message: ast.expr) -> str:
    """The text of a message, with something in the place of each value."""
    if isinstance(message, ast.Constant):
        return str(message.value)
    if isinstance(message, ast.JoinedStr):
        return "".join(_example(part) for part in message.values)
    if isinstance(message, ast.Call) and isinstance(message.func, ast.Attribute):  # one with .replace()
        return _example(message.func.value)
    return {
        "whole": "whole number",
        "' '.join(ends)": "from 1 to 9",
        "known": "There are: 党建",
        "without": " (not 猫)",
        "nearest": "",
    }.get(ast.unparse(message.value) if isinstance(message, ast.FormattedValue) else "", "党建")


def test_why_the_workbench_proposes_terms_and_addresses(tmp_path: Path) -> None:
    bench = Bench(Settings({"TOPICAL_REPLAY": str(DEMO / "demo-web.warc.gz"), "TOPICAL_CACHE_DIR": str(tmp_path)}))
    sites = rank([from_sites(Nearness({"党建": 1.0, "天气": 1.0}))])
    seeds = [*_seeds(bench, ["党建"], Counter(["www.wutong.cn"]), sites), *_seeds(bench, ["露天党课"], Counter(), sites)]
    whys = {seed["why"] for seed in seeds} | {seed.why for seed in sites}
    start = from_sentence("环境保护与网络游戏产业")
    whys |= {term.why for term in (*start.terms, *other_names(start.terms), *from_keywords(["党建"]).terms)}
    whys |= {term.why for term in from_texts(["党员到社区报到，支部开展党课学习。"] * 3).terms}
    assert {"host", "seed", "home", "known", "sentence", "keyword", "texts:", "other"} <= {why.split()[0] for why in whys}
    assert [why for why in whys if not has_chinese_name(why) or ";" in why] == []


def test_every_line_has_both_languages_and_the_same_places_for_values() -> None:
    for name, (english, chinese) in catalogue().items():
        places = [sorted(re.findall(r"{(\w*)", text)) for text in (english, chinese)]
        assert english and chinese, name
        assert set(places[1]) <= set(places[0]), name
