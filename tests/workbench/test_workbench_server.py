"""The workbench without a browser: who may use it, and what its interface says."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wait_tools import stopped_at_its_browser, wait_for
from workbench_tools import REPLAY, ROOT, Served, workbench

from topical_crawler.corpus.clean import Done, put_back, take_back
from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.judging.sample import read_sample

CRAWL = "/crawls/partybuilding"
RunScrapy = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(run_scrapy: RunScrapy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the crawl of the demo web, archived."""
    folder = tmp_path_factory.mktemp("bench")
    seeds = f"seeds={ROOT / 'demo/seeds.txt'}"
    done = run_scrapy(
        "crawl", "topical", "-a", "topic=partybuilding", "-a", seeds, *REPLAY, "-s", "TOPICAL_ARCHIVE=1", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with workbench(folder, "-s", "TOPICAL_RESOURCES=0") as served:
        yield served


def test_control_c_before_a_browser_has_ended_ends_it_in_order(tmp_path: Path) -> None:
    """The end of a browser in the terminal is waited for."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}
    code, _, err = stopped_at_its_browser(["workbench"], tmp_path, environment)
    assert (code, err.strip()) == (0, "")


def test_the_address_outlives_a_restart_and_is_the_owners_alone(tmp_path: Path) -> None:
    with workbench(tmp_path) as served:
        file = tmp_path / "data/.workbench.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600 and served.token in file.read_text("utf-8")
        with workbench(tmp_path) as other:  # the port is taken
            assert other.base != served.base and other.api("/resources")
    with workbench(tmp_path) as again:
        assert again.url == other.url and again.api("/resources")
    file.write_text("[]", "utf-8")
    with workbench(tmp_path) as new:
        assert new.token != other.token and new.api("/resources")


def test_a_crawl_that_begins_starts_and_is_no_problem(tmp_path: Path) -> None:
    with workbench(tmp_path, *REPLAY) as served:
        served.act("/crawls", topic="partybuilding", seeds="http://www.qinghedj.example/", survey=True)
        shown = served.api(CRAWL)
        assert (shown["starts"], shown["problem"], shown["stats"]) == (True, "", None)
        wait_for(lambda: served.api(CRAWL)["runs"] is False)
        assert not served.api(CRAWL)["starts"]
        line = r"www\.qinghedj\.example/\S* +\d+ +\d+ +\d+"
        wait_for(lambda: re.search(line, served.api(CRAWL)["survey"]))

        def answer(action: str) -> Any:
            """None where it is refused, as for a moment while a process ends."""
            with contextlib.suppress(AssertionError):
                return served.act(f"{CRAWL}/{action}")
            return None

        assert wait_for(lambda: answer("pause"))["answer"]["paused"]
        wait_for(lambda: answer("go-on"))
        wait_for(lambda: (stats := served.api(CRAWL)["stats"]) is not None and not stats["paused"])


def test_texts_near_to_a_topic_in_meaning_and_far(served: Served) -> None:
    near = {name: served.api(f"/topics/{name}/near", crawl="partybuilding") for name in ("partybuilding", "weather")}
    for shown in near.values():
        assert shown["of"] == 46 and len(shown["texts"]) == 10
        assert [cosine for cosine, _ in shown["texts"]] == sorted((cosine for cosine, _ in shown["texts"]), reverse=True)
    assert near["partybuilding"]["texts"][4][0] > near["weather"]["texts"][4][0]


def test_texts_that_were_taken_back_are_counted(served: Served, folder: Path) -> None:
    corpus = folder / "data/partybuilding/corpus.sqlite"
    with CorpusStore(str(corpus)) as store:
        keys = [record.key for record in itertools.islice(store.records(Filters()), 2)]
        take_back(store, "off topic", dict.fromkeys(keys, 0.1), Done())
        assert served.api(CRAWL)["taken_back"] == 2
        put_back(store)
    assert served.api(CRAWL)["taken_back"] == 0


def test_language_resources_that_cannot_be_fetched_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with workbench(tmp_path, "-s", f"TOPICAL_RESOURCES_DIR={tmp_path / 'resources'}") as served:
        found = served.api("/topics/new", sentence="碳排放权交易市场")
        assert found["terms"] and found["missing"] > 50e6
        assert not any(row["here"] for row in served.api("/resources")["resources"])
        served.act("/resources/fetch")
        wait_for(lambda: served.api("/resources")["problem"])
        assert "pip could not download" in served.api("/resources")["problem"]


def test_a_crawl_that_is_not_there_is_refused(run_scrapy: RunScrapy, folder: Path) -> None:
    refused = run_scrapy("workbench", "nothere", "--no-browser", cwd=folder)
    assert refused.returncode == 1
    assert "there is no crawl 'nothere'. Name one of partybuilding, or none" in refused.stderr


# -- Who may use it


def test_without_the_token_nothing_is_said(served: Served) -> None:
    for path in ("/", "/api", f"/api{CRAWL}/corpus", "/static/workbench.js", "/?token=wrong"):
        status, headers, body = served.ask(path, headers={})
        assert status == 403, path
        assert b"partybuilding" not in body
        assert headers["content-security-policy"].startswith("default-src 'none'")


def test_the_token_in_the_address_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(served: Served) -> None:
    status, headers, _ = served.ask(f"/crawls/partybuilding/corpus?q=1&token={served.token}", headers={})
    assert (status, headers["location"]) == (303, "/crawls/partybuilding/corpus?q=1")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    name, _, value = cookie.partition(";")[0].partition("=")
    assert served.ask("/", headers={"Cookie": f"{name}={value}"})[0] == 200


def test_another_host_name_is_refused_even_with_the_token(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.token}", "Host": "evil.example"}
    assert served.ask("/", headers=headers)[0] == 403


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null"])
def test_a_foreign_page_cannot_act_with_the_cookie(served: Served, origin: str | None) -> None:
    headers = {"Cookie": f"workbench-{served.base.rpartition(':')[2]}={served.token}", "Content-Length": "0"}
    headers |= {"Origin": origin} if origin else {}
    assert served.ask(f"{CRAWL}/pause", "POST", headers=headers)[0] == 403
    assert served.api(CRAWL)["stats"]["paused"] is False


def test_the_interface_reads_with_the_cookie_and_acts_with_the_token_alone(served: Served) -> None:
    cookie = {"Cookie": f"workbench-{served.base.rpartition(':')[2]}={served.token}", "Origin": served.base}
    assert served.ask(f"/api{CRAWL}/corpus", headers=cookie)[0] == 200
    status, _, body = served.ask(f"/api{CRAWL}/pause", "POST", headers=cookie | {"Content-Length": "0"})
    assert status == 403
    assert "Bearer" in json.loads(body)["error"]
    assert served.act(f"{CRAWL}/pause")["answer"]["paused"] is True
    assert served.act(f"{CRAWL}/resume")["answer"]["was_paused"] is True


def test_a_body_may_not_be_long(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.token}", "Content-Length": "2000000"}
    assert served.ask(f"/api{CRAWL}/pause", "POST", headers=headers)[0] == 413


def test_mistakes_are_said_with_what_is_expected(served: Served) -> None:
    for path, said in (
        (f"/api{CRAWL}/corpus?limit=0", "limit is a whole number from 1 to 500, not '0'"),
        (f"/api{CRAWL}/corpus?sort=colour", "sort is one of number"),
        (f"/api{CRAWL}/corpus?colour=red", "colour: no such argument of corpus"),
        (f"/api{CRAWL}/corpus?q=%22", "there is nothing to search for"),
        (f"/api{CRAWL}/export?split=0.9,0.2", "'0.9,0.2' is no split; write the shares"),
        (f"/api{CRAWL}/export?split=0.8,0.1,0.1&rejected=true", "--split divides texts, and pages"),
        ("/api/crawls/nowhere/corpus", "there is no crawl 'nowhere'. There are: partybuilding"),
        (f"/api{CRAWL}/texts/99999", "has no page 99999"),
        ("/api/nowhere", "there is no such path"),
    ):
        status, _, body = served.ask(path)
        assert status in (400, 404), path
        assert said in json.loads(body)["error"], path


def test_a_chinese_page_says_mistakes_in_chinese(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.token}", "Accept-Language": "zh-CN"}
    for path, said in (
        ("/crawls/nowhere/corpus", "没有叫 &#39;nowhere&#39; 的爬取"),
        (f"{CRAWL}/corpus?limit=0", "limit 应是 1 到 500 的整数"),
        ("/nowhere", "没有这个页面"),
    ):
        status, _, body = served.ask(path, headers=headers)
        assert (status in (400, 404), said in body.decode()) == (True, True), body.decode()


# -- What it says


def test_the_document_of_the_interface_describes_every_operation(served: Served) -> None:
    document = json.loads(served.ask("/api")[2])
    assert document["openapi"] == "3.1.0"
    assert set(document["paths"][CRAWL.replace("partybuilding", "{crawl}") + "/pause"]) == {"post"}
    search = document["paths"]["/crawls/{crawl}/corpus"]["get"]
    assert {"crawl", "q", "host", "limit"} <= {parameter["name"] for parameter in search["parameters"]}
    assert search["operationId"] == "corpus"
    assert all(part["summary"].endswith(".") for path in document["paths"].values() for part in path.values())


def test_search_gives_keywords_in_context_as_the_command_does(served: Served, folder: Path, run_scrapy: RunScrapy) -> None:
    found = served.api(f"{CRAWL}/corpus", q="党课")
    command = json.loads(run_scrapy("corpus", "search", "partybuilding", "党课", "--json", cwd=folder).stdout)
    assert [hit["number"] for hit in found["hits"]] == [text["number"] for text in command["texts"]]
    assert [hit["lines"] for hit in found["hits"]] == [text["lines"] for text in command["texts"]]
    assert found["total"] == command["total"] == 3
    by_right = served.api(f"{CRAWL}/corpus", q="党课", order="right")["hits"]
    assert [hit["lines"][0]["right"] for hit in by_right] == sorted(hit["lines"][0]["right"] for hit in found["hits"])


def test_a_topic_of_the_program_is_copied_and_the_copy_edited(served: Served, folder: Path) -> None:
    bundled = served.api("/topics/sports")
    assert not bundled["own"]
    (folder / "ours").mkdir()
    (folder / "ours/topic.toml").write_text('title = "我们的"\n', "utf-8")
    (folder / "ours/terms.tsv").write_text("攀岩\n", "utf-8")
    for path, values, expected in (
        ("/topics/sports", {"word": ["冠军"], "weight": ["0.5"]}, (409, "Copy it, and edit the copy")),
        ("/topics/sports/copy", {"to": "sports"}, (409, "comes with the program")),
        ("/topics/sports/copy", {"to": "ours"}, (409, "ours holds a topic already")),  # in the working folder
        ("/topics/nowhere/copy", {"to": "mine"}, (404, "there is no topic 'nowhere'")),
        ("/topics/sports/copy", {"to": "../mine"}, (400, "cannot name a topic")),
    ):
        headers = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"}
        status, _, body = served.ask(f"/api{path}", "POST", json.dumps(values).encode(), headers)
        assert (status, expected[1] in json.loads(body)["error"]) == (expected[0], True), body
    shutil.rmtree(folder / "ours")
    served.act("/topics/sports/copy", to="mine")
    served.act("/topics/mine", word=["冠军", "决赛", "攀岩"], weight=["0.5", "0", "1"])
    copied = served.api("/topics/mine")
    weights = {term["word"]: term["weight"] for term in copied["terms"]}
    expected_terms = {term["word"]: term["weight"] for term in bundled["terms"]} | {"冠军": 0.5, "攀岩": 1}
    assert (copied["own"], weights) == (True, {w: n for w, n in expected_terms.items() if w != "决赛"})
    assert {term["word"] for term in served.api("/topics/mine", q="奥")["terms"]} == {w for w in weights if "奥" in w}
    assert served.api("/topics/sports") == bundled
    # Who only looks and saves changes nothing.
    files = {file: file.read_bytes() for file in (folder / "topics/mine").iterdir()}
    served.act("/topics/mine", word=list(weights), weight=[str(weight) for weight in weights.values()])
    assert {file: file.read_bytes() for file in (folder / "topics/mine").iterdir()} == files


def test_pages_of_a_list_follow_each_other_and_facets_count_all(served: Served) -> None:
    whole = [hit["number"] for hit in served.api(f"{CRAWL}/corpus", limit=100)["hits"]]
    parts = [served.api(f"{CRAWL}/corpus", limit=20, **{"from": start})["hits"] for start in (0, 20, 40)]
    assert [hit["number"] for part in parts for hit in part] == whole
    facets = served.api(f"{CRAWL}/facets")["facets"]
    assert sum(count for _, count in facets["host"]) == len(whole) == served.api(f"{CRAWL}/count")["total"]
    host, count = facets["host"][0]
    assert served.api(f"{CRAWL}/count", host=host)["total"] == count
    relevance, count = facets["relevance"][-1]
    assert served.api(f"{CRAWL}/count", min_relevance=relevance, below_relevance=relevance + 0.1)["total"] == count
    reason, count = facets["reason"][0]
    assert served.api(f"{CRAWL}/count", reason=reason)["total"] == count
    assert served.api(f"{CRAWL}/count", rights="unreserved")["total"] == len(whole)
    assert served.api(f"{CRAWL}/count", rights="licensed")["total"] == 0


def test_why_is_said_in_both_languages(served: Served) -> None:
    text = served.api(f"{CRAWL}/corpus", limit=1)["hits"][0]["number"]
    english = served.api(f"{CRAWL}/texts/{text}/why")["because"]
    chinese = served.api(f"{CRAWL}/texts/{text}/why", language="zh")["because"]
    assert english[0] == "It was kept."
    assert chinese[0] == "它被收入语料库。"
    assert any("zh 简体" in line for line in chinese)
    assert len(english) == len(chinese)


def test_the_page_as_fetched_is_shown_where_nothing_can_run(served: Served) -> None:
    status, headers, body = served.ask(f"{CRAWL}/texts/19/source")
    assert status == 200
    assert headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert served.api(f"{CRAWL}/texts/19")["text"]["title"] in body.decode()
    assert served.ask(f"{CRAWL}/texts/20/source")[0] == 200  # the archive has an index beside it by now


def test_words_are_those_of_the_texts(served: Served) -> None:
    found = served.api(f"{CRAWL}/words", limit=10_000, content="false", least=1)
    assert found["texts"] == 46
    assert sum(word["occurrences"] for word in found["list"]) == found["words"]
    assert found["keys"][0]["keyness"] > found["keys"][9]["keyness"] > 10.83
    near = served.api(f"{CRAWL}/collocates", word="支部")
    counted = {word["word"]: word["occurrences"] for word in found["list"]}
    assert near["count"] == counted["支部"]
    assert all(one["occurrences"] == counted[one["word"]] for one in near["collocates"])
    same = served.api(f"{CRAWL}/words", reference="partybuilding")
    assert same["keys"] == []  # nothing is key against itself


def test_a_mark_is_stored_learned_and_taken_back(served: Served, folder: Path) -> None:
    done = served.act(f"{CRAWL}/texts/20/mark", mark="irrelevant")
    assert (done["mark"], done["before"]) == ("irrelevant", "none")
    assert "learns from 1 marked text" in done["learned"]
    assert served.api(f"{CRAWL}/texts/20")["mark"] == "irrelevant"
    (file,) = folder.glob("data/partybuilding/asked-*.jsonl")
    assert [item.mark for item in read_sample(file).items] == ["irrelevant"]
    assert served.api(CRAWL)["stats"]["marked"] == 1
    form = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/x-www-form-urlencoded"}
    _, _, page = served.ask(f"{CRAWL}/texts/20/mark", "POST", b"mark=boilerplate", form)  # as a browser without scripts sends it
    assert page.count(b'id="mark"') == 1  # where scripts, should there be any, put the next answer
    assert b'value="boilerplate" aria-pressed="true"' in page
    assert served.act(f"{CRAWL}/texts/20/mark", mark=done["before"])["mark"] is None
    assert served.api(f"{CRAWL}/texts/20")["mark"] is None
    file.unlink()


def test_an_export_is_the_commands(served: Served, folder: Path, run_scrapy: RunScrapy) -> None:
    shown = served.api(f"{CRAWL}/export", format="jsonl")["preview"]
    status, headers, body = served.ask(f"{CRAWL}/export/file?format=jsonl&min_relevance=0.9")
    assert status == 200
    assert "partybuilding-jsonl.zip" in headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert set(archive.namelist()) >= {"partybuilding/partybuilding.jsonl", "partybuilding/partybuilding.jsonl.manifest.json"}
        lines = archive.read("partybuilding/partybuilding.jsonl").decode()
    command = run_scrapy("corpus", "export", "partybuilding", "--min-relevance", "0.9", cwd=folder)
    assert lines == command.stdout
    assert json.loads(shown.splitlines()[0])["title"]
    for asked in ("export?since=yesterday", "corpus?since=yesterday", "corpus?until=2024-13-45"):
        status, _, body = served.ask(f"/api{CRAWL}/{asked}")
        assert status == 400
        assert "write it as 2024-12-31" in json.loads(body)["error"]


def tokens(text: str) -> Counter[str]:
    """As AntConc counts them, whose tokens are runs of letters."""
    letters = "".join(c if unicodedata.category(c).startswith("L") else " " for c in text)
    return Counter(letters.split())


def exported(served: Served, **values: Any) -> dict[str, str]:
    """The files of an export by name."""
    status, _, body = served.ask(f"{CRAWL}/export/file?{urlencode(values)}")
    assert status == 200, body
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return {name: archive.read(name).decode("utf-8-sig") for name in archive.namelist() if not name.endswith("/")}


def test_antconc_counts_the_words_that_the_segmenter_cuts(served: Served) -> None:
    """The package for AntConc, counted by its rules, against the same ten texts one word a line and as they are."""
    files = exported(served, format="antconc", sample=10)
    index = list(csv.DictReader(io.StringIO(next(text for name, text in files.items() if name.endswith("/index.csv")))))
    assert len(index) == 10 and all(row["url"] and row["title"] for row in index)
    lines = next(text for name, text in exported(served, format="sketchengine", sample=10).items() if name.endswith(".vert"))
    plain = exported(served, format="jsonl", sample=10)
    rows = list(map(json.loads, next(text for name, text in plain.items() if name.endswith(".jsonl")).splitlines()))
    for row, record, doc in zip(index, rows, lines.split("</doc>\n"), strict=False):
        text = next(text for name, text in files.items() if name.endswith(row["file"]))
        words = [line.split("\t")[0] for line in doc.splitlines() if "\t" in line]
        assert tokens(text) == sum(map(tokens, map(unescape, words)), Counter())
        assert "".join(text.split()) == "".join(record["text"].split())
        assert tokens(text).total() > 3 * tokens(record["text"]).total()  # where nothing is cut, a clause is a token
    assert "共产党 员" not in "".join(files.values()) and tokens("".join(files.values()))["党员"] >= 10


@pytest.mark.slow
@pytest.mark.parametrize("segmenter", ["jieba", "rjieba"])
def test_the_process_stays_small(folder: Path, segmenter: str) -> None:
    """All pages, in a process that shares no memory with others."""
    command = [sys.executable, "-m", "topical_crawler", "workbench", "--no-browser", "-s", "TOPICAL_RESOURCES=0"]
    command += ["-s", f"TOPICAL_SEGMENTER={segmenter}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            served = Served(process.stderr.readline().strip())
            for page in ("", "/corpus", "/words", "/texts/20", "/texts/20/why", "/asked", "/best", "/facets"):
                served.api(CRAWL + page)
            served.api(f"{CRAWL}/collocates", word="党课")
            served.api(f"{CRAWL}/corpus", q="党课")
            served.api(f"{CRAWL}/export", format="antconc")
            served.api("/topics/new", sentence="基层党建与党员教育")
            most = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text("utf-8"))
        finally:
            process.send_signal(signal.SIGINT)
    assert most and int(most[1]) < 250_000


@pytest.mark.slow
def test_programs_get_the_export_that_they_read(served: Served) -> None:
    cqpweb = exported(served, format="cqpweb")
    text = next(text for name, text in cqpweb.items() if name.endswith(".vrt"))
    ids = re.findall(r'^<text id="([^"]*)" url=', text, re.MULTILINE)
    assert len(ids) == len(set(ids)) == text.count("</text>\n") == 46 and all(re.fullmatch(r"t\d+", one) for one in ids)
    assert "-S text:0+id+url" in next(text for name, text in cqpweb.items() if name.endswith(".cwb.sh"))
    llm = exported(served, format="llm")
    assert set(json.loads(next(text for name, text in llm.items() if name.endswith(".jsonl")).splitlines()[0])) == {
        "id", "text", "metadata",
    }  # fmt: skip
    assert served.api(f"{CRAWL}/export", format="antconc")["preview"].count(" ") > 300


def test_the_curve_of_a_crawl_ends_with_all(served: Served) -> None:
    curve = served.api(f"{CRAWL}/curve")
    row = served.api("/crawls")["crawls"][0]
    assert (curve["pages"][-1], curve["texts"][-1]) == (row["fetched"], row["kept"]) == (219, 46)


# -- Whatever is sent

ODD = (
    *("", "0", "-1", "9" * 20, "9" * 5000, "1e400", "nan", "²", "１２", "\0", "' OR 1=1 --", '"党建', "党建 AND", "NEAR(", "a*b"),
    *("..", "../../etc/passwd", "http://[::1", "javascript:alert(1)", "党" * 1500, "a" * 2001, "\n", "[]", "2024-13-45"),
    *("true", "0.8,0.1,0.1", "<script>", "🀄", "%00", "1;2", "=", "党建", "10000-01-01"),
)
ODDER = (None, True, -1, 10**20, 1.5, [], ["a", None], [1], {}, {"a": 1}, [["党"]])
LEFT_ALONE = ("start", "go_on", "create", "propose", "copy")  # begin processes, or write files


@pytest.fixture(scope="module")
def operations(served: Served) -> list[tuple[str, str, list[str]]]:
    """Method, path and arguments of each operation, by the workbench's own schema."""
    found = []
    for path, methods in json.loads(served.ask("/api")[2])["paths"].items():
        for method, said in methods.items():
            if said["operationId"] not in LEFT_ALONE:
                body = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
                found.append(
                    (method.upper(), path, [p["name"] for p in said.get("parameters", ())] + [*body.get("properties", ())])
                )
    assert len(found) > 20 and {method for method, _, _ in found} == {"GET", "POST"}
    return found


@given(st.data())
def test_no_request_is_answered_by_an_error_of_the_server(
    served: Served, operations: list[tuple[str, str, list[str]]], data: st.DataObject
) -> None:
    method, path, names = data.draw(st.sampled_from(operations))
    path = path.replace("{crawl}", "partybuilding").replace("{name}", "partybuilding")
    for part in re.findall(r"\{\w+\}", path):
        path = path.replace(part, quote(data.draw(st.sampled_from(("1", "2", "5", *ODD))) or "1", safe=""))
    odd = st.sampled_from(ODD) if method == "GET" else st.sampled_from((*ODD, *ODDER))
    given = data.draw(st.dictionaries(st.sampled_from(names), odd, max_size=3)) if names else {}
    query = f"?{urlencode(given)}" if method == "GET" and given else ""
    headers = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"}
    body = json.dumps(given).encode() if method == "POST" else None
    status, _, answer = served.ask((path if path.startswith("/api") else f"/api{path}") + query, method, body, headers)
    assert status < 500, answer
    assert isinstance(json.loads(answer), dict)
