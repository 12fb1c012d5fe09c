"""Encoders by name."""

import logging
from pathlib import Path

import numpy as np
import pytest

from topical_crawler.meaning import bundled, encoder
from topical_crawler.meaning.encoder import Model, open_encoder


def test_kinds() -> None:
    assert open_encoder("none") is None
    assert open_encoder("bundled") is open_encoder("bundled")


@pytest.mark.parametrize("named", ["", "bert", "model2vec", "model2vec:", "openai:x"])
def test_a_kind_that_there_is_not(named: str) -> None:
    with pytest.raises(ValueError, match=r"TOPICAL_ENCODER=.*no such encoder\. Remedy: bundled, model2vec:FOLDER"):
        open_encoder(named)


@pytest.mark.parametrize("kind", ["model2vec", "sentence_transformers"])
def test_folders_that_hold_no_model_or_code(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is no folder with a .*none is downloaded"):
        open_encoder(f"{kind}:{tmp_path}")
    for name in ("tokenizer.json", "modules.json", "modeling.py"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(ValueError, match="is code, which would be run"):
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
    assert "judged by their words alone" in caplog.text and "Remedy: pip install" in caplog.text
