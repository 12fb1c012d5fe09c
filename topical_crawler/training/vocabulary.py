"""Counting of words in the prepared text, and choice of the vocabulary within a bound of memory."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.training.work_folder import Report, TrainingError

# Bytes, rounded up from measurements
_PROCESS = 220_000_000  # the training process without any words: Python, Scrapy's command line, gensim (150 MB), buffers
_WORKER = 130_000_000  # a segmenting process: the dictionary (91 MB), OpenCC, two batches
_COUNTED = 250  # a word during counting (155, more while the table grows)
_TRAINED = 500  # a word in the model besides its vectors: names, indexes, gensim's C++ table (350)
_SUBWORDS = 400  # a word's list of character n-grams in FastText, twice
MOST_BUCKETS = 2_000_000  # rows for hashed character n-grams in FastText, gensim's default


@dataclass(frozen=True)
class MemoryPlan:
    """Division of a memory bound."""

    counted: int  # most distinct words held during counting, forgetting the rarest beyond
    words: int  # most words in the model
    buckets: int  # rows of character n-grams, 0 for word2vec


def plan_memory(megabytes: int, dimensions: int, fasttext: bool, processes: int) -> MemoryPlan:
    """Divide ``megabytes`` (10⁶ bytes) over all processes.

    Word2vec keeps two rows of ``4·dimensions`` bytes per word, FastText three plus one per bucket of n-grams.

    Raises:
        TrainingError: too little for the processes alone.

    >>> plan_memory(1000, 100, fasttext=False, processes=2)
    MemoryPlan(counted=3120000, words=600000, buckets=0)
    """
    least = max(_PROCESS + 50_000_000, _PROCESS // 2 + processes * _WORKER) // 1_000_000
    if megabytes < least:
        raise TrainingError(
            f"--memory {megabytes}: {processes} segmenting processes and gensim alone take {least} MB. "
            f"Set --memory {least} or more, or fewer --processes"
        )
    free = megabytes * 1_000_000 - _PROCESS
    row = 4 * dimensions
    if not fasttext:
        return MemoryPlan(free // _COUNTED, free // (_TRAINED + 2 * row), 0)
    buckets = min(MOST_BUCKETS, free // 3 // row)
    return MemoryPlan(free // _COUNTED, (free - buckets * row) // (_TRAINED + _SUBWORDS + 3 * row), buckets)


@dataclass(frozen=True)
class Vocabulary:
    """Words for the model, most frequent first."""

    counts: dict[str, int]  # occurrences of each word
    forgotten_below: int  # counting may have forgotten words with fewer occurrences. 0: none forgotten
    rare: int  # number of words dropped as rarer than `min_count`
    cut: int  # number of words dropped for lack of memory
    cut_count: int  # occurrences of the most frequent of these. 0: none


def read_sentences(file: Path) -> Iterator[list[str]]:
    """Yield the words of each line of a shard."""
    with file.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line.rstrip("\n").split(" ")


def count_words(files: Sequence[Path], most: int, report: Report) -> tuple[Counter[str], list[int], int]:
    """Count words, holding at most ``most`` distinct ones.

    Beyond that, it forgets words counted once, next time those counted at most twice, and so on. Frequent words survive, and
    the counts of the others are lower bounds.

    Returns:
        The counts, the number of words in each file, and the count below which a word may be missing (0: none forgotten).
    """
    counts: Counter[str] = Counter()
    tokens = [0] * len(files)
    forgotten = 0
    for number, file in enumerate(files):
        for line, sentence in enumerate(read_sentences(file)):
            counts.update(sentence)
            tokens[number] += len(sentence)
            if len(counts) > most:
                while len(counts) > most:
                    forgotten += 1
                    counts = Counter({word: n for word, n in counts.items() if n > forgotten})
            if not line % 100_000:
                report("counting words", number / len(files), f"{len(counts):,} different")
    report("counting words", 1.0, f"{len(counts):,} different")
    return counts, tokens, forgotten + 1 if forgotten else 0


def choose_words(counts: Counter[str], forgotten: int, min_count: int, most: int, known: Container[str] = ()) -> Vocabulary:
    """Return the ``most`` most frequent words with ``min_count`` occurrences or in ``known``, breaking ties by their
    characters.

    Raises:
        TrainingError: no word occurs often enough.

    >>> choose_words(Counter({"党建": 9, "支部": 5, "党课": 5, "天气": 1}), 0, min_count=2, most=2)
    Vocabulary(counts={'党建': 9, '党课': 5}, forgotten_below=0, rare=1, cut=1, cut_count=5)
    """
    frequent = sorted((w for w, n in counts.items() if n >= min_count or w in known), key=lambda w: (-counts[w], w))
    if not frequent:
        raise TrainingError(f"none of {len(counts):,} different words occurs {min_count} times. Lower --min-count, or add text")
    kept, cut = frequent[:most], frequent[most:]
    return Vocabulary(
        {w: counts[w] for w in kept}, forgotten, len(counts) - len(frequent), len(cut), counts[cut[0]] if cut else 0
    )
