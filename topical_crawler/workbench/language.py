"""Operations on the language resources: list them, and fetch missing ones."""

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
    """Return the bytes of missing resources available for download, 0 if resources are switched off."""
    language = resources(bench.settings)
    return sum(resource.size for resource in language.missing() if resource.archive) if language else 0


def show(bench: Bench, values: Values) -> dict[str, Any]:
    """List the resources, with the progress of a fetch, measured by the growth of their folder."""
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
    """Return the bytes in the folder of the resources, including pip's partial downloads."""
    size = 0
    for file in language.directory.rglob("*") if language.directory else ():
        with suppress(OSError):  # a temporary file has vanished
            size += file.stat().st_size if file.is_file() else 0
    return size


def fetch_missing(bench: Bench, values: Values) -> dict[str, Any]:
    language = resources(bench.settings)
    if language is None:
        raise MistakeError("language resources are switched off. Start the workbench without TOPICAL_RESOURCES=0", 409)
    if bench.fetching is None or bench.fetching[0].done.is_set():
        held = _held(language)
        job = bench.jobs.result(("resources", held), lambda note: fetch(language))
        bench.fetching = (job, held, missing(bench))
    return {"go": "/resources"}


OPERATIONS = (
    Operation("resources", "/resources", "The language resources for download: installed or missing, and their sizes.", show),
    Operation("fetch_resources", "/resources/fetch", "Fetch the missing language resources.", fetch_missing, acts=True),
)
