"""Count the words of the prepared text and choose the vocabulary within a bound of memory."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.training.work_folder import Report, TrainingError

# Bytes, rounded up from measurements
_PROCESS = 220_000_000  # the training process before it has a word: Python, Scrapy's command line, gensim (150 MB), buffers
_WORKER = 130_000_000  # a segmenting process: the dictionary (91 MB), OpenCC, two batches
_COUNTED = 250  # a word while it is counted (155, more while the table grows)
_TRAINED = 500  # a word in the model besides its vectors: names, indexes, gensim's C++ table (350)
_SUBWORDS = 400  # a word's list of character n-grams in FastText, twice
MOST_BUCKETS = 2_000_000  # rows for character n-grams in FastText, which hashes them; gensim's default


@dataclass(frozen=True)
class MemoryPlan:
    """How a bound of memory is shared out."""

    counted: int  # distinct words held while counting; beyond it the rarest are forgotten
    words: int  # in the model
    buckets: int  # rows of character n-grams; 0 for word2vec


def plan_memory(megabytes: int, dimensions: int, fasttext: bool, processes: int) -> MemoryPlan:
    """What fits into ``megabytes`` (10⁶ bytes) over all processes.

    Word2vec keeps two rows of ``4·dimensions`` bytes for a word, FastText three and one for each bucket of n-grams. Raises
    TrainingError where it is too little for the processes alone.

    >>> plan_memory(1000, 100, fasttext=False, processes=2)
    MemoryPlan(counted=3120000, words=600000, buckets=0)
    """
    least = max(_PROCESS + 50_000_000, _PROCESS // 2 + processes * _WORKER) // 1_000_000
    if megabytes < least:
        raise TrainingError(
            f"--memory {megabytes}: {processes} segmenting processes and gensim take {least} MB already. "
            f"Remedy: --memory {least} or more, or fewer --processes"
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
    forgotten_below: int  # words that occur fewer times may have been forgotten while counting; 0: none was
    rare: int  # number of words left out as rarer than `min_count`
    cut: int  # number of words left out for lack of memory
    cut_count: int  # occurrences of the most frequent of these; 0: none


def read_sentences(file: Path) -> Iterator[list[str]]:
    """The words of each line of a shard."""
    with file.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line.rstrip("\n").split(" ")


def count_words(files: Sequence[Path], most: int, report: Report) -> tuple[Counter[str], list[int], int]:
    """Count words, holding at most ``most`` distinct ones. Returns the counts, the number of words in each file, and the count
    below which a word may be missing (0: none was forgotten).

    Beyond that, words counted once are forgotten, next time those counted at most twice, and so on: frequent words survive, and
    the counts of the others are lower bounds.
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
    """The ``most`` most frequent words that occur ``min_count`` times or are in ``known``; ties by their characters. Raises
    TrainingError where no word occurs often enough.

    >>> choose_words(Counter({"党建": 9, "支部": 5, "党课": 5, "天气": 1}), 0, min_count=2, most=2)
    Vocabulary(counts={'党建': 9, '党课': 5}, forgotten_below=0, rare=1, cut=1, cut_count=5)
    """
    frequent = sorted((w for w, n in counts.items() if n >= min_count or w in known), key=lambda w: (-counts[w], w))
    if not frequent:
        raise TrainingError(
            f"none of {len(counts):,} different words occurs {min_count} times. Remedy: a lower --min-count, or more text"
        )
    kept, cut = frequent[:most], frequent[most:]
    return Vocabulary(
        {w: counts[w] for w in kept}, forgotten, len(counts) - len(frequent), len(cut), counts[cut[0]] if cut else 0
    )
