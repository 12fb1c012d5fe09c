"""Diagnosis of a crawl with no or hardly any kept texts: fetched pages, nearest pages, missing words, suggestions."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any

from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.meaning import UNRELATED
from topical_crawler.text import counted
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Page
from topical_crawler.web.shells import is_shell
from topical_crawler.web.urls import REDIRECTED

ENOUGH = 200
"""Finished pages before a crawl without a text reports its diagnosis."""
FEW, SCARCE = 5, 0.02
"""Most texts, and largest share of the pages, of a nearly empty corpus."""
_HOSTS, _NEAREST, _WORDS = 5, 3, 12
_SETTINGS = {"language": "TOPICAL_LANGUAGES", "near-empty": "TOPICAL_MIN_CHARACTERS", "low quality": "TOPICAL_QUALITY"}
_SUGGESTIONS = {
    "error": "Most pages ended in an error of the code. The log has its traceback: repair the strategy, plug-in or setting in it",
    "setting": "Texts on topic were rejected. {setting} decides about most of them: see docs/settings.md",
    "mark": "If the nearest pages are on topic, mark them for the crawl to learn: topical-crawler corpus judge {place}",
    "words": "Add the words used by its pages to the topic, in terms.tsv of {topic}",
    "seeds": "Start at sites on the topic (-a seeds=…). Get proposals with: topical-crawler topic seeds {topic}",
    "check": "Check that the seeds answer and have links: topical-crawler topic check {topic} --fetch",
}


def nothing_kept(store: CorpusStore, topic: Topic) -> dict[str, Any] | None:
    """Diagnose a corpus with no or hardly any texts, as JSON data.

    Return None for a corpus with more than :data:`FEW` texts, with a share of texts above :data:`SCARCE`, or without pages.

    Returns:
        "pages": number of pages. "kept": number of texts. "hosts" and "reasons": rejected pages by host and by reason, most
            first.
        "nearest": the most relevant pages. "missing": heavy words of the topic that stand out on no page. "near": greatest
            nearness
        in meaning to the topic's sentence, None if unknown. "unrelated": greatest nearness of unrelated texts. "setting": the
        setting that rejects texts on topic. "try": names of two suggestions.

    Raises:
        CorpusError: the corpus cannot be read.
    """
    hosts, reasons, words = Counter[str](), Counter[str](), Counter[str]()
    judged: list[dict[str, Any]] = []
    kept = 0
    for record in store.records(Filters(rejected=True)):
        kept += record.keep
        if kept > FEW:
            return None
        if not record.keep and record.reason != REDIRECTED:
            hosts[record.host] += 1
            reasons[record.reason] += 1
            if "terms" in record.why:
                words.update(record.why["terms"])
                known = {"near": record.why.get("near"), "relevance": record.relevance, "reason": record.reason}
                judged.append({"title": record.title, "url": record.url, "number": record.order, **known})
    if kept > SCARCE * (pages := hosts.total() + kept) or not pages:
        return None
    judged.sort(key=lambda page: (-page["relevance"], -(page["near"] or 0.0), page["url"]))
    near = max((page["near"] for page in judged if page["near"] is not None), default=None)
    setting = next((s for r, _ in reasons.most_common() if (s := _SETTINGS.get(r.partition(":")[0]))), "")
    close = bool(words) if near is None else near > UNRELATED
    failed = max(reasons, key=reasons.__getitem__, default="").startswith("error: ")
    names = ["error"] * failed + ["setting"] * bool(setting)
    names += ["mark", "words"] if close else ["seeds", "words" if judged else "check"]
    return {
        "pages": pages,
        "kept": kept,
        "hosts": dict(hosts.most_common()),
        "reasons": dict(reasons.most_common()),
        "nearest": judged[:_NEAREST],
        "missing": [word for word in topic.keywords(_WORDS) if word not in words] if judged else [],
        "near": near,
        "unrelated": UNRELATED,
        "setting": setting,
        "try": names[:2],
    }


def nowhere(url: str, reason: str, size: int, page: Page | None) -> str:
    """Describe a start page of ``size`` bytes with neither text nor links. Return "" if it has links.

    >>> nowhere("http://a.cn/", "near-empty", 13, Page("http://a.cn/", title="党建"))
    'http://a.cn/ leads nowhere: a page of 13 bytes without a link, 党建 (near-empty)'
    """
    what = f"no page ({reason})"
    if page is not None:
        title = f", {page.title}" if page.title else " and without a title"
        scripts = "; its scripts may fill it (TOPICAL_SCRIPTS)" if is_shell(page.html) else ""
        what = f"a page of {counted(size, 'byte')} without a link{title} ({reason}){scripts}"
    return "" if page is not None and page.links else f"{url} leads nowhere: {what}"


def describe(found: dict[str, Any], topic: Topic, place: str, starts: Sequence[str] = ()) -> str:
    """Format the result of :func:`nothing_kept` in plain words.

    Args:
        found: the result.
        topic: topic of the crawl.
        place: name of the crawl in a command.
        starts: descriptions from :func:`nowhere`.
    """
    pages, hosts = counted(found["pages"], "page"), counted(len(found["hosts"]), "host")
    most = ", ".join(f"{name} {n}" for name, n in [*found["hosts"].items()][:_HOSTS])
    kept = f"Only {counted(found['kept'], 'text')}" if found["kept"] else "No text"
    lines = [f"{kept} {'were' if found['kept'] > 1 else 'was'} kept. Fetched: {pages} of {hosts}, most of {most}"]
    lines.append("Rejected: " + ", ".join(f"{reason} {n}" for reason, n in found["reasons"].items()))
    lines += starts[:_HOSTS]
    lines += ["Nearest to the topic:"] * bool(found["nearest"])
    for page in found["nearest"]:
        near = "" if page["near"] is None else f", nearness in meaning {page['near']:.2f}"
        lines.append(f"  relevance {page['relevance']:.2f}{near}, {page['reason']}: {page['title']} {page['url']}")
    if found["missing"]:
        lines.append(f"Words of the topic that stand out on no page: {', '.join(found['missing'])}")
    if found["near"] is not None and found["near"] <= found["unrelated"]:
        lines.append(f"No page is nearer in meaning to the topic than unrelated texts (up to {found['unrelated']:g})")
    values = {"topic": shlex.quote(topic.source), "place": place, "setting": found["setting"]}
    return "\n".join([*lines, "What to try:", *(f"  {_SUGGESTIONS[name].format(**values)}" for name in found["try"])])
