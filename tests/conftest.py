"""What several tests share: data beside the project, topic folders made on the spot, Scrapy's commands as a user runs them."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from pathlib import Path

import pytest
from _pytest.assertion import rewrite
from command_tools import RunScrapy, WriteTopic, exit_code
from fork_tools import ServedWorker, run_forked
from hypothesis import settings
from wait_tools import HANGS

import experiments.__main__
from topical_crawler import workers
from topical_crawler.__main__ import SCRAPYS
from topical_crawler.resources.registry import Resources

# Workers that tests start are forked from a process that has imported what they need; a few tests put back what a user has.
workers.subprocess = ServedWorker  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parents[1]

# No test takes the language resources of whoever runs it, unless it asks for them (`fetched_resources`). The processes of
# pytest-xdist have this environment, so the folder is noted there before it is hidden.
os.environ.setdefault("TOPICAL_TEST_RESOURCES", str(Resources.from_settings({}).directory))
os.environ["XDG_DATA_HOME"] = str(ROOT / "tests" / "no_user_data")
os.environ.pop("TOPICAL_RESOURCES_DIR", None)
os.environ["LC_ALL"] = "C.UTF-8"  # errors are in English

_FOLDERS = ("experiments", "benchmarks", "demo", "deploy")
_BROWSERS = ("crawl/test_script_crawls.py", "workbench/test_judging_page.py", "workbench/test_workbench_page.py")
ONLY_WITH_ALL = frozenset(ROOT / "tests" / name for name in (*_FOLDERS, *_BROWSERS))
"""Folders and modules of tests that run with ``--all`` (``make test-all``), or where they are named. So do single tests
that are marked ``slow``."""
EXAMPLES = {"some": 15, "all": 30}
"""Examples of each property, without and with ``--all``."""
# The same examples in every run: a failure belongs to the change that caused it, not to the day.
for profile, number in EXAMPLES.items():
    settings.register_profile(profile, max_examples=number, derandomize=True, database=None, deadline=None)

# A shell ignores Ctrl-C in what it runs in the background, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare ``--all``."""
    paths = ", ".join(sorted(str(path.relative_to(ROOT / "tests")) for path in ONLY_WITH_ALL))
    examples = f"{EXAMPLES['all']} examples of each property, not {EXAMPLES['some']}"
    parser.addoption("--examples", type=int, metavar="N", help="examples of each property, in place of their usual number")
    parser.addoption("--all", action="store_true", help=f"also run slow tests and those of {paths}; {examples}")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the number of examples before a test module reads it."""
    settings.load_profile("all" if config.option.all else "some")
    if config.option.examples:
        settings.register_profile("asked", parent=settings(), max_examples=config.option.examples)
        settings.load_profile("asked")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what :data:`ONLY_WITH_ALL` has without ``--all``, unless an argument leads into it."""
    if config.option.all or collection_path not in ONLY_WITH_ALL:
        return None
    return None if any(path.is_relative_to(collection_path) for path in _named(config)) else True


def _named(config: pytest.Config) -> list[Path]:
    return [Path(argument.partition("::")[0]).absolute() for argument in config.args]


def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than processors: crawls that obey delays leave theirs idle."""
    return (os.cpu_count() or 1) + 2


_CRAWLS = ("crawl", "deploy", "experiments", "benchmarks", "demo")
SLOW_FIRST = (*_CRAWLS, "frontier", "training", "commands", "corpus", "hostile", "workbench")
"""Folders of tests in the order in which they begin: those whose modules take longest."""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Nothing that is imported or collected becomes garbage."""
    gc.disable()
    _compile_a_share(session.config)
    found = yield
    gc.freeze()
    gc.enable()
    return found


def _compile_a_share(config: pytest.Config) -> None:
    """Every process of pytest-xdist imports all modules of tests in the same order, and would compile them all. So each compiles
    a share first, and finds the others compiled."""
    worker = getattr(config, "workerinput", None)
    state = config.stash.get(rewrite.assertstate_key, None)  # none with --assert=plain
    named = config.option.file_or_dir and not config.option.all
    if worker is None or state is None or named or sys.dont_write_bytecode:
        return
    first = int(worker["workerid"].removeprefix("gw"))
    modules = sorted((ROOT / "tests").rglob("test_*.py"))
    if not config.option.all:
        modules = [path for path in modules if ONLY_WITH_ALL.isdisjoint((path, *path.parents))]
    for path in modules[first :: worker["workercount"]]:
        compiled = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(path, compiled) is None:
            compiled.parent.mkdir(parents=True, exist_ok=True)
            digest, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(state, code, digest, compiled)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that are marked ``slow`` without ``--all``, unless an argument names their module. Sort the others."""
    named = _named(config)
    slow = [item for item in items if item.get_closest_marker("slow") and not config.option.all and item.path not in named]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]

    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(ROOT).parts[1]
        return SLOW_FIRST.index(folder) if item.path.is_relative_to(ROOT / "tests") and folder in SLOW_FIRST else len(SLOW_FIRST)

    items.sort(key=place)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """``../shared/data`` as seen from the project's root."""
    path = ROOT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"{path} is not there: this test measures on real data that is kept beside the project")
    return path


@pytest.fixture(scope="session")
def fetched_resources() -> dict[str, str]:
    """The setting that names the resources that were fetched here, if any; a test that needs them says what it skips for."""
    return {"TOPICAL_RESOURCES_DIR": os.environ["TOPICAL_TEST_RESOURCES"]}


@pytest.fixture
def write_topic(tmp_path: Path) -> WriteTopic:
    """Makes a topic folder: ``write_topic({"terms.tsv": "党建\\t2"})``; topic.toml and terms.tsv have a default."""

    def write(files: Mapping[str, str | bytes] | None = None) -> Path:
        folder = tmp_path / "mytopic"
        folder.mkdir(exist_ok=True)
        for name, content in {"topic.toml": 'title = "试验"\n', "terms.tsv": "党建\t1\n", **(files or {})}.items():
            folder.joinpath(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return write


def run_module(module: str, arguments: tuple[str | Path, ...], cwd: Path) -> subprocess.CompletedProcess[str]:
    variables = {"SCRAPY_SETTINGS_MODULE": "topical_crawler.settings", "COLUMNS": "150", "PYTHONUTF8": "1"}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return run_forked(["-m", module, *arguments], cwd, environment, timeout=4 * HANGS)  # of several crawls at most


@pytest.fixture(scope="session")
def run_scrapy() -> RunScrapy:
    """Runs a command as a user does: ``run_scrapy("topic", "list", cwd=folder)``, by Scrapy's own program where that has it too;
    its output is captured."""
    return lambda *arguments, cwd: run_module("scrapy" if arguments[0] in SCRAPYS else "topical_crawler", arguments, cwd)


@pytest.fixture(scope="session")
def run_experiment() -> RunScrapy:
    """Runs ``python -m experiments`` as a user does."""
    return lambda *arguments, cwd: run_module("experiments", arguments, cwd)


class _Caller:
    """Runs command lines in this process, where Python need not be started again."""

    def __init__(self, patch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[str], main: Callable[..., int]) -> None:
        self._patch, self._captured, self._main = patch, captured, main

    def __call__(self, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        self._patch.chdir(cwd)
        self._patch.setenv("SCRAPY_SETTINGS_MODULE", "topical_crawler.settings")
        self._patch.setenv("COLUMNS", "150")
        self._captured.readouterr()
        try:
            code = self._main(*map(str, arguments))
        except SystemExit as ended:
            code = int(ended.code or 0)
        return subprocess.CompletedProcess(arguments, code, *self._captured.readouterr())


@pytest.fixture
def call_experiment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunScrapy:
    """``python -m experiments``, in this process."""
    return _Caller(monkeypatch, capsys, lambda *line: experiments.__main__.main(list(line)))


@pytest.fixture
def call_scrapy(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> RunScrapy:
    """The project's own commands in this process: for the many ways of being wrong."""
    return _Caller(monkeypatch, capfd, exit_code)
