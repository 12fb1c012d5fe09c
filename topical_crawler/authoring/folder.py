"""Topic folders edited by both the user and ``topical-crawler topic build``. A build replaces its own lines and keeps the
user's.

A hidden record, ``.built.json``, holds the lines written by the last build. Any other line is the user's, added or changed. A
missing recorded line was deleted by the user, and its word does not come back. Without a record every line is the user's.
"""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from topical_crawler.files import replacing
from topical_crawler.text.segment import normalise
from topical_crawler.topic.files import MAX_WORD, MEAN, TopicError, read_lines, read_terms, read_weights
from topical_crawler.topic.topic import load_topic, mean_weight
from topical_crawler.topic.topic_folder import ADJUST, CONFIG, RECORD, TERMS, WEIGHTS, TopicFolder


@dataclass(frozen=True)
class Written:
    """Content of a file as written by a build."""

    lines: Mapping[str, str] = field(default_factory=dict)  # by word; comments by themselves
    yours: Sequence[str] = ()  # words of the user's lines completed with a weight by the build
    deleted: Sequence[str] = ()  # words deleted by the user


@dataclass(frozen=True)
class Present:
    """A file's lines, split by the record into the user's and the last build's."""

    kept: Sequence[str]  # the user's lines in order, comments and empty lines included
    words: Sequence[str]  # words of the user's lines; those completed by the last build come first
    open: Sequence[str]  # words of the user's lines without a weight, or with one from the last build
    deleted: Sequence[str]  # words deleted by the user, now or before an earlier build
    built: Mapping[str, str]  # unchanged lines of the last build, by word


class BuiltFolder(TopicFolder[Path]):
    """A user's topic folder. Raises TopicError if it has no topic.toml, or an unreadable record."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.require_topic()
        self._record = _Record.read(self.record)

    def read_candidates(self) -> list[str]:
        """Return the distinct words of candidates.txt, normalised, [] without such a file.

        Raises:
            TopicError: the file is not UTF-8, or a candidate is a single character.
        """
        words = {number: normalise(line.strip()) for number, line in read_lines(self.candidates)}
        for number, word in words.items():
            _check_length(word, self.candidates, number)
        return list(dict.fromkeys(words.values()))

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file, [] without such a file."""
        file = self.path / name
        return file.read_text(encoding="utf-8-sig").splitlines() if file.is_file() else []

    def mean(self) -> float:
        """Return the weight of the mean word by :func:`mean_weight`."""
        return mean_weight(read_weights(self.terms, needs_weight=False), read_weights(self.weights))

    def read(self, name: str) -> Present:
        """Split a file into the user's and the build's lines.

        Raises:
            TopicError: the file is malformed, or one of the user's terms is a single character.
        """
        file = self.path / name
        if not file.is_file():
            return Present((), (), (), (), {})
        read_weights(file, needs_weight=name != TERMS)
        lines = self.lines(name)
        by_word = {_word(line): line for line in lines}
        written = self._record.of(file)
        built = {word: line for word, line in written.lines.items() if by_word.get(word) == line and word not in written.yours}
        kept = [line for line in lines if _word(line) not in built]
        words = [w for w in (*written.yours, *map(_word, kept)) if w in by_word and not w.startswith("#") and w]
        gone = [w for w in (*written.deleted, *written.lines) if w not in by_word and not w.startswith("#")]
        for number, line in read_lines(file) if name == TERMS else ():
            if (word := _word(line)) not in built:
                _check_length(word, file, number)
        completed = [w for w in written.yours if by_word.get(w) == written.lines.get(w)]
        bare = [w for line in kept if (w := _word(line)) in words and not any(c.strip() for c in line.split("\t")[1:2])]
        texts = [i for i, line in enumerate(kept) if line.strip()]
        trimmed = kept[texts[0] : texts[-1] + 1] if texts else []  # without empty lines at both ends
        return Present(trimmed, list(dict.fromkeys(words)), [*completed, *bare], list(dict.fromkeys(gone)), built)

    def write(self, files: Mapping[str, tuple[str, Written]]) -> list[str]:
        """Write files by name, and the record of them, each atomically. Return the new names of renamed files.

        The record is written first and last, so that the next build notices an interruption between two files. A weights.tsv
        changed by the user is renamed.
        """
        now = {name: written for name, (_, written) in files.items()}
        digests = {name: _digest(text.encode()) for name, (text, _) in files.items()}
        before = {name: self._record.of(self.path / name) for name in files}
        temporary = {name: self.path / f"{name}.tmp" for name in (RECORD, *files)}
        aside = []
        if WEIGHTS in files and ((present := self.read(WEIGHTS)).words or present.deleted):
            names = (f"{WEIGHTS}.old", *(f"{WEIGHTS}.old{n}" for n in range(2, 1000)))
            aside = [next(n for n in names if not (self.path / n).exists())]
        try:
            for name, (text, _) in files.items():
                temporary[name].write_bytes(text.encode())
            for copy in aside:
                self.weights.replace(self.path / copy)
            for name, record in ((RECORD, _Record(now, before, digests)), *((n, None) for n in files), (RECORD, _Record(now))):
                if record:
                    temporary[name].write_text(record.as_json(), encoding="utf-8")
                temporary[name].replace(self.path / name)
            self._record = _Record(now)
        finally:
            for path in temporary.values():
                path.unlink(missing_ok=True)
        return aside


def check_term(word: str) -> None:
    """Raise TopicError for a word unfit for a line of terms.tsv."""
    if not 2 <= len(word) <= MAX_WORD or "\t" in word or len(word.splitlines()) != 1 or word.startswith("#"):
        raise TopicError(
            f"{word!r} cannot be a term. Write 2 to {MAX_WORD} characters in one line, without tabs, and no # in front"
        )


def set_weights(folder: Path, weights: Mapping[str, float]) -> None:
    """Change weights of terms in a topic folder, like a person editing its files.

    A new word gets a line in terms.tsv, and a word of weight 0 loses its line. Other lines and all comments stay. A weight
    different from the one by terms.tsv goes into adjust.tsv, without effect on the weight of the mean word or a floor. If
    terms.tsv itself defines the mean and a term is removed, the mean is written into weights.tsv.

    Args:
        folder: a topic folder.
        weights: by normalised word, relative to the mean word, 0 or more. Other terms stay unchanged.

    Raises:
        TopicError: the topic cannot be read, a word cannot be a term, or no term would be left. Nothing is written.
    """
    with _EDITING:
        _set_weights(folder, weights)


_EDITING = threading.Lock()
"""Guards reading, changing and replacing a file: the workbench serves requests concurrently."""


def _set_weights(folder: Path, weights: Mapping[str, float]) -> None:
    terms = load_topic(folder).terms
    known = read_terms(folder / TERMS)
    gone = {word for word, weight in weights.items() if weight == 0}
    new = [word for word, weight in weights.items() if weight and word not in known]
    for word in new:
        check_term(word)
    if not (terms.keys() | weights.keys()) - gone:
        raise TopicError(f"{folder / TERMS}: no term would be left. Leave one a weight above 0")
    with tempfile.TemporaryDirectory() as made:  # only load_topic knows the effective weights
        trial = Path(made)
        for name, changed in ((CONFIG, ()), (WEIGHTS, ()), (TERMS, gone), (ADJUST, weights)):
            lines = [line for line in _lines(folder / name) if _word(line) not in changed]
            lines += [f"{word}\t\tworkbench" for word in new if name == TERMS]
            (trial / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        mean = mean_weight(known, read_weights(folder / WEIGHTS))
        if mean_weight(read_terms(trial / TERMS), read_weights(trial / WEIGHTS)) != mean:
            with (trial / WEIGHTS).open("a", encoding="utf-8") as kept:
                kept.write(f"# The mean weight as it was before a term was taken out of {TERMS}.\n{MEAN}\t{mean:.6g}\n")
        given = load_topic(trial)
        with (trial / ADJUST).open("a", encoding="utf-8") as adjust:
            for word, weight in weights.items():
                if weight and not math.isclose(given.weight(word), weight, rel_tol=1e-3):
                    adjust.write(f"{word}\t{weight * mean:.6g}\tworkbench\n")
        for name in (WEIGHTS, ADJUST, TERMS):  # in this order the topic stays readable if interrupted
            if _lines(trial / name) != _lines(folder / name):
                with replacing(folder / name) as out:
                    out.write((trial / name).read_text("utf-8"))


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8-sig").splitlines() if file.is_file() else []


def _check_length(word: str, file: Path, line: int) -> None:
    if len(word) < 2:
        raise TopicError(f"{file}, line {line}: {word!r} is one character, and would be found in any text. Write a longer word")


def merge(
    present: Present, head: Sequence[str], lines: Mapping[str, str], completed: Mapping[str, str] | None = None
) -> tuple[str, Written]:
    """Return the new text of a file: comments of the build, the user's lines, and the build's lines of other words.

    Args:
        present: current lines.
        head: comments of the build.
        lines: the build's lines by word.
        completed: replacements of the user's lines by word.
    """
    completed = completed or {}
    taken = {_word(line) for line in present.kept}
    built = {word: line for word, line in lines.items() if word not in taken}
    kept = [completed.get(_word(line), line) for line in present.kept]
    heads = list(dict.fromkeys(head))
    text = "".join(f"{line}\n" for line in (*heads, *kept, *built.values()))
    return text, Written({**dict(zip(heads, heads, strict=True)), **completed, **built}, list(completed), present.deleted)


def _word(line: str) -> str:
    """Return the word of a line, or a comment line itself."""
    return line.strip() if line.lstrip().startswith("#") or not line.strip() else normalise(line.split("\t")[0].strip())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class _Record:
    """Content written by the last build, by file name. During a build it also has the earlier records and the digests of the
    new files.
    """

    now: Mapping[str, Written] = field(default_factory=dict)
    before: Mapping[str, Written] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)

    def of(self, file: Path) -> Written:
        """Return the content written to a file by the last build that reached it."""
        digest = self.digests.get(file.name)
        reached = digest is None or (file.is_file() and _digest(file.read_bytes()) == digest)
        return (self.now if reached else self.before).get(file.name, Written())

    def as_json(self) -> str:
        versions = [{name: vars(w) for name, w in version.items()} for version in (self.now, self.before)]
        record = {"now": versions[0], "before": versions[1], "digests": self.digests}
        return json.dumps(record, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, file: Path) -> _Record:
        if not file.is_file():
            return cls()
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            now, before = ({name: _written(**w) for name, w in data[when].items()} for when in ("now", "before"))
            return cls(now, before, dict(data["digests"]))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise TopicError(
                f"{file}: not the record of a build ({error}). Delete it: every line of the topic's files is then yours"
            ) from None


def _written(lines: dict[str, str], yours: list[str], deleted: list[str]) -> Written:
    if not all(isinstance(text, str) for text in (*lines, *lines.values(), *yours, *deleted)):
        raise TypeError("words and lines are expected")
    return Written(lines, yours, deleted)
