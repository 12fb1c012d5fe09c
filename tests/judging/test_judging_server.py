"""The server of the page: who may ask what."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from judging_tools import TEXTS, serving, written
from wait_tools import HANGS

from topical_crawler.judging.sample import read_sample
from topical_crawler.judging.server import MOST_BYTES, JudgingServer


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "sample.jsonl")


@pytest.fixture
def server(path: Path) -> Iterator[JudgingServer]:
    with serving(path) as found:
        yield found


def ask(server: JudgingServer, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=HANGS)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    found = Answer(answer.status, answer.headers, answer.read())
    connection.close()
    return found


def post(server: JudgingServer, body: object, **headers: str) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ask(server, f"/{server.token}/marks", "POST", content, **({"Content_Type": "application/json"} | headers))


def test_the_page_and_what_it_needs(server: JudgingServer) -> None:
    for name, kind in (
        ("", "text/html"),
        ("page.css", "text/css"),
        ("page.js", "text/javascript"),
        ("words.js", "text/javascript"),
    ):
        found = ask(server, f"/{server.token}/{name}")
        assert found.status == 200 and found.headers.get_content_type() == kind and found.body
    shown = ask(server, f"/{server.token}/sample").json()
    assert [item["title"] for item in shown["items"]] == [*TEXTS, "党务公开"]
    assert "text" not in shown["items"][0]
    assert ask(server, f"/{server.token}/texts/1").json() == {"text": list(TEXTS.values())[1]}


def test_every_answer_forbids_framing_foreign_scripts_and_referrers(server: JudgingServer) -> None:
    for path in (f"/{server.token}/", "/", f"/{server.token}/texts/99"):
        headers = ask(server, path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "script-src 'self';" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Frame-Options"] == "DENY" and headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("asked", ["/", "/sample", "/wrong/", "/wrong/sample", "/favicon.ico", "//evil.cn/", "/%E5%85%9A/"])
def test_without_the_random_word_nothing_is_told(server: JudgingServer, asked: str) -> None:
    found = ask(server, asked)
    assert found.status == 403 and "党".encode() not in found.body


def test_two_servers_have_different_words(server: JudgingServer, tmp_path: Path) -> None:
    with serving(written(tmp_path / "other.jsonl")) as other:
        assert other.token != server.token and len(server.token) >= 32
        assert ask(other, f"/{server.token}/").status == 403


@pytest.mark.parametrize("host", ["evil.cn", "evil.cn:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:{port}.evil.cn", ""])
def test_a_name_pointed_at_this_machine_is_refused(server: JudgingServer, host: str) -> None:
    assert ask(server, f"/{server.token}/sample", Host=host.format(port=server.server_port)).status == 403


def test_its_own_names_are_answered(server: JudgingServer) -> None:
    for host in ("127.0.0.1", "localhost", "LOCALHOST"):
        assert ask(server, f"/{server.token}/sample", Host=f"{host}:{server.server_port}").status == 200


@pytest.mark.parametrize(
    "asked",
    ["../../../../etc/passwd", "..%2f..%2fetc/passwd", "server.py", "./page.css", "texts/5", "texts/-1", "texts/x", "texts/"],
)
def test_nothing_but_the_page_is_served(server: JudgingServer, asked: str) -> None:
    found = ask(server, f"/{server.token}/{asked}")
    assert found.status == 404 and b"root" not in found.body


def test_a_mark_is_in_the_file_when_it_is_answered(server: JudgingServer, path: Path) -> None:
    assert post(server, {"place": 0, "mark": "relevant"}, Origin=f"http://127.0.0.1:{server.server_port}").status == 200
    assert read_sample(path).items[0].mark == "relevant"
    assert ask(server, f"/{server.token}/sample").json()["items"][0]["mark"] == "relevant"
    assert post(server, {"place": 0, "mark": None}).status == 200
    assert read_sample(path).items[0].mark is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 4000, 400),
        ([0, "relevant"], 400),
        ({"place": 0}, 400),
        ({"place": "0", "mark": "relevant"}, 400),
        ({"place": True, "mark": "relevant"}, 400),
        ({"place": 0, "mark": "perhaps"}, 400),
        ({"place": 0, "mark": ["relevant"]}, 400),
        ({"place": 0, "mark": "relevant", "more": 1}, 400),
        ({"place": 5, "mark": "relevant"}, 404),
        ({"place": -1, "mark": "relevant"}, 404),
        (b" " * (MOST_BYTES + 1), 413),
        (b" " * 3_000_000, 413),
    ],
)
def test_what_is_no_mark_is_refused(server: JudgingServer, path: Path, body: object, status: int) -> None:
    before = path.read_bytes()
    try:
        assert post(server, body).status == status
    except (ConnectionError, http.client.HTTPException):
        assert status == 413 and len(body) > 1_000_000  # type: ignore[arg-type]  # it hangs up on what never ends
    assert path.read_bytes() == before


def test_a_mark_from_another_site_is_refused(server: JudgingServer, path: Path) -> None:
    mark = {"place": 0, "mark": "relevant"}
    for origin in ("http://evil.cn", "null", "http://127.0.0.1:1", f"https://127.0.0.1:{server.server_port}"):
        assert post(server, mark, Origin=origin).status == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert post(server, mark, Content_Type=kind).status == 415
    assert ask(server, f"/{server.token}/marks", "OPTIONS", Origin="http://evil.cn").status == 501
    assert ask(server, "/wrong/marks", "POST", json.dumps(mark).encode(), Content_Type="application/json").status == 403
    assert read_sample(path).items[0].mark is None


def test_a_body_without_a_length_is_refused(server: JudgingServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=HANGS)
    connection.putrequest("POST", f"/{server.token}/marks")
    connection.putheader("Content-Type", "application/json")
    connection.endheaders()
    assert connection.getresponse().status == 411
    connection.close()
