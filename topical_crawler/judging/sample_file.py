"""A file of judgements that is open for marking."""

from __future__ import annotations

import dataclasses
import json
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from filelock import FileLock, Timeout

from topical_crawler.judging.sample import MARKS, Item, Sample, SampleError, read_marked, write_sample


class SampleFile:
    """A sample that is being judged. One process at a time has it; its threads may share it.

    Attributes:
        path: of the file.
        sample: with the marks of now.

    Raises:
        SampleError: see :func:`read_sample`; or another process has the file.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = threading.Lock()
        self._out: IO[str] | None = None
        self._process = FileLock(path.with_name(f".{path.name}.lock"))
        try:
            self._process.acquire(timeout=0)
        except Timeout:
            raise SampleError(f"{path} is being judged already. Remedy: end the other scrapy corpus judge first") from None
        try:
            self.sample, whole = read_marked(path)
            if not whole:  # whoever was judging it was killed
                write_sample(self.sample, path)
            self._places = {item.key: place for place, item in enumerate(self.sample.items)}
            self._marks: dict[str, str | None] = {}
            self._out = path.open("a", encoding="utf-8", newline="")
        except BaseException:
            self._process.release()
            raise

    def __len__(self) -> int:
        return len(self.sample.items)

    def item(self, place: int) -> Item:
        """A text with its mark of now, by its place from 0.

        Raises:
            IndexError: there is no such place.
        """
        found = self.sample.items[place]
        return dataclasses.replace(found, mark=self._marks.get(found.key, found.mark))

    def mark(self, place: int, mark: str | None) -> None:
        """Set or take away a mark. When this returns it is on the disk.

        Raises:
            SampleError: there is no such mark.
            IndexError: there is no such place.
            OSError: it could not be stored.
        """
        if mark is not None and mark not in MARKS:
            raise SampleError(f"{mark!r} is no mark; there are {', '.join(MARKS)}")
        key = self.sample.items[place].key
        with self._thread:
            if self._out is None:
                raise OSError(f"{self.path} is closed")
            self._out.write(json.dumps({"key": key, "mark": mark}) + "\n")
            self._out.flush()
            os.fsync(self._out.fileno())
            self._marks[key] = mark

    def now(self) -> Sample:
        """The sample with its marks of now."""
        with self._thread:
            return self.sample.marked(self._marks)

    def close(self) -> None:
        """Write every mark into its text's line and give the file free. Calling it twice is harmless."""
        with self._thread:
            if self._out is None:
                return
            self._out.close()
            self._out = None
            try:
                self.sample = self.sample.marked(self._marks)
                if self._marks:
                    write_sample(self.sample, self.path)
            finally:
                self._process.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
