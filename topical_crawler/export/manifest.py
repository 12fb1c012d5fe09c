"""Manifest of an export: counts, provenance, filters, and digests of the files."""

import contextlib
import hashlib
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from topical_crawler import __version__
from topical_crawler.corpus.record import VERSION as SCHEMA
from topical_crawler.export.rows import ExportRow, Split

SUFFIX = ".manifest.json"
PROGRAM = "topical-crawler"
LICENSES = 20  # most licences counted separately per host, because a page may name anything
_OTHERS = "(others)"


@dataclass
class Count:
    """Counts of texts, rejected pages, and the characters of the texts."""

    texts: int = 0
    rejected: int = 0
    characters: int = 0

    def add(self, row: ExportRow) -> None:
        if row["keep"]:
            self.texts += 1
        else:
            self.rejected += 1
        self.characters += row["characters"]


@dataclass
class Tally:
    """Counts of an export in progress, in memory growing with the number of hosts.

    >>> from topical_crawler.corpus.record import Record
    >>> from topical_crawler.export.rows import as_dict
    >>> tally = Tally()
    >>> tally.add(as_dict(Record(url="http://a.cn/", host="a.cn", keep=True, text="党建", fetched="2026-11-20T08:30:00+00:00")))
    >>> tally.whole.texts, tally.hosts["a.cn"].characters, tally.last_fetched
    (1, 2, '2026-11-20T08:30:00+00:00')
    """

    whole: Count = field(default_factory=Count)
    splits: dict[str, Count] = field(default_factory=dict)  # by name
    hosts: dict[str, Count] = field(default_factory=dict)  # by name
    licenses: dict[str, Counter[str]] = field(default_factory=dict)  # by host, texts per named licence
    rights: Counter[str] = field(default_factory=Counter)  # texts by reservation
    languages: Counter[str] = field(default_factory=Counter)  # texts by language
    kinds: Counter[str] = field(default_factory=Counter)  # texts by kind of page, of documents by format
    personal: Counter[str] = field(default_factory=Counter)  # texts by kind of personal data in them
    unmeasured: int = 0  # texts stored without measures and without a search for personal data
    first_fetched: str = ""  # "" if unknown
    last_fetched: str = ""

    def add(self, row: ExportRow, split: str = "") -> None:
        """Count a row of ``split``."""
        host = row["host"]
        counts = [self.whole, self.hosts.setdefault(host, Count())]
        if split:
            counts.append(self.splits.setdefault(split, Count()))
        for count in counts:
            count.add(row)
        if row["license"]:
            named = self.licenses.setdefault(host, Counter())
            named[row["license"] if row["license"] in named or len(named) < LICENSES else _OTHERS] += 1
        self.rights.update(filter(None, row["rights"].split("; ")))
        if row["language"]:
            self.languages[row["language"]] += 1
        if kind := row["kind"]:
            self.kinds[f"{kind} ({row['method']})" if kind == "document" else kind] += 1
        self.personal.update(row["personal"].keys())
        self.unmeasured += row["keep"] and not row["measures"]
        if fetched := row["fetched"]:
            self.first_fetched = min(self.first_fetched or fetched, fetched)
            self.last_fetched = max(self.last_fetched, fetched)


@dataclass(frozen=True)
class Facts:
    """Facts known before an export begins."""

    topic: Mapping[str, Any] = field(default_factory=dict)  # name, title, digest, … of the topic; empty if unknown
    crawl: Mapping[str, Any] = field(default_factory=dict)  # strategy, start, version, … of the crawl; empty if unknown
    filters: Mapping[str, Any] = field(default_factory=dict)  # conditions on the rows, as requested
    changes: tuple[str, ...] = ()  # changes to the texts: "personal data masked", "simplified", …
    robots: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by host, the answer to its robots.txt


def manifest(
    tally: Tally, facts: Facts, kind: str, files: Iterable[Mapping[str, Any]], split: Split | None, libraries: Iterable[str]
) -> dict[str, Any]:
    """Return the manifest as JSON data.

    Args:
        tally: counts of the written rows.
        facts: topic, crawl, filters and the like.
        kind: name of the format.
        files: the files, :func:`described`.
        split: division of the texts.
        libraries: packages with influence on the bytes, noted with their versions.
    """
    hosts = {}
    for host, count in sorted(tally.hosts.items(), key=lambda item: (-item[1].texts, item[0])):
        hosts[host] = asdict(count) | {"licenses": dict(tally.licenses.get(host, Counter()).most_common())}
        if host in facts.robots:
            hosts[host]["robots"] = dict(facts.robots[host])
    data: dict[str, Any] = {
        "program": PROGRAM,
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
        "format": kind,
        "counts": asdict(tally.whole),
        "languages": dict(tally.languages.most_common()),
        "kinds": dict(tally.kinds.most_common()),
        "rights": dict(sorted(tally.rights.items())),
        "texts_with_personal_data": dict(sorted(tally.personal.items())),
        "texts_not_measured": tally.unmeasured,
        "fetched": {"first": tally.first_fetched, "last": tally.last_fetched},
        "topic": dict(facts.topic),
        "crawl": dict(facts.crawl),
        "filters": dict(facts.filters),
        "changes": list(facts.changes),
    }
    if split:
        data["split"] = asdict(split) | {"shares": split.by_name}
        data["splits"] = {name: asdict(tally.splits.get(name, Count())) for name in split.names}
    versions = {PROGRAM: __version__, "corpus": SCHEMA, "python": platform.python_version()}
    for name in libraries:
        with contextlib.suppress(PackageNotFoundError):
            versions[name] = version(name)
    return data | {"files": list(files), "versions": versions, "hosts": hosts}


def described(path: Path, name: str) -> dict[str, Any]:
    """Return name, bytes and SHA-256 of a file, for the manifest."""
    with path.open("rb") as file:
        return {"name": name, "bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
