"""Operations for marking texts: the most instructive ones for a crawl, or those of a sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from topical_crawler.judging.draw import draw_sample
from topical_crawler.judging.report import report
from topical_crawler.judging.sample import MARKS, SampleFile, read_sample, write_sample
from topical_crawler.services import MistakeError
from topical_crawler.services.asking import Questions, questions
from topical_crawler.services.catalogue import LANGUAGES, Voice
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.operations import Operation, Param, Values

ASKED = 20
SAMPLE = "~sample"
"""Suffix of a crawl's name for its random sample. No crawl name contains it."""
_SHOWN = ("title", "url", "host", "date", "relevance", "mark")


def judged(bench: Bench, crawl: str, *, new: bool = False) -> Questions:
    """Return the open questions about a crawl, or those of a sample. With ``new`` answered ones are replaced by further ones."""
    with bench.judging:
        found = bench.open.get(crawl)
        if found is not None and new and found.is_over and crawl in bench.crawls():
            bench.open.pop(crawl).close()
            found = None
        if found is None:
            place = bench.place(crawl)
            bench.corpus(crawl)
            file = questions(place.corpus, place.folder.path, ASKED, bench.topic(crawl))
            found = bench.open[crawl] = Questions(file, bench.settings)
        return found


def sample_kept(bench: Bench, values: Values) -> dict[str, Any]:
    """Draw random texts of a corpus to mark. Continue with the last sample while it has unmarked texts."""
    crawl, name = values["crawl"], values["crawl"] + SAMPLE
    place, topic = bench.place(crawl), bench.topic(crawl)
    with bench.judging:
        files = _samples(place.folder.path)
        if not files or all(item.mark is not None for item in read_sample(files[-1]).items):
            terms = tuple(topic.keywords(len(topic.terms))) if topic else ()
            title = topic.title if topic else ""
            drawn = draw_sample(bench.corpus(crawl), ASKED, by="none", seed=len(files), topic=title, terms=terms)
            place.folder.path.mkdir(parents=True, exist_ok=True)
            files.append(place.folder.path / f"sample-{len(files) + 1:03}.jsonl")
            write_sample(drawn, files[-1])
            if name in bench.open:
                bench.open.pop(name).close()
        if name not in bench.open:
            bench.open[name] = Questions(files[-1], bench.settings)
    return {"go": f"/crawls/{name}/asked"}


def on_topic(folder: Path) -> dict[str, Any] | None:
    """Return the share of a corpus on topic, by its last marked random sample, or None without one.

    Keys: "judged", "share", "low" and "high" (95 % interval).
    """
    for file in reversed(_samples(folder)):
        if whole := report(read_sample(file)).whole:
            return {"judged": whole.judged} | {name: getattr(whole.precision, name) for name in ("share", "low", "high")}
    return None


def _samples(folder: Path) -> list[Path]:
    return sorted(folder.glob("sample-*.jsonl"))


def asked(bench: Bench, values: Values) -> dict[str, Any]:
    """Return the questions without their texts, since those are long."""
    file, say = judged(bench, values["crawl"], new=True).file, Voice(values["language"])
    sample = file.now()
    return {
        "file": file.path.name,
        "topic": sample.header.topic,
        "terms": sample.header.terms,
        "items": [{n: getattr(item, n) for n in _SHOWN} | {"reason": say.named(item.reason)} for item in sample.items],
    }


def asked_text(bench: Bench, values: Values) -> dict[str, Any]:
    return {"text": _file(bench, values).item(int(values["place"])).text}


def answer(bench: Bench, values: Values) -> dict[str, Any]:
    _file(bench, values).mark(int(values["place"]), None if values["mark"] == "none" else values["mark"])
    judged(bench, values["crawl"]).tell()
    return {"go": f"/crawls/{values['crawl']}/asked"}


def _file(bench: Bench, values: Values) -> SampleFile:
    """Return the sample file, checked to have a text at the place."""
    file, place = judged(bench, values["crawl"]).file, values["place"]
    if not place.isdecimal() or int(place) >= len(file):
        raise MistakeError(f"there is no text {place}", 404)
    return file


OPERATIONS = (
    Operation("asked", "/crawls/{crawl}/asked", "The most instructive texts for a crawl, uncertain ones first.",
              asked, (Param(name="language", about="language of the reasons", default="en", choices=LANGUAGES),)),
    Operation("sample_kept", "/crawls/{crawl}/sample", "Draw random kept texts to mark, for the share on topic.",
              sample_kept, acts=True),
    Operation("asked_text", "/crawls/{crawl}/asked/{place}", "The text at a place among the questions.", asked_text,
              page=False),
    Operation("answer", "/crawls/{crawl}/asked/{place}", "Mark a text. Its crawl learns from it at once.", answer,
              (Param(name="mark", about="relevant, irrelevant, boilerplate, or none to remove the mark", required=True,
                     choices=(*MARKS, "none")),), acts=True),
)  # fmt: skip
