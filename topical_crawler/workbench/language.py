"""Operations on the language resources: which are here, and how the others come."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from topical_crawler.config import resources
from topical_crawler.resources.fetch import fetch
from topical_crawler.resources.registry import RESOURCES, Resources
from topical_crawler.services import MistakeError
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.operations import Operation, Values


def missing(bench: Bench) -> int:
    """Bytes of the resources that can be fetched and are not here; 0 where none are to be used."""
    language = resources(bench.settings)
    return sum(resource.size for resource in language.missing() if resource.archive) if language else 0


def show(bench: Bench, values: Values) -> dict[str, Any]:
    """What is here, and how far a fetch has come: the bytes that its folder has gained."""
    language = resources(bench.settings) or Resources.none()
    rows = [
        {"name": r.name, "title": r.title, "size": r.size, "here": language.path(r.name) is not None}
        for r in RESOURCES.values()
        if r.archive
    ]
    data: dict[str, Any] = {"resources": rows, "missing": missing(bench), "problem": ""}
    if bench.fetching is not None:
        job, before, wanted = bench.fetching
        if not job.done.is_set():
            data |= {"waiting": True, "done": min(_held(language) - before, wanted), "total": wanted}
        elif job.error is not None:
            data["problem"] = str(job.error)
    return data


def _held(language: Resources) -> int:
    """Bytes in the folder of the resources, what pip is bringing included."""
    size = 0
    for file in language.directory.rglob("*") if language.directory else ():
        with suppress(OSError):  # a temporary file that has gone
            size += file.stat().st_size if file.is_file() else 0
    return size


def fetch_missing(bench: Bench, values: Values) -> dict[str, Any]:
    language = resources(bench.settings)
    if language is None:
        raise MistakeError("language resources are switched off. Remedy: start the workbench without TOPICAL_RESOURCES=0", 409)
    if bench.fetching is None or bench.fetching[0].done.is_set():
        held = _held(language)
        job = bench.jobs.result(("resources", held), lambda note: fetch(language))
        bench.fetching = (job, held, missing(bench))
    return {"go": "/resources"}


OPERATIONS = (
    Operation("resources", "/resources", "The language resources that can be fetched: which are here, and their sizes.", show),
    Operation("fetch_resources", "/resources/fetch", "Fetch the language resources that are not here.", fetch_missing, acts=True),
)
