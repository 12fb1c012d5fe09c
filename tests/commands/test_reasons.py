"""Why a link has its place, as ``frontier top`` and ``topic explain`` tell it: as the crawl's strategy would."""

import io
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_tools import RunScrapy, WriteTopic
from redis_tools import RedisServer
from rich.cells import cell_len
from rich.console import Console
from scrapy.settings import Settings

from experiments.memory_frontier import MemoryFrontier
from topical_crawler import Candidate, Evidence, Page, config, strategies
from topical_crawler import settings as project
from topical_crawler.cli.frontier.actions import top_view
from topical_crawler.cli.topic.explain import Explain
from topical_crawler.cli.topic.fetch_pages import Fetched
from topical_crawler.crawl import checkpoints
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.items import PageItem, now_utc
from topical_crawler.middlewares import judge
from topical_crawler.project import ProjectSettings
from topical_crawler.recordings.reader import Recording
from topical_crawler.resources.registry import Resources
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.dom import decode

DEMO = Path(__file__).parents[2] / "demo/demo-web.warc.gz"
TERMS = ("党建网", "党建", "党支部", "党员", "党课", "党校", "主题教育", "组织生活", "组织部", "市委", "纪委", "干部", "学习教育")
SEED = "http://www.qinghedj.example/"
SHOWN = 5
Ask = Callable[..., dict[str, Any]]
Reasons = dict[str, dict[str, float]]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Tables that take long to make are made once for all tests; the setting holds where no command line says otherwise."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "TOPICAL_CACHE_DIR", str(folder))
        yield folder


@pytest.fixture(scope="module")
def recording(cache: Path) -> Iterator[Recording]:
    with Recording(DEMO, cache) as recording:
        yield recording


@pytest.fixture
def topic(write_topic: WriteTopic) -> Path:
    parameters = "[strategy.semantic]\npage_threshold = 0.02\nlink_threshold = 0.02\n"
    return write_topic({"topic.toml": f'title = "党建"\n{parameters}', "terms.tsv": "".join(f"{term}\n" for term in TERMS)})


@pytest.fixture
def say(call_scrapy: RunScrapy, tmp_path: Path, topic: Path) -> RunScrapy:
    """A command, where the crawls and the topic lie."""

    def say(*arguments: object) -> subprocess.CompletedProcess[str]:
        settings = ("TOPICAL_RESOURCES=0", f"TOPICAL_REPLAY={DEMO}")
        return call_scrapy(*map(str, arguments), *(part for s in settings for part in ("-s", s)), cwd=tmp_path)

    return say


@pytest.fixture
def ask(say: RunScrapy) -> Ask:
    def ask(*arguments: object) -> dict[str, Any]:
        done = say(*arguments, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        return dict(json.loads(done.stdout))

    return ask


def begin(topic: Path, data: Path, recording: Recording, strategy: str, pages: int = 12, **settings: object) -> Crawl:
    """A crawl of the demo web that is stopped after some pages, still open."""
    given = Settings()
    given.setmodule("topical_crawler.settings")
    values = {"TOPICAL_DATA_DIR": data, "TOPICAL_STRATEGY": strategy}
    for name, value in {**values, "DOWNLOAD_DELAY": 0, **settings}.items():
        given.set(name, str(value))
    loaded = load_topic(topic)
    crawl = Crawl.open(config.crawl_options(given, loaded, {}), loaded, None)
    crawl.push([seed_entry(SEED)])
    while crawl.log.finished < pages:
        entry = crawl.next(0.0)
        assert entry is not None
        item = PageItem(entry, entry.url, now_utc(), page=page_of(recording, entry.url, crawl.strategy))
        if item.page is None:
            item.reason = "HTTP 404"
        else:
            list(judge(crawl, item))
            item.text = f"{entry.url} 的正文"
        crawl.store_row(item)
        crawl.finish(item)
        crawl.tick()  # a shared crawl reads there what was finished
    return crawl


def page_of(recording: Recording, url: str, strategy: strategies.Strategy) -> Page | None:
    response = recording.get(url)
    if response is None:
        return None
    html, encoding = decode(response.body)
    return Page.from_html(url, html, encoding, strategy.wants_around, strategy.wants_paths)


def reasons_of(crawl: Crawl, strategy: strategies.Strategy | None = None) -> Reasons:
    """The best waiting links with their reasons, by the strategy of the crawl or by another."""
    explain = (strategy or crawl.strategy).explain
    return {entry.url: dict(explain(entry.candidate())) for entry in crawl.frontier.waiting(SHOWN)}


def told(answer: dict[str, Any]) -> Reasons:
    return {entry["url"]: entry["reasons"] for entry in answer["entries"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "killed", "learns"),
    [("adaptive", True, True), ("content_url", False, True), ("anchor", False, False)],
)
def test_a_crawl_at_rest_tells_what_it_would_tell_if_it_ran(
    ask: Ask,
    topic: Path,
    tmp_path: Path,
    recording: Recording,
    monkeypatch: pytest.MonkeyPatch,
    strategy: str,
    killed: bool,
    learns: bool,
) -> None:
    crawl = begin(topic, tmp_path / "data", recording, strategy)
    wanted = reasons_of(crawl)
    new = reasons_of(crawl, strategies.create(crawl.topic, strategy, resources=None))
    assert len(wanted) == SHOWN and all(wanted.values()) and (new != wanted) is learns
    if killed:  # then there is no checkpoint, only the log
        monkeypatch.setattr(checkpoints, "save_checkpoint", lambda *_: None)
    crawl.close()
    answer = ask("frontier", "top", "data", "-n", SHOWN)
    assert told(answer) == wanted and list(told(answer)) == list(wanted)
    assert "note" not in answer


def test_a_crawl_that_runs_tells_by_its_own_strategy(
    ask: Ask, topic: Path, tmp_path: Path, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topical_crawler.crawl.crawl.open_frontier", lambda *_: MemoryFrontier())  # another thread ticks
    crawl = begin(topic, tmp_path / "data", recording, "semantic")
    wanted = reasons_of(crawl)
    (topic / "terms.tsv").unlink()  # nobody could make the strategy again
    with ticking(crawl):
        assert told(ask("frontier", "top", "data", "-n", SHOWN)) == wanted
        assert "reasons" not in ask("frontier", "top", "data", "-n", 1, "--no-reasons")["entries"][0]
        assert "reasons" not in ask("frontier", "top", "data", "--hosts")["hosts"][0]
    crawl.close()


@contextmanager
def ticking(crawl: Crawl) -> Iterator[None]:
    """What the scheduler does about once a second."""
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(0.01):
            crawl.tick()

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_the_queue_is_shown_whatever_is_wrong_with_the_strategy(
    ask: Ask, say: RunScrapy, topic: Path, tmp_path: Path, recording: Recording
) -> None:
    crawl = begin(topic, tmp_path / "data", recording, "anchor")
    best = next(iter(reasons_of(crawl)))
    crawl.close()
    frontier = SqliteFrontier(tmp_path / "data/frontier.sqlite")
    frontier.journal.save("strategy", {"after": 12})
    frontier.close()
    damaged = ask("frontier", "top", "data", "-n", 1)
    assert damaged["entries"][0]["url"] == best
    assert "cannot read what the crawl has learned (KeyError: 'state'). Continue with" in damaged["note"]
    (topic / "terms.tsv").unlink()
    shown = say("frontier", "top", "data", "-n", 1)
    assert shown.returncode == 0 and best in shown.stdout
    assert "no reasons: " in shown.stdout and "terms.tsv: missing" in " ".join(shown.stdout.split())
    assert "no reasons" not in say("frontier", "top", "data", "--no-reasons").stdout
    (tmp_path / "data/crawl.json").unlink()
    assert "its topic and strategy are unknown" in ask("frontier", "top", "data")["note"]


def test_a_crawl_over_redis(ask: Ask, topic: Path, tmp_path: Path, recording: Recording) -> None:
    with RedisServer(tmp_path) as server:
        settings = {"TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url, "TOPICAL_CRAWL": "党建", "TOPICAL_RESOURCES": 0}
        crawl = begin(topic, tmp_path / "data", recording, "content_url", **settings)
        wanted = reasons_of(crawl)
        line = ["frontier", "top", "党建", "-n", SHOWN, *(f"-s{name}={value}" for name, value in settings.items())]
        answer = ask(*line)
        assert told(answer) == wanted and "note" not in answer
        with (topic / "terms.tsv").open("a", encoding="utf-8") as terms:
            terms.write("天气\t1\n")
        assert "the topic's files here differ from the crawl's" in ask(*line)["note"]
        text = ask("topic", "explain", "mytopic", "主题教育", "--crawl", "党建", *line[5:])
        assert text["strategy"] == "content_url" and text["crawl"] == "党建"
        crawl.close()


def test_reasons_are_whole_in_lines_that_fit() -> None:
    reasons = {
        "anchor holds 机器学习": 1.9,
        "anchor word 下一页\x1b[2J": -0.4,
        "page it is on is on topic (0.83)": 1.2,
        "path /categories/NLP of godweiyang.com": 0.7,
    }
    found = {"url": "http://godweiyang.com/categories/NLP/", "anchor": "语言处理" * 18, "parent": "http://a.cn/", "parents": 2}
    entry = {**found, "priority": 3.2, "depth": 2, "rescored": 0, "reasons": reasons}
    out = io.StringIO()
    Console(file=out, width=80, highlight=False).print(top_view({"entries": [entry], "note": "no reasons: \x07"}))
    lines = out.getvalue().splitlines()
    assert max(map(cell_len, lines)) <= 80
    for name, part in reasons.items():
        whole = f"{name} {part}".replace("\x1b", "\ufffd")
        assert sum(whole in line for line in lines) == 1, whole
    assert "no reasons: \ufffd" in lines


def test_a_page_is_shown_with_its_links(topic: Path, recording: Recording) -> None:
    loaded = load_topic(topic)
    strategy = strategies.create(loaded, "shark_search", resources=None)
    explain = Explain(loaded, ProjectSettings(project, []), strategy, Resources.none())
    found = explain.judge("URL", Fetched(SEED, page_of(recording, SEED, strategy), "", "list page"))
    assert found is not None and found.verdict.keep and "党建网" in found.verdict.why
    assert [link.url for link in found.links if link.decision == "this page itself"] == [found.links[-1].url] == [SEED]
    scores = [link.score or 0.0 for link in found.links[:-1]]
    assert len(scores) > 10 and scores == sorted(scores, reverse=True) and scores[0] > scores[-1]
    out = io.StringIO()
    explain.show(Console(file=out, width=80, highlight=False), found, 2)
    shown = out.getvalue()
    assert max(map(cell_len, shown.splitlines())) <= 80
    best = found.links[0]
    for part in (
        "on topic: relevance ", "the strategy 'shark_search'", f"Fetched: {SEED}", "Main text: none (list page)", best.url,
        f"“{best.anchor}”", f"{len(scores)} of {len(found.links)} would be queued", "inherited ", " · neighbourhood ",
        f"… and {len(found.links) - 2} more",
    ):  # fmt: skip
        assert part in shown, part


def test_explain_takes_the_strategy_that_a_crawl_would_take(ask: Ask, say: RunScrapy, topic: Path) -> None:
    (topic / "topic.toml").write_text('title = "党建"\ndefault_strategy = "anchor"\n', encoding="utf-8")
    text = ("topic", "explain", "mytopic", "党员过组织生活")
    found = ask(*text)
    assert (found["strategy"], found["why"], found["links"]) == ("anchor", {"党员": 0.5, "组织生活": 0.5}, [])
    assert ask(*text, "-s", "TOPICAL_STRATEGY=vsm")["strategy"] == "vsm"
    assert ask(*text, "--strategy", "semantic")["strategy"] == "semantic"
    assert "Taken for a text: 党员过组织生活" in say(*text).stdout
    for arguments, said in (
        (("--strategy", "none"), "no strategy 'none'. Choose one of adaptive, semantic"),
        (("--crawl", "nowhere"), "there is no crawl in nowhere"),
    ):
        failed = say(*text, *arguments)
        assert failed.returncode == 1 and said in failed.stderr and "Traceback" not in failed.stderr


def test_explain_by_what_a_crawl_has_learned(ask: Ask, say: RunScrapy, topic: Path, tmp_path: Path, recording: Recording) -> None:
    crawl = begin(topic, tmp_path / "data", recording, "content_url")
    learned = crawl.strategy
    text = ("topic", "explain", topic, "党建", "--crawl", "data")
    running = say(*text)
    assert running.returncode == 1 and "data: the crawl is running and holds its learned state" in running.stderr
    urls = [entry.url for entry in crawl.frontier.waiting(SHOWN)]
    crawl.close()
    other = say(*text, "--strategy", "anchor")
    assert other.returncode == 1 and "--crawl data: its strategy is 'content_url', not 'anchor'" in other.stderr
    wrong = say("topic", "explain", "sports", "党建", "--crawl", "data")
    assert wrong.returncode == 1 and "--crawl data: its topic is 'mytopic', not 'sports'" in wrong.stderr

    links = "".join(f'<a href="{url}">党支部</a>' for url in urls)
    (tmp_path / "page.html").write_text(f"<title>党建 党员 主题教育</title><body>{links}</body>", encoding="utf-8")
    explained = ask("topic", "explain", topic, "page.html", "--base", "http://elsewhere.cn/", "--crawl", "data")
    assert explained["on_topic"] and explained["topic"] == "mytopic" and explained["url"] == "http://elsewhere.cn/"
    assert {link["decision"] for link in explained["links"] if link["queued"]} == {"queued"}
    place = Evidence("http://elsewhere.cn/", explained["relevance"], True, "党支部")
    new = strategies.create(load_topic(topic), "content_url", resources=None)
    wanted, unlearned = ({url: s.explain(Candidate(url, (place,)))["url"] for url in urls} for s in (learned, new))
    assert {link["url"]: link["reasons"]["url"] for link in explained["links"]} == wanted != unlearned
