"""The OpenAI-compatible endpoint against a server on a real socket: batches, keys, failures, and answers of all kinds."""

from __future__ import annotations

import json
import math
import socket
import threading
from urllib.error import HTTPError

import pytest
from model_tools import NEW_OTHER, NEW_PARTY, Chat, by_party

from topical_crawler.strategies.endpoint import CHARACTERS, Endpoint, read_answers
from topical_crawler.topic.topic import Topic

TOPIC = Topic("t", "党建", {"党员": 2.0, "支部": 1.0}, description="党组织怎样开展工作")


def test_texts_are_asked_about_in_batches() -> None:
    texts = [NEW_PARTY, NEW_OTHER, NEW_OTHER * 100, NEW_PARTY, NEW_OTHER]
    with Chat(by_party) as chat:
        assert Endpoint(TOPIC, f"{chat.url}/", "small", batch=2).score(texts) == [1.0, 0.0, 0.0, 1.0, 0.0]
    assert [len(batch) for batch in chat.batches] == [2, 2, 1]
    assert len(chat.batches[1][0]) == CHARACTERS
    (system, user) = chat.requests[0]["messages"]
    assert chat.requests[0]["model"] == "small" and (system["role"], user["role"]) == ("system", "user")
    assert "党建. 党组织怎样开展工作" in system["content"] and "党员、支部" in system["content"]


def test_the_key_comes_from_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sk-123")
    monkeypatch.delenv("NO_KEY", raising=False)
    with Chat(by_party) as chat:
        Endpoint(TOPIC, chat.url, "small", key_env="A_KEY").score([NEW_PARTY])
        Endpoint(TOPIC, chat.url, "small", key_env="NO_KEY").score([NEW_PARTY])
    assert chat.keys == ["Bearer sk-123", None]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_or_failing_server_is_asked_again(status: int) -> None:
    with Chat(lambda texts, number: (status, b"busy") if number < 2 else by_party(texts)) as chat:
        assert Endpoint(TOPIC, chat.url, "small").score([NEW_PARTY]) == [1.0]
    assert len(chat.batches) == 3
    with Chat(lambda *_: (status, b"busy")) as chat, pytest.raises(HTTPError, match=str(status)):
        Endpoint(TOPIC, chat.url, "small", retries=1).score([NEW_PARTY])
    assert len(chat.batches) == 2


@pytest.mark.parametrize("status", [301, 307, 308, 400, 401, 404])
def test_a_refusal_is_final_and_no_redirect_takes_the_key_along(status: int) -> None:
    with Chat(lambda *_: (status, b"")) as chat, pytest.raises(HTTPError, match=str(status)):
        Endpoint(TOPIC, chat.url, "small").score([NEW_PARTY])
    assert len(chat.batches) == 1


def test_a_server_that_is_silent_or_not_there_fails_in_time() -> None:
    released = threading.Event()
    with Chat(lambda *_: str(released.wait(30))) as chat:
        with pytest.raises(OSError, match="timed out"):
            Endpoint(TOPIC, chat.url, "small", timeout=0.2, retries=0).score([NEW_PARTY])
        released.set()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(OSError, match="refused"):
            Endpoint(TOPIC, url, "small", retries=0).score([NEW_PARTY])


@pytest.mark.parametrize(
    "content",
    [
        "",
        "我不能回答。",
        "{",
        '{"answers": [true]}',
        '{"answers": [true, false, true]}',
        '{"answers": [1, 0]}',
        '{"answers": ["yes", "no"]}',
        '{"answers": {"0": true, "1": false}}',
        '{"other": [true, false]}',
        "[true, false]",
        "{" * 5000 + "}" * 5000,
    ],
)
def test_answers_that_cannot_be_read_are_none(content: str) -> None:
    with Chat(lambda *_: content) as chat:
        assert all(map(math.isnan, Endpoint(TOPIC, chat.url, "small").score([NEW_PARTY, NEW_OTHER])))
    assert len(chat.batches) == 1


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"null", b'{"choices": []}', b'{"choices": [{"message": null}]}', b"\xff\xfe"]
)
def test_bodies_that_are_no_answer_are_none(body: bytes) -> None:
    with Chat(lambda *_: (200, body)) as chat:
        assert math.isnan(Endpoint(TOPIC, chat.url, "small").score([NEW_PARTY])[0])


def test_what_a_model_writes_around_its_answer_does_not_matter() -> None:
    for content in ('```json\n{"answers": [true, false]}\n```', '<think>{"answers": [?]}</think> {"answers": [true, false]}。'):
        body = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
        assert read_answers(body, 2) == [1.0, 0.0]
