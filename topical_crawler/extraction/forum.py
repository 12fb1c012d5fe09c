"""Threads: pages of a forum, or of a question and its answers, as posts in order.

No engine is known by name. Posts are found as readers find them: boxes of one kind, each with a person and a day. Their text is
the part of a box that differs from post to post; what boxes share is furniture.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from lxml.html import HtmlElement

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.extractors import COST, is_sentence

MAX_ELEMENTS = 50_000  # of a page; what follows is not read
MAX_POSTS = 500
MIN_SHARE = 0.3  # least share of the page's prose that the posts hold
MIN_LEAD = 12  # least worth of a first post that is no box like the others

_UNSEEN = frozenset(("script", "style", "template", "select", "textarea", "button", "head", "svg", "iframe", "object", "nav", "footer"))
_BOXES = frozenset(("div", "li", "article", "section", "table", "tbody", "tr", "td", "dl", "dd", "main", "ul", "ol"))
_MIGHT = re.compile(
    r"DiscussionForumPosting|QAPage|schema\.org/(?:Question|Answer)"
    r"|(?:class|id)=[\"']?[^\"'>]{0,80}?(?:post|repl(?:y|ies)|answer|comment|floor|message|topic|thread)",
    re.I,
)
_PERSON_ADDRESS = re.compile(
    r"(?:^|[/?&.;=_-])(?:u|users?|members?|people|profiles?|viewprofile|space|uid|memberlist|home/main)(?:[/=?_-]|\.php|\d)", re.I
)
_PERSON = re.compile(r"author|user|poster|nick|avatar|member|creator|profile|uname|asker|answerer", re.I)
_TIME = re.compile(r"time(?!line)|date(?!d?-?body)|posted|(?:^|[ _-])ago", re.I)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = re.compile(
    r"(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}|\d{1,2}[-/月.]\d{1,2}日?\s+\d{1,2}:\d\d|\d{1,2}\s?月\s?\d{1,2}\s?日"
    r"|(?:\d+|几)\s?(?:秒|分钟|小时|天|周|个?月|年)之?前|^(?:刚刚|今天|昨天|前天)(?:\s|$|\d)"
    r"|\d+\s(?:second|minute|hour|day|week|month|year)s?\sago"
    rf"|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?(?:\s+'?\d\d|\s*\d\d:\d\d)|\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH},?\s(?:19|20)\d\d"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d",
    re.I,
)
_ADDRESS = re.compile(
    r"viewthread|showthread|showtopic|viewtopic|/(?:thread|topic|question|discussion|issue|ask|answer|faq)s?(?:[/?-]|$)|/(?:t|d|q|p)/[^/]"
    r"|[?&](?:tid|topic)=|^(?:bbs|forums?|ask|club|community|discuss|tieba|zhidao|wenda|luntan)\.|/(?:forums?|bbs|community|boards?|club)/",
    re.I,
)
_WORDS = re.compile(r"楼主|回帖|发帖|跟帖|主题帖|版块|板块|论坛|楼层|个回答|条回复|提问|采纳|最佳答案|\breplies\b|\bforums?\b|\banswers?\b|\btopics?\b", re.I)
_POSTS = re.compile(r"post|repl(?:y|ies)|answer|floor|topic|thread|question|discuss|message", re.I)
_REPLIES = re.compile(r"repl(?:y|ies)|answer|comment|response", re.I)
_BODY = re.compile(r"content|body|message|text|prose|cooked|markdown|(?:^|[ _])t_f|entry|msg", re.I)
_DIGITS = re.compile(r"\d+")
_STATES = re.compile(r"^(?:first|last|odd|even|active|current|hidden|visible|unread|read|new|hot|top|lz|owner|op|row\d*|col\w*-\d+|[a-z]{1,3}\d+)$", re.I)
_OUT = re.compile(
    r"(?:^|[\s_-])(?:sign(?:ature)?s?|sig|psig|pstatus|edit(?:ed)?(?:by|ed|or)?|lastedit|attach\w*|jammer|ads?|advert\w*|rate|likes?|votes?|voting"
    r"|actions?|tool(?:bar|s)?|share|report|badges?|userinfo|usercard|avatar|postmeta|meta|floor|buttons?|btn|copy|controls?|reactions?|tags?|breadcrumbs?)(?:$|[\s_\d-])"
    r"|signature",
    re.I,
)
_QUOTE = re.compile(r"(?:^|[\s_-])quot(?:e|ed|ation)", re.I)
_NOT_POSTED = re.compile(r"注册|加入|编辑|最后|上次|join|regist|edit|last", re.I)
_LINE_OUT = re.compile(
    r"^\W*(?:本帖最后由.{1,40}编辑|(?:此|本)?(?:帖|回复).{0,6}(?:于|在).{4,30}编辑|.{0,30}\s(?:发表于|写道|wrote|said)\s?.{0,30}[:：]?|(?:发表|发布|编辑|回答|提问|写)于.{4,30}"
    r"|复制代码|引用|回复|举报|点赞|赞|收藏|分享|只看(?:该|此)作者|只看楼主|楼主|沙发|板凳|地板|\d+\s?楼|#?\d+#?|last edited by.{1,60}|edited|reply|quote|report|share|like|copy|编辑|删除)\W*$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Thread:
    """The posts of a page."""

    posts: list[HtmlElement]  # the bodies in order: copies without signatures and buttons, quotes as ``blockquote``
    author: str  # of the first post, "" if unknown
    stamp: str  # the day and time of the first post as written, "" if unknown


class _Page:
    """The elements of a tree in order, and what each holds."""

    def __init__(self, tree: HtmlElement) -> None:
        self.title = " ".join(" ".join(t.text_content() for t in tree.iter("title", "h1")).split())
        elements: list[HtmlElement] = []
        places: dict[HtmlElement, int] = {}
        parents: list[int] = []
        linked: list[bool] = []
        kinds: list[str] = []
        skip: HtmlElement | None = None
        self.run: list[int] = []  # letters that are in no link
        self.own: list[list[str]] = []  # pieces of text right in it, without those in links
        self.person: list[int] = []  # elements in it that name a person
        self.day: list[int] = []  # and a day or time
        self.heads: list[int] = []  # headings that lead to other pages
        for element in islice(tree.iter(), MAX_ELEMENTS):
            above = places.get(element.getparent(), -1)
            tag = element.tag
            if above < 0 and elements:
                continue  # in what is unseen
            if not isinstance(tag, str) or tag in _UNSEEN or _is_hidden(element):
                if element.tail and element.tail.strip():
                    self.own[above].append(element.tail)
                continue
            place = places[element] = len(elements)
            elements.append(element)
            parents.append(above)
            name = f"{element.get('class', '')} {element.get('id', '')}"[:200]
            kinds.append(_kind(tag, name))
            linked.append(tag == "a" and bool(element.get("href")) or (above >= 0 and linked[above]))
            self.own.append([element.text] if element.text and element.text.strip() else [])
            if place and element.tail and element.tail.strip():
                self.own[above].append(element.tail)
            href = element.get("href", "") if tag == "a" else ""
            self.person.append(int(bool(_PERSON_ADDRESS.search(href[:300]) or _PERSON.search(name))))
            self.day.append(int(tag == "time" or element.get("itemprop", "") in ("datePublished", "dateCreated") or bool(_TIME.search(name))))
            self.heads.append(0)
        self.elements, self.places, self.parents, self.kinds, self.linked = elements, places, parents, kinds, linked
        self.letters = [sum(map(count_letters, pieces)) for pieces in self.own]
        self.run = [0 if linked[n] else self.letters[n] for n in range(len(elements))]
        for n, pieces in enumerate(self.own):
            if not self.day[n] and any(_is_stamp(piece) for piece in pieces):
                self.day[n] = 1
            if self.linked[n] and not self.person[n] and self.letters[n] >= 4 and "#" not in elements[n].get("href", "#") and self._in_heading(n):
                self.heads[n] = int(" ".join(" ".join(pieces).split())[-20:] not in self.title)
        self.names, self.times = self.person.copy(), self.day.copy()
        self.ends = list(range(1, len(elements) + 1))  # place after the last element within each
        for n in range(len(elements) - 1, 0, -1):
            up = parents[n]
            for sums in (self.run, self.person, self.day, self.heads):
                sums[up] += sums[n]
            self.ends[up] = max(self.ends[up], self.ends[n])

    def _in_heading(self, n: int) -> bool:
        up = self.parents[n]
        tags = [self.elements[m].tag for m in (n, up, self.parents[up] if up >= 0 else -1) if m >= 0]
        return any(tag in ("h1", "h2", "h3", "h4") for tag in tags)

    def within(self, inner: int, outer: int) -> bool:
        return outer <= inner < self.ends[outer]


def _is_stamp(piece: str) -> bool:
    """Whether a piece of text is a day or time and little else."""
    found = _DAY.search(piece.strip()) if len(piece) < 200 else None
    return found is not None and len(piece.strip()) - len(found[0]) <= 30


def _is_hidden(element: HtmlElement) -> bool:
    style = element.get("style")
    return style is not None and re.search(r"display\s*:\s*none|font-size\s*:\s*0(?:px)?\b", style, re.I) is not None


@lru_cache(maxsize=10_000)
def _kind(tag: str, name: str) -> str:
    """What elements of one kind share: tag, classes and id without numbers and states; "" for one without any."""
    words = [word for word in _DIGITS.sub("0", name).split() if not _STATES.match(word)]
    return f"{tag} {' '.join(words[:4])}" if words else ""


def read_thread(html: str, tree: HtmlElement, url: str) -> Thread | None:
    """The thread of a page, None if it is none. The tree is not changed."""
    if not _MIGHT.search(html):
        return None
    page = _Page(tree)
    group = _posts(page)
    if not group:
        return None
    bodies = _bodies(page, group)
    lead = _lead(page, group, bodies)
    if lead is not None:
        bodies.insert(0, lead)
    if (lead is None and len(group) == 1) or not _is_most(page, bodies) or _points(page, group, bodies, lead, html, url) < 2:
        return None
    author, stamp = _first(page, lead, group, bodies[0])
    return Thread([_clean(page.elements[body]) for body in bodies], author, stamp)


def _posts(page: _Page) -> list[int]:
    """The boxes of the posts."""
    groups: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for n, element in enumerate(page.elements):
        if element.tag in _BOXES and page.day[n] and page.run[n]:
            kind = page.kinds[n]
            groups[(kind, -1) if kind else (element.tag, page.parents[n])].append(n)
    found = []
    for group in groups.values():
        if 2 <= len(group):
            outer = [n for i, n in enumerate(group) if not any(page.within(n, m) for m in group[max(0, i - 50) : i])]
            if len(outer) >= 2:
                found.append((sum(page.run[n] for n in outer), outer))
    found.sort(key=lambda pair: (-pair[0], pair[1][0]))
    best: list[int] = []
    weight = 0
    for run, group in found:
        if not best:
            best, weight = group, run
            continue
        holders = {m for n in group for m in best if page.within(n, m)}
        inside = all(any(page.within(n, m) for m in holders) for n in group)
        if not inside:
            continue
        if len(holders) == 1:  # best is a layout: main column and sidebar
            (holder,) = holders
            named = _named(page, group) >= 0.8 * len(group)
            if named and run >= 0.25 * page.run[holder] and (len(best) == 2 or len(group) >= len(best)):
                best, weight = group, run
        elif len(group) == len(best) == len(holders) and run >= 0.7 * weight and _named(page, group) >= _named(page, best):
            best, weight = group, run
    if not best:  # a question with one answer, a topic with one reply
        one = [
            n
            for n, element in enumerate(page.elements)
            if element.tag in _BOXES and page.person[n] and page.day[n] and page.run[n] and _REPLIES.search(_names(page, (n,)))
        ]
        best = [max(one, key=lambda n: page.run[n])] if one else []
    return best[:MAX_POSTS]


def _is_most(page: _Page, bodies: Sequence[int]) -> bool:
    """Whether the posts hold a good part of the prose of the page."""
    prose = [max(0.0, _gain(page, n, frozenset())) for n in range(len(page.elements))]
    return sum(sum(prose[n : page.ends[n]]) for n in bodies) >= MIN_SHARE * sum(prose)


def _names(page: _Page, places: Iterable[int]) -> str:
    return " ".join(f"{page.elements[n].get('class', '')} {page.elements[n].get('id', '')}" for n in places)


def _named(page: _Page, group: Sequence[int]) -> int:
    return sum(page.person[n] > 0 for n in group)


def _points(page: _Page, group: Sequence[int], bodies: Sequence[int], lead: int | None, html: str, url: str) -> float:
    """Whether repeated boxes are posts, and not teasers of articles or the comments below one."""
    name = _names(page, (group[0], page.parents[group[0]], bodies[0]))
    points = 0.0
    points += 2 * bool(re.search(r"DiscussionForumPosting|QAPage|schema\.org/(?:Question|Answer)", html))
    points += bool(_ADDRESS.search(url.partition("://")[2]))
    points += bool(_POSTS.search(name))
    points += _named(page, group) > 0.5 * len(group)
    points += len({word.lower() for word in _WORDS.findall(html)}) >= 3
    points -= 4 * (sum(page.run[n] for n in group) < 0.5 * sum(sum(page.letters[n : page.ends[n]]) for n in group))
    points -= 4 * (sum(page.heads[n] > 0 for n in group) > 0.5 * len(group))
    points -= lead is not None and page.run[lead] > sum(page.run[n] for n in group)
    points -= 2 * (sum(page.run[n] for n in group) < 0.1 * page.run[0])
    return points


def _bodies(page: _Page, group: Sequence[int]) -> list[int]:
    """The element of each box that holds the text of its post."""
    seen: Counter[str] = Counter()
    for box in group:
        seen.update({_masked(piece) for n in range(box, page.ends[box]) for piece in page.own[n]})
    shared = {line for line, count in seen.items() if count > max(1, 0.2 * len(group))}
    gains: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    where: dict[tuple[int, str], int] = {}
    best: dict[tuple[int, str], float] = {}
    depth: dict[str, int] = {}
    for box in group:
        start, end = box, page.ends[box]
        gain = [0.0] * (end - start)
        for n in range(start, end):
            gain[n - start] = _gain(page, n, shared)
        for n in range(end - 1, start, -1):
            gain[page.parents[n] - start] += gain[n - start]
        for n in range(start, end):
            kind = page.kinds[n] or f"{page.elements[n].tag}<{page.kinds[page.parents[n]]}"
            key = box, kind
            if gain[n - start] > best.get(key, 0.0):
                best[key], where[key] = gain[n - start], n
            depth.setdefault(kind, n - start)
    for (_, kind), value in best.items():
        gains[kind] += value
        counts[kind] += 1
    if not gains:
        return list(group)
    most = max(gains.values())
    named = [k for k, v in gains.items() if v >= 0.9 * most and _BODY.search(k)]
    best_named = max((gains[k] for k in named), default=most)
    kind = min((k for k in named or gains if gains[k] >= 0.99 * best_named), key=lambda k: depth[k])
    return [where.get((box, kind), box) if (box, kind) in where else box for box in group]


def _gain(page: _Page, n: int, shared: Set[str]) -> float:
    """What the text right in an element adds to that of a post."""
    text = " ".join(piece.strip() for piece in page.own[n])
    if not text:
        return 0.0
    letters = page.letters[n]
    if page.linked[n]:
        return 0.5 * letters if letters > 8 else -letters
    if _is_stamp(text) or _LINE_OUT.match(text) or any(_masked(piece) in shared for piece in page.own[n]):
        return float(-min(letters, 20))
    if page.elements[n].tag not in _BOXES and page.elements[n].tag != "p":  # a part of a line
        return letters
    return (letters if is_sentence(text) else letters / 2) - COST


def _masked(piece: str) -> str:
    return _DIGITS.sub("0", " ".join(piece.split()))


def _lead(page: _Page, group: Sequence[int], bodies: Sequence[int]) -> int | None:
    """The first post where it is a box of another kind, as questions are: the prose between the headline and the other posts."""
    first = group[0]
    name = _names(page, (first, page.parents[first], bodies[0]))
    if _POSTS.search(name) and not _REPLIES.search(name):
        return None
    headings = {n: " ".join(page.elements[n].text_content().split()) for n in range(first) if page.elements[n].tag in ("h1", "h2", "h3", "h4")}
    own = [n for n, text in headings.items() if len(text) > 3 and text in page.title]
    if not own:
        return None
    start = max(own, key=lambda n: len(headings[n])) + 1
    gain = [_gain(page, n, frozenset()) for n in range(start, first)]
    for n in range(first - 1, start - 1, -1):
        if page.parents[n] >= start:
            gain[page.parents[n] - start] += gain[n - start]
    whole = [n for n in range(start, first) if page.ends[n] <= first and not page.linked[n] and page.elements[n].tag in _BOXES]
    best = max(whole, key=lambda n: gain[n - start], default=start)
    return best if whole and gain[best - start] > MIN_LEAD else None


def _first(page: _Page, lead: int | None, group: Sequence[int], body: int) -> tuple[str, str]:
    """The author of the first post and its time as written; "" for unknown ones. They stand in its box, or above a question."""
    box, next_box = (page.parents[lead], group[0]) if lead is not None else (group[0], next(iter(group[1:]), len(page.elements)))
    while page.parents[box] > 0 and not (page.person[box] and page.day[box]) and not page.within(next_box, page.parents[box]):
        box = page.parents[box]
    end = group[0] if lead is not None and page.within(group[0], box) else page.ends[box]
    author = stamp = ""
    exact = False
    for n in sorted(range(box, end), key=lambda n: page.within(n, body)):  # what is around the text first
        if (exact and stamp) or page.ends[n] - n > 8:
            continue
        text = " ".join("".join(page.elements[n].itertext()).split())[:100]
        name = text.strip("@ :：·")
        if (
            page.names[n]
            and (not author or (page.elements[n].tag == "a" and not exact))
            and 2 <= len(name) <= 30
            and count_letters(name)
            and not (_DAY.search(name) or _LINE_OUT.match(name))
        ):
            author, exact = name, page.elements[n].tag == "a"
        if not stamp and page.times[n] and not _NOT_POSTED.search(f"{text} {page.kinds[n]} {page.kinds[page.parents[n]]}"):
            values = (page.elements[n].get("datetime", ""), page.elements[n].get("content", ""), page.elements[n].get("title", ""), text)
            stamp = next((value for value in values if len(value) < 80 and _DAY.search(value)), "")
    return author, stamp


def _clean(body: HtmlElement) -> HtmlElement:
    """A copy of a body without signatures and buttons; quotes are ``blockquote``."""
    copy = deepcopy(body)
    copy.tail = None
    total = len("".join(copy.itertext()))
    for element in list(copy.iter()):
        if element is copy or not isinstance(element.tag, str) or element.getparent() is None:
            continue
        name = f"{element.get('class', '')} {element.get('id', '')}"
        if element.tag in _UNSEEN or _is_hidden(element) or (_OUT.search(name) and len("".join(element.itertext())) < 0.5 * total):
            element.drop_tree()
        elif element.tag in ("div", "table", "section") and _QUOTE.search(name):
            element.tag = "blockquote"
    return copy
