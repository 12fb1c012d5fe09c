"""Reservations of rights by a page, its answer and its host's robots.txt.

All of it is read from data at hand in a crawl, except two files of a host (:data:`FILES`), fetched on request. A reservation has
the same name whatever its source.

>>> of_page({"noai"}, [("X-Robots-Tag", "noindex")], [("/", "ai-train=no", True)], "/党建.html", "topical_crawler")
'noindex; noai; ai-train=no'
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from urllib.parse import urljoin, urlsplit

from lxml import etree
from protego import Protego

RESERVED = ("noindex", "noarchive", "noai", "tdm-reservation", "search=no", "ai-input=no", "ai-train=no", "ai-index=no", "rsl")
"""Reservations of texts: robots directives, TDMRep, Content-Signal, Content-Usage (``train-ai=n`` is ``ai-train=no``) and RSL.
``rsl`` means that the terms of an RSL licence apply, possibly with payment. Its prohibitions have the other names."""
NAMES = (*RESERVED, "nofollow", "noimageai")  # the last two are about links and pictures
UNRESERVED, LICENSED = "unreserved", "licensed"
"""Further filters: texts without any reservation, and texts of pages naming a licence."""
NOFOLLOW = "nofollow"  # also the reason for dropping a link

Signal = tuple[str, str, bool]
"""Rule on use in a robots.txt: beginning of its paths (a pattern up to its first sign), name in :data:`NAMES`, and True to
reserve or False to allow."""

FILES = ("/ai.txt", "/.well-known/tdmrep.json")
"""Files of a host with reservations by use."""
MOST_FILE = 64_000  # characters read of such a file
MOST_SIGNALS = 100  # rules of a robots.txt, each checked for each page
_TDM = "tdm-reservation"
_VALUED = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")  # directives looking like an agent
_AGENT = re.compile(r"[a-z*][\w*.-]*")
_RSL = "rsl"
_RSL_TYPE = "application/rsl+xml"
RSL_LINK = f'link[rel~=license][type="{_RSL_TYPE}"], script[type="{_RSL_TYPE}"]'
"""Selector of elements naming or holding an RSL licence."""
_USE = {name: f"{name}=no" for name in ("search", "ai-input", "ai-train", "ai-index")}
_USE |= {"train-ai": "ai-train=no", "ai-use": "ai-input=no", "train-genai": "ai-train=no"}  # draft-ietf-aipref-vocab-08, -02
_RSL_GROUPS = {"ai-all": ("ai-input", "ai-train", "ai-index"), "all": ("search", "ai-input", "ai-train", "ai-index")}
_PAIR = re.compile(r"([\w-]+)\s*=\s*(yes|no|y|n)\b", re.IGNORECASE)
_LINE = re.compile(r"^[ \t]*content-(?:signal|usage)[ \t]*:[ \t]*([^#\n]*)", re.IGNORECASE | re.MULTILINE)
_LICENSE = re.compile(r"^[ \t]*license[ \t]*:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_WILD = re.compile(r"[*$]")
_SPLIT = re.compile(r"[,;\s]+")


def of_meta(name: str, content: str) -> Iterator[str]:
    """Yield the reservations of ``<meta name=… content=…>``, ``name`` in lower case. Elements for a single agent do not count.

    >>> sorted(of_meta("robots", "NoAI, none")), list(of_meta("tdm-reservation", "1")), list(of_meta("baiduspider", "noindex"))
    (['noai', 'nofollow', 'noindex'], ['tdm-reservation'], [])
    """
    if name == "robots":
        yield from _directives(content)
    elif name == _TDM and content.strip() == "1":
        yield _TDM


def of_robots(text: str) -> tuple[Signal, ...]:
    """Return the rules on use in a robots.txt :func:`topical_crawler.web.robots.addressed` to this crawler.

    A licence (``License:``, RSL 1.0) applies to the whole host.

    >>> of_robots("User-agent: *\\nContent-Signal: search=yes, ai-train=no\\nContent-Usage: /开放/ train-ai=y")
    (('', 'search=no', False), ('', 'ai-train=no', True), ('/开放/', 'ai-train=no', False))
    """
    found: list[Signal] = [("", _RSL, True)] if _LICENSE.search(text) else []
    for match in _LINE.finditer(text):
        path = match[1].split()[0] if match[1].startswith("/") else ""
        found += [(_WILD.split(path)[0], *pair) for pair in _pairs(match[1][len(path) :])]
    return tuple(found[:MOST_SIGNALS])


def rsl_file(text: str, origin: str) -> tuple[str, ...]:
    """Return the path of the RSL licence named by a robots.txt if it is on the same host, else ().

    >>> rsl_file("License: https://a.cn/license.xml", "https://a.cn"), rsl_file("License: https://b.cn/x", "https://a.cn")
    (('/license.xml',), ())
    """
    named = urlsplit(urljoin(f"{origin}/", match[1])) if (match := _LICENSE.search(text)) else None
    return (named._replace(scheme="", netloc="", fragment="").geturl(),) if named and named.netloc in origin.split("/") else ()


class FileRules:
    """Rules of the :data:`FILES` of a host, in their order, and of its RSL licence (:func:`rsl_file`).

    "" stands for a missing or invalid file. ``ai.txt`` is a robots.txt for trainers of models, and a file type in it (``Disallow:
    *.jpg``) applies to addresses with that ending. Of the matching rules of a ``tdmrep.json`` the longest counts.

    >>> rules = FileRules(["User-Agent: *\\nDisallow: /图片/", '[{"location": "/报告/*", "tdm-reservation": 1}]'])
    >>> [sorted(rules.of_url(f"http://a.cn/{path}", "topical_crawler")) for path in ("图片/1.html", "报告/1.html", "1.html")]
    [['ai-train=no'], ['tdm-reservation'], []]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        ai, tdmrep, *licence = (text.strip()[:MOST_FILE] for text in texts)
        rules = ("" if ai.startswith("<") else ai, _tdmrep_as_robots(tdmrep))
        named = [*zip(("ai-train=no", _TDM), rules, strict=True), *(_rsl_as_robots(licence[0]) if licence else ())]
        self._parsers = [(name, Protego.parse(text)) for name, text in named if text]

    def of_url(self, url: str, agent: str) -> set[str]:
        """Return the names in :data:`NAMES` reserved for the page at ``url``."""
        return {name for name, parser in self._parsers if not parser.can_fetch(url, agent)}


def _tdmrep_as_robots(text: str) -> str:
    """Convert the rules of a tdmrep.json to those of a robots.txt, "" without readable ones."""
    try:
        rules = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return ""
    lines = []
    for rule in (rules if isinstance(rules, list) else [rules])[:MOST_SIGNALS]:
        location = rule.get("location") if isinstance(rule, dict) else None
        if isinstance(location, str) and location and not _SPLIT.search(location):
            word = "Disallow" if str(rule.get(_TDM)) == "1" else "Allow"
            lines.append(f"{word}: {location if location.startswith(('/', '*')) else '/' + location}")
    return "\n".join(["User-agent: *", *lines]) if lines else ""


def _rsl_as_robots(text: str) -> Iterator[tuple[str, str]]:
    """Yield the prohibitions of an RSL licence by name, as rules of a robots.txt. Nothing if it is unreadable."""
    with contextlib.suppress(etree.XMLSyntaxError, ValueError):
        root = etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False, no_network=True))
        for content in list(root.iterfind("{*}content"))[:MOST_SIGNALS]:
            path = urlsplit((content.get("url") or "/").strip()).path or "/"
            for prohibits in content.iterfind("{*}license/{*}prohibits[@type='usage']"):
                words = _SPLIT.split((prohibits.text or "").strip().lower())
                for use in dict.fromkeys(part for word in words for part in _RSL_GROUPS.get(word, (word,))):
                    if use in _USE and not _SPLIT.search(path):
                        yield _USE[use], f"User-agent: *\nDisallow: {path}"


def of_page(meta: Collection[str], headers: Iterable[tuple[str, str]], signals: Iterable[Signal], path: str, agent: str) -> str:
    """Return all reservations of a page, in the order of :data:`NAMES`, joined by "; ", or "".

    If two sources contradict each other, the reservation counts. Of the lines of a robots.txt, the longest path counts.

    Args:
        meta: reservations in its elements (:func:`of_meta`).
        headers: headers of its answer.
        signals: rules of its host (:func:`of_robots`).
        path: path of its address, with the query.
        agent: user agent for looking up rules.
    """
    reserved = set(meta)
    for name, value in headers:
        name = name.lower()
        if name == "x-robots-tag":
            reserved |= set(_tagged(value, _token(agent)))
        elif name in ("content-signal", "content-usage"):
            reserved |= {name for name, reserves in _pairs(value) if reserves}
        elif name == _TDM:
            reserved |= set(of_meta(name, value))
        elif name == "link" and _RSL_TYPE in value.lower() and "license" in value.lower():
            reserved.add(_RSL)
    applying = (signal for signal in signals if path.startswith(signal[0]))
    use = {name: reserves for _, name, reserves in sorted(applying, key=lambda signal: (len(signal[0]), signal[2]))}
    reserved |= {name for name, reserves in use.items() if reserves}
    return "; ".join(name for name in NAMES if name in reserved)


def parse(text: str) -> tuple[str, ...]:
    """Parse a comma-separated filter. Raise ValueError for unknown names.

    Parts are names in :data:`NAMES` for texts without them, "unreserved" for all of :data:`RESERVED`, and "licensed".

    >>> parse("noai,ai-train=no"), parse("unreserved") == RESERVED
    (('noai', 'ai-train=no'), True)
    """
    names = tuple(name.strip() for name in text.split(","))
    known = (UNRESERVED, LICENSED, *NAMES)
    if not set(names) <= set(known):
        raise ValueError(f"{text!r} is no condition on rights; write some of {', '.join(known)}, separated by commas")
    return tuple(dict.fromkeys(part for name in names for part in (RESERVED if name == UNRESERVED else (name,))))


def _token(agent: str) -> str:
    return re.split(r"[/\s]", agent.strip().lower())[0]


def _directives(text: str) -> Iterator[str]:
    for word in _SPLIT.split(text.lower()):
        if word == "none":
            yield from ("noindex", NOFOLLOW)
        elif word in NAMES and "=" not in word and word != _TDM:
            yield word


def _tagged(value: str, own: str) -> Iterator[str]:
    """Yield the directives of an X-Robots-Tag. Those after ``agent:`` are for that agent only."""
    agent = ""
    for piece in value.lower().split(","):
        before, colon, after = piece.partition(":")
        if colon and _AGENT.fullmatch(before.strip()) and before.strip() not in _VALUED:
            agent, piece = before.strip(), after
        if agent in ("", "*", own) and not piece.strip().startswith(_VALUED):
            yield from _directives(piece)


def _pairs(text: str) -> Iterator[tuple[str, bool]]:
    for match in _PAIR.finditer(text):
        if (name := _USE.get(match[1].lower())) is not None:
            yield name, match[2].lower() in ("no", "n")
