"""Methods of other distributions: the one of docs/strategies.md, installed and used as a user does, and broken ones."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crawl_tools import DEMO, ROOT, command, make_topic, rows
from fork_tools import run_forked

from topical_crawler import TopicError, load_topic, plugins, strategies

FAULTY = """from topical_crawler.strategies.breadth_first import BreadthFirst
no_class = 3
class Misnamed(BreadthFirst):
    name = "x"
"""


METHOD = (ROOT / "docs/strategies.md").read_text(encoding="utf-8").split("## Add a method of your own\n")[1]


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed distribution of the documentation, and with its test."""
    source, target = tmp_path_factory.mktemp("good-hosts"), tmp_path_factory.mktemp("site")
    method, project, test = re.findall(r"^```(?:python|toml)\n(.*?)^```", METHOD, re.DOTALL | re.MULTILINE)
    (source / "good_hosts.py").write_text(method, encoding="utf-8")
    (source / "pyproject.toml").write_text(project, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-build-isolation", "--no-deps", "--target"]
    subprocess.run([*pip, str(target), str(source)], check=True, capture_output=True)
    (target / "test_good_hosts.py").write_text(test, encoding="utf-8")
    return target


@pytest.fixture
def installed(plugin: Path) -> dict[str, str]:
    """Variables of a process that finds the distribution."""
    path = os.pathsep.join([str(plugin), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}


@pytest.mark.slow
def test_its_own_tests_pass(installed: dict[str, str]) -> None:
    code = "import test_good_hosts; test_good_hosts.test_contract()"
    subprocess.run([sys.executable, "-c", code], env=installed, check=True)


def test_a_crawl(installed: dict[str, str], tmp_path: Path) -> None:
    party, data, web = make_topic(tmp_path / "party"), tmp_path / "data", DEMO / "demo-web.warc.gz"
    with (party / "topic.toml").open("a", encoding="utf-8") as file:
        file.write("[strategy.good_hosts]\nbonus = 0.25\n")
    for pages in (15, 30):  # the second crawl goes on with what the first has learned
        settings = {"TOPICAL_REPLAY": web, "TOPICAL_RESOURCES": 1, "TOPICAL_RESOURCES_DIR": tmp_path / "none"}
        line = command(party, data, str(DEMO / "seeds.txt"), pages=pages, strategy="good_hosts", **settings)
        done = run_forked(line[1:], tmp_path, installed)
        assert done.returncode == 0, done.stderr
    assert "Going on without vectors" in done.stderr and "Going on without hownet" not in done.stderr
    fetched = rows(data)
    assert len(fetched) >= 30
    page = next(row for row in fetched if row.keep)
    options = ("--crawl", data, "--json", "-s", f"TOPICAL_REPLAY={web}", "-s", "TOPICAL_RESOURCES=0")
    done = run_forked(["-m", "topical_crawler", "topic", "explain", party, page.url, *options], tmp_path, installed)
    assert done.returncode == 0, done.stderr
    explained = json.loads(done.stdout)
    assert (explained["strategy"], explained["on_topic"]) == ("good_hosts", True)
    assert any(link["reasons"] == {"anchor": 0.0, "host": 0.25} for link in explained["links"])


def test_the_documented_command_crawls_the_demo(installed: dict[str, str], tmp_path: Path) -> None:
    (line,) = re.findall(r"^```bash\n(.*?)^```", METHOD, re.DOTALL | re.MULTILINE)
    program, *arguments = shlex.split(line)
    assert program == "topical-crawler"
    (tmp_path / "demo").symlink_to(DEMO)
    done = run_forked(["-m", "topical_crawler", *arguments], tmp_path, installed)
    assert done.returncode == 0, done.stderr
    fetched = rows(tmp_path / "data/good-hosts")
    assert len(fetched) >= 30 and any(row.keep for row in fetched)


@pytest.fixture
def distributions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """``distributions(name, entry points)`` installs one by hand, with the module ``faulty``."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "faulty.py").write_text(FAULTY)

    def install(name: str, **entries: str) -> None:
        info = tmp_path / f"{name}-2.1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.1\n")
        lines = "".join(f"{key} = {value}\n" for key, value in entries.items())
        (info / "entry_points.txt").write_text(f"[topical_crawler.strategies]\n{lines}")
        plugins.found.cache_clear()

    yield install
    monkeypatch.undo()
    plugins.found.cache_clear()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("nowhere:Method", "ModuleNotFoundError: No module named 'nowhere'"),
        ("faulty:Missing", "AttributeError: module 'faulty' has no attribute 'Missing'"),
        ("faulty:no_class", "not a subclass of topical_crawler.strategies.Strategy"),
        ("faulty:Misnamed", "the class attribute name is 'x', expected 'own'"),
    ],
)
def test_a_broken_entry_point(distributions: Callable[..., None], value: str, said: str) -> None:
    distributions("broken", own=value)
    with pytest.raises(ValueError, match=re.escape(f"the strategy 'own' of broken 2.1 cannot be loaded from {value}")) as caught:
        strategies.create("partybuilding", "own", resources=None)
    assert said in str(caught.value) and "Repair or uninstall that distribution" in str(caught.value)
    assert strategies.create("partybuilding", "semantic", resources=None).name == "semantic"


def test_a_name_that_is_taken(distributions: Callable[..., None]) -> None:
    distributions("one", semantic="faulty:Misnamed", own="faulty:Misnamed")
    distributions("two", own="faulty:Misnamed")
    taken = "the strategy name 'semantic' is taken by topical-crawler and by one 2.1. Give the entry point another name"
    with pytest.raises(ValueError, match=re.escape(taken)):
        strategies.create("partybuilding", "semantic", resources=None)
    with pytest.raises(ValueError, match=r"'own' is taken by (one|two) 2\.1 and by (one|two) 2\.1\. Give .* uninstall"):
        strategies.create("partybuilding", "own", resources=None)
    assert strategies.create("partybuilding", "adaptive", resources=None).name == "adaptive"


def test_the_names_of_plugins_are_known(distributions: Callable[..., None], tmp_path: Path) -> None:
    before = strategies.names()
    distributions("one", x="faulty:Misnamed")
    assert strategies.names() == [*strategies.STRATEGIES, *sorted({*before, "x"} - set(strategies.STRATEGIES))]
    assert strategies.create("partybuilding", "x", resources=None).name == "x"
    with pytest.raises(TopicError, match=r"unknown strategy 'y'. Choose one of adaptive, .*, content_url, .*x"):
        strategies.create(load_topic(make_topic(tmp_path / "party", default_strategy='"y"')), resources=None)
