"""User-supplied models of topic probability, chosen by the table ``[model]`` of ``topic.toml`` or by ``-a model=``.

Models are optional and never downloaded. Formats able to run code on loading, such as pickle and joblib, are not supported.
"""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from topical_crawler import plugins
from topical_crawler.meaning.encoder import Encoder, open_model, package
from topical_crawler.strategies.base import check_number
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, topic_line

logger = logging.getLogger(__name__)
Floats = NDArray[np.float64]

GROUP = "topical_crawler.models"
"""Entry point group for models of other distributions.

An entry is an object with ``score``, or a factory called with a topic and the keys of ``[model]``.
"""
BUILT_IN: Mapping[str, str] = {
    "sklearn": "topical_crawler.strategies.models:Pipeline",
    "model2vec": "topical_crawler.strategies.models:model2vec",
    "sentence_transformers": "topical_crawler.strategies.models:sentence_transformers",
    "openai": "topical_crawler.strategies.endpoint:Endpoint",
}
MOST_FAILURES = 3  # consecutive failed calls before a crawl continues without its model
TRUSTED = ["sklearn.calibration._CalibratedClassifier", "sklearn.calibration._SigmoidCalibration"]
"""Pure-data types of scikit-learn unknown to skops: the parts of a ``CalibratedClassifierCV``."""
LEAST_MARKED = 5  # marked texts of each kind needed to turn similarities into probabilities
SEEN = 200  # recent texts for ranking a new one: with a budget, only the most uncertain and the best quarter are asked about

SURE = 0.9  # least probability of either answer for a strategy to learn from it


class Model(Protocol):
    """Judge of texts.

    Optional attributes: ``budget``, the maximum number of texts asked about in all, for a model that costs money, and
    ``question``, everything its answers depend on, as key of the answers cached on disk.
    """

    def score(self, texts: Sequence[str]) -> Sequence[float]:
        """Return the topic probability of each text (title, line break, main text), 0 to 1, NaN if unknown.

        Called in one thread. An exception counts as no answer.
        """


class Pipeline:
    """A scikit-learn pipeline saved by ``skops.io.dump``, separating texts of class 1 or True from those of class 0 or False.

    Raises:
        ValueError: the file is unreadable, holds types untrusted by skops, or offers no probabilities of these classes.
    """

    def __init__(self, topic: Topic, path: str) -> None:
        io = package("skops.io", "topical-crawler[sklearn]")
        try:
            self._pipeline = io.load(path, trusted=TRUSTED)
            if list(self._pipeline.classes_) != [0, 1] or not hasattr(self._pipeline, "predict_proba"):
                raise ValueError("no probabilities of the classes 0 and 1")
        except Exception as error:  # a damaged file makes skops raise anything
            raise ValueError(
                f"{path} is not usable ({type(error).__name__}: {error}). Save a text classifier with predict_proba, built from "
                "scikit-learn's own parts, with skops.io.dump"
            ) from error

    def score(self, texts: Sequence[str]) -> Sequence[float]:
        """See :class:`Model`."""
        probabilities: list[float] = self._pipeline.predict_proba(list(texts))[:, 1].tolist()
        return probabilities


class Likeness:
    """Probabilities from the similarity of texts to the topic, in the vectors of an encoder.

    The topic vector t is the mean of its sentence (title, description, heaviest terms) and of its texts marked as on topic,
    minus the mean of those marked as off topic. For a text v, p = 1 / (1 + exp(-(a·cos(v, t) + b))). a and b are fitted to the
    marked texts (Platt 1999), comparing each with a t computed without it.

    Raises:
        ValueError: the topic has fewer than :data:`LEAST_MARKED` marked texts of either kind.
    """

    def __init__(self, topic: Topic, encoder: Encoder) -> None:
        self._encode = encoder.encode
        on = np.array([text.on_topic for text in topic.marked], dtype=bool)
        ons, offs = int(on.sum()), int((~on).sum())
        if min(ons, offs) < LEAST_MARKED:
            raise ValueError(
                f"vectors need {LEAST_MARKED} marked texts of each kind, but {ons} are on topic and {offs} off. Mark more "
                f"(topical-crawler corpus report … --to-topic {topic.source})"
            )
        marked = self._encode([f"{text.title}\n{text.text}" for text in topic.marked])
        (sentence,) = self._encode([" ".join([topic.title, topic.description, *topic.keywords(20)])])
        near, far = sentence + marked[on].sum(axis=0), marked[~on].sum(axis=0)
        self._topic = near / (ons + 1) - far / offs
        without = np.where(on[:, None], (near - marked) / ons - far / offs, near / (ons + 1) - (far - marked) / (offs - 1))
        cosines = (marked * without).sum(axis=1) / np.linalg.norm(without, axis=1).clip(1e-9)
        self._a, self._b = _logistic(cosines, np.where(on, (ons + 1) / (ons + 2), 1 / (offs + 2)))

    def score(self, texts: Sequence[str]) -> Sequence[float]:
        """See :class:`Model`."""
        cosines = self._encode(texts) @ self._topic / np.linalg.norm(self._topic).clip(1e-9)
        probabilities: list[float] = (1 / (1 + np.exp(-self._a * cosines - self._b))).tolist()
        return probabilities


def _logistic(x: Floats, targets: Floats) -> tuple[float, float]:
    """Fit a and b of 1 / (1 + exp(-(a·x + b))) to ``targets``, all between 0 and 1, by maximum likelihood.

    Each target stands for one answer of either kind, weighted by its probability.
    """
    model = package("sklearn.linear_model", "scikit-learn").LogisticRegression(C=np.inf, tol=1e-9, max_iter=1000)
    answers, weights = np.repeat([1, 0], len(x)), np.concatenate([targets, 1 - targets])
    model.fit(np.tile(x, 2)[:, None], answers, sample_weight=weights)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def model2vec(topic: Topic, path: str) -> Likeness:
    """Build a :class:`Likeness` on the static vectors of a model2vec folder."""
    return Likeness(topic, open_model(f"model2vec:{path}"))


def sentence_transformers(topic: Topic, path: str) -> Likeness:
    """Build a :class:`Likeness` on the vectors of a sentence-transformers folder with weights in safetensors files."""
    return Likeness(topic, open_model(f"sentence_transformers:{path}"))


class Adviser:
    """Queries to a model about the texts of a crawl, run in a thread. Texts arriving while it is busy form the next batch.

    Args:
        model: model to ask.
        threshold: a text belongs to the corpus if its probability is at least this.
        budget: maximum number of texts to ask about, over all runs. 0: ask about every text. With a budget, the model is asked
            only about informative texts: half of them the strategy's most uncertain ones, half its best ones.
        answers: SQLite file caching the answers of a model with a budget. None: in memory.
    """

    def __init__(self, model: Model, threshold: float, budget: int = 0, answers: Path | None = None) -> None:
        self.threshold = threshold
        self._model, self._budget, self._question = model, budget, str(getattr(model, "question", ""))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="model")
        self._waiting: list[tuple[str, asyncio.Future[float]]] = []
        self._working: asyncio.Task[None] | None = None
        self._recent: deque[float] = deque(maxlen=SEEN)
        self._failures = 0
        if budget and answers is not None:
            answers.parent.mkdir(parents=True, exist_ok=True)
        file = answers if budget and answers is not None else ":memory:"
        self._answers = sqlite3.connect(file, timeout=30.0, check_same_thread=False, isolation_level=None)
        self._answers.execute("CREATE TABLE IF NOT EXISTS answers (question, text, probability, PRIMARY KEY (question, text))")

    async def ask(self, text: str, relevance: float, page_threshold: float) -> float:
        """Return the topic probability of a text, NaN if the model is not asked or cannot tell.

        Args:
            text: title, line break, main text.
            relevance: relevance of its page, as judged by the strategy.
            page_threshold: the strategy's threshold for keeping a page.
        """
        if self._failures >= MOST_FAILURES or (self._budget and not self._teaches(relevance, page_threshold)):
            return math.nan
        answer: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append((text, answer))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await answer

    def mark(self, probability: float) -> str:
        """Return the mark for an answer, "" if unsure or if the model is asked about every text anyway.

        >>> adviser = Adviser(None, 0.5, budget=9)
        >>> adviser.mark(0.95), adviser.mark(0.02), adviser.mark(0.6)
        ('relevant', 'irrelevant', '')
        """
        sure = self._budget and max(probability, 1 - probability) >= SURE
        return ("relevant" if probability > 0.5 else "irrelevant") if sure else ""

    def _teaches(self, relevance: float, page_threshold: float) -> bool:
        distance, quarter = abs(relevance - page_threshold), len(self._recent) / 4
        nearer = sum(abs(other - page_threshold) < distance for other in self._recent)
        better = sum(other > relevance for other in self._recent)
        self._recent.append(relevance)
        return nearer <= quarter or better <= quarter

    async def _work(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                texts = [text for text, _ in batch]
                probabilities = await asyncio.get_running_loop().run_in_executor(self._thread, self.probabilities, texts)
                for (_, answer), probability in zip(batch, probabilities, strict=True):
                    if not answer.done():
                        answer.set_result(probability)
        finally:
            self._working = None

    def probabilities(self, texts: Sequence[str]) -> list[float]:
        """Return the model's probability of each text, NaN if it has none. Cached answers are not asked for again."""
        keys = [sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        known: dict[str, float] = {}
        try:
            if self._budget:
                kept = self._answers.execute("SELECT text, probability FROM answers WHERE question = ?", (self._question,))
                before = {key: math.nan if p is None else float(p) for key, p in kept}
                known = {key: before[key] for key in keys if key in before}
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            if self._budget and len(new) > (left := max(0, self._budget - len(before))):
                logger.info("The model's budget of %d texts is spent. Other texts are left unchanged", self._budget)
                new = dict(list(new.items())[:left])
            if not new:
                return [known.get(key, math.nan) for key in keys]
            scores = [float(score) for score in self._model.score(list(new.values()))]
            if len(scores) != len(new) or not all(math.isnan(score) or 0 <= score <= 1 for score in scores):
                raise ValueError(f"expected {len(new)} probabilities from 0 to 1, got {scores!r:.200}")
            known |= zip(new, scores, strict=True)
            if self._budget:
                rows = [(self._question, key, known[key]) for key in new]  # SQLite keeps NaN as NULL
                self._answers.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)
            self._failures = 0
        except Exception as error:  # a user's model may raise anything, and the crawl continues without its answer
            self._failures += 1
            rest = ". The crawl continues without it" if self._failures == MOST_FAILURES else ""
            logger.warning("The model gave no answer (%s: %s)%s", type(error).__name__, error, rest)
        return [known.get(key, math.nan) for key in keys]

    def close(self) -> None:
        """Wait for the last call and close the file."""
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._answers.close()


def open_adviser(topic: Topic, chosen: str = "", answers: Path | None = None) -> Adviser | None:
    """Open the model named by the topic or by ``-a model=``. None: no model.

    Args:
        topic: its table ``[model]`` has ``kind`` and optionally ``threshold`` (0.5) and ``budget``. The other keys belong to
            the model. A ``path`` is relative to the topic's folder.
        chosen: a kind, ``KIND:PATH`` (relative to the working directory), or ``none``. "": the topic's choice.
        answers: see :class:`Adviser`.

    Raises:
        TopicError: the model cannot be used. The message says how to fix it.
    """
    kind, _, path = chosen.partition(":")
    table = dict(topic.model) if kind in ("", topic.model.get("kind")) else {"kind": kind}
    if not table or kind == "none":
        return None
    if path:
        table["path"] = str(Path(path).expanduser().absolute())
    elif "path" in table:
        table["path"] = str(Path(topic.source).absolute() / Path(str(table["path"])).expanduser())
    name, threshold, budget = str(table.pop("kind", "")), table.pop("threshold", 0.5), table.pop("budget", None)
    try:
        model = plugins.load("model", name, GROUP, BUILT_IN, lambda _: None)
        if isinstance(model, type) or not hasattr(model, "score"):
            model = model(topic, **table)
        budget = int(getattr(model, "budget", 0) if budget is None else budget)
        check_number("threshold", threshold)
        check_number("budget", budget)
        adviser = Adviser(model, float(threshold), budget, answers)
    except Exception as error:  # a user's model may raise anything
        raise TopicError(f"{topic_line(topic, 'model')}: the model {name!r}: {error}") from error
    logger.info("The model %s judges every text about to be kept", name)
    return adviser
