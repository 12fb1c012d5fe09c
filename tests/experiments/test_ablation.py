"""Crawls without Scrapy must be the crawls that Scrapy makes, but for what they leave out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import warc_tools
from crawl_tools import command, start
from rich.progress import Progress

from experiments import ablation, web_in_memory
from experiments.__main__ import main
from experiments.ablation import Rows, Setup, Variant, differences, variants
from experiments.comparison import REDIRECTED, RunKey
from experiments.plan import Cell, LabelledTopic, Start
from experiments.runs import Run, read_runs
from topical_crawler import config, settings
from topical_crawler.cli.evaluate import read_corpus
from topical_crawler.corpus.record import Record
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.recordings.reader import Recording, Response
from topical_crawler.topic.files import MarkedText
from topical_crawler.topic.topic import Topic, load_topic

DEMO = Path(__file__).parents[2] / "demo"
HTML = {"Content-Type": "text/html; charset=utf-8"}
HOME = "http://a.cn/"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def page(*links: str) -> str:
    anchors = "".join(f"<li><a href='{link}'>党建</a> 支部</li>" for link in links)
    return f"<!DOCTYPE html><title>党建</title><meta name=anchors content=党建><ul>{anchors}</ul>"


LINKS = ("http://a.cn/old", "http://a.cn/none", "http://a.cn/secret/1", "http://a.cn/tag/党建/", "http://a.cn/gone", "/round")
FOUND = (
    (HOME, 200, page(*LINKS)),
    ("http://a.cn/robots.txt", 200, "User-agent: *\nDisallow: /secret/"),
    ("http://a.cn/old", 301, "/new"),
    ("http://a.cn/new", 200, page(HOME)),
    ("http://a.cn/secret/1", 200, page()),
    ("http://a.cn/tag/%E5%85%9A%E5%BB%BA/", 200, page()),
    ("http://a.cn/gone", 404, "没有了"),
    ("http://a.cn/round", 302, "/round?1"),
    *((f"http://a.cn/round?{n}", 302, f"/round?{n + 1}") for n in range(1, 20)),
)
"""Addresses, what they answer with, and their pages; of a redirect, where it leads to."""


def answers(*found: tuple[str, int, str]) -> web_in_memory.Web:
    return web_in_memory.Web(
        [
            web_in_memory.read_answer(url, Response(status, tuple(head(status, body).items()), body.encode()))
            for url, status, body in found
        ]
    )


def head(status: int, body: str) -> dict[str, str]:
    return {"Location": body} if 300 <= status < 400 else HTML


@pytest.fixture(scope="module")
def warc(cache: Path) -> Path:
    """The small web as a recording."""
    return warc_tools.write_warc(cache / "web.warc.gz", [(u, status, head(status, b), b.encode()) for u, status, b in FOUND])


def crawled(
    web: web_in_memory.Web,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    texts: Mapping[str, web_in_memory.Text] | None = None,
    topic: Topic | None = None,
    strategy: str = "breadth_first",
    start: tuple[str, ...] = (HOME,),
    **bounds: int,
) -> list[Record]:
    """The rows of a crawl, in their order."""
    topic = topic or load_topic("partybuilding")
    cell = Cell(RunKey(strategy, topic.name, "seeds", cap=bounds.get("cap", 0)), topic, Start("seeds", 0, start))
    recording = warc_tools.write_warc(cache / "empty.warc.gz", [(HOME, 200, HTML, b"")])
    rows = Rows()
    monkeypatch.setattr(ablation, "Rows", lambda: rows)
    topics = {topic.name: LabelledTopic(topic, "grade", {})}
    setup = Setup(web, texts or {}, [recording], topics, bounds.get("budget", 100), {}, cache)
    ablation.crawl_one(Variant(strategy, strategy, {}), cell, setup)
    return rows.records


def test_every_answer_ends_as_in_a_crawl(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = answers(*FOUND)
    records = crawled(web, cache, monkeypatch)
    ends = {record.url.removeprefix(HOME): record.reason for record in records if record.reason != REDIRECTED}
    assert ends == {
        "": ablation.LIST,  # the address of a home page is a list's
        "none": "unreachable",
        "secret/1": "robots.txt",
        "tag/党建/": ablation.LIST,
        "gone": "HTTP 404",
        "new": "",
        "round?8": "too many redirects",
    }
    assert [record.reason for record in records].count(REDIRECTED) == 1 + 8
    capped = crawled(web, cache, monkeypatch, cap=3)
    assert [record.url for record in capped if record.reason != REDIRECTED] == [HOME, "http://a.cn/none", "http://a.cn/secret/1"]


def quietly_read(web: Path, cache: Path) -> web_in_memory.Web:
    with Progress(disable=True) as progress:
        return web_in_memory.read_web([web], cache, 1, progress, texts=False)[0]


def test_it_goes_the_way_that_scrapy_goes(
    tmp_path: Path, cache: Path, warc: Path, write_topic: Callable[[Mapping[str, str]], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real crawl, in a process of its own, is under way while the pages are read here. Neither has anything to extract."""
    folder = write_topic({"terms.tsv": "无人提起的词\t1\n"})
    chosen = {"TOPICAL_REPLAY": warc, "TOPICAL_CACHE_DIR": cache}
    real = start(command(f"{folder}/", tmp_path / "data", HOME, strategy="breadth_first", **chosen))
    records = crawled(quietly_read(warc, cache), cache, monkeypatch, topic=load_topic(folder))
    said = real.communicate()[1]
    assert real.returncode == 0, said
    expected = read_corpus(tmp_path / "data")
    assert [(record.url, record.reason) for record in records] == [(record.url, record.reason) for record in expected]
    assert {record.reason for record in records} >= {"off topic", "redirected", "unreachable", "robots.txt", "HTTP 404"}


@pytest.mark.parametrize("strategy", ["adaptive", "semantic"])
def test_strategies_go_the_way_that_they_go_in_scrapy(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    """Page for page on the demo web, with the same outcome of each, although nothing here knows near-duplicates or site lines."""
    web, seeds = DEMO / "demo-web.warc.gz", DEMO / "seeds.txt"
    chosen = {"TOPICAL_REPLAY": web, "TOPICAL_CACHE_DIR": cache, "TOPICAL_BARREN_END": 0}
    monkeypatch.setattr(settings, "TOPICAL_RESOURCES", 0)
    real = start(command("partybuilding", tmp_path / "data", str(seeds), strategy=strategy, pages=10000, **chosen))
    with Progress(disable=True) as progress:
        read, texts = web_in_memory.read_web([web], cache, 1, progress)
    urls = tuple(config.seeds(load_topic("partybuilding"), {"seeds": str(seeds)}))
    records = crawled(read, cache, monkeypatch, texts, strategy=strategy, start=urls, budget=10000)
    said = real.communicate()[1]
    assert real.returncode == 0, said
    expected = read_corpus(tmp_path / "data")
    assert [(record.url, record.reason) for record in records] == [(record.url, record.reason) for record in expected]
    assert len(records) >= {"adaptive": 150, "semantic": 100}[strategy]
    assert sum(record.keep for record in records) > 30


def test_several_recordings_are_one_web_that_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is read once, whatever it is joined with; of an address the first answer counts that is a success."""
    text = "".join(f"<p>第{n}党支部在雨后把水渠修到了山脚下，老人们都来帮忙，一直忙到天黑，账目贴在了村口。" for n in "一二三四")
    first = [(HOME, 200, HTML, page("/1").encode()), (f"{HOME}busy", 503, HTML, b"busy")]
    busy = (f"{HOME}busy", 200, HTML, page("/2").encode())
    second = [(HOME, 200, HTML, page().encode()), busy, ("http://b.cn/", 200, HTML, f"<h1>水渠</h1>{text}".encode())]
    files = [warc_tools.write_warc(tmp_path / f"{n}.warc.gz", found) for n, found in enumerate((first, second))]

    def read() -> tuple[dict[str, web_in_memory.Answer], dict[str, web_in_memory.Text]]:
        with Progress(disable=True) as progress:
            web, texts = web_in_memory.read_web(files, tmp_path, 1, progress)
            return {answer.url: answer for answer in web}, texts

    found, texts = read()
    assert found.keys() == texts.keys() == {HOME, f"{HOME}busy", "http://b.cn/"}
    assert texts[HOME].reason and "水渠修到了山脚下" in texts["http://b.cn/"].text
    with Recording(files, tmp_path) as recording:
        for url, answer in found.items():
            response = recording.get(url)
            assert response is not None and answer == web_in_memory.read_answer(url, response)
    assert {place.name[:7] for place in tmp_path.glob("*.jsonl.gz")} == {"0.warc.", "1.warc."}
    with monkeypatch.context() as patch:
        patch.setattr(web_in_memory, "read_answer", None)
        patch.setattr(web_in_memory, "make_text", None)
        assert read() == (found, texts)
    for place in tmp_path.glob("*.jsonl.gz"):
        place.write_bytes(place.read_bytes()[:40])
    assert read() == (found, texts), "damaged files are made anew"
    warc_tools.write_warc(files[1], second[:1])
    assert len(read()[0]) == 2


def test_what_the_texts_decide(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = answers((HOME, 200, page("/1", "/2", "/3")), *((f"{HOME}{n}", 200, page()) for n in (1, 2, 3)))
    given = (("", "甲"), ("near-empty", ""), ("", "乙"), ("", "甲。"))
    texts = {f"{HOME}{n or ''}": web_in_memory.Text(*text) for n, text in enumerate(given)}
    records = crawled(web, cache, monkeypatch, texts=texts)
    assert [record.reason for record in records] == ["", "near-empty", "", "duplicate"]
    monkeypatch.setattr(ablation.Timed, "confirm", lambda self, text: (0.0, text != "乙"), raising=False)
    refused = crawled(web, cache, monkeypatch, texts=texts)
    assert [record.reason for record in refused] == ["", "near-empty", "off-topic text", "duplicate"]


def test_rows_and_what_is_wrong_with_them() -> None:
    rows = variants(["anchor", "adaptive"], ["adaptive.rate=0.5", "anchor.word=党建"], ["hubs", ""])
    assert [(row.name, row.left_out) for row in rows] == [("anchor", ""), ("adaptive", ""), ("adaptive -hubs", "hubs")]
    topic = load_topic("partybuilding")
    own = topic.parameters["adaptive"]
    assert own and rows[2].of(topic).parameters["adaptive"] == {**own, "rate": 0.5}
    assert rows[0].of(topic).parameters["anchor"] == {"word": "党建"}
    for given in ("anchor.rate", "rate=1", "vsm.rate=1"):
        with pytest.raises(ValueError, match="--parameter"):
            variants(["anchor"], [given], [])
    with pytest.raises(ValueError, match="--without leaves out parts of adaptive, which is not among --strategies"):
        variants(["anchor"], [], ["hubs"])
    with pytest.raises(ValueError, match=r"--without host: adaptive has the parts feedback, labels, .*, eq5"):
        variants(["adaptive"], [], ["hubs", "host"])


def test_differences_pair_what_is_alike() -> None:
    def one(name: str, seed: int, area: float, start: str = "seeds") -> Run:
        return Run(name, "t", start, seed, 10, area, {}, 0, 0.0, 0.0, 0.0, 0.0, 0.0)

    fixed, drawn = [one("a", 0, 0.5)], [one("b", 0, 0.6), one("b", 1, 0.7)]
    assert differences(fixed, drawn) == pytest.approx([0.1, 0.2])
    assert differences(drawn, fixed) == pytest.approx([-0.1, -0.2])
    starts = [one("c", n, 0.5 + n / 10, f"texts5 {n}") for n in range(2)]
    assert differences(starts, [one("d", n, 0.9, f"texts5 {n}") for n in range(2)]) == pytest.approx([0.4, 0.3])


def test_an_order_of_start_urls_is_known_by_its_number() -> None:
    start = Start("homes", 0, tuple(f"http://{name}.cn/" for name in "abcdef"))
    orders = [ablation.shuffled(replace(start, seed=seed)) for seed in (0, 1, 2, 1)]
    assert orders[0].urls == start.urls and orders[1] == orders[3]
    assert len({order.urls for order in orders}) == 3
    assert all(sorted(order.urls) == list(start.urls) and order.drawn for order in orders)


@pytest.fixture
def given(tmp_path: Path, cache: Path, warc: Path) -> list[str]:
    """The command on the small web, which has one text on topic; what it found is in ``runs.json``."""
    labels, seeds = tmp_path / "labels.tsv", tmp_path / "seeds.txt"
    labels.write_text(f"url\tkind\tgrade\n{HOME}new\tarticle\t2\n{HOME}\thome\t0\n", encoding="utf-8")
    seeds.write_text(f"{HOME}\n", encoding="utf-8")
    options = {"web": warc, "labels": labels, "seeds": seeds, "cache": cache, "json": tmp_path / "runs.json", "processes": 1}
    return ["ablation", "--no-texts", *(part for name, value in options.items() for part in (f"--{name}", str(value)))]


def test_the_command(tmp_path: Path, given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    given += ["--topics", "partybuilding=grade"]
    rest = ["--strategies", "breadth_first,random", "--random-seeds", "2"]
    assert main([*given, *rest]) == 0
    runs = json.loads((tmp_path / "runs.json").read_text())
    made = [(run["variant"], run["seed"], run["pages"]) for run in runs]
    assert made == [("breadth_first", 0, 7), ("random", 0, 7), ("random", 1, 7)]
    assert all(run["area"] > 0 and run["link_us"] > 0 and run["recall"]["4000"] == 1 for run in runs)
    assert [(run["precision"], run["kept_recall"]) for run in runs] == [(1, 1)] * 3
    assert "beside the first" in capsys.readouterr().out
    assert main([*given, *rest, "--shuffle"]) == 0  # each strategy once for every order
    runs = json.loads((tmp_path / "runs.json").read_text())
    orders = [(name, f"seeds {order}") for name in ("breadth_first", "random") for order in range(2)]
    assert [(run["variant"], run["start"]) for run in runs] == orders
    for wrong, said in (
        (("semantic", "-s", "TOPICAL_HOWNET=none.txt"), "none.txt"),
        (("vsm,none",), "none"),
        (("anchor", "--parameter", "anchor.none=1"), "has no parameter 'none'"),
    ):
        assert main([*given, "--strategies", *wrong]) == 1
        assert said in capsys.readouterr().err


def test_oracles_and_what_is_lost_against_them(tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Home pages of two recordings; each leads to two lists and only the second list to the text."""
    given: dict[str, list[str]] = {"--web": [], "--labels": [], "--seeds": []}
    for name, column in (("a", "one"), ("b", "two")):
        home = f"http://{name}.cn/"
        links = {home: ("/1/", "/2/"), f"{home}1/": ("/3/",), f"{home}2/": ("/t",), f"{home}3/": (), f"{home}t": ()}
        found = [(url, 200, HTML, page(*to).encode()) for url, to in links.items()]
        warc_tools.write_warc(tmp_path / f"{name}.warc.gz", found)
        (tmp_path / f"{name}.tsv").write_text(f"url\tkind\t{column}\n{home}t\tarticle\t2\n{home}\thome\t0\n", encoding="utf-8")
        (tmp_path / f"{name}.txt").write_text(f"{home}\n", encoding="utf-8")
        for option, ending in zip(given, ("warc.gz", "tsv", "txt"), strict=True):
            given[option].append(str(tmp_path / f"{name}.{ending}"))
    topics = [f"partybuilding={column}" for column in ("one", "two", "two")]
    for n, name in ((1, "second"), (2, "third")):
        folder = Path(shutil.copytree(Path(load_topic("partybuilding").source), tmp_path / name))
        text = (folder / "topic.toml").read_text(encoding="utf-8")
        (folder / "topic.toml").write_text(text.replace('name = "partybuilding"', f'name = "{name}"'), encoding="utf-8")
        topics[n] = f"{folder}=two"
    rest = ["--no-texts", "--cache", str(cache), "--processes", "1", "--json", str(tmp_path / "runs.json")]
    rest += ["--strategies", "breadth_first", "--budget", "20", "--random-seeds", "2", "--shuffle", "--regret"]
    files = [part for option, names in given.items() for part in (option, *names)]
    assert main(["ablation", *files, "--topics", *topics, *rest]) == 0
    runs = {(one.variant, one.topic, one.start): one for one in read_runs(tmp_path / "runs.json")}
    assert len(runs) == 3 * 3 * 2, "an oracle stands for the topics of a column alike"
    where = {"partybuilding": ("one", ("a",)), "second": ("two", ("b",)), "third": ("two", ("b",))}
    assert all((one.column, one.webs) == where[one.topic] for one in runs.values())
    best = runs["oracle path", "partybuilding", "seeds 0"]
    assert (best.pages, best.kept_f, best.share, best.hosts["a.cn"].pages) == (3, 1, 1, 3)
    assert runs["oracle path", "third", "seeds 1"].area == runs["oracle path", "second", "seeds 1"].area
    own = runs["breadth_first", "partybuilding", "seeds 0"]
    assert runs["oracle greedy", "partybuilding", "seeds 0"].pages == own.pages == 10
    assert own.share == own.area / best.area < 1
    # the texts are the 3rd page of the oracle's way, the 9th breadth-first: two home pages, four lists, and two more before them
    assert best.hosts["a.cn"].area == pytest.approx(18 / 20) and own.hosts["a.cn"].area == pytest.approx(13 / 20)
    shown = capsys.readouterr().out
    assert "share of the area of oracle path" in shown and "breadth_first: the hosts at which the most area is lost" in shown
    lines = [line.split() for line in shown.replace("│", " ").splitlines() if "b.cn" in line]
    assert len(lines) == 4 and all(line[3] == "1" for line in lines)


def test_a_value_is_chosen_on_other_topics(tmp_path: Path, given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    given += ["--topics", "partybuilding=grade", "--strategies", "content_url,random"]
    assert main([*given, "--choose", "content_url.raise_factor=1.5,2"]) == 0
    values = ["content_url raise_factor=1.5", "content_url raise_factor=2"]
    assert [one.variant for one in read_runs(tmp_path / "runs.json")] == [*values, "random"]
    assert "area under the curve of recall under the value chosen" in capsys.readouterr().out
    for wrong in ("content_url.weight", "vsm.weight=1", "content_url=1"):
        assert main([*given, "--choose", wrong]) == 1
        assert f"--choose {wrong}: STRATEGY.PARAMETER=VALUE,VALUE is expected" in capsys.readouterr().err


def test_a_crawl_is_taught(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the labels, after so many pages, twice alike; a page that is asked about was not asked about before."""
    given = ["--web", str(DEMO / "demo-web.warc.gz"), "--labels", str(DEMO / "labels.tsv"), "--seeds", str(DEMO / "seeds.txt")]
    given += ["--topics", "partybuilding=grade", "--no-texts", "--cache", str(cache), "--processes", "1", "--budget", "150"]
    asked: list[tuple[int, list[str]]] = []
    marks_given: set[str] = set()
    texts_of = ablation.Person._texts

    def texts(self: ablation.Person, crawl: Crawl, web: web_in_memory.Web, number: int) -> list[MarkedText]:
        marked = texts_of(self, crawl, web, number)
        asked.append((crawl.log.finished, [text.url for text in marked]))
        marks_given.update(text.mark for text in marked)
        return marked

    monkeypatch.setattr(ablation.Person, "_texts", texts)
    found = []
    for name in ("one", "other"):
        rest = ["--strategies", "adaptive", "--marks", "8@40,20@100", "--json", str(tmp_path / name)]
        assert main(["ablation", *given, *rest]) == 0
        found.append({run.variant: (run.area, run.kept, run.precision) for run in read_runs(tmp_path / name)})
    assert found[0] == found[1] and list(found[0]) == ["adaptive", "adaptive 8@40,20@100"]
    assert found[0]["adaptive"] != found[0]["adaptive 8@40,20@100"]
    assert [(pages, len(urls)) for pages, urls in asked] == [(40, 8), (100, 20)] * 2 and asked[:2] == asked[2:]
    assert len({url for _, urls in asked for url in urls}) == 28 and marks_given == {"relevant", "irrelevant"}
    for strategy, marks in (("anchor", "8@60"), ("adaptive", "8"), ("adaptive", "8@60,8@60"), ("adaptive", "101@60")):
        assert main(["ablation", *given, "--strategies", strategy, "--marks", marks]) == 1
        assert "--marks" in capsys.readouterr().err


def test_topics_are_made_of_sentences(tmp_path: Path, given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    sentences, given = tmp_path / "sentences.tsv", [*given, "--strategies", "anchor", "--sentences"]
    sentences.write_text("# a remark\n\ndj\tgrade\t党建与支部建设\n", encoding="utf-8")
    assert main([*given, str(sentences)]) == 0
    assert [(run.topic, run.area > 0) for run in read_runs(tmp_path / "runs.json")] == [("dj", True)]
    for line in ("dj\tgrade", "dj\tgrade\t党建\t多", "../dj\tgrade\t党建", "dj\tgrade\t的"):
        sentences.write_text(f"# a remark\n{line}\n", encoding="utf-8")
        assert main([*given, str(sentences)]) == 1
        assert "sentences.tsv, line 2: " in capsys.readouterr().err
    assert main([*given, str(tmp_path / "none.tsv")]) == 1
    assert "none.tsv" in capsys.readouterr().err
