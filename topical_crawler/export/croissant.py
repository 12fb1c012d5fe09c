"""Croissant 1.1 (https://mlcommons.org/croissant/1.1): machine-readable metadata of a data set, with its RAI fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from topical_crawler import __version__
from topical_crawler.export.manifest import PROGRAM, Facts, Tally
from topical_crawler.export.rows import Column, columns

CROISSANT = "croissant.json"
_SCHEMA, _CR, _RAI = "https://schema.org/", "http://mlcommons.org/croissant/", "http://mlcommons.org/croissant/RAI/"
_OWN = ("recordSet", "field", "source", "extract", "column", "fileSet", "includes", "isArray", "arrayShape")
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": _SCHEMA,
    "sc": _SCHEMA,
    "cr": _CR,
    "rai": _RAI,
    "dct": "http://purl.org/dc/terms/",
}
_CONTEXT |= {name: f"cr:{name}" for name in _OWN} | {"conformsTo": "dct:conformsTo"}
_CONTEXT |= {"dataType": {"@id": "cr:dataType", "@type": "@vocab"}}
_TYPES = {
    "date": "sc:Date",
    "number": "sc:Float",
    "whole": "sc:Integer",
    "yes": "sc:Boolean",
    "time": "sc:DateTime",
}  # all others are text


def croissant(
    tally: Tally,
    facts: Facts,
    files: Iterable[Mapping[str, Any]],
    metadata: bool = False,
    labels: tuple[Column, ...] = (),
) -> dict[str, Any]:
    """Return the JSON-LD of a data set of Parquet ``files``, :func:`~topical_crawler.export.manifest.described`.

    Its record set lacks the objects ``measures`` and, with ``metadata``, ``metadata``.
    """
    title = str(facts.topic.get("title") or facts.topic.get("name") or "Corpus")
    fields = []
    for column in columns(False, metadata, labels):
        if column.kind not in ("measures", "object"):
            field: dict[str, Any] = {"@type": "cr:Field", "@id": f"texts/{column.name}", "name": column.name}
            field |= {"description": column.meaning, "dataType": _TYPES.get(column.kind, "sc:Text")}
            field |= {"isArray": True, "arrayShape": "-1"} if column.kind == "texts" else {}
            fields.append(field | {"source": {"fileSet": {"@id": "parquet"}, "extract": {"column": column.name}}})
    named = {"@type": "cr:FileObject", "encodingFormat": "application/x-parquet"}
    data = [{**named, "@id": f["name"], "name": f["name"], "contentUrl": f["name"], "sha256": f["sha256"]} for f in files]
    personal = ", ".join(f"{kind} in {n:,} texts" for kind, n in sorted(tally.personal.items())) or "none found by form"
    rights = ", ".join(f"{name} for {n:,} texts" for name, n in sorted(tally.rights.items())) or "none"
    about: dict[str, Any] = {"@context": _CONTEXT, "@type": "sc:Dataset", "conformsTo": [f"{_CR}1.1", f"{_RAI}1.0"]}
    about |= {"name": title, "inLanguage": [*tally.languages], "rai:dataCollectionType": ["Web Scraping"]}
    about |= {"datePublished": tally.last_fetched[:10]} if tally.last_fetched else {}
    about |= {"description": f"Texts of the Chinese web about {title}: {tally.whole.texts:,} of {len(tally.hosts):,} sites."}
    about |= {"version": "1.0.0", "license": "Texts belong to their publishers. The field license has what each page names."}
    about |= {"distribution": [*data, named | {"@type": "cr:FileSet", "@id": "parquet", "name": "parquet", "includes": "data/*"}]}
    about |= {"recordSet": [{"@type": "cr:RecordSet", "@id": "texts", "name": "texts", "field": fields}]}
    return about | {
        "rai:dataCollection": f"Crawled by {PROGRAM} {__version__}, strategy {facts.crawl.get('strategy', 'unknown')}.",
        "rai:dataCollectionTimeframe": [*filter(None, (tally.first_fetched, tally.last_fetched))],
        "rai:dataPreprocessingProtocol": ["Main text extracted, cleaned, measured, deduplicated.", *facts.changes],
        "rai:personalSensitiveInformation": [f"Found by form before masking: {personal}. Names are not searched for."],
        "rai:dataLimitations": [f"Reserved by the sites: {rights}. Filters: {dict(facts.filters) or 'none'}."],
    }
