"""The evidence of a corpus: facts on each of its sites, and the records required by rules on training data."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from topical_crawler import __version__
from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import CrawlFolder, claim_of
from topical_crawler.export.manifest import PROGRAM, described
from topical_crawler.files import replacing_folder
from topical_crawler.frontier.sqlite import unfetched
from topical_crawler.items import now_utc
from topical_crawler.judging.report import report
from topical_crawler.judging.sample import merged, read_sample
from topical_crawler.recordings.reader import Recording
from topical_crawler.web.urls import REDIRECTED

EVIDENCE, SITES, RULES = "evidence.json", "sites.jsonl", "rules.tsv"
MOST_REDIRECTS = 5  # followed from a robots.txt, as in RFC 9309
Facts = dict[str, Any]


def write_evidence(place: str, folder: Path, judged: Sequence[Path], archive: Recording | None) -> Facts:
    """Write the evidence of a corpus to a folder.

    Args:
        place: path or URL of the corpus.
        folder: target folder. Earlier evidence is replaced.
        judged: copies of one sample of the corpus, with marks.
        archive: archive of its crawl, for digests of the robots.txt files. None: without digests.

    Returns:
        The facts on the whole corpus.

    Raises:
        FileExistsError: the folder holds something else.
        SampleError: a sample cannot be read, or they are not copies of one sample.
    """
    sites: defaultdict[str, Facts] = defaultdict(_empty)
    for host, name, reason, number in unfetched(CrawlFolder(Path(place).parent).frontier) if "://" not in place else ():
        sites[host][name] += Counter({reason: number})
    with CorpusStore(place, read_only=True) as store:
        for row in store.records(Filters(rejected=True)):
            site = sites[row.host]
            if row.reason == REDIRECTED:
                site["redirects"] += 1
                continue
            site["fetched"], site["kept"] = site["fetched"] + 1, site["kept"] + row.keep
            site["rejected"] += Counter([row.reason] if row.reason else [])
            site["first"], site["last"] = min(site["first"] or row.fetched, row.fetched), max(site["last"], row.fetched)
            if row.keep:
                site["characters"] += row.characters
                site["rights"] += Counter(filter(None, row.rights.split("; ")))
                site["licenses"] += Counter([row.license] if row.license else [])
                site["personal"] += Counter(row.personal.keys())
        for host, facts in store.host_facts().items():
            sites[host]["robots"] = asdict(facts) | (_robots(host, archive) if archive else {})
    samples = [read_sample(file) for file in judged]
    for figures in report(merged(samples)).sites if samples else ():
        precision = {"share": figures.precision.share, "low": figures.precision.low, "high": figures.precision.high}
        sites[figures.name]["precision"] = {"judged": figures.judged, "relevant": figures.relevant} | precision
    crawl = {name: value for name, value in claim_of(place).items() if name != "source"}
    whole: Facts = {"program": PROGRAM, "version": __version__, "made": now_utc(), "crawl": crawl, "sites": len(sites)}
    whole |= {name: sum(site[name] for site in sites.values()) for name in ("fetched", "redirects", "kept", "characters")}
    whole |= {"samples": [described(file, file.name) | {"changed": _changed(file)} for file in judged]}
    whole |= {"archive": [described(file, file.name) for file in archive.files] if archive else []}
    ordered = sorted(sites.items(), key=lambda item: (-item[1]["kept"], -item[1]["fetched"], item[0]))
    with replacing_folder(folder, EVIDENCE, f'"program": "{PROGRAM}"'.encode()) as new:
        lines = [json.dumps({"host": host} | site, ensure_ascii=False) + "\n" for host, site in ordered]
        (new / SITES).write_text("".join(lines), "utf-8", newline="")
        with (new / RULES).open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, "excel-tab", lineterminator="\n").writerows(rules(whole, dict(ordered)))
        whole["files"] = [described(new / name, name) for name in (SITES, RULES)]
        (new / EVIDENCE).write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n", "utf-8", newline="")
    return whole


def _empty() -> Facts:
    counts = {name: Counter[str]() for name in ("rejected", "rights", "licenses", "personal", "not_followed", "waiting")}
    numbers = dict.fromkeys(("fetched", "redirects", "kept", "characters"), 0)
    return {**numbers, "first": "", "last": "", **counts, "robots": None, "precision": None}


def _robots(host: str, archive: Recording) -> Facts:
    """Return URL, status and SHA-256 of the last archived answer for a host's robots.txt, after redirects, {} without one."""
    for scheme in ("https", "http"):
        url, found = f"{scheme}://{host}/robots.txt", Facts()
        for _ in range(MOST_REDIRECTS):
            if (answer := archive.get(url)) is None:
                break
            found = {"url": url, "status": answer.status, "sha256": hashlib.sha256(answer.body).hexdigest()}
            if not (300 <= answer.status < 400 and (location := answer.header("Location"))):
                break
            url = urljoin(url, location)
        if found:
            return found
    return {}


def _changed(file: Path) -> str:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat(timespec="seconds")


def rules(whole: Mapping[str, Any], sites: Mapping[str, Facts]) -> list[list[str]]:
    """Return the records required of collectors by Chinese rules on training data, each with its content or "missing".

    The requirements are in the table ``rules.tsv`` beside this file.
    """
    kept = [site for site in sites.values() if site["kept"]]
    asked = [site for site in kept if site["robots"] and site["robots"]["asked"]]
    times = [time for site in sites.values() for time in (site["first"], site["last"]) if time]
    shares = [f"{host} {site['kept'] / whole['kept']:.1%}" for host, site in sites.items() if site["kept"]]
    crawl, personal = whole["crawl"], sum((site["personal"] for site in kept), Counter[str]())
    closed = sum(site["rejected"]["robots.txt"] for site in sites.values())
    known = {
        "time": f"{min(times)} to {max(times)}" if times else "",
        "way": f"{PROGRAM} {crawl.get('version', '')}, strategy {crawl['strategy']}" if crawl.get("strategy") else "",
        "sources": f"{len(kept)} sites: {', '.join(shares[:10])}" if kept else "",
        "robots": f"asked of {len(asked)} of {len(kept)} sites; it kept from {closed:,} pages" if asked else "",
        "rights": f"reserved in some way on {sum(bool(site['rights']) for site in kept)} of {len(kept)} sites",
        "licenses": f"named on {sum(bool(site['licenses']) for site in kept)} of {len(kept)} sites",
        "personal": ", ".join(f"{kind} in {n:,} texts" for kind, n in personal.most_common()) or "none found by form",
        "sampling": ", ".join(f"{file['name']} ({file['changed']})" for file in whole["samples"]),
        "archive": ", ".join(file["name"] for file in whole["archive"]),
    }
    head, *asked_for = csv.reader(files(__package__).joinpath(RULES).read_text("utf-8").splitlines(), "excel-tab")
    return [[*head[:3], "recorded"], *([*row[:3], known.get(row[3], "") or "missing"] for row in asked_for)]
