"""Operations that ask about texts: the judging page and what it is made of."""

from __future__ import annotations

import json
from typing import Any

from topical_crawler.judging.sample import SampleFile
from topical_crawler.judging.server import PAGE, page_file, sample_facts
from topical_crawler.services import MistakeError
from topical_crawler.services.asking import Questions, questions
from topical_crawler.services.catalogue import Voice
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.operations import Operation, Param, Values

ASKED = 20


def judged(bench: Bench, crawl: str, *, new: bool = False) -> Questions:
    """The open questions about a crawl; where all were answered and ``new`` ones are wanted, those."""
    with bench.judging:
        found = bench.open.get(crawl)
        if found is not None and new and found.is_over:
            bench.open.pop(crawl).close()
            found = None
        if found is None:
            place = bench.place(crawl)
            bench.corpus(crawl)
            file = questions(place.corpus, place.folder.path, ASKED, bench.topic(crawl))
            found = bench.open[crawl] = Questions(file, bench.settings)
        return found


def asked(bench: Bench, values: Values) -> dict[str, Any]:
    return sample_facts(judged(bench, values["crawl"]).file, Voice("zh").named)


def asked_text(bench: Bench, values: Values) -> dict[str, Any]:
    return {"text": _file(bench, values["crawl"], values["place"]).item(int(values["place"])).text}


def answer(bench: Bench, values: Values) -> dict[str, Any]:
    found = judged(bench, values["crawl"])
    mark = None if values["mark"] == "none" else values["mark"]
    _file(bench, values["crawl"], values["place"]).mark(int(values["place"]), mark)
    found.tell()
    return {}


def _file(bench: Bench, crawl: str, place: str) -> SampleFile:
    file = judged(bench, crawl).file
    if not place.isdecimal() or int(place) >= len(file):
        raise MistakeError(f"there is no text {place}", 404)
    return file


def serve(bench: Bench, crawl: str, path: str, body: dict[str, Any]) -> tuple[bytes, str]:
    """A file or the data of the judging page, as :class:`~topical_crawler.judging.server.JudgingServer` serves them."""
    if path in PAGE:
        if not path:
            judged(bench, crawl, new=True)
        return page_file(path)
    kind, _, place = path.partition("/")
    data: dict[str, Any] | None = None
    if path == "sample":
        data = asked(bench, {"crawl": crawl})
    elif kind == "texts":
        data = asked_text(bench, {"crawl": crawl, "place": place})
    elif path == "marks":
        mark = body.get("mark")
        data = answer(bench, {"crawl": crawl, "place": str(body.get("place")), "mark": "none" if mark is None else mark})
    if data is None:
        raise MistakeError("there is no such page", 404)
    return json.dumps(data, ensure_ascii=False).encode(), "application/json"


OPERATIONS = (
    Operation("asked", "/crawls/{crawl}/asked", "The texts that teach a crawl most, uncertain ones first, with their marks.",
              asked, page=False),
    Operation("asked_text", "/crawls/{crawl}/asked/{place}", "The text at a place among those that are asked about.", asked_text,
              page=False),
    Operation("answer", "/crawls/{crawl}/asked/{place}", "Mark it; its crawl learns from it at once.", answer,
              (Param(name="mark", about="relevant, irrelevant, boilerplate, or none to take it back", required=True,
                     choices=("relevant", "irrelevant", "boilerplate", "none")),), acts=True, page=False),
)  # fmt: skip
