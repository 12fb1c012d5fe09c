"""Encoders by name."""

import logging
from pathlib import Path

import numpy as np
import pytest
from model_tools import Chat, by_bundled

from topical_crawler.meaning import bundled, encoder
from topical_crawler.meaning.encoder import Model, open_encoder
from topical_crawler.meaning.endpoint import BATCH, CHARACTERS, Embeddings


def test_kinds() -> None:
    assert open_encoder("none") is None
    assert open_encoder("bundled") is open_encoder("bundled")


@pytest.mark.parametrize("named", ["", "bert", "model2vec", "model2vec:", "openai:"])
def test_a_kind_that_there_is_not(named: str) -> None:
    with pytest.raises(ValueError, match=r"TOPICAL_ENCODER=.*no such encoder\. Use one of bundled, model2vec:FOLDER"):
        open_encoder(named)


@pytest.mark.parametrize("kind", ["model2vec", "sentence_transformers"])
def test_folders_that_hold_no_model_or_code(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is no folder with a .*none is downloaded"):
        open_encoder(f"{kind}:{tmp_path}")
    for name in ("tokenizer.json", "modules.json", "modeling.py"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(ValueError, match="contains code that would run"):
        open_encoder(f"{kind}:{tmp_path}")


def test_vectors_of_any_model_become_units() -> None:
    model = Model("lengths", lambda texts: [[len(text), 0.0, len(text)] for text in texts])
    assert np.linalg.norm(model.encode(["党", "党建"]), axis=1) == pytest.approx([1, 1])


def test_without_the_bundled_one_a_crawl_goes_on_by_words(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bundled, "VERSIONS", ("9.9",))
    encoder._bundled.cache_clear()
    try:
        with caplog.at_level(logging.WARNING):
            assert open_encoder("bundled") is None
    finally:
        encoder._bundled.cache_clear()
    assert "judged by their words alone" in caplog.text and "Run pip install" in caplog.text


TEXTS = ["党的建设", "道路运输管理", "", "\ud800", *(f"第{n}期" for n in range(70))]


def test_vectors_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """They come in any order and length, in batches."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    bundled = open_encoder("bundled")
    assert bundled is not None and not bundled.waits
    with Chat(by_bundled, "embeddings") as server:
        asked = open_encoder(named := f"openai:{server.url}#use-3")
        assert asked is not None and asked.waits and asked.name == named
        vectors = asked.encode(TEXTS)
        asked.encode(["长" * 5_000])
    assert vectors[:2] == pytest.approx(bundled.encode(TEXTS[:2]), abs=1e-6)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert [len(batch) for batch in server.batches] == [BATCH, len(TEXTS) - BATCH, 1]
    assert server.batches[0][2:4] == [" ", "?"] and len(server.asked[-1]) == CHARACTERS
    assert server.keys[0] == "Bearer sk-1" and server.requests[0]["model"] == "use-3"


VECTORS = ("[]", "1", "[NaN, 1]", '["a"]', "[1, 2, 3]")
EMBEDDINGS = ('"index": 1, "embedding": [1, 2]', *(f'"index": 0, "embedding": {vector}' for vector in VECTORS))
BODIES = ("", "[]", "{", '{"data": []}', '{"data": [{"index": 0}]}', *(f'{{"data": [{{{found}}}]}}' for found in EMBEDDINGS))


@pytest.mark.parametrize("body", BODIES)
def test_answers_that_are_no_vectors(body: str) -> None:
    known = b'{"data": [{"index": 0, "embedding": [3, 4]}]}'
    with Chat(lambda _, number: (200, body.encode() if number else known), "embeddings") as server:
        asked = Model("", Embeddings(f"{server.url}#small"))
        assert asked.encode(["党建"]).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
        with pytest.raises(OSError, match=r"/v1/embeddings: no vectors from small \(.*Check the server"):
            asked.encode(["党建"])


@pytest.mark.parametrize("status", [301, 401, 404, 500])
def test_servers_that_refuse_or_fail(status: int) -> None:
    with Chat(lambda *_: (status, b"{}"), "embeddings") as server:
        asked = Embeddings(f"{server.url}#small", retries=1)
        with pytest.raises(OSError, match=rf"HTTPError: HTTP Error {status}.*OPENAI_API_KEY"):
            asked(["党建"])
        assert len(server.batches) == (2 if status == 500 else 1)


@pytest.mark.parametrize("place", ["http://127.0.0.1/v1", "ftp://127.0.0.1/v1#small", "127.0.0.1#small"])
def test_addresses_without_a_model_or_a_protocol(place: str) -> None:
    with pytest.raises(ValueError, match=r"no model\. Write openai:https://HOST/v1#MODEL|must begin with http"):
        open_encoder(f"openai:{place}")
