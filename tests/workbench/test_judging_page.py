"""The page in a real browser: keys, marks, what is shown, in both languages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from judging_tools import TEXTS, browser, serving, written
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from wait_tools import wait_for
from workbench_tools import Served

from topical_crawler.judging.sample import read_sample

TITLES = list(TEXTS)


class Reader:
    """A person before the page."""

    def __init__(self, driver: WebDriver, server: Served, path: Path) -> None:
        self.driver, self.server, self.path = driver, server, path

    def open(self) -> None:
        self.driver.get(self.server.url)
        self.until(lambda: self.text("place"))

    def until(self, happens: Callable[[], object]) -> None:
        wait_for(happens, lambda: self.driver.page_source)

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(key).perform()

    def text(self, name: str) -> str:
        return self.driver.find_element(By.ID, name).text

    def sees(self, title: str) -> None:
        self.until(lambda: self.text("title") == title)

    def saved(self, *marks: str | None) -> None:
        """The file has these marks, and then none."""
        expected = [*marks, *[None] * (5 - len(marks))]
        self.until(lambda: [item.mark for item in read_sample(self.path).items] == expected)

    def run(self, script: str) -> object:
        return self.driver.execute_script(f"return {script}")


@pytest.fixture(scope="module")
def chromium() -> Iterator[WebDriver]:
    with browser() as found:
        yield found


@pytest.fixture
def reader(chromium: WebDriver, tmp_path: Path) -> Iterator[Reader]:
    path = written(tmp_path / "sample.jsonl")
    with serving(path) as server:
        found = Reader(chromium, server, path)
        found.open()
        yield found
        errors = [line for line in chromium.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]  # type: ignore[no-untyped-call]
        chromium.get("about:blank")
    assert not errors


def test_marks_by_key_are_saved_and_the_next_text_comes(reader: Reader) -> None:
    reader.sees(TITLES[0])
    reader.press("1")
    reader.sees(TITLES[1])
    reader.press("n")
    reader.sees(TITLES[2])
    reader.press("B")
    reader.saved("relevant", "irrelevant", "boilerplate")
    reader.until(lambda: reader.text("saved") == "Saved")
    assert reader.text("place") == "4 of 5, 3 judged"
    assert reader.driver.find_element(By.ID, "progress").get_attribute("aria-valuenow") == "3"


def test_one_can_go_back_and_change_ones_mind(reader: Reader) -> None:
    reader.press("1", "1", Keys.ARROW_LEFT)
    reader.sees(TITLES[1])
    assert reader.driver.find_element(By.CSS_SELECTOR, "[aria-pressed=true]").get_attribute("data-mark") == "relevant"
    reader.press("2")
    reader.saved("relevant", "irrelevant")
    reader.sees(TITLES[2])
    reader.press("k", "k", "j")
    reader.sees(TITLES[1])


def test_undo_takes_back_one_mark_after_the_other(reader: Reader) -> None:
    reader.press("1", "2", "u")
    reader.sees(TITLES[1])
    reader.until(lambda: reader.text("saved") == "Undone")
    reader.saved("relevant")
    reader.press("u")
    reader.sees(TITLES[0])
    reader.until(lambda: reader.text("saved") == "Undone")
    reader.saved()
    reader.press("u")
    assert reader.text("saved") == "Nothing to undo"


def test_after_a_reload_one_goes_on_where_one_was(reader: Reader) -> None:
    reader.press("1", "s")
    reader.sees(TITLES[2])
    reader.press("3")
    reader.saved("relevant", None, "boilerplate")
    reader.driver.refresh()
    reader.sees(TITLES[1])
    assert reader.text("place") == "2 of 5, 2 judged"
    reader.press("2")
    reader.sees(TITLES[3])


def test_buttons_do_what_keys_do_and_space_only_scrolls(reader: Reader) -> None:
    reader.driver.find_element(By.CSS_SELECTOR, "button[data-mark=relevant]").click()
    reader.sees(TITLES[1])
    reader.press(Keys.SPACE)
    reader.saved("relevant")
    reader.sees(TITLES[1])
    reader.driver.find_element(By.ID, "back").click()
    reader.sees(TITLES[0])


def test_keys_with_control_or_alt_are_the_browsers(reader: Reader) -> None:
    for modifier in (Keys.CONTROL, Keys.ALT):
        ActionChains(reader.driver, duration=0).key_down(modifier).send_keys("b").key_up(modifier).perform()
    reader.saved()
    reader.sees(TITLES[0])


def test_terms_are_marked_and_longer_ones_first(reader: Reader) -> None:
    reader.until(lambda: reader.driver.find_elements(By.TAG_NAME, "mark"))
    shown = [element.text for element in reader.driver.find_elements(By.TAG_NAME, "mark")]
    assert shown[:4] == ["党支部", "党课", "党员", "党员干部"]
    assert reader.text("text").replace("\n\n", "\n") == TEXTS[TITLES[0]]


def test_a_script_in_a_text_is_text(reader: Reader) -> None:
    reader.press("j")
    reader.until(lambda: "<script>" in reader.text("text"))
    assert "<b>粗体</b>" in reader.text("text")
    assert reader.run("document.querySelectorAll('#text script, #text b').length") == 0
    assert "坏" not in reader.driver.title


def test_where_the_text_came_from(reader: Reader) -> None:
    link = reader.driver.find_element(By.ID, "url")
    assert link.get_attribute("href") == "http://www.wutong.cn/0/0.html"
    assert link.get_attribute("rel") == "noreferrer noopener"
    assert reader.text("facts") == "www.wutong.cn · 2026-11-08 · relevance 0.800"
    reader.press("j", "j", "j", "j")
    reader.sees("党务公开")
    assert reader.text("facts") == "c.cn · no date · relevance 0.0100 · rejected: off topic"
    assert link.get_attribute("href") is None and link.text == "javascript:alert(1)"
    reader.until(lambda: "no text of this rejected page" in reader.text("text"))


def test_when_all_are_judged_it_says_so(reader: Reader) -> None:
    reader.press("1", "1", "2", "3", "2")
    reader.until(lambda: "All texts are judged." in reader.text("done"))
    reader.saved("relevant", "relevant", "irrelevant", "boilerplate", "irrelevant")


def test_help_and_both_languages(reader: Reader) -> None:
    reader.press("?")
    assert "take the last mark back" in reader.text("help")
    reader.press("1")
    reader.press(Keys.ESCAPE)
    reader.saved()
    reader.driver.find_element(By.CSS_SELECTOR, ".bench .last a").click()
    reader.until(lambda: reader.text("place") == "第 1 篇，共 5 篇，已判定 0 篇")
    assert reader.run("document.documentElement.lang") == "zh-CN"
    reader.press("1")
    reader.until(lambda: reader.text("saved") == "已保存")
    reader.press("j", "j", "j")
    reader.sees("党务公开")
    assert reader.text("facts") == "c.cn · 无日期 · 相关度 0.0100 · 未收录：不切题"
    reader.driver.delete_all_cookies()


def test_both_languages_say_the_same_things(reader: Reader) -> None:
    words = json.loads(
        str(
            reader.driver.execute_async_script(
                "const done = arguments[0]; import('/static/asked_words.js').then(({ WORDS }) => done(JSON.stringify("
                "Object.values(WORDS).map((words) => [Object.keys(words), words.keys.length]))));"
            )
        )
    )
    assert words[0] == words[1]


def test_every_control_has_a_name(reader: Reader) -> None:
    for element in reader.driver.find_elements(By.CSS_SELECTOR, "button, select, a[href], [role=progressbar], [role=group]"):
        if element.is_displayed():
            assert element.accessible_name, element.get_attribute("outerHTML")


def test_a_server_that_has_ended_is_noticed(chromium: WebDriver, tmp_path: Path) -> None:
    path = written(tmp_path / "sample.jsonl")
    with serving(path) as server:
        reader = Reader(chromium, server, path)
        reader.open()
        reader.sees(TITLES[0])
    reader.press("1")
    reader.until(lambda: "was not saved" in reader.text("failure"))
    reader.sees(TITLES[0])
    assert "0 judged" in reader.text("place")
    chromium.get_log("browser")  # type: ignore[no-untyped-call]
    chromium.get("about:blank")


def test_a_reader_of_chinese_is_spoken_to_in_chinese(tmp_path: Path) -> None:
    path = written(tmp_path / "sample.jsonl")
    with browser(language="zh-CN", dark=True) as driver, serving(path) as server:
        reader = Reader(driver, server, path)
        reader.open()
        assert "已判定" in reader.text("place")
        assert reader.run("getComputedStyle(document.documentElement).backgroundColor") == "rgb(23, 25, 28)"
