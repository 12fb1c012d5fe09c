"""What is shipped: a wheel, and the egg that scrapyd is given, with all code and all data of the lexicon."""

import re
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging_tools import ROOT, build_egg, copy_source, run

from topical_crawler import __version__

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DATA = (".txt", ".tsv", ".toml")
"""Endings of the lexicon's files."""
CODE = (".py", ".tsv", ".lua", ".html", ".css", ".js", ".toml", ".ttf", ".txt")
"""Endings of the package's files."""

USE_OF_THE_EGG = """
import sys
sys.path.insert(0, sys.argv[1])
import topical_crawler
assert topical_crawler.__file__.startswith(sys.argv[1]), topical_crawler.__file__
from topical_crawler import Candidate, Evidence, Page, TopicError, load_topic, strategies
from topical_crawler.topic.topic import list_topics
topic = load_topic("partybuilding")
strategy = strategies.create(topic, resources=None)
verdict = strategy.judge(Page("http://a.cn/", title="学习贯彻党章 严肃党内政治生活"))
score, = strategy.score([Candidate("http://a.cn/1", (Evidence("http://a.cn/", verdict.relevance, verdict.keep, "支部生活"),))])
assert score is not None
try:
    load_topic("nowhere")
except TopicError as error:
    assert "partybuilding" in str(error)
from topical_crawler import settings
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.cleaning.boilerplate import default_patterns
default_patterns()
print(len(topic.terms), len(topic.seeds), verdict.keep, ",".join(list_topics()), TopicalSpider.name)
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    """Built as ``make wheel`` builds it, but with the setuptools that is here: tests do not fetch."""
    run(
        "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", "dist", ".", cwd=source
    )
    (found,) = (source / "dist").glob("*.whl")
    return found


@pytest.fixture(scope="module")
def egg(source: Path) -> Path:
    return build_egg(source, source / "dist" / "project.egg")


def shipped() -> set[str]:
    """Every module and script, and every file of the lexicon at its place in the package."""
    code = {str(file.relative_to(ROOT)) for file in (ROOT / "topical_crawler").rglob("*") if file.suffix in CODE}
    data = {f"topical_crawler/{file.relative_to(ROOT)}" for file in (ROOT / "lexicon").rglob("*") if file.is_file()}
    demo = {f"topical_crawler/demo/{name}" for name in ("demo-web.warc.gz", "labels.tsv", "seeds.txt")}
    return code | data | demo


def test_every_package_is_listed() -> None:
    """By hand in pyproject.toml, for topics are folders of data."""
    folders = {file.parent for file in (ROOT / "topical_crawler").rglob("*.py")}
    wanted = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    data = {file.parent for file in (ROOT / "lexicon").rglob("*") if file.is_file()} | {ROOT / "lexicon/topics"}
    wanted |= {".".join(("topical_crawler", *folder.relative_to(ROOT).parts)) for folder in data}
    listed = CONFIG["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(wanted)
    assert listed == sorted(listed)
    assert all((folder / "__init__.py").is_file() for folder in folders)


def test_every_kind_of_data_file_is_packaged() -> None:
    files = [file for file in (ROOT / "lexicon").rglob("*") if file.is_file()]
    assert files
    assert {file.suffix for file in files} <= set(DATA)
    package = [file for file in (ROOT / "topical_crawler").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    assert {file.suffix for file in package} <= set(CODE)
    assert set(CONFIG["tool"]["setuptools"]["package-data"]["*"]) >= {f"*{suffix}" for suffix in DATA}


@pytest.mark.slow
def test_the_wheel_holds_everything_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert names == shipped()
        for name in sorted(names):
            if name.startswith("topical_crawler/lexicon/"):
                assert archive.read(name) == (ROOT / name.removeprefix("topical_crawler/")).read_bytes(), name
        (entry_points,) = (archive.read(n).decode() for n in archive.namelist() if n.endswith(".dist-info/entry_points.txt"))
        assert any(n.endswith("LICENSE") for n in archive.namelist())
    assert "[scrapy]\nsettings = topical_crawler.settings" in entry_points
    assert "topical-crawler = topical_crawler.__main__:main" in entry_points
    assert wheel.name == f"topical_crawler-{__version__}-py3-none-any.whl"


@pytest.mark.slow
def test_the_egg_holds_everything_and_nothing_else(egg: Path) -> None:
    with zipfile.ZipFile(egg) as archive:
        names = {name for name in archive.namelist() if not name.startswith("EGG-INFO/")}
        assert names == shipped()
        assert "settings = topical_crawler.settings" in archive.read("EGG-INFO/entry_points.txt").decode()
        assert "EGG-INFO/zip-safe" in archive.namelist()


@pytest.mark.slow
def test_the_egg_works_zipped(egg: Path, tmp_path: Path) -> None:
    """As in scrapyd: never unpacked, and run from an empty folder."""
    shown = run("-X", "utf8", "-c", USE_OF_THE_EGG, str(egg), cwd=tmp_path).split()
    lines = (ROOT / "lexicon/topics/partybuilding/terms.tsv").read_text("utf-8").splitlines()
    terms = sum(bool(line.strip()) and line[0] != "#" for line in lines)
    assert terms * 0.9 < int(shown[0]) <= terms
    assert int(shown[1]) > 0
    topics = sorted(folder.name for folder in (ROOT / "lexicon/topics").iterdir())
    assert shown[2:] == ["True", ",".join(topics), "topical"]
    assert list(tmp_path.iterdir()) == []


def test_what_the_demo_installs_is_a_part_of_what_is_tested() -> None:
    """``make demo`` sets up from requirements-base.lock, ``make test`` from requirements.lock: the same files."""

    def locked(name: str) -> dict[str, set[str]]:
        packages = re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8"))
        return {re.split(r" [;\\]", package)[0]: set(re.findall(r"sha256:\w+", package)) for package in packages}

    base, everything = locked("requirements-base.lock"), locked("requirements.lock")
    assert 40 < len(base) < len(everything)
    assert {package: everything.get(package) for package in base} == base
