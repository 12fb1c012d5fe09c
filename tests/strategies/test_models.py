"""Models of a user's own: real small ones, judged by what they say of texts; what cannot be used is refused with a remedy."""

from __future__ import annotations

import asyncio
import logging
import math
import pickle
import re
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from crawl_tools import ROOT
from model_tools import NEW_OTHER, NEW_PARTY, OTHER, PARTY, Chat, by_party, marked_topic, save_pipeline, save_vectors
from wait_tools import HANGS

from topical_crawler import TopicError, load_topic, plugins
from topical_crawler.meaning.encoder import Model, open_model
from topical_crawler.strategies.models import Adviser, Likeness, open_adviser
from topical_crawler.topic.files import MarkedText
from topical_crawler.topic.topic import Topic

TOPIC = Topic("t", "党建", {"党员": 1.0})


def advise(topic: Topic, chosen: str = "") -> list[float]:
    """What the model of a topic says of a new text on topic and of one that is not."""
    adviser = open_adviser(topic, chosen)
    assert adviser is not None
    try:
        return adviser.probabilities([NEW_PARTY, NEW_OTHER])
    finally:
        adviser.close()


@pytest.mark.slow
def test_a_pipeline_of_scikit_learn_gives_probabilities(tmp_path: Path) -> None:
    file = save_pipeline(tmp_path / "party.skops")
    on, off = advise(replace(TOPIC, source=str(tmp_path), model={"kind": "sklearn", "path": "party.skops"}))
    assert 0 <= off < 0.4 < 0.6 < on <= 1
    assert advise(TOPIC, f"sklearn:{file}") == [on, off]
    assert advise(TOPIC, f"sklearn:{save_pipeline(tmp_path / 'truths.skops', (False, True))}") == pytest.approx([on, off])


@pytest.mark.slow
def test_the_example_of_the_documentation_makes_a_model_of_marked_texts(
    write_topic: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs/strategies.md").read_text(encoding="utf-8").split("## A model of your own\n")[1]
    example, table = (re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[0] for kind in ("python", "toml"))
    marks = (*marked_topic().marked, MarkedText("http://a.cn/x", "版权", "版权所有", "boilerplate"))
    marked = "".join(f"{mark.as_json()}\n" for mark in marks)
    folder = write_topic({"marked.jsonl": marked, "topic.toml": f'title = "党建"\n{table}'})
    monkeypatch.chdir(folder.parent)
    exec(compile(example, "docs/strategies.md", "exec"), {})  # noqa: S102 - the project's own documentation
    on, off = advise(load_topic(folder))
    assert off < 0.4 < 0.6 < on


def cut(text: str) -> list[str]:
    """A tokenizer of one's own: code, which a file must not bring along."""
    return list(text)


def test_a_file_that_could_run_code_is_refused(tmp_path: Path) -> None:
    own = save_pipeline(tmp_path / "own.skops", analyzer=cut, ngram_range=(1, 1))
    ran = tmp_path / "ran"

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return Path.touch, (ran,)

    pickled = tmp_path / "model.pkl"
    pickled.write_bytes(pickle.dumps(Trap()))
    for file in (own, pickled):
        with pytest.raises(TopicError, match=r"is not usable .*Save a text classifier .* skops\.io\.dump"):
            open_adviser(TOPIC, f"sklearn:{file}")
    assert not ran.exists()


def test_a_pipeline_must_tell_two_classes(tmp_path: Path) -> None:
    import skops.io

    save_pipeline(tmp_path / "named.skops", ("off", "on"))
    skops.io.dump({"a": 1}, tmp_path / "none.skops")
    for name in ("named", "none", "missing"):
        with pytest.raises(TopicError, match="is not usable"):
            open_adviser(TOPIC, f"sklearn:{tmp_path / name}.skops")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_vectors(tmp_path_factory.mktemp("vectors"))


def test_vectors_of_model2vec_get_their_scale_from_marked_texts(vectors: Path) -> None:
    """Fitted to a half of the marked texts, the probabilities order the other half and have about its mean."""
    on, off = advise(marked_topic(), f"model2vec:{vectors}")
    assert 0 <= off < 0.3 < 0.7 < on <= 1
    likeness = Likeness(marked_topic(6), open_model(f"model2vec:{vectors}"))
    left_out = likeness.score([*PARTY[6:], *OTHER[6:]])
    assert sum(a > b for a in left_out[:6] for b in left_out[6:]) >= 34  # of 36 pairs
    assert sum(left_out) / 12 == pytest.approx(0.5, abs=0.15)


def test_vectors_that_say_nothing_give_the_share_of_marked_texts() -> None:
    """With vectors that do not depend on the topic no text is surer than what the marks say as a whole."""
    topic = marked_topic()
    likeness = Likeness(topic, Model("lengths", lambda texts: [[1.0, float(len(text) % 2)] for text in texts]))
    assert all(0.2 < p < 0.8 for p in likeness.score([NEW_PARTY, NEW_OTHER, ""]))


def test_vectors_need_marked_texts_and_a_folder_without_code(vectors: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(vectors, tmp_path / "vectors"))
    with pytest.raises(TopicError, match=r"need 5 marked texts of each kind, but 4 are on topic and 4 off\. Mark more"):
        open_adviser(marked_topic(4), f"model2vec:{folder}")
    for kind in ("model2vec", "sentence_transformers"):
        with pytest.raises(TopicError, match=r"is no folder with a .*\.json\. Save the model there, since none is downloaded"):
            open_adviser(marked_topic(), f"{kind}:minishlab/potion-base-8M")
    (folder / "modeling.py").write_text("raise SystemExit", encoding="utf-8")
    with pytest.raises(TopicError, match="contains code that would run"):
        open_adviser(marked_topic(), f"model2vec:{folder}")


def test_a_missing_package_is_named_with_its_remedy(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, remedy in (("sklearn.linear_model", "scikit-learn"), ("model2vec", r"topical-crawler\[model2vec\]")):
        monkeypatch.setitem(sys.modules, module, None)  # as where it is not installed
        with pytest.raises(TopicError, match=rf"a package is missing .*Run pip install '{remedy}'"):
            open_adviser(marked_topic(), f"model2vec:{vectors}")


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"kind": "best"}, "no model 'best'. Choose one of sklearn, model2vec"),
        ({"path": "x"}, "no model ''"),
        ({"kind": "sklearn"}, "path"),
        ({"kind": "sklearn", "path": "x", "depth": 3}, "depth"),
        ({"kind": "openai", "url": "file:///etc", "model": "m"}, "http://"),
        ({"kind": "openai", "url": "http://a.cn/v1"}, "model"),
        ({"kind": "openai", "url": "http://a.cn/v1", "model": "m", "budget": -1}, "budget"),
        ({"kind": "openai", "url": "http://a.cn/v1", "model": "m", "threshold": "high"}, "threshold"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(tmp_path: Path, table: dict[str, object], problem: str) -> None:
    (tmp_path / "topic.toml").write_text('title = "党建"\n\n[model]\n', encoding="utf-8")
    with pytest.raises(TopicError) as refused:
        open_adviser(replace(TOPIC, source=str(tmp_path), model=table))
    assert f"{tmp_path / 'topic.toml'}, line 3: " in str(refused.value) and problem in str(refused.value)


def test_answers_that_cannot_be_kept_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    topic = replace(TOPIC, model={"kind": "openai", "url": "http://a.cn/v1", "model": "m"})
    with pytest.raises(TopicError, match="cache"):
        open_adviser(topic, answers=tmp_path / "cache" / "answers.sqlite")


def test_a_topic_without_a_model_has_no_adviser() -> None:
    assert open_adviser(TOPIC) is None
    assert open_adviser(replace(TOPIC, model={"kind": "sklearn", "path": "missing"}), "none") is None


SOURCE = """
class Length:
    def __init__(self, topic, longest=100):
        self.title, self.longest = topic.title, longest
    def score(self, texts):
        return [min(1.0, len(text) / self.longest) for text in texts]
def score(texts):
    return [0.25] * len(texts)
"""


def test_models_of_other_distributions_are_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_models.py").write_text(SOURCE, encoding="utf-8")
    info = tmp_path / "own_models-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-models\nVersion: 1.0\n", encoding="utf-8")
    entries = "[topical_crawler.models]\nlength = own_models:Length\nquarter = own_models\nbroken = own_models:Nothing\n"
    (info / "entry_points.txt").write_text(entries, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.found.cache_clear()
    try:
        assert advise(replace(TOPIC, model={"kind": "length", "longest": 50})) == [len(NEW_PARTY) / 50, len(NEW_OTHER) / 50]
        assert advise(TOPIC, "quarter") == [0.25, 0.25]
        with pytest.raises(TopicError, match=r"'broken' of own-models 1\.0 cannot be loaded from own_models:Nothing"):
            open_adviser(TOPIC, "broken")
    finally:
        plugins.found.cache_clear()


class Sure:
    """Says .9 of everything, and remembers the calls."""

    def __init__(self, *failures: object) -> None:
        self.calls: list[list[str]] = []
        self._failures = list(failures)

    def score(self, texts: Sequence[str]) -> list[float]:
        self.calls.append(list(texts))
        failure = self._failures.pop(0) if self._failures else None
        if isinstance(failure, Exception):
            raise failure
        return failure if isinstance(failure, list) else [0.9] * len(texts)


def test_the_event_loop_goes_on_while_a_model_thinks_and_texts_that_come_meanwhile_are_one_call() -> None:
    """The model answers only once the loop has let it."""
    released = threading.Event()

    class Slow(Sure):
        def score(self, texts: Sequence[str]) -> list[float]:
            assert released.wait(HANGS)
            return super().score(texts)

    model = Slow()
    adviser = Adviser(model, 0.5)

    async def ask() -> list[float]:
        first = asyncio.create_task(adviser.ask("一", 0.5, 0.2))
        others = [asyncio.create_task(adviser.ask(f"{n}", 0.5, 0.2)) for n in range(30)]
        await asyncio.sleep(0)
        released.set()
        return [await first, *await asyncio.gather(*others)]

    assert asyncio.run(ask()) == [0.9] * 31
    adviser.close()
    assert len(model.calls) <= 2 and sorted(text for call in model.calls for text in call) == sorted(["一", *map(str, range(30))])


def test_a_model_that_fails_again_and_again_is_not_asked_any_more(caplog: pytest.LogCaptureFixture) -> None:
    model = Sure(RuntimeError("busy"), [0.9], RuntimeError("busy"), [0.5, 0.5], [7.0])
    adviser = Adviser(model, 0.5)

    async def ask(text: str) -> float:
        return await adviser.ask(text, 0.5, 0.2)

    with caplog.at_level(logging.WARNING):
        answers = [asyncio.run(ask(f"文{n}")) for n in range(8)]
    adviser.close()
    assert [n for n, answer in enumerate(answers) if not math.isnan(answer)] == [1]
    assert len(model.calls) == 5  # after three failures in a row, by an error, too many answers, and no probability
    assert "RuntimeError: busy" in caplog.text and "The crawl continues without it" in caplog.messages[-1]


def test_with_a_budget_the_uncertain_and_the_best_are_asked_about() -> None:
    model = Sure()
    adviser = Adviser(model, 0.5, budget=10_000)
    relevances = [(37 * n % 1000) / 1000 for n in range(1000)]

    async def ask() -> list[float]:
        return [await adviser.ask(f"{relevance}", relevance, 0.2) for relevance in relevances]

    answers = asyncio.run(ask())
    adviser.close()
    asked = [relevance for relevance, answer in zip(relevances[200:], answers[200:], strict=True) if not math.isnan(answer)]
    uncertain, best = [r for r in asked if r < 0.5], [r for r in asked if r >= 0.5]
    assert min(best) > 0.7 and all(abs(r - 0.2) < 0.2 for r in uncertain)
    assert len(uncertain) / 800 == pytest.approx(0.25, abs=0.03) and len(best) / 800 == pytest.approx(0.25, abs=0.03)


def test_the_budget_holds_over_runs_and_answers_are_kept(tmp_path: Path) -> None:
    texts = [f"{text}{n}" for n in range(3) for text in (NEW_PARTY, NEW_OTHER)]
    with Chat(by_party) as chat:
        topic = replace(TOPIC, model={"kind": "openai", "url": chat.url, "model": "small", "budget": 4})
        for _ in range(2):
            adviser = open_adviser(topic, answers=tmp_path / "new" / "answers.sqlite")
            assert adviser is not None
            assert adviser.probabilities([*texts[:2], texts[0]]) == [1.0, 0.0, 1.0]
            assert str(adviser.probabilities(texts)) == str([1.0, 0.0, 1.0, 0.0, math.nan, math.nan])
            adviser.close()
        assert chat.asked == texts[:4]
        other = open_adviser(replace(topic, title="足球"), answers=tmp_path / "new" / "answers.sqlite")
        assert other is not None
        other.probabilities(texts[:1])  # another question, with a budget of its own
        other.close()
        assert chat.asked == [*texts[:4], texts[0]]
