"""What a page, its answer and its host's robots.txt ask of those who take texts.

All of it is read from what a crawl has at hand anyway. Names are the same whatever way something was said.

>>> of_page({"noai"}, [("X-Robots-Tag", "noindex")], [("/", "ai-train=no", True)], "/党建.html", "topical_crawler")
'noindex; noai; ai-train=no'
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

RESERVED = ("noindex", "noarchive", "noai", "tdm-reservation", "search=no", "ai-input=no", "ai-train=no")
"""What reserves a text: robots directives, TDMRep, Content-Signal and Content-Usage (``train-ai=n`` is ``ai-train=no``)."""
NAMES = (*RESERVED, "nofollow", "noimageai")  # the last two are about links and pictures
UNRESERVED, LICENSED = "unreserved", "licensed"
"""What can also be filtered by: texts of which nothing is reserved, and those whose page names a licence."""
NOFOLLOW = "nofollow"  # also why a link is dropped

Signal = tuple[str, str, bool]
"""A line of a robots.txt about use: how the paths begin for which it holds (a pattern up to its first sign), a name of
:data:`NAMES`, and whether that is said or its opposite."""

MOST_SIGNALS = 100  # of a robots.txt; each is looked at for each page
_TDM = "tdm-reservation"
_VALUED = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")  # directives that look like an agent
_AGENT = re.compile(r"[a-z*][\w*.-]*")
_USE = {"search": "search=no", "ai-input": "ai-input=no", "ai-train": "ai-train=no", "train-ai": "ai-train=no"}
_PAIR = re.compile(r"([\w-]+)\s*=\s*(yes|no|y|n)\b", re.IGNORECASE)
_LINE = re.compile(r"\s*(user-agent|content-signal|content-usage|allow|disallow|crawl-delay)\s*:([^#]*)", re.IGNORECASE)
_WILD = re.compile(r"[*$]")
_SPLIT = re.compile(r"[,;\s]+")


def of_meta(name: str, content: str) -> Iterator[str]:
    """What ``<meta name=… content=…>`` says, ``name`` in lower case; an agent's own element speaks to that agent only.

    >>> sorted(of_meta("robots", "NoAI, none")), list(of_meta("tdm-reservation", "1")), list(of_meta("baiduspider", "noindex"))
    (['noai', 'nofollow', 'noindex'], ['tdm-reservation'], [])
    """
    if name == "robots":
        yield from _directives(content)
    elif name == _TDM and content.strip() == "1":
        yield _TDM


def of_robots(text: str, agent: str) -> tuple[Signal, ...]:
    """The lines about use in a robots.txt: those before all groups, and those of the groups for ``agent``, else for all.

    >>> of_robots("User-agent: *\\nContent-Signal: search=yes, ai-train=no\\nContent-Usage: /开放/ train-ai=y", "topical_crawler")
    (('', 'search=no', False), ('', 'ai-train=no', True), ('/开放/', 'ai-train=no', False))
    """
    if "content-" not in text.lower():
        return ()
    own = _token(agent)
    found: dict[str, list[Signal]] = {}
    agents: set[str] = {""}
    named = False  # whether the line before named an agent, too
    for match in filter(None, map(_LINE.match, text.splitlines())):
        token, value = match[1].lower(), match[2].strip()
        if token == "user-agent":
            agents = (agents if named else set()) | {value.lower()}
            found.setdefault(value.lower(), [])
        elif token.startswith("content-"):
            path = value.split()[0] if value.startswith("/") else ""
            for said in _pairs(value[len(path) :]):
                for name in agents:
                    found.setdefault(name, []).append((_WILD.split(path)[0], *said))
        named = token == "user-agent"
    group = own if own in found else "*"
    return tuple((found.get("", []) + found.get(group, []))[:MOST_SIGNALS])


def of_page(meta: Collection[str], headers: Iterable[tuple[str, str]], signals: Iterable[Signal], path: str, agent: str) -> str:
    """All that is asked of a page, in the order of :data:`NAMES`, joined by "; "; "" for nothing. Where two ways contradict each
    other, what reserves counts; of the lines of a robots.txt, the longest path.

    Args:
        meta: what its elements say (:func:`of_meta`).
        headers: those of its answer.
        signals: of its host (:func:`of_robots`).
        path: of its address, with the query.
        agent: the name under which rules are looked up.
    """
    said = set(meta)
    for name, value in headers:
        name = name.lower()
        if name == "x-robots-tag":
            said |= set(_tagged(value, _token(agent)))
        elif name in ("content-signal", "content-usage"):
            said |= {name for name, reserves in _pairs(value) if reserves}
        elif name == _TDM:
            said |= set(of_meta(name, value))
    applying = (signal for signal in signals if path.startswith(signal[0]))
    use = {name: reserves for _, name, reserves in sorted(applying, key=lambda signal: (len(signal[0]), signal[2]))}
    said |= {name for name, reserves in use.items() if reserves}
    return "; ".join(name for name in NAMES if name in said)


def parse(text: str) -> tuple[str, ...]:
    """Parse a filter: names of :data:`NAMES` that texts must not have, "unreserved" for all of :data:`RESERVED`, "licensed";
    separated by commas. Raises ValueError for any other.

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
    """An X-Robots-Tag: directives, those after ``agent:`` for that one only."""
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
