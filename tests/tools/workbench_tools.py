"""A workbench that runs as ``topical-crawler workbench`` runs it, and a person before it."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from fork_tools import Forked
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from wait_tools import HANGS, ended_where_it_hangs, stopped, wait_for

ROOT = Path(__file__).resolve().parents[2]
REPLAY = (
    "-s", f"TOPICAL_REPLAY={ROOT / 'demo/demo-web.warc.gz'}", "-s", "TOPICAL_RESOURCES=0", "-s", "CONCURRENT_REQUESTS=1",
)  # fmt: skip

QUIET = """return document.readyState == "complete" && !document.querySelector(".waiting, [data-waiting], .htmx-request")"""


class Served:
    """A server that runs. ``url`` is what it printed, ``base`` its address, ``token`` what acts."""

    def __init__(self, url: str) -> None:
        self.url = url
        parts = urlsplit(url)
        self.base, self.token = f"http://{parts.netloc}", parts.query.partition("=")[2]
        self._place = (str(parts.hostname), int(parts.port or 0))

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of an answer to a request with the token, unless other ``headers`` are given."""
        connection = HTTPConnection(*self._place, timeout=HANGS)
        try:
            given = {"Authorization": f"Bearer {self.token}"} if headers is None else headers
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def api(self, path: str, **values: Any) -> Any:
        """What the interface says, once nothing is being counted."""

        def counted() -> Any:
            status, _, body = self.ask(f"/api{path}?{urlencode(values, doseq=True)}")
            data = json.loads(body)
            assert status == 200, data
            return None if data.get("waiting") else data

        return wait_for(counted)

    def act(self, path: str, **values: Any) -> Any:
        """Have something done."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        status, _, body = self.ask(f"/api{path}", "POST", json.dumps(values).encode(), headers)
        data = json.loads(body)
        assert status == 200, data
        return data


def judge_all(url: str, mark: Callable[[int, dict[str, Any]], str]) -> list[dict[str, Any]]:
    """Mark all texts that the page at ``url`` asks about; what it says of each of them."""
    served, path = Served(url), urlsplit(url).path
    items: list[dict[str, Any]] = served.api(path)["items"]
    for place, item in enumerate(items):
        served.act(f"{path}/{place}", mark=mark(place, item))
    return items


@contextlib.contextmanager
def workbench(
    folder: Path,
    *arguments: str,
    command: tuple[str, ...] = ("workbench",),
    program: tuple[str | Path, ...] = ("-m", "topical_crawler"),
) -> Iterator[Served]:
    """A workbench in ``folder``."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}
    server = Forked([*program, *command, "--no-browser", *arguments], folder, environment)
    try:
        with ended_where_it_hangs(server):
            first = server.stderr.readline().strip()
        assert first.startswith("http://"), first + server.stderr.read()
        yield Served(first)
    finally:
        said = stopped(server)[1]
        assert "Traceback" not in said, said


class Visitor:
    """A person before the page."""

    def __init__(self, driver: WebDriver, served: Served) -> None:
        self.driver, self.served = driver, served

    def open(self, path: str = "/") -> None:
        self.driver.get(self.served.base + path)

    def until(self, happens: Callable[[], Any]) -> Any:
        def looked() -> Any:
            with contextlib.suppress(StaleElementReferenceException):  # the page brings new ones
                return happens()

        return wait_for(looked, lambda: f"{self.driver.current_url}: {self.driver.page_source}")

    def there(self, selector: str) -> WebElement:
        """The element, once it is there."""
        return self.until(lambda: self.driver.find_elements(By.CSS_SELECTOR, selector))[0]  # type: ignore[no-any-return]

    def text(self, selector: str) -> str:
        return str(self.there(selector).get_property("innerText"))  # what .text gives takes a tenth of a second of a long list

    def click(self, selector: str) -> None:
        self.there(selector).click()

    def write(self, selector: str, text: str) -> None:
        field = self.there(selector)
        field.clear()
        field.send_keys(text)

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(key).perform()

    def quiet(self) -> None:
        """Wait until nothing is being loaded or counted, and keys are listened to."""
        self.until(lambda: self.driver.execute_script(QUIET))  # type: ignore[no-untyped-call]

    def complaints(self) -> list[dict[str, Any]]:
        """What the browser's console has."""
        return [line for line in self.driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]  # type: ignore[no-untyped-call]
