"""Questions about a corpus to teach its crawl: files beside it, and reports of each mark to the crawl."""

import json
import threading
from pathlib import Path

from topical_crawler.config import crawl_name, uses_redis
from topical_crawler.corpus.connections import shown
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.crawl.second_look import SetAside
from topical_crawler.judging.sample import BOILERPLATE, SampleFile, asked, next_asked, read_sample, write_sample
from topical_crawler.judging.teach import draw_to_teach, sample_of
from topical_crawler.project import AnySettings
from topical_crawler.services.reach import reach
from topical_crawler.topic.files import MarkedText
from topical_crawler.topic.topic import Topic

_AT_ONCE = 20
"""Marks reported to a crawl in one request, at most 2.4 MB."""
_WAIT = 15.0
"""Seconds for a crawl's answer."""


def questions(place: str, folder: Path, number: int, topic: Topic | None) -> Path:
    """Return the file with questions about a corpus: the last one if it has open questions, else a new one.

    Raises:
        SampleError: there is nothing to ask, or a file cannot be read.
        CorpusError: the corpus cannot be read.
    """
    files = asked(folder)
    before = [read_sample(file) for file in files]
    if before and any(item.mark is None for item in before[-1].items):
        return files[-1]
    known = {item.url for sample in before for item in sample.items}
    known |= {text.url for text in topic.marked} if topic else set()
    file = CrawlFolder(folder).aside
    aside = SetAside(file, 1.0) if file.is_file() else None
    try:
        with CorpusStore(place, read_only=True) as store:
            terms = tuple(topic.keywords(len(topic.terms))) if topic else ()
            source, now = (aside.html, aside.relevances()) if aside else (None, {})
            title = topic.title if topic else ""
            sample = draw_to_teach(store, number, known=known, aside=source, now=now, topic=title, terms=terms)
    finally:
        if aside:
            aside.close()
    file = next_asked(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_sample(sample, file)
    return file


def mark_page(
    place: str,
    folder: Path,
    record: Record,
    mark: str | None,
    topic: Topic | None,
    settings: AnySettings,
    judged: SampleFile | None = None,
) -> str:
    """Mark one page of a corpus, asked about or not, and report it to the crawl. None removes the mark.

    Args:
        place: path or URL of the corpus.
        folder: folder with its questions.
        record: the page.
        mark: one of :data:`~topical_crawler.judging.sample.MARKS`.
        topic: topic of the crawl.
        settings: tell if the crawl is over Redis.
        judged: file with questions open in this process.

    Returns:
        The result in plain words, "" for a removed mark.

    Raises:
        SampleError: another process has the page's file open, or a file cannot be read.
    """
    if judged is not None and record.key in judged:
        judged.mark(judged.place(record.key), mark)
        return ""  # the opener reports it to the crawl
    known = [file for file in asked(folder) if any(item.key == record.key for item in read_sample(file).items)]
    if not known:
        title, terms = (topic.title, tuple(topic.keywords(len(topic.terms)))) if topic else ("", ())
        known = [next_asked(folder)]
        folder.mkdir(parents=True, exist_ok=True)
        write_sample(sample_of(record, shown(place), title, terms), known[0])
    with SampleFile(known[-1]) as file:
        file.mark(file.place(record.key), mark)
        teacher = Teacher(file, settings)
        return teacher.close() if mark is not None else ""


class Questions:
    """Questions open in this process. If they are to teach a crawl, it learns every mark.

    Args:
        path: their file, in the folder of the crawl.
        settings: tell if the crawl is over Redis.
    """

    def __init__(self, path: Path, settings: AnySettings) -> None:
        self.file = SampleFile(path)
        self._teacher = Teacher(self.file, settings) if self.file.sample.teaches else None

    @property
    def is_over(self) -> bool:
        """True if every item is marked."""
        return all(item.mark is not None for item in self.file.now().items)

    def tell(self) -> None:
        """Report new marks to the crawl."""
        if self._teacher:
            self._teacher.tell()

    def close(self) -> str:
        """Report the remaining marks, and return the result in plain words."""
        result = self._teacher.close() if self._teacher else ""
        self.file.close()
        return result


class Teacher:
    """Thread reporting the marks of a sample to its crawl as they are made. A stopped crawl learns them on resume.

    Args:
        file: the sample, in the folder of the crawl.
        settings: tell if the crawl is over Redis.
    """

    def __init__(self, file: SampleFile, settings: AnySettings) -> None:
        self._file, self._settings = file, settings
        folder = file.path.absolute().parent
        self._name = (None if crawl_name(settings, "") else folder.name) if uses_redis(settings) else str(folder)
        self._reported: dict[str, str] = {}
        self._crawl = self._problem = ""
        self._news, self._ending = threading.Event(), False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.tell()  # marks left over from an earlier process
        self._thread.start()

    def tell(self) -> None:
        """Report the marks since the last call."""
        self._news.set()

    def close(self) -> str:
        """Report the remaining marks, and return the result in plain words."""
        self._ending = True
        self.tell()
        self._thread.join()
        if self._problem:
            return f"No crawl learns from these marks: {self._problem}"
        examples = sum(mark != BOILERPLATE for mark in self._reported.values())
        return f"{self._crawl}: the crawl learns from {examples} marked texts" if self._reported else ""

    def _run(self) -> None:
        last = False
        while not last:
            self._news.wait()
            self._news.clear()
            last = self._ending
            try:
                self._send()
            except Exception as error:  # judging continues even if the crawl cannot learn
                self._problem = str(error) or type(error).__name__

    def _send(self) -> None:
        new = [i for i in self._file.now().items if (i.mark or BOILERPLATE) != self._reported.get(i.key, BOILERPLATE)]
        for start in range(0, len(new), _AT_ONCE):
            some = new[start : start + _AT_ONCE]
            texts = [MarkedText.bounded(i.url, i.title, i.text, i.mark or BOILERPLATE) for i in some]
            with reach(self._settings, self._name, _WAIT) as crawl:
                crawl.ask({"action": "mark", "texts": [json.loads(text.as_json()) for text in texts]})
            self._reported |= {item.key: text.mark for item, text in zip(some, texts, strict=True)}
            self._crawl, self._problem = crawl.name, ""
