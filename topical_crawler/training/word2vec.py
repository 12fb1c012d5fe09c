"""Word2vec and FastText by gensim, shard by shard, with a checkpoint after each epoch.

A checkpoint holds matrices (``.npy``) and no code. The model around them is rebuilt from the counts. Each shard has its own
random stream, seeded by the seed, the epoch and the shard's number, so with one thread an interrupted run gives the same
numbers.

Training may continue finished vectors, with length 1 and no output matrix. Known words keep their vectors (or move slowly)
while the output matrix is relearned. A new word starts at the mean of its parts: 组织生活会 between 组织, 生活 and 会.
"""

import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from topical_crawler.resources.vectors import WordVectors, write_vectors
from topical_crawler.training.work_folder import Report, TrainingError

SCALE = 3.0  # length of known words' vectors during training, a usual value. Finished ones have length 1
CONTINUED_EPOCHS = 20  # a domain corpus is small, and the output matrix starts empty
NOISE = 0.1  # length of the noise in a new word's first vector, relative to `SCALE`, separating words of the same parts


def open_known(path: Path, cache: Path) -> WordVectors:
    """Open the vectors to start from, in any format of :meth:`WordVectors.open`. ``cache`` keeps converted ones.

    Raises:
        ValueError: no vectors, or a matrix rejected by :meth:`WordVectors.check`.
    """
    known = WordVectors.open(path, cache)
    known.check(str(path))
    return known


def known_parts(word: str, known: WordVectors) -> list[str]:
    """Return the known words composing ``word``, by forward maximum matching, skipping unknown characters.

    >>> known = WordVectors(["组织", "生活", "生", "会"], np.eye(4, dtype=np.float32))
    >>> known_parts("组织生活会", known), known_parts("甲生乙", known)
    (['组织', '生活', '会'], ['生'])
    """
    parts, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if word[start:end] in known.rows:
                parts.append(word[start:end])
                start = end
                break
        else:
            start += 1
    return parts


def first_vectors(words: Sequence[str], known: WordVectors, seed: int) -> NDArray[np.float32]:
    """Return initial vectors: known ones for known words, else the mean of the word's parts plus noise seeded by ``seed``.

    Shape ``(len(words), known.dimensions)``, rows of length :data:`SCALE`.
    """
    random = np.random.default_rng(seed)
    rows = np.empty((len(words), known.dimensions), dtype=np.float32)
    for i, word in enumerate(words):
        if word in known.rows:
            rows[i] = known.matrix[known.rows[word]]
            continue
        noise = random.standard_normal(known.dimensions)
        row = NOISE * noise / np.linalg.norm(noise)
        if made_of := known_parts(word, known):
            mean = np.mean([known.matrix[known.rows[p]] for p in made_of], axis=0, dtype=np.float64)
            row += mean / max(float(np.linalg.norm(mean)), 1e-6)
        rows[i] = row / np.linalg.norm(row)
    return rows * np.float32(SCALE)


def learning_factors(words: Sequence[str], known: WordVectors, free: float) -> NDArray[np.float32]:
    """Return the share of each update applied to a word: ``free`` for a known one, 1 for a new one."""
    return np.array([free if word in known.rows else 1.0 for word in words], dtype=np.float32)


def write_continued(
    path: Path, known: WordVectors, trained: Mapping[str, NDArray[np.float32]], order: Sequence[str], free: bool
) -> int:
    """Write the ``known`` words in their order, then the new ones in that of ``order``, to the matrix ``path``. Return their
    number.

    If ``free``, known words take their ``trained`` vectors, of any length. Otherwise they keep their own, bit by bit.
    """
    new = [word for word in order if word not in known.rows]
    moved = trained if free else {}

    def rows() -> Iterator[NDArray[np.float32]]:
        for word, row in zip(known.words, known.matrix, strict=True):
            yield moved.get(word, row)
        for word in new:
            yield trained[word]

    write_vectors(path, known.words + new, rows(), known.dimensions)
    written = np.load(path, mmap_mode="r+", allow_pickle=False)
    for start in range(0, len(known), 8192):  # normalising again in the writer may flip a last bit
        block = slice(start, min(start + 8192, len(known)))
        same = [i for i in range(block.start, block.stop) if known.words[i] not in moved]
        written[same] = known.matrix[same]
    written.flush()
    return len(written)


# -- Training

FIRST_RATE, LAST_RATE = 0.025, 0.0001
"""First and last learning rate, falling linearly over the words of all epochs (Mikolov et al. 2013)."""
SHORTEST, LONGEST = 1, 4  # lengths of FastText's n-grams: Chinese words have 1 to 4 characters


@dataclass(frozen=True)
class ModelOptions:
    """Options determining the vectors, besides the text."""

    model: Literal["word2vec", "fasttext"] = "word2vec"  # `fasttext` adds the vectors of character n-grams to a word's
    dimensions: int = 100  # length of a vector
    window: int = 5  # words of context on either side
    epochs: int = 5  # passes over the whole text
    negative: int = 5  # random words drawn against each right one
    skip_gram: bool = False  # predict the context from the word (slower, better for rare words), else (CBOW) the reverse
    seed: int = 1  # seed of all random choices


class Trainer:
    """Model in training.

    Args:
        counts: words and their occurrences, most frequent first.
        options: see :class:`ModelOptions`.
        threads: number of training threads. With more than one, the result varies slightly from run to run.
        folder: folder of the checkpoints.
        buckets: rows for character n-grams, for FastText.
    """

    def __init__(self, counts: dict[str, int], options: ModelOptions, threads: int, folder: Path, buckets: int = 0) -> None:
        self.options = options
        self.words = list(counts)
        self._folder = folder
        self._model = _build(counts, options, threads, buckets)
        self._matrices = _matrices(self._model)

    def start_at(self, rows: NDArray[np.float32], factors: NDArray[np.float32]) -> None:
        """Start with these vectors of the words, applying the given share of updates to each."""
        self._model.wv.vectors[:] = rows
        self._model.wv.vectors_lockf = factors

    def restore(self) -> int:
        """Load the last checkpoint. Return the number of finished epochs, 0 without a checkpoint.

        Raises:
            TrainingError: the checkpoint is damaged.
        """
        done = max((int(f.name.removeprefix("epoch-")) for f in self._folder.glob("epoch-*")), default=0)
        for name, matrix in self._matrices.items() if done else ():
            path = self._checkpoint(done) / f"{name}.npy"
            remedy = "Start over with --retrain"
            try:
                saved = np.load(path, mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError, EOFError) as error:
                raise TrainingError(f"{path}: damaged checkpoint ({error}). {remedy}") from None
            if saved.shape != matrix.shape or saved.dtype != matrix.dtype:
                raise TrainingError(f"{path}: a matrix of {saved.shape}, expected {matrix.shape}. {remedy}")
            matrix[:] = saved
        return done

    def train(
        self, files: Sequence[Path], tokens: Sequence[int], done: int, report: Report, after_epoch: Callable[[int], None]
    ) -> None:
        """Train the epochs after the first ``done`` ones.

        Args:
            files: shards with a sentence a line.
            tokens: number of words in each shard.
            done: number of finished epochs.
            report: progress callback.
            after_epoch: called with the number of finished epochs, once their checkpoint is written.
        """
        for epoch in range(done, self.options.epochs):
            before = 0
            for number, (file, words) in enumerate(zip(files, tokens, strict=True)):
                self._train_shard(file, words, epoch, number, before / sum(tokens), (before + words) / sum(tokens))
                before += words
                report(f"epoch {epoch + 1} of {self.options.epochs}", before / sum(tokens), f"{before:,} words")
            self._save(epoch + 1)
            after_epoch(epoch + 1)

    def vectors(self) -> NDArray[np.float32]:
        """Return the words' vectors, of any length, shape ``(words, dimensions)``, for FastText including their n-grams.

        Raises:
            TrainingError: the training diverged.
        """
        if self.options.model == "fasttext":
            self._model.wv.adjust_vectors()
        rows: NDArray[np.float32] = self._model.wv.vectors
        if not all(np.isfinite(rows[n : n + 8192]).all() for n in range(0, len(rows), 8192)):
            raise TrainingError("training diverged: vectors hold numbers that are not finite. Use --retrain with another --seed")
        return rows

    def _train_shard(self, file: Path, words: int, epoch: int, number: int, begin: float, end: float) -> None:
        def rate(part: float) -> float:
            return FIRST_RATE - (FIRST_RATE - LAST_RATE) * (epoch + part) / self.options.epochs

        if words:
            self._model.random = np.random.RandomState([self.options.seed, epoch, number])
            self._model.train(corpus_file=str(file), total_words=words, epochs=1, start_alpha=rate(begin), end_alpha=rate(end))

    def _checkpoint(self, epoch: int) -> Path:
        return self._folder / f"epoch-{epoch:03d}"

    def _save(self, epoch: int) -> None:
        part = self._folder / "unfinished"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for name, matrix in self._matrices.items():
            with (part / f"{name}.npy").open("wb") as file:
                np.save(file, matrix, allow_pickle=False)
                file.flush()
                os.fsync(file.fileno())
        part.replace(self._checkpoint(epoch))
        if epoch > 1:
            shutil.rmtree(self._checkpoint(epoch - 1), ignore_errors=True)


def _build(counts: dict[str, int], options: ModelOptions, threads: int, buckets: int) -> Any:
    logging.getLogger("gensim").setLevel(logging.ERROR)
    from gensim import models  # a second to import

    fast_text: Any = models.FastText

    class ShardedFastText(fast_text):  # type: ignore[misc]
        """FastText adding the n-grams to the words' vectors once at the end, not after every shard."""

        def _clear_post_train(self) -> None:
            pass

    settings: dict[str, Any] = {
        "vector_size": options.dimensions,
        "window": options.window,
        "negative": options.negative,
        "sg": int(options.skip_gram),
        "seed": options.seed,
        "workers": threads,
        "min_count": 1,  # the words are chosen already, and in order
        "sorted_vocab": 0,
    }
    if options.model == "fasttext":
        model = ShardedFastText(**settings, min_n=SHORTEST, max_n=LONGEST, bucket=buckets)
    else:
        model = models.Word2Vec(**settings)
    model.build_vocab_from_freq(counts)
    return model


def _matrices(model: Any) -> dict[str, NDArray[np.float32]]:
    """Return all matrices changed by training."""
    if hasattr(model.wv, "vectors_ngrams"):
        return {"input": model.wv.vectors_vocab, "ngrams": model.wv.vectors_ngrams, "output": model.syn1neg}
    return {"input": model.wv.vectors, "output": model.syn1neg}
