"""Threads: pages of a forum, or of a question and its answers, as posts in order.

No forum software is known by name. Posts are boxes of one kind, each with a person and a date. The text of a post is the part of
its box differing from post to post, and the rest is furniture.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from lxml.html import HtmlElement

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.main_text import COST, is_sentence
from topical_crawler.extraction.structure import Block, read_blocks
from topical_crawler.text.passages import VERBATIM

MAX_ELEMENTS = 50_000  # most elements read of a page
MAX_POSTS = 500
MAX_CELLS = 5  # cells of a row told apart
MAX_HEADINGS = 100  # most headings compared with the title of the page
MAX_GROUPS = 50  # most kinds of boxes compared
MIN_POINTS = 2  # least signs of a thread, see `_points`
MIN_ALONE = 4  # and of a thread of one post
MIN_TITLE = 8  # least letters of a link with the headline of another page
MIN_LEAD = 12  # least worth of a first post unlike the other boxes
MAX_NAME = 30  # most letters of the line naming a quoted person
STAMP = 30  # most characters beside the date in the time stamp of a post
MAX_SHARED = 40  # most letters of such a line
SHARED = 0.2  # share of the posts over which a line in all of them is furniture
SHINGLE, REPEATED = 6, 0.7  # letters of the pieces of a quote searched in earlier posts, and least share found there
MAX_SHINGLES = 200_000  # most pieces of earlier posts remembered
LITTLE = 0.1  # share of the text of the page below which boxes are hardly its posts
HEAD = 0.3  # share of the text of posts below which inner boxes are only their heads, with person and date
INNER = 0.5  # least share of the text of a column in its inner boxes, halved if the column is not named as posts
AS_MUCH = 0.7  # least share of the text of boxes in a part of each, to take the parts for the posts
OUTSIDE = 0.75  # most prose outside of the boxes to that in them: articles with comments have more, of 163 threads two
BODY = 0.9  # least share of the greatest gain, for elements named as bodies to be the bodies of posts
SIGNED = 4  # most lines of a signature, with the rule above it
LONG = 30  # fewest letters of an unmarked line searched in earlier posts as a quote

ANSWER = "schema.org/Answer"
DECLARED = ("DiscussionForumPosting", "QAPage", "schema.org/Question", ANSWER)
"""Names of a thread in metadata."""
ADDRESS = re.compile(
    r"viewthread|showthread|showtopic|viewtopic|/(?:thread|topic|question|discussion|issue|ask|answer|faq)s?(?:[/?-]|$)"
    r"|/(?:t|d|q)/[^/]|[?&](?:tid|topic)=|^(?:bbs|forums?|ask|club|community|discuss|tieba|zhidao|wenda|luntan)\."
    r"|/(?:forums?|bbs|community|boards?|club)/",
    re.I,
)
"""Addresses of threads, without the protocol."""
THREAD = re.compile(r"(?:view|show)(?:thread|topic)|/threads?[/?-]|[?&]tid=", re.I)
"""Addresses of threads only, almost without exception."""
WORDS = ("楼主", "回帖", "发帖", "跟帖", "版块", "板块", "论坛", "楼层", "个回答", "条回复", "提问", "采纳", "最佳答案", "回复")
CODE_WORDS = ("forum", "thread", "replies", "answer", "topic", "reply", "question", "signature", "member", "discuss")
MIN_WORDS = 3
"""Least number of words of threads in the visible text and the source. Hardly any other page has as many."""

_UNSEEN = frozenset(
    ("script", "style", "template", "select", "textarea", "button", "head", "svg", "iframe", "object", "nav", "footer")
)
_BOXES = frozenset(("div", "li", "article", "section", "table", "tbody", "tr", "td", "dl", "dd", "main", "ul", "ol"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
_PERSON_ADDRESS = re.compile(
    r"(?:^|[/?&.;=_-])(?:u|users?|members?|people|profiles?|viewprofile|space|uid|memberlist|home/main)(?:[/=?_-]|\.php|\d)", re.I
)
_PERSON = re.compile(r"author|user|poster|nick|avatar|member|creator|profile|uname|asker", re.I)
_TIME = re.compile(r"time(?!line)|date|posted|(?:^|[ _-])ago", re.I)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = re.compile(
    r"(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}|\d{1,2}[-/月.]\d{1,2}日?\s+\d{1,2}:\d\d|\d{1,2}\s?月\s?\d{1,2}\s?日"
    r"|(?:\d+|几)\s?(?:秒|分钟|小时|天|周|个?月|年)之?前|^(?:刚刚|今天|昨天|前天)(?:\s|$|\d)"
    r"|\d+\s(?:second|minute|hour|day|week|month|year)s?\sago"
    rf"|{_MONTH}\s{{1,2}}\d{{1,2}}\s\d\d:\d\d:\d\d\s(?:[a-z]{{2,5}}\s)?(?:19|20)\d\d|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?(?:\s+'?\d\d|\s*\d\d:\d\d)|\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH},?\s(?:19|20)\d\d"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d",
    re.I,
)
_NOT_POSTED = re.compile(r"注册|加入|编辑|最后|上次|join|regist|edit|last", re.I)  # dates other than those of posts
_POSTS = re.compile(r"post|repl(?:y|ies)|answer|floor|topic|thread|question|discuss|message", re.I)
_REPLIES = re.compile(r"repl(?:y|ies)|answer|comment|response", re.I)
_REPLIES_WORD = re.compile(r"(?:^|[\s_-])(?:repl(?:y|ies)|answers?|comments?|responses?)(?![a-zA-Z])", re.I)
_HEADLINE = re.compile(r"title|headline", re.I)
_BODY = re.compile(r"content|body|message|text|prose|cooked|markdown|(?:^|[ _])t_f|entry|msg", re.I)
_COMMENT = re.compile(r"comment", re.I)
_QUOTE = re.compile(r"(?:^|[\s_-])quot(?:e|ed|ation)", re.I)
_DIGITS = re.compile(r"\d+")
_SIGNS = re.compile(r"[\W_]+")
_MENTION = re.compile(r"^@\S{1,30}\s")
REPLY = re.compile(r"^\W*(?:re|aw|回复|回覆|答复)\s?[:：]\s*", re.I)  # beginning of a reply's headline
_EDITED = re.compile(r"pstatus|edit", re.I)  # notes of edits, cut out of the text of a post
_MAIL = re.compile(r"^(?:发信人|寄信人|发信站|标\s*题)\s?[:：]")
_WRITTEN = re.compile(r"[»›]|发表|发布|发帖|帖子|posted|wrote|\bby\b", re.I)
_NUMBERED = re.compile(r"\d.*")
_ASIDE = re.compile(
    r"(?<!with)(?<!with[-_])(?<!has)(?<!has[-_])sidebar|widget|right-?bar|(?:^|[\s_-])(?:aside|related|recommend\w*|hot)(?:$|[\s_-])"
    r"|(?:^|[\s_-])(?:modal|dialog|popup|cookies?|consent|onetrust|ot)(?:$|[\s_-])",
    re.I,
)
_NOTICE = re.compile(r"alert|notice|announce|summary", re.I)
_STATE = re.compile(
    r"^(?:\w*(?:odd|even|alt)|first|last|active|current|hidden|visible|unread|read|new|hot|top|owner|row\d*|col\w*-\d+|[a-z]{1,3}\d+)$",
    re.I,
)
_NEVER = re.compile(r"signature(?!s)|(?:^|[\s_-])(?:signs?|p?sig)(?:$|\s)", re.I)  # at any length
_TOOLS = re.compile(
    r"(?:^|[\s_-])(?:signs?|sig|psig|pstatus|edit(?:ed)?(?:by|ed|or)?|lastedit|attach\w*|ads?|advert\w*|rate|likes?|votes?"
    r"|voting|actions?|tool(?:bar|s)?|share|report|badges?|userinfo|usercard|avatar|postmeta|meta|floor|buttons?|btn|copy|controls?"
    r"|reactions?|tags?|breadcrumbs?)(?:$|[\s_\d-])|signature",
    re.I,
)
_FURNITURE = re.compile(
    r"^\W*(?:(?:以下是)?引用.{0,40}(?:的发言|发表的|的话|写道)|在.{1,40}的大作中提到|※ ?(?:来源|修改)\s?[:：].{0,80}"
    r"|(?:点击)?(?:展开|收起)(?:全文|阅读全文|更多)?|引用回复|click to (?:expand|shrink)|featured replies"
    r"|(?:本|此)?(?:帖|回复|内容).{0,6}(?:由|于|在).{1,40}编辑|.{0,30}\s(?:发表于|写道|wrote|said)\s?.{0,30}[:：]?"
    r"|(?:发表|发布|编辑|回答|提问|写)于.{4,30}|复制代码|引用|回复|举报|点?赞|收藏|分享|编辑|删除|只看(?:[该此]作者|楼主)|楼主|沙发|板凳|地板"
    r"|\d+\s?楼|#?\d+#?|last edited by.{1,60}|edited|reply|quote|report|share|like|copy)\W*$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Thread:
    """Posts of a page."""

    title: str  # headline above the posts, or ""
    # Of all posts in order, without signatures, buttons, names and quotes of earlier posts. Other quotes are marked.
    blocks: list[Block]
    posts: int  # number of posts
    author: str  # of the first post, or ""
    stamp: str  # date or time of the first post as written, or ""


def read_thread(html: str, tree: HtmlElement, url: str) -> Thread | None:
    """Return the thread on a page, or None. ``tree`` must be normalised, and stays unchanged.

    >>> from lxml.html import fromstring
    >>> post = "<div class=post><a href='/user/{0}'>{1}</a> <i>2024-03-0{0}</i><div class=text>{2}</div><a href=#>回复</a></div>"
    >>> posts = post.format(1, "小林", "请问怎样入党？") + post.format(2, "老王", "先向党组织提出申请。")
    >>> thread = read_thread("", fromstring(f"<div><h1>怎样入党</h1>{posts}</div>"), "http://bbs.example.cn/thread-1.html")
    >>> [block.text for block in thread.blocks], thread.author, thread.stamp
    (['请问怎样入党？', '先向党组织提出申请。'], '小林', '2024-03-01')
    """
    page = _Page(tree)
    declared = any(word in html for word in DECLARED)
    alone = declared or THREAD.search(url) is not None  # may be a thread of one post
    boxes = _boxes(page, alone)
    if not boxes:
        return None
    bodies = _bodies(page, boxes)
    if not bodies:
        return None
    lead = _lead(page, boxes, bodies)
    posts = bodies if lead is None else [lead, *bodies]
    points = _points(page, boxes, bodies, lead, html, url, declared)
    inside = boxes if lead is None else [lead, *boxes]
    held = {n for box in inside for n in range(box, page.ends[box])}
    outside = _prose(page, (n for n in range(len(page.elements)) if n not in held))
    if outside > OUTSIDE * sum(page.run[n] for n in inside) and not alone:
        return None
    if points < MIN_POINTS or (len(posts) == 1 and not (declared or (alone and points >= MIN_ALONE))):
        return None
    texts = [_without_signature(read_blocks(_cleaned(page.elements[post]))) for post in posts]
    lines = Counter(line for text in texts for line in {_masked(block.text) for block in text})
    title = max(_headings(page, boxes[0]).values(), key=len, default="")
    blocks: list[Block] = []
    shingles: set[str] = set()  # all pieces of SHINGLE letters in the posts so far
    for text in texts:
        own = [b for b in text if not _is_furniture(b, lines[_masked(b.text)], len(texts)) and not _is_repeated(b, shingles)]
        while own and _is_head(own[0], title):
            del own[0]
        blocks += own
        letters = "".join(_letters(b.text) for b in own)
        if len(shingles) < MAX_SHINGLES:
            shingles.update(letters[n : n + SHINGLE] for n in range(min(len(letters), MAX_SHINGLES)))
    return Thread(title, blocks, len(posts), *_first(page, lead, boxes, posts[0])) if blocks else None


class _Page:
    """Visible elements of a tree in document order, and sums over their content."""

    def __init__(self, tree: HtmlElement) -> None:
        self.title = " ".join(" ".join(element.text_content() for element in tree.iter("title", "h1")).split())[:2000]
        self.elements: list[HtmlElement] = []
        self.parents: list[int] = []  # -1 for the first
        self.kinds: list[str] = []  # see `_kind`
        self.quoted: list[bool] = []  # in a quote
        self.linked: list[bool] = []  # in a link, or a link itself
        self.pieces: list[list[str]] = []  # of text directly in it
        self.persons: list[int] = []  # number of elements in it naming a person
        self.days: list[int] = []  # and a date or time
        self._read(tree)
        count = len(self.elements)
        self.letters = [sum(map(count_letters, pieces)) for pieces in self.pieces]
        self.run = [0 if self.linked[n] else sum(map(_letter_count, self.pieces[n])) for n in range(count)]  # letters
        self.titles = [
            self.letters[n] * (self.linked[n] and self.letters[n] >= MIN_TITLE and not self.persons[n]) for n in range(count)
        ]
        self.heads = [int(self._leads_away(n)) for n in range(count)]  # headlines of other pages in it
        self.is_person, self.is_day = self.persons.copy(), self.days.copy()
        self.ends = list(range(1, count + 1))  # place after the last element in it
        for n in range(count - 1, 0, -1):
            up = self.parents[n]
            for sums in (self.run, self.persons, self.days, self.heads, self.titles):
                sums[up] += sums[n]
            self.ends[up] = max(self.ends[up], self.ends[n])
        self.aside: list[bool] = []  # in a column beside the posts
        headings = list(_headings(self, count))
        for n, up in enumerate(self.parents):
            column = _ASIDE.search(_name(self.elements[n])) is not None
            if column:
                column = not any(self.within(m, n) for m in headings) if headings else 2 * self.run[n] < self.run[0]
            self.aside.append(column or (up >= 0 and self.aside[up]))

    def _read(self, tree: HtmlElement) -> None:
        places: dict[HtmlElement, int] = {}
        for element in islice(tree.iter(), MAX_ELEMENTS):
            above = places.get(element.getparent(), -1)
            if above < 0 and self.elements:
                continue  # in a hidden element
            if self.elements and element.tail and element.tail.strip():
                self.pieces[above].append(element.tail)
            tag = element.tag
            if not isinstance(tag, str) or tag in _UNSEEN:
                continue
            places[element] = len(self.elements)
            name = _name(element)
            href = element.get("href", "")
            self.elements.append(element)
            self.parents.append(above)
            self.kinds.append(_kind(tag, element.get("class", "")[:200], element.get("id", "")[:200]))
            self.linked.append((tag == "a" and bool(href)) or (above >= 0 and self.linked[above]))
            quote = tag == "blockquote" or _QUOTE.search(name) is not None
            self.quoted.append(quote or (above >= 0 and self.quoted[above]))
            self.pieces.append([element.text] if element.text and element.text.strip() else [])
            self.persons.append(int(bool(_PERSON.search(name) or (tag == "a" and _PERSON_ADDRESS.search(href[:300])))))
            self.days.append(int(tag == "time" or _TIME.search(name) is not None))
        for n, pieces in enumerate(self.pieces):
            self.days[n] |= any(map(_is_stamp, pieces))

    def _leads_away(self, n: int) -> bool:
        if not self.linked[n] or self.persons[n] or self.letters[n] < 4 or "#" in self.elements[n].get("href", "#"):
            return False
        if self.quoted[n]:
            return False  # a link to the quoted post
        around = (n, *islice(self.above(n), 2))
        headline = any(self.elements[m].tag in _HEADINGS or _HEADLINE.search(self.kinds[m]) for m in around)
        line = " ".join("".join(self.pieces[n]).split())
        return headline and line[-20:] not in self.title and not REPLY.match(line)

    def above(self, n: int) -> Iterator[int]:
        """Yield the ancestors of an element, innermost first."""
        while (n := self.parents[n]) >= 0:
            yield n

    def within(self, inner: int, outer: int) -> bool:
        return outer <= inner < self.ends[outer]

    def names(self, places: Iterable[int]) -> str:
        """Return the classes, ids and itemprops of elements as one string."""
        return " ".join(_name(self.elements[n]) for n in places)

    def is_linked(self, boxes: Iterable[int]) -> bool:
        """Return True if headline-like links in the boxes have more letters than their text."""
        return sum(self.run[n] - self.titles[n] for n in boxes) < 0

    def named(self, boxes: Iterable[int]) -> int:
        """Count the boxes naming a person."""
        return sum(self.persons[n] > 0 for n in boxes)


def _is_box(element: HtmlElement) -> bool:
    return element.tag in _BOXES or "-" in element.tag  # the latter are custom elements


def _name(element: HtmlElement) -> str:
    return f"{element.get('class', '')} {element.get('id', '')} {element.get('itemprop', '')}"[:200]


@lru_cache(maxsize=10_000)
def _kind(tag: str, classes: str, ident: str) -> str:
    """Return the kind of an element: tag, classes and id without numbers and states, "" without any.

    >>> _kind("div", "post odd bg-2", "post_12a"), _kind("div", "", "")
    ('div post bg-0 post_0', '')
    """
    words = [word for word in _DIGITS.sub("0", classes).split()[:4] if not _STATE.match(word)]
    words += [_NUMBERED.sub("0", word) for word in ident.split()[:1]]
    return " ".join([tag, *words]) if words or "-" in tag else ""


def _is_stamp(piece: str) -> bool:
    """Return True if a piece of text is a date or time and little else.

    >>> _is_stamp("发表于 2024-03-01 08:30"), _is_stamp("各支部要在每年3月1日之前，把上一年的学习情况报给上级党组织备案。")
    (True, False)
    """
    text = piece.strip()
    found = _DAY.search(text) if len(text) < 200 else None
    return found is not None and len(text) - len(found[0]) <= STAMP and not text.endswith(("。", "！", "？"))


def _letter_count(piece: str) -> int:
    """Count the letters of a piece of text, 0 for a date or a button."""
    return 0 if _FURNITURE.match(piece.strip()) or _is_stamp(piece) else count_letters(piece)


def _masked(piece: str) -> str:
    return _DIGITS.sub("0", " ".join(piece.split()))


def _boxes(page: _Page, alone: bool) -> list[int]:
    """Return the boxes of the posts: the kind of dated boxes with the most text, except the columns of the page."""
    groups: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for n, element in enumerate(page.elements):
        if _is_box(element) and page.days[n] and page.run[n] and not page.aside[n]:
            kind = page.kinds[n]
            own: list[tuple[str, int]] = [(kind, -1) if kind else (element.tag, page.parents[n])]
            if page.persons[n] and _POSTS.search(kind) and not _COMMENT.search(kind) and len(words := kind.split()) > 2:
                own.append((" ".join(words[:2]), -2))  # some forums mark the first post or an accepted answer
            for group in (groups[key] for key in own):
                if len(group) < MAX_POSTS and not (group and page.within(n, group[-1])):
                    group.append(n)
    several = (group for group in groups.values() if len(group) > 1)
    prose = ((sum(page.run[n] for n in group), group) for group in several if not page.is_linked(group))
    found = sorted((-run, group) for run, group in prose)[:MAX_GROUPS]
    best: list[int] = found[0][1] if found else []
    weight = -found[0][0] if found else 0
    for run, group in found[1:]:
        holders = {_holder(page, best, n) for n in group}
        if -1 in holders:
            continue
        if len(holders) == 1:  # the best so far may be the columns of the page
            least = INNER if _POSTS.search(page.kinds[best[0]]) else INNER / 2  # comments on one post have less
            named = page.named(group) > len(group) / 2 and -run >= least * page.run[next(iter(holders))]
            if named and (len(best) == 2 or len(group) >= len(best)):
                best, weight = group, -run
        elif (
            (len(group) == len(best) or (len(best) == 2 and not _COMMENT.search(page.kinds[group[0]])))
            and len(holders) == len(best)
            and -run >= AS_MUCH * weight
            and page.named(group) >= page.named(best)
        ):
            best, weight = group, -run
    best = _around_heads(page, best)
    answers = [n for n, element in enumerate(page.elements) if ANSWER in element.get("itemtype", "") and page.run[n]]
    if answers and not any(page.within(n, box) or page.within(box, n) for n in answers for box in best):
        return answers[:MAX_POSTS]  # the only answer, below many comments on the question
    if not best or sum(page.run[n] for n in best) < LITTLE * page.run[0]:  # only the heads of posts
        return _with_inner(page, _single(page, alone))
    return _with_others(page, _with_inner(page, best))


def _with_others(page: _Page, boxes: list[int]) -> list[int]:
    """Add siblings with a person, a date and a part of the same kind, such as a best answer."""
    around = page.parents[boxes[0]]
    if around < 0 or any(page.parents[n] != around for n in boxes):
        return boxes
    tag, own = page.elements[boxes[0]].tag, set(boxes)
    span = range(around + 1, page.ends[around])
    parts: defaultdict[int, set[str]] = defaultdict(set)
    for n in span:
        if page.kinds[n]:
            parts[page.parents[n]].add(page.kinds[n])
    beside = (n for n in span if page.parents[n] == around and page.elements[n].tag == tag and parts[n] & parts[boxes[0]])
    more = {n for n in beside if page.persons[n] and page.days[n] and page.run[n] and not page.aside[n]}
    return sorted(own | more)[:MAX_POSTS]


def _around_heads(page: _Page, boxes: list[int]) -> list[int]:
    """Return the boxes around ``boxes`` if these are only the heads of posts: side by side, and with far more text."""
    up = boxes
    while len({page.parents[n] for n in up}) == len(up) > 1 and min(up) > 0:
        up = [page.parents[n] for n in up]
    beside = len(up) > 1 and len({page.parents[n] for n in up}) == 1 and up != boxes
    return up if beside and sum(page.run[n] for n in boxes) < HEAD * sum(page.run[n] for n in up) else boxes


def _holder(page: _Page, boxes: Sequence[int], n: int) -> int:
    """Return the box around an element, of sorted boxes, or -1."""
    box = boxes[bisect(boxes, n) - 1]
    return box if page.within(n, box) else -1


def _single(page: _Page, alone: bool) -> list[int]:
    """Return the box of the only reply, or of the only post if metadata or address declare a thread."""
    able = [n for n, element in enumerate(page.elements) if _is_box(element) and page.persons[n] and page.days[n]]
    able = [n for n in able if page.run[n]]
    replies = [n for n in able if _REPLIES.search(page.names((n,)))]
    if replies:
        most = max(page.run[n] for n in replies)
        box = [n for n in replies if page.run[n] >= 0.8 * most][-1]
        while page.run[box] <= MIN_LEAD and page.parents[box] > 0:  # only its head
            box = page.parents[box]
        return [box]
    posts = [n for n in able if alone and _POSTS.search(page.names((n,)))]
    most = max((page.run[n] for n in posts), default=0)
    return [n for n in posts if page.run[n] >= 0.6 * most][-1:]  # the outer ones may hold the headline


def _with_inner(page: _Page, boxes: list[int]) -> list[int]:
    """Add the boxes of the same kind nested in them, since replies may stand within their parent posts.

    A first post around all others may share only a part of its kind with them.
    """
    kind = page.kinds[boxes[0]] if boxes else ""
    if not kind:
        return boxes
    alone = len(boxes) == 1 and _POSTS.search(kind) is not None
    parts = 2 if alone else None
    same = [n for n in range(boxes[0], page.ends[boxes[-1]]) if page.kinds[n].split()[:parts] == kind.split()[:parts]]
    same = [n for n in same if page.persons[n] and page.days[n] and page.run[n]]
    return same[:MAX_POSTS] if len(same) > len(boxes) + (not alone) and set(boxes) <= set(same) else boxes


def _bodies(page: _Page, boxes: Sequence[int]) -> list[int]:
    """Return the element with the text of the post, for each box."""
    own = _own_places(page, boxes)
    seen = Counter(line for places in own.values() for line in {_masked(p) for n in places for p in page.pieces[n]})
    common = (line for line, count in seen.items() if count > max(1, SHARED * len(boxes)))
    shared = {line for line in common if count_letters(line) < MAX_SHARED or not is_sentence(line)}  # others are quotes
    holders = {n for box in boxes for n in page.above(box)}
    best: dict[tuple[int, str], tuple[float, int]] = {}
    depth: dict[str, int] = {}
    kinds: dict[int, str] = {}
    for box, places in own.items():
        gain = {n: _gain(page, n, shared) for n in places}
        for n in reversed(places[1:]):
            gain[page.parents[n]] += gain[n]
        for n in places:
            if page.is_person[n] and not _is_box(page.elements[n]):
                continue  # a name
            kind = kinds[n] = page.kinds[n] or _place(page, n, kinds.get(page.parents[n], "") if n != box else "")
            depth.setdefault(kind, n - box)
            if ((box, kind) not in best or gain[n] > best[box, kind][0]) and (n == box or n not in holders):
                best[box, kind] = gain[n], n
    gains: Counter[str] = Counter()
    for (_, kind), (value, _) in best.items():
        gains[kind] += max(0.0, value)  # type: ignore[assignment]
    if not gains.total() > 0:  # only dates and names
        return []
    able = [
        kind
        for kind in gains
        if gains[kind] >= (BODY if len(boxes) > 2 else 0.6) * max(gains.values()) and _BODY.search(kind) and " in " not in kind
    ]
    able = able or list(gains)
    most = max(gains[kind] for kind in able)
    kind = min((kind for kind in able if gains[kind] >= 0.99 * most), key=lambda kind: depth[kind])
    return [best[box, kind][1] if (box, kind) in best else _other(best, box) for box in boxes]


def _place(page: _Page, n: int, around: str) -> str:
    """Return a substitute for the kind of an element without one: its tag, cell number in the row, and container."""
    element = page.elements[n]
    cell = sum(1 for _ in islice(element.itersiblings("td", preceding=True), MAX_CELLS)) if element.tag == "td" else ""
    return f"{element.tag}{cell} in {around}"


def _own_places(page: _Page, boxes: Sequence[int]) -> dict[int, list[int]]:
    """Return the elements of each box by box, without signatures, nested boxes and comments on the post."""
    comments = [n for n in range(boxes[0] + 1, page.ends[boxes[-1]]) if _COMMENT.search(page.kinds[n])]
    outer = {n for n in comments if not any(_COMMENT.search(page.kinds[m]) for m in page.above(n))}
    inner = outer | set(boxes)
    own: dict[int, list[int]] = {}
    for box in boxes:
        own[box] = places = []
        n = box
        while n < page.ends[box]:
            if n != box and (n in inner or _NEVER.search(_name(page.elements[n]))):
                n = page.ends[n]
            else:
                places.append(n)
                n += 1
    return own


def _other(best: Mapping[tuple[int, str], tuple[float, int]], box: int) -> int:
    """Return the body of a box without one of the usual kind."""
    return -max(((value, -n) for (owner, _), (value, n) in best.items() if owner == box), default=(0.0, -box))[1]


def _gain(page: _Page, n: int, shared: Set[str] = frozenset()) -> float:
    """Return the gain from the text directly in an element for a post. ``shared`` are masked lines common to several posts."""
    pieces = [piece.strip() for piece in page.pieces[n]]
    text, letters = " ".join(pieces), page.letters[n]
    if not text:
        return 0.0
    if page.linked[n]:
        return letters / 2 if letters > 8 else -letters
    if page.quoted[n]:
        return letters / 2
    own = [piece for piece in pieces if not (_is_stamp(piece) or _FURNITURE.match(piece) or _masked(piece) in shared)]
    if not own or _is_stamp(text) or _FURNITURE.match(text):
        return 0.0 if _EDITED.search(_name(page.elements[n])) else -min(letters, 20)
    if len(own) < len(pieces):  # lines of one element
        text, letters = " ".join(own), sum(map(count_letters, own))
    if not _is_box(page.elements[n]) and page.elements[n].tag != "p":  # a part of a line
        return letters
    return (letters if is_sentence(text) else letters / 2) - COST


def _headings(page: _Page, first: int) -> dict[int, str]:
    """Return the headings before the first box found in the page's title."""
    headings = islice((n for n in range(first) if page.elements[n].tag in _HEADINGS), MAX_HEADINGS)
    texts = ((n, " ".join(page.elements[n].text_content().split())) for n in headings)
    return {n: text for n, text in texts if 3 < len(text) <= 200 and text in page.title}


def _lead(page: _Page, boxes: Sequence[int], bodies: Sequence[int]) -> int | None:
    """Return the first post if it is unlike the other boxes, such as a question: the prose between headline and other posts.

    If the boxes are named as posts, it must have the class of a post's text.
    """
    first = boxes[0]
    name, around = page.names((first, bodies[0])), page.names((page.parents[first],))
    are_posts = _POSTS.search(f"{name} {around}") and not (_REPLIES.search(name) or _REPLIES_WORD.search(around))
    like = page.elements[bodies[0]].get("class", "").split()[:1]  # the first word of the class of a post's text
    if not (headings := _headings(page, first)):
        return None
    start = max(headings, key=lambda n: len(headings[n])) + 1
    gain = {n: _gain(page, n) for n in range(start, first)}
    gain |= {n: 0.0 for n in page.above(start - 1) if page.ends[n] <= first}  # some hold the headline as well
    for n in sorted(gain, reverse=True):
        if page.parents[n] in gain:
            gain[page.parents[n]] += gain[n]
    able = [n for n in gain if page.ends[n] <= first and not page.linked[n] and _is_box(page.elements[n])]
    able = [n for n in able if not (page.aside[n] or _NOTICE.search(page.kinds[n]))]
    if are_posts:  # the first is among them, unless its text stands apart under the same class
        able = [n for n in able if n >= start and like and page.elements[n].get("class", "").split()[:1] == like]
    holders = [n for n in able if n < start and not page.is_linked((n,)) and _prose(page, range(n, page.ends[n])) > LONG]
    for places in ([n for n in able if n >= start], holders):
        best = max(places, key=gain.__getitem__, default=None)
        if best is not None and min(gain[best], page.run[best]) > MIN_LEAD:
            return best
    return None


def _points(
    page: _Page, boxes: Sequence[int], bodies: Sequence[int], lead: int | None, html: str, url: str, declared: bool
) -> int:
    """Count the signs that boxes are posts.

    For: metadata (2), address (1, or 2 for the host of a forum), persons, headlines of replies, names of classes, words of the
    page (1 each). Against: headlines of other pages, text in links as in lists, text directly around the boxes as above comments
    (4 each). A first text longer than all others, as in articles with comments, counts 2 against, 1 if metadata or address
    declare a thread. Little of the page's text, without an address of a thread, counts 2 against.
    """
    run, count = sum(page.run[n] for n in boxes), len(boxes)
    address = ADDRESS.search(url.partition("://")[2])
    points = 2 * declared + (0 if address is None else 1 if address.start() else 2)
    points += bool(_POSTS.search(page.names((boxes[0], page.parents[boxes[0]], bodies[-1]))))
    points += page.named(boxes) > count / 2
    points += sum(any(_is_reply(page, n) for n in range(box, page.ends[box])) for box in boxes) > count / 2
    points += sum(word in html for word in (*WORDS, *CODE_WORDS)) >= MIN_WORDS
    points -= 4 * page.is_linked(boxes)
    points -= 4 * (sum(map(_letter_count, page.pieces[page.parents[boxes[0]]])) > MIN_LEAD)
    points -= 4 * (sum(page.heads[n] > 0 for n in boxes) > count / 2)
    points -= (1 if declared or address else 2) * (lead is not None and page.run[lead] > run)
    return points - 2 * (run < LITTLE * page.run[0] and address is None)


def _prose(page: _Page, places: Iterable[int]) -> int:
    """Count the letters of sentences directly in elements outside of links, side columns and dialogs."""
    seen = (n for n in places if not (page.aside[n] or page.linked[n]))
    return sum(_letter_count(piece) for n in seen for piece in page.pieces[n] if is_sentence(piece))


def _is_reply(page: _Page, n: int) -> bool:
    """Return True if an element is a headline such as ``Re: 怎样入党``."""
    return page.elements[n].tag in _HEADINGS and REPLY.match(page.elements[n].text_content().strip()) is not None


def _first(page: _Page, lead: int | None, boxes: Sequence[int], body: int) -> tuple[str, str]:
    """Return the author of the first post and its time as written, from its box, around it, or above a question."""
    place, other = (body, boxes[0]) if lead is not None else (boxes[0], boxes[1] if len(boxes) > 1 else len(page.elements))
    author = stamp = ""
    for box in (place, *page.above(place)):
        if author and stamp:
            break
        around = range(box, min(page.ends[box], max(other, box + 1)))
        names, times = _named_in(page, around, body)
        author, stamp = author or names, stamp or times
        if page.within(other, box):
            break
    return author, stamp


def _named_in(page: _Page, places: range, body: int) -> tuple[str, str]:
    author = stamp = ""
    linked = False
    for n in sorted(places, key=lambda n: page.within(n, body)):  # the surroundings of the text first
        element = page.elements[n]
        if page.ends[n] - n > 8:
            continue
        text = " ".join("".join(element.itertext()).split())[:100]
        name = text.strip("@ :：·")
        able = page.is_person[n] and 2 <= len(name) <= 30 and count_letters(name) > 0 and (element.tag == "a" or not author)
        if able and not linked and not (_DAY.search(name) or _FURNITURE.match(name)):
            author, linked = name, element.tag == "a"
        if not stamp and page.is_day[n] and not _NOT_POSTED.search(f"{text} {page.kinds[n]} {page.kinds[page.parents[n]]}"):
            values = (element.get("datetime", ""), element.get("content", ""), element.get("title", ""), text)
            stamp = next((value for value in values if len(value) < 80 and _DAY.search(value)), "")
    return author, stamp


def _cleaned(body: HtmlElement) -> HtmlElement:
    """Return a copy of a body without signatures and buttons, with quotes as ``blockquote``."""
    copy = deepcopy(body)
    copy.tag, copy.tail = "div", None
    total = len("".join(copy.itertext()))
    for element in list(copy.iter()):
        if element is copy or not isinstance(element.tag, str) or element.getparent() is None:
            continue
        name = _name(element)
        if (
            element.tag in _UNSEEN
            or _NEVER.search(name)
            or (_TOOLS.search(name) and len("".join(element.itertext())) < total / 2)
        ):
            element.drop_tree()
        elif element.tag == "cite":
            element.drop_tree()  # name of the quoted person
        elif element.tag == "blockquote" and len("".join(element.itertext())) > 0.9 * total:
            element.tag = "div"  # some forums write posts as quotes
        elif element.tag in ("div", "table", "section", "aside") and _QUOTE.search(name):
            element.tag = "blockquote"
    return copy


def _letters(text: str) -> str:
    return _SIGNS.sub("", text)


def _is_repeated(block: Block, shingles: Set[str]) -> bool:
    """Return True if a quote, or a long unmarked line, repeats an earlier post, by the ``shingles`` so far.

    A quote from elsewhere belongs to the post.
    """
    quote = block.kind == "quote" or block.text.startswith((": ", "> "))
    if block.kind in VERBATIM or (not quote and block.letters < LONG):
        return False
    text = _letters(_MENTION.sub("", block.text))
    pieces = [text[n : n + SHINGLE] for n in range(0, max(1, len(text) - SHINGLE + 1), SHINGLE)]
    return sum(piece in shingles for piece in pieces) >= (REPEATED if quote else 1) * len(pieces)


def _is_head(block: Block, title: str) -> bool:
    """Return True if the first line of a post is the thread's headline or a byline."""
    line = REPLY.sub("", block.text)
    if line == title or (len(line) >= MIN_TITLE and title.endswith(line)) or _MAIL.match(line):
        return True
    return _is_stamp(line) and (line.startswith("@") or _WRITTEN.search(line) is not None)


def _without_signature(blocks: list[Block]) -> list[Block]:
    """Drop the lines below two hyphens, as in mails. Longer rules separate quote and answer."""
    rules = [n for n, block in enumerate(blocks) if block.text.strip() == "--" and block.kind not in VERBATIM]
    return blocks[: rules[-1]] if rules and len(blocks) - rules[-1] <= SIGNED else blocks


def _is_furniture(block: Block, posts: int, among: int) -> bool:
    """Return True if a line found in so many ``posts`` is furniture."""
    if block.kind in VERBATIM:
        return False
    if _is_stamp(block.text) and block.text.endswith((":", "：")):
        return True  # quoted person and time
    if block.kind == "quote" and block.letters <= MAX_NAME and block.text.endswith((":", "：", "写道", "的帖子")):
        return True  # quoted person
    shared = posts > max(1, SHARED * among) and block.letters < MAX_SHARED and not is_sentence(block.text)
    return shared or _FURNITURE.match(block.text) is not None
