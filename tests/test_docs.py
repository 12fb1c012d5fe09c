"""The documentation says what the code does: settings, commands, arguments, parameters, reasons; in both languages alike."""

import argparse
import ast
import dataclasses
import doctest
import re
import shlex
import urllib.parse
from pathlib import Path

import pytest
from scrapy.utils.spider import iter_spider_classes

from topical_crawler import items, settings, strategies
from topical_crawler.cleaning import boilerplate, characters, quality
from topical_crawler.cli.actions import COMMANDS
from topical_crawler.corpus import dedup
from topical_crawler.crawl import crawl
from topical_crawler.crawl.steering import PURGED
from topical_crawler.extraction import documents
from topical_crawler.extraction import extract as extraction
from topical_crawler.failures import TOO_MANY_REDIRECTS
from topical_crawler.frontier.base import NO_ROOM, UNREACHED
from topical_crawler.frontier.redis import DAMAGED
from topical_crawler.resources.registry import RESOURCES
from topical_crawler.services.catalogue import Voice
from topical_crawler.services.why import meaning
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.strategies import OFF_TOPIC, STRATEGIES
from topical_crawler.strategies.content_url import ContentUrlParameters
from topical_crawler.strategies.esvsm.strategy import EsvsmParameters
from topical_crawler.strategies.odp2evsm.strategy import Odp2evsmParameters
from topical_crawler.strategies.semantic.parameters import SIMILARITY, SemanticParameters
from topical_crawler.strategies.semantic.url_structure import StructureParameters
from topical_crawler.topic import files
from topical_crawler.web.urls import REDIRECTED

ROOT = Path(__file__).resolve().parents[1]
READMES = ("README.md", "README.zh-CN.md")
CHINESE = "docs/zh-CN.md"
CHINESE_GUIDES = ("docs/zh-CN-tutorial.md", "docs/zh-CN-for-linguists.md")
OF_THE_CODE = {"docs/architecture.md", "docs/decisions.md"}
GUIDES = (*READMES, *sorted({f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")} - OF_THE_CODE))
BEHIND = (
    "docs/decisions.md",
    "experiments/README.md",
    "experiments/fidelity.md",
    *(f"experiments/notes/{file.name}" for file in sorted((ROOT / "experiments/notes").glob("*.md"))),
)
TEXT = {name: (ROOT / name).read_text(encoding="utf-8") for name in (*GUIDES, *BEHIND)}
EVERYWHERE = "\n".join(TEXT[name] for name in GUIDES)
OWN = {name: getattr(settings, name) for name in dir(settings) if name.startswith("TOPICAL_")}


def table_rows(text: str) -> list[list[str]]:
    """The cells of every line of a table."""
    return [[c.strip() for c in line.strip("| ").split(" | ")] for line in text.splitlines() if line.startswith("|")]


def fenced(text: str, language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def prose(text: str) -> str:
    """``text`` without its code blocks, in which # is no heading."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ .+$", prose(text), re.MULTILINE)


def subcommands() -> list[tuple[str, str, argparse.ArgumentParser]]:
    """The project's commands and actions by name, with their parsers."""
    found = [
        (name, sub, parser)
        for name, command in COMMANDS.items()
        for action in command.parser()._actions
        if isinstance(action, argparse._SubParsersAction)
        for sub, parser in action.choices.items()
    ]
    for _, _, parser in found:
        parser.fill()  # an action declares its arguments when it is called
    return found


def test_one_module_reads_the_projects_settings() -> None:
    """And logs.py its own, which is needed before anything else."""
    reads = re.compile(r"""settings(?:\.get\w*\(|\[)\s*['"]TOPICAL_""")
    files = (ROOT / "topical_crawler").rglob("*.py")
    assert {file.name for file in files if reads.search(file.read_text(encoding="utf-8"))} == {"config.py", "logs.py"}


def test_every_setting_is_documented_with_its_default() -> None:
    table = [row for row in table_rows(TEXT["docs/settings.md"]) if row[0].startswith("`TOPICAL_")]
    rows = {row[0].strip("`"): row[1].strip("`") for row in table}
    assert rows == {name: str(value) or '""' for name, value in OWN.items()}
    for name, value, _, example, *_ in table:
        assert re.fullmatch("`[^`]+`", example) and example != value, name


def test_no_setting_is_documented_that_does_not_exist() -> None:
    named = {name.removesuffix("_FILE") for name in re.findall(r"TOPICAL_[A-Z_]*[A-Z]", EVERYWHERE)}
    assert named <= set(OWN)


def test_the_values_of_scrapys_settings_are_ours() -> None:
    section = TEXT["docs/settings.md"].split("## Scrapy's")[1].split("\n## ")[0]
    rows = [row for row in table_rows(section) if row[0].startswith("`")]
    assert len(rows) > 15
    for name, value, *_ in rows:
        ours = getattr(settings, name.strip("`"))
        if value.startswith("`"):
            assert value.strip("`") == str(ours), name


@pytest.mark.parametrize(("command", "sub", "parser"), subcommands(), ids=lambda x: x if isinstance(x, str) else "")
def test_every_command_is_documented_and_explains_its_options(command: str, sub: str, parser: argparse.ArgumentParser) -> None:
    assert re.search(rf"(?:scrapy|topical-crawler) {command} {sub}\b", EVERYWHERE)
    assert [action.dest for action in parser._actions if not action.help] == []


def test_no_command_is_documented_that_does_not_exist() -> None:
    known = {f"{command} {sub}" for command, sub, _ in subcommands()}
    names = "|".join({command for command, _, _ in subcommands()})
    assert set(re.findall(rf"(?:scrapy|topical-crawler) ((?:{names}) [a-z]+)", EVERYWHERE)) <= known


@pytest.mark.parametrize("guide", ["docs/crawling.md", CHINESE])
def test_every_argument_of_the_spider_is_documented(guide: str) -> None:
    code = "".join((ROOT / "topical_crawler" / f).read_text(encoding="utf-8") for f in ("config.py", "spiders/topical.py"))
    read = set(re.findall(r'arguments(?:\.get\(|\[)"(\w+)"', code)) | set(re.findall(r'number\("(\w+)"', code))
    read = {name for name in read if not name.startswith("_")}  # scrapyd's own
    section = re.search(r"^\| .*`-a`.*?\n\n", TEXT[guide], re.MULTILINE | re.DOTALL)
    assert section is not None
    documented = {row[0].strip("`") for row in table_rows(section[0]) if row[0].startswith("`")}
    assert documented == read
    assert all(name in (TopicalSpider.__doc__ or "") for name in read)


def defaults_of(parameters: object) -> dict[str, str]:
    values = {f.name: getattr(parameters, f.name) for f in dataclasses.fields(parameters)}  # type: ignore[arg-type]
    special = {"comparisons": "see below"} if "comparisons" in values else {}
    plain = {n: v for n, v in values.items() if n not in special and not dataclasses.is_dataclass(v)}
    return special | {n: "see above" if v is None else str(v).lower() or '""' for n, v in plain.items()}


@pytest.mark.parametrize(
    ("guide", "section", "defaults"),
    [
        ("topics", "semantic", SemanticParameters()),
        ("topics", "semantic.similarity", SIMILARITY),
        ("topics", "semantic.structure", StructureParameters()),
        ("strategies", "esvsm", EsvsmParameters()),
        ("strategies", "odp2evsm", Odp2evsmParameters()),
        ("strategies", "content_url", ContentUrlParameters()),
    ],
)
def test_every_parameter_is_documented_with_its_default(guide: str, section: str, defaults: object) -> None:
    heading = rf"^#+ \[strategy\.{re.escape(section)}\]$"
    text = re.split(heading, TEXT[f"docs/{guide}.md"], flags=re.MULTILINE)[1].split("\n##")[0]
    documented = {row[0].strip("`"): row[1].strip("`") for row in table_rows(text) if row[0].startswith("`")}
    assert documented == defaults_of(defaults)


def test_every_baseline_is_documented_with_the_defaults_of_its_own_parameters() -> None:
    text = TEXT["experiments/README.md"].split("\n### Baselines\n")[1].split("\n###")[0]
    rows = [row for row in table_rows(text) if len(row) > 1]
    documented = {key.strip("` "): row[1].strip("`") for row in rows for key in row[0].split(",")}
    shared = {"vsm", "ssrm", "svsm", "category_vsm"}  # the other keys of which are said to be those of another strategy
    for name in set(strategies.names()) - set(STRATEGIES):
        assert name in documented
        own = defaults_of(strategies.load(name).parameters_type())
        own = {f"{name}.{key}": value for key, value in own.items() if key == "page_threshold" or name not in shared}
        if name == "keyword_vsm":
            own["keyword_vsm.keywords"] = "20, 1"  # by the topic
        assert {key: documented.get(key) for key in own} == own


def test_the_matrix_is_the_default() -> None:
    (block,) = [b for b in fenced(TEXT["docs/topics.md"], "toml") if b.startswith("comparisons")]
    matrix = files.tomllib.loads(block)["comparisons"]
    assert matrix == [list(row) for row in SemanticParameters().comparisons]


def test_every_key_of_a_topic_is_documented() -> None:
    (block,) = [b for b in fenced(TEXT["docs/topics.md"], "toml") if b.startswith("title")]
    assert set(files.tomllib.loads(block)) == set(files._KEYS)


@pytest.mark.parametrize("guides", [("docs/strategies.md", "docs/language-resources.md"), (CHINESE,)])
def test_every_resource_and_strategy_is_named(guides: tuple[str, ...]) -> None:
    assert all(any(f"`{name}`" in TEXT[guide] for guide in guides) for name in (*RESOURCES, *STRATEGIES))


def returned_texts(file: str, *functions: str) -> set[str]:
    """The texts that functions return; of an f-string what stands before the first value."""
    found = set()
    for node in ast.walk(ast.parse((ROOT / "topical_crawler" / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            for part in ast.walk(node):
                if isinstance(part, ast.Return) and part.value is not None:
                    texts = [c for c in ast.walk(part.value) if isinstance(c, ast.Constant) and isinstance(c.value, str)]
                    found |= {t.value.rstrip(": ") for t in texts if t.value[:1].isalpha()}
    assert found, f"{file} has no {', '.join(functions)}"
    return found


def documented_reasons(section: str) -> str:
    """The first column of the table under a heading of docs/settings.md."""
    text = TEXT["docs/settings.md"].split(f"## {section}\n")[1].split("\n## ")[0]
    return "\n".join(row[0] for row in table_rows(text))


def test_every_reason_of_a_rejected_page_is_documented() -> None:
    reasons = {OFF_TOPIC, items.OFF_TOPIC_TEXT, items.OFF_TOPIC_MODEL, dedup.DUPLICATE, dedup.PART, REDIRECTED}
    reasons |= {"error", "dropped"}
    for file in (ROOT / "topical_crawler").rglob("*.py"):
        if "cli" not in file.parts:  # these speak of no crawl
            reasons |= set(re.findall(r'reason ?= ?"([a-z][^"]+)"', file.read_text(encoding="utf-8")))
    reasons |= {extraction.NO_TEXT, extraction.TOO_LARGE, extraction.FAILED, extraction.TIMED_OUT, extraction.CRASHED}
    reasons |= set(extraction.REASONS.values()) | documents.REASONS
    reasons |= {boilerplate.NO_TEXT, boilerplate.BOILERPLATE_ONLY, boilerplate.COPYRIGHT_ONLY, boilerplate.NEAR_EMPTY}
    reasons |= {boilerplate.LIST_OF_LINKS, characters.GARBLED, *quality.REASONS}
    reasons |= returned_texts("failures.py", "failure_reason") | UNREACHED | {TOO_MANY_REDIRECTS}
    documented = documented_reasons("Why a page is rejected")
    assert {r for r in reasons if f"`{r}" not in documented} == set()


def test_every_reason_of_a_dropped_link_is_documented() -> None:
    reasons = {strategies.BELOW_THRESHOLD, strategies.NO_TOPIC_WORD, strategies.PAGE_OFF_TOPIC, "too many links on a page"}
    reasons |= {crawl.LEASE_LOST, NO_ROOM, DAMAGED, PURGED}
    reasons |= returned_texts("crawl/link_policy.py", "refusal", "late_refusal")
    documented = documented_reasons("Why a link is dropped")
    assert {r for r in reasons if f"`{r}`" not in documented} == set()


def test_every_documented_reason_is_explained_by_corpus_why() -> None:
    beside = {"ignored", "failed: NAME", "error: NAME", "lost by a pipeline", "no item", "dropped: WORDS"}  # they name themselves
    beside |= {crawl.LEASE_LOST, "too many links on a page"}  # no page and no address has them
    tables = map(documented_reasons, ("Why a page is rejected", "Why a link is dropped"))
    named = [name for table in tables for name in re.findall("`([^`]+)`", table)]
    assert len(named) > 50
    assert {reason for reason in named if not meaning(reason, Voice("en"))} == beside


def test_every_documented_reason_has_a_chinese_name() -> None:
    tables = map(documented_reasons, ("Why a page is rejected", "Why a link is dropped"))
    for reason in (name for table in tables for name in re.findall("`([^`]+)`", table)):
        chinese = Voice("zh").named(reason)
        assert re.search("[一-鿿]", chinese) or reason.startswith("HTTP"), reason
        assert Voice("en").named(reason) == reason


def test_both_readmes_have_the_same_parts() -> None:
    english, chinese = (TEXT[name] for name in READMES)
    assert [h.split()[0] for h in headings(english)] == [h.split()[0] for h in headings(chinese)]
    assert max(len(english.split()), len(chinese.split())) < 800  # a screen or two
    assert fenced(english, "text")[:2] == fenced(chinese, "text")[:2]

    def shell(text: str) -> list[str]:
        lines = "".join(fenced(text, "bash")).splitlines()
        return [line.split("#")[0].strip() for line in lines]

    assert shell(english) == shell(chinese)


def test_the_examples_of_the_library_run() -> None:
    guide = "docs/for-scrapy-developers.md"
    (example,) = [b for b in fenced(TEXT[guide], "python") if b.startswith(">>>")]
    test = doctest.DocTestParser().get_doctest(example, {}, guide, guide, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert result.attempted > 5
    assert result.failed == 0, "".join(said)


def test_the_example_of_a_spider_is_one() -> None:
    guide = "docs/for-scrapy-developers.md"
    (example,) = [b for b in fenced(TEXT[guide], "python") if "TopicalSpider" in b]
    module = type(settings)("long_texts")
    exec(compile(example, guide, "exec"), vars(module))  # noqa: S102 - the project's own documentation
    (spider,) = [c for c in iter_spider_classes(module) if c.__name__ == "LongTextSpider"]
    stages = spider.custom_settings["ITEM_PIPELINES"]
    (own,) = set(stages) - set(settings.ITEM_PIPELINES)
    assert hasattr(module, own.removeprefix("long_texts."))
    *_, clean, store = sorted(settings.ITEM_PIPELINES.values())
    assert clean < stages[own] < store


@pytest.mark.parametrize("name", (*GUIDES, *BEHIND))
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(TEXT[name])):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            titles = [
                re.sub(r"[^\w -]", "", h.lstrip("# ")).lower().replace(" ", "-")
                for h in headings(file.read_text(encoding="utf-8"))
            ]
            assert urllib.parse.unquote(anchor) in titles, target


@pytest.mark.parametrize("name", GUIDES)
def test_files_in_shell_examples_exist(name: str) -> None:
    for path in re.findall(r"(?<![\w./-])((?:demo|lexicon)/[\w./-]+)", "".join(fenced(TEXT[name], "bash"))):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("name", GUIDES)
def test_no_place_of_one_machine_is_named(name: str) -> None:
    assert not re.search(r"(?<![\w.])/(?:work|tmp|root|home|Users)/", TEXT[name])


def test_every_page_is_on_the_site() -> None:
    pages = {file.relative_to(ROOT / "docs").as_posix() for file in (ROOT / "docs").rglob("*.md")}
    named = re.findall(r"^ +- (?:.+: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(pages)


@pytest.mark.parametrize("name", ["docs/tutorial.md", "docs/for-linguists.md", "docs/for-llm-data.md", *CHINESE_GUIDES, *READMES])
def test_every_documented_option_exists(name: str) -> None:
    parsers = {f"{command} {sub}": parser for command, sub, parser in subcommands()}
    for line in "".join(fenced(TEXT[name], "bash")).splitlines():
        program, _, rest = line.partition(" ")
        if program != "topical-crawler" or rest.split()[0] in ("demo", "crawl"):
            continue
        parser = parsers.get(" ".join(rest.split()[:2])) or parsers[f"topic {rest.split()[0]}"]
        assert parser is not None
        known = {string for action in parser._actions for string in action.option_strings}
        assert {word for word in shlex.split(rest) if re.match("-{1,2}[a-z]", word)} <= known, line
