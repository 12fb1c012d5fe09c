"""Messages between commands and a crawl, and everything that may go wrong with them."""

from __future__ import annotations

import json
import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from wait_tools import wait_for

from topical_crawler.crawl.mailbox import MAX_BYTES, STALE_SECONDS, Mailbox


def echo(request: dict[str, Any]) -> dict[str, Any]:
    return {"asked": request}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mailbox"


@pytest.fixture
def box(folder: Path) -> Mailbox:
    return Mailbox(folder)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_messages_are_plain_json_of_any_program(box: Mailbox, folder: Path) -> None:
    (folder / "5-own.request.json").write_text(json.dumps({"until": time.time() + 9, "request": {"action": "stats"}}))
    box.serve(echo)
    assert json.loads((folder / "5-own.answer.json").read_text()) == {"asked": {"action": "stats"}}


def test_a_request_is_performed_once_and_answered(box: Mailbox, folder: Path) -> None:
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    request = {"action": "push", "urls": ["http://党建.cn/支部", "http://a.cn/\udce5"], "priority": None}
    number = box.post(request, 60)
    assert box.answer(number) is None
    assert Mailbox(folder).serve(echo) == 1
    assert box.answer(number) == {"asked": request}
    assert box.answer(number) is None
    assert box.serve(echo) == 0
    assert names(folder) == []


def test_requests_are_performed_in_the_order_of_their_time(box: Mailbox, folder: Path) -> None:
    for n in range(20):
        Mailbox(folder).post({"n": n}, 60)
    order: list[int] = []
    assert box.serve(lambda request: order.append(request["n"]) or {}) == 20  # type: ignore[func-returns-value]
    assert order == list(range(20))


def test_what_is_taken_back_or_whose_command_has_given_up_is_not_performed(box: Mailbox, folder: Path) -> None:
    number = box.post({}, 60)
    assert box.withdraw(number)
    box.post({"action": "purge"}, -1)
    assert box.serve(echo) == 0 and names(folder) == []
    number = box.post({}, 60)
    box.serve(echo)
    assert not box.withdraw(number)
    assert box.answer(number) is not None


BAD = [b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"request": {}}', b'{"until": 1}', b'{"until": 9e999, "request": 1}']
BAD += [b'{"until": "soon", "request": {}}', b'{"until": null, "request": {}}']


@pytest.mark.parametrize("content", BAD, ids=range(len(BAD)))
def test_a_malformed_request_gets_an_error_and_stops_nothing(box: Mailbox, folder: Path, content: bytes) -> None:
    (folder / "0-bad.request.json").write_bytes(content)
    good = box.post({"n": 1}, 60)
    assert box.serve(echo) == 1
    answer = box.answer("0-bad")
    assert answer is not None and answer["error"].startswith("the request cannot be read: ")
    assert box.answer(good) == {"asked": {"n": 1}}
    assert names(folder) == []


def test_a_request_that_is_too_long_is_refused_by_both_sides(box: Mailbox, folder: Path) -> None:
    with pytest.raises(ValueError, match=r"the request has [\d,]+ bytes, more than the limit of 16,777,216\. Split"):
        box.post({"urls": ["x" * MAX_BYTES]}, 60)
    with (folder / "0-long.request.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert box.serve(echo) == 0
    assert "more than the limit of 16,777,216" in (box.answer("0-long") or {})["error"]
    number = box.post({}, 60)
    box.serve(lambda request: {"long": "x" * MAX_BYTES})
    assert "Ask for less" in (box.answer(number) or {})["error"]
    assert names(folder) == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no action"), "no action"),
        (LookupError("not there"), "not there"),
        (RuntimeError("disk full"), "the crawl could not do it: disk full"),
        (ZeroDivisionError(), "the crawl could not do it: "),
    ],
)
def test_what_cannot_be_performed_is_told_and_stops_nothing(box: Mailbox, error: Exception, said: str) -> None:
    def fail(request: dict[str, Any]) -> dict[str, Any]:
        raise error

    number = box.post({}, 60)
    assert box.serve(fail) == 1
    assert box.answer(number) == {"error": said}


def test_leftovers_are_thrown_away(box: Mailbox, folder: Path) -> None:
    old, new = "1-old.answer.json", "2-new.answer.json"
    for name in (old, new, "3.request.json.tmp", "notes.txt"):
        (folder / name).write_text("{}")
    past = time.time() - STALE_SECONDS - 1
    for name in (old, "3.request.json.tmp", "notes.txt"):
        os.utime(folder / name, (past, past))
    box.serve(echo)
    assert names(folder) == [new, "notes.txt"]  # what is not ours is left alone


def test_a_folder_that_has_gone_is_no_error(box: Mailbox, folder: Path) -> None:
    folder.rmdir()
    assert box.serve(echo) == 0
    number = Mailbox(folder).post({}, 60)
    box.serve(echo)
    assert box.answer(number) is not None


def test_an_answer_that_cannot_be_written_stops_nothing(box: Mailbox, caplog: pytest.LogCaptureFixture) -> None:
    resource = pytest.importorskip("resource")
    number = box.post({}, 60)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))  # files may have 10 bytes, as if the disk were full
    try:
        assert box.serve(lambda request: {"long": "x" * 100}) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert box.answer(number) is None
    assert "was performed, but its answer cannot be written: [Errno 27]" in caplog.text
    number = box.post({}, 60)
    box.serve(echo)
    assert box.answer(number) == {"asked": {}}


def test_several_commands_at_once_get_their_own_answers(box: Mailbox, folder: Path) -> None:
    performed: list[tuple[str, int]] = []

    def ask(name: str) -> list[dict[str, Any]]:
        own = Mailbox(folder)
        numbers = (own.post({"name": name, "n": n, "long": "党" * 20_000}, 60) for n in range(20))
        return [wait_for(lambda number=number: own.answer(number)) for number in numbers]

    def perform(request: dict[str, Any]) -> dict[str, Any]:
        performed.append((request["name"], request["n"]))
        return {"name": request["name"], "n": request["n"]}

    with ThreadPoolExecutor(2) as pool:
        asking = {name: pool.submit(ask, name) for name in ("甲", "乙")}
        wait_for(lambda: box.serve(perform) < 0 or all(asked.done() for asked in asking.values()))
    assert {name: asked.result() for name, asked in asking.items()} == {
        name: [{"name": name, "n": n} for n in range(20)] for name in asking
    }
    assert sorted(performed) == sorted((name, n) for name in asking for n in range(20))
    assert names(folder) == []
