"""Judged texts as examples for a topic: the marks of a sample taken over into a topic folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.files import replacing
from topical_crawler.judging.report import marks_by_text
from topical_crawler.judging.sample import Sample, merged
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.marked import MARKED, MOST, Entry, entry, read_entries


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of the marked texts of a sample.

    Attributes:
        file: that they were written to.
        added, changed, same: texts that the file had not, had otherwise (most often with another mark), had just so.
        ties: left out, because no mark was given by more people than every other.
        blank: left out, because they have neither a title nor a text.
        marks: how many texts the file has now, by mark.
    """

    file: Path
    added: int
    changed: int
    same: int
    ties: int
    blank: int
    marks: Mapping[str, int]


def take_over(samples: Sequence[Sample], folder: Path) -> Taken:
    """Add the marked texts of a sample to a topic folder's ``marked.jsonl``; of one address the new mark and text replace what
    stood there. What else stands in the file stays as it is. It is written whole or not at all, and only if something is new.

    Args:
        samples: copies of one sample, each judged by a person. A text has the mark that most gave it.
        folder: of a topic, with a topic.toml.

    Raises:
        SampleError: they are not of one sample.
        TopicError: there is no such topic folder, its file cannot be read, or would have too many texts.
        OSError: it cannot be written.
    """
    if not (folder / "topic.toml").is_file():
        raise TopicError(
            f"{folder}/topic.toml: missing. Remedy: name a topic folder of your own; scrapy topic new {folder} makes one"
        )
    found, ties, blank = _agreed(samples)
    file = folder / MARKED
    lines: list[str] = []
    marks: Counter[str] = Counter()
    changed = same = 0
    for line, old in read_entries(file):
        new = found.pop(old.url, None) if old else None
        if old:
            marks[(new or old).mark] += 1
        if new:
            same += new == old
            changed += new != old
            line = line if new == old else new.as_json()
        lines.append(line)
    marks.update(new.mark for new in found.values())
    if marks.total() > MOST:
        raise TopicError(
            f"{file}: would hold {marks.total():,} texts, and {MOST:,} is the most. Remedy: delete lines that tell least"
        )
    lines += [new.as_json() for new in found.values()]
    if found or changed:
        with replacing(file) as out:
            out.writelines(f"{line}\n" for line in lines)
    return Taken(file, len(found), changed, same, ties, blank, marks)


def _agreed(samples: Sequence[Sample]) -> tuple[dict[str, Entry], int, int]:
    """The texts by address with the mark that most gave; how many were ties, and how many blank."""
    found: dict[str, Entry] = {}
    ties = blank = 0
    for item, marks in zip(merged(samples).items, marks_by_text(samples), strict=True):
        best = Counter(marks).most_common(2)
        if not best:
            continue
        new = entry(item.url, item.title, item.text, best[0][0])
        if len(best) == 2 and best[0][1] == best[1][1]:
            ties += 1
        elif new.blank:
            blank += 1
        else:
            found[new.url] = new
    return found, ties, blank
