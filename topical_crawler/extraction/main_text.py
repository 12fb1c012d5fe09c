"""Main text of a page, chosen from its blocks by a model of their words, links, place and elements.

Two logistic models score every block, with weights from `main_text.tsv`. The first sees the block: its letters and punctuation,
its links, the names of the elements around it, its place beside the headline and in the densest part of the page, and a little of
its neighbours. The second sees the same and the first scores around the block, so a short page is measured against itself. The
text is the stretch with the greatest sum, without low-scoring blocks in it, with its code, formulas, tables and headings.
`benchmarks/train_main_text.py` learns the weights and measures them on sites left out.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from lxml.etree import ElementDefaultClassLookup, ParserError
from lxml.html import HtmlElement, HTMLParser, document_fromstring
from numpy.typing import NDArray

from topical_crawler.cleaning.boilerplate import Cleaner
from topical_crawler.cleaning.quality import STOP_CHARACTERS, is_verse
from topical_crawler.extraction.formulas import HAN
from topical_crawler.extraction.structure import HEADINGS, MAX_BUTTON, Block
from topical_crawler.text.passages import VERBATIM
from topical_crawler.web.page import bounded

Floats = NDArray[np.float64]

SENTENCE_ENDS = tuple("。！？；…”』」.!?;：:）)")  # endings of running text


def is_sentence(text: str) -> bool:
    """Return True if a line ends like running text.

    >>> is_sentence("各支部开展学习。"), is_sentence("关于我们")
    (True, False)
    """
    return text.rstrip("　 \"'’").endswith(SENTENCE_ENDS)


# -- A tree

_ENCODING = re.compile(r"\s*+<\?xml[^>]*+>", re.IGNORECASE)  # XML declaration
# An end tag in mid-page, and numeric references invalid in XML. Apart, each begins literally and is found fast.
_END = re.compile(rb"</(?:html|body)\s*>", re.IGNORECASE)
_NO_XML = re.compile(
    rb"&#(?:0*(?:[0-8]|1[124-9]|2[0-9]|3[01]|6553[45])(?!\d)|x0*(?:1?[0-8bcef]|19|1[ad]|fff[ef])(?![\da-f]));?", re.IGNORECASE
)
_CONTROL = bytes({*range(32)} - {*b"\t\n\r"})
_PARSER = HTMLParser(collect_ids=False, encoding="utf-8", remove_comments=True, remove_pis=True)
# Instead of lxml.html's lookup, a call of Python for each element at each access.
_PARSER.set_element_class_lookup(ElementDefaultClassLookup(element=HtmlElement))


def parse(html: str) -> HtmlElement | None:
    """Parse a page, however broken. Return None for an empty one.

    >>> parse("<text id='a'><p>党建</p></html><p>支部").findtext(".//p[2]")
    '支部'
    """
    # XML has no lone surrogates. The parser ignores a body after </html>, written by some themes.
    raw = html[begun.end() if (begun := _ENCODING.match(html)) else 0 :].encode("utf-8", "replace").translate(None, _CONTROL)
    clean = bounded(_NO_XML.sub(b"", _END.sub(b"", raw)).decode().replace("\ufffe", "").replace("\uffff", ""))
    if "<" not in clean:
        return None
    try:
        tree: HtmlElement = document_fromstring(clean.encode(), parser=_PARSER)
    except ParserError:  # only comments and white space
        return None
    return tree


# -- Density: the stretch of neighbouring blocks with the greatest worth
#
# After text density in Sun, Song, Liao: DOM Based Content Extraction via Text Density, SIGIR 2011, and maximal subsequences in
# Pasternack, Roth: Extracting Article Text from the Web with Maximum Subsequence Segmentation, WWW 2009. It needs no paragraphs
# and no class names: tables, <br> and bare text are equal to it.

COST = 6
"""Letters at which a block breaks even: menus are many short blocks. On 35 pages marked by hand 3 to 10 do the same. From 20 on,
texts with a ``<br>`` at the end of every line are lost."""
LINKED = 0.5  # share of a block's letters in links over which it is not text
EDGE = 3  # most lines added before the stretch: a dateline, a form of address
MIN_LINE, MAX_LINE = 2, 30  # fewest and most letters of a line of verse or of a list
BELOW = 2 * EDGE  # most lines from the headline to the first of a list
LONG = 100  # letters over which a block is text, with any words


def worth(block: Block) -> float:
    """Return the gain of a block for a text, in letters.

    The gain is its letters minus :data:`COST`, with half the letters if it does not end like a sentence. Links, boilerplate and
    furniture lose at most :data:`COST` and their letters. Code gains at most :data:`LONG`. Formulas and tables also stand beside
    texts and gain 0.

    >>> line = "各支部开展主题党日活动，学习党章党规。"
    >>> worth(Block(line, 17, 0, 0, "", "p", False)), worth(Block("首页", 2, 2, 1, "/", "li", False))
    (11, -8)
    """
    if block.furniture or block.link_share > LINKED:
        return -COST - block.letters
    if block.kind in VERBATIM:
        return max(0.0, min(block.letters / 2, LONG) - COST) if block.kind == "code" else 0.0
    return line_worth(block.text, block.letters) - 2 * block.linked


def line_worth(line: str, letters: int) -> float:
    """Return the :func:`worth` of a line with so many letters and no links."""
    if letters > LONG:
        return letters - COST
    if _is_boilerplate(line):
        return -COST - letters
    return (letters if is_sentence(line) else letters / 2) - COST


def densest(blocks: Sequence[Block]) -> list[Block]:
    """Return the stretch of ``blocks`` with the greatest worth, without links and furniture, or [] if no block gains.

    Up to :data:`EDGE` plausible lines before it belong to it.

    >>> from lxml.html import fromstring
    >>> from topical_crawler.extraction.structure import read_blocks
    >>> page = fromstring("<div><a href='/'>首页</a><div>各支部开展主题党日活动。</div><p><a href='/b'>另一条新闻</a></p></div>")
    >>> [block.text for block in densest(read_blocks(page))]
    ['各支部开展主题党日活动。']
    """
    first, last = _densest([worth(block) for block in blocks])
    begin = first
    while first > 0 and begin - first < EDGE and _may_be_text(blocks[first - 1]):
        first -= 1
    return [block for block in blocks[first:last] if block.link_share <= LINKED and not block.furniture]


def in_tables(blocks: Sequence[Block]) -> int:
    """Count the Chinese characters in data tables, minus twice the linked letters. 0 below :data:`LONG`.

    >>> guide = "对象\\t本市居民\\n材料\\t" + "身份证" * 40
    >>> [in_tables([Block(text, 128, 0, 0, "", "table", False, "table")]) for text in (guide, "时长\\t3:20")]
    [128, 0]
    """
    tables = (block for block in blocks if block.kind == "table" and not block.furniture)
    characters = sum(max(0, len(HAN.findall(block.text)) - 2 * block.linked) for block in tables)
    return characters if characters >= LONG else 0


def short_lines(blocks: Sequence[Block], title: str) -> set[int]:
    """Return the places of similar lines in a row: verse, a song or a list, or an empty set.

    Right below the headline (found in ``title``) they need not be verse.

    >>> lines = ("月光照着我的窗", "远处有人把歌唱", "小河流过旧桥下", "流到我们的梦乡", "明年春天来得早", "我要回到那地方")
    >>> sorted(short_lines([Block(line, len(line), 0, 0, "", "p", False) for line in ("首页", *lines, "返回")], "歌"))
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    bare = "".join(title.split())
    headings = (place for place, block in enumerate(blocks) if block.kind == "heading" and "".join(block.text.split()) in bare)
    headline = next(headings, find_headline(bare, blocks))
    runs: dict[tuple[str, ...], list[list[int]]] = {}
    for place, block in enumerate(blocks):
        if MIN_LINE <= block.letters <= MAX_LINE and not (block.links or block.furniture) and block.kind in ("paragraph", "item"):
            found = runs.setdefault(_look(_element(block)), [[]])
            if found[-1] and place - found[-1][-1] > EDGE:
                found.append([])
            found[-1].append(place)
    able: list[list[int]] = []
    for run in (run for found in runs.values() for run in found):
        lines = [text for place in run if not _is_boilerplate(text := blocks[place].text)]
        if 2 * len(lines) > len(run) and is_verse(lines, 0 <= headline < run[0] <= headline + BELOW):
            able.append(run)
    return set(max(able, key=lambda run: sum(blocks[place].letters for place in run), default=()))


def _densest(worths: Sequence[float]) -> tuple[int, int]:
    """Return begin and end of the stretch with the greatest sum, (0, 0) if no sum is positive."""
    best = total = 0.0
    start = first = last = 0
    for place, value in enumerate(worths):
        if total <= 0:
            total, start = 0.0, place
        total += value
        if total > best:
            best, first, last = total, start, place + 1
    return first, last


def _may_be_text(block: Block) -> bool:
    return block.link_share <= LINKED and not (block.furniture or block.tag in HEADINGS or _is_boilerplate(block.text))


@lru_cache(maxsize=10_000)  # pages of a site share their menus and footers
def _is_boilerplate(line: str) -> bool:
    return _cleaner().kind(line) is not None


@cache
def _cleaner() -> Cleaner:
    return Cleaner()


# -- Features of a block

GROUPS = {
    "content": "article content post entry main text txt body detail markdown richtext ztext zoom editor prose story normal",
    "comment": "comment comments cmt reply respond discuss disqus gitalk valine tie message liuyan waline twikoo gitment livere",
    "related": "related relate rel recommend recommends similar more hot rank ranking popular latest recent feed guess "
    "tuijian xiangguan other card cards",
    "share": "share social bdshare like reward donate dashang support qrcode qr weixin wechat follow subscribe action "
    "actions tool tools toolbar btn",
    "licence": "copyright license licence declare statement notice footer foot bottom powered beian disclaimer author "
    "profile bio",
    "side": "side sidebar aside widget menu nav navbar navigation breadcrumb breadcrumbs crumb crumbs topbar top header "
    "head banner search site toggle",
    "toc": "toc tocs catalog catalogue directory outline mulu summary",
    "meta": "meta info date time tag tags category categories title subtitle pager prev next pagination neighbor count "
    "stat stats views",
    "dialog": "modal dialog popup popover pop mask overlay vip pay paywall toast tip tips alert cookie drawer login ad ads "
    "advert gg",
}
"""Words in classes and ids, by the content of such elements."""
_GROUP_OF = {word: number for number, words in enumerate(GROUPS.values()) for word in words.split()}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
FADES = 0.8  # factor on a name for each element between it and the block
REACH = 12  # ancestors of a block credited with its worth

_TAIL = re.compile(  # beginnings of lines after texts
    r"^\W{0,4}(?:相关|推荐|更多|热门|热点|猜你|精选|最新|往期|上一[篇页章]|下一[篇页章]|评论|留言|网友|跟[帖贴]|发表|回复|全部评论|\d+\s*条?评论|参与|版权|声明|特别声明"
    r"|未经|转载|本文(?:作者|链接|来源|标题|地址)|文章(?:作者|链接|标签|目录)|原文|作者|编辑|责任编辑|责编|分享|扫一扫|扫码|微信|支付宝|打赏|赞赏|点赞|收藏|关注|标签|分类"
    r"|登录|注册|返回|打印|关闭|目录|站点概览|搜索|©|Copyright|\(c\)|END\b|附件|Previous|Next|PREV|来源|发布|发表于|时间|浏览|阅读|字数|赏|备案|.{0,6}ICP)",
    re.IGNORECASE,
)
_LABEL = re.compile(  # labels behind every section of some pages, beside those of tails
    r"^\W{0,4}(?:[编編][辑輯]|播[报報]|[讨討][论論]|上[传傳]|[评評][论論]|留言|分享|收藏|[关關]注|[点點]?[赞贊讚]|(?:有|[没沒])用|[举舉][报報]"
    r"|展[开開]|收起|查看|[复複]制|[复複]製|回到?[顶頂目]|[↑▲])"
)
_DATA = re.compile(  # words of lines about a page
    "20[0-9]{2}[-年/.][0-9]{1,2}|阅读|浏览|字数|来源|作者|编辑|发布|发表|更新|评论|分享|点赞|收藏|转载|版权|许可|关注|登录|举报"
)
_DIGITS = re.compile(r"\d+")
_PHRASE = frozenset(("a", "b", "code", "em", "font", "i", "p", "span", "strong"))
_NO_GROUP = (
    _PHRASE | HEADINGS | frozenset(("blockquote", "figure", "li", "ol", "pre", "section", "table", "tbody", "td", "tr", "ul"))
)
_AROUND = ("link", "sentence", "punctuation", "size", "in best", "like it", "tail", "dense", "short", "comment", "related")
_WINDOW = 5  # blocks averaged on each side


def block_features(title: str, blocks: Sequence[Block]) -> Floats:
    """Return the features of the first model, shape (blocks, :func:`feature_names`). ``title`` is the page's own."""
    if not blocks:
        return np.zeros((0, len(feature_names(1))))
    title = "".join(title.split())
    elements = [_element(block) for block in blocks]
    worths = np.array([worth(block) for block in blocks], dtype=np.float64)
    gains = np.maximum(0.0, worths)
    total = gains.sum() or 1.0
    mass, best = _masses(elements, worths.tolist())
    places = _Places(best)
    levels, steps, fading, nearest = map(np.array, zip(*map(places.of, elements), strict=True))
    looks: dict[tuple[str, ...], int] = {}
    seen_looks = [_look(element) for element in elements]
    look = np.array([looks.setdefault(one, len(looks)) for one in seen_looks])
    like = (np.bincount(look, gains) / total)[look]
    first, last = _densest(worths.tolist())
    headline = find_headline(title, blocks)
    within = np.zeros((2, len(blocks)))  # share of the worth in a block's parent and grandparent
    for place, parent in enumerate(elements):
        while parent is not None and parent.tag in _PHRASE:
            parent = parent.getparent()
        if parent is not None:
            within[:, place] = mass.get(parent, 0.0), mass.get(parent.getparent(), 0.0)
    within = np.clip(within / total, -1.0, 1.0)
    letters, linked, links = (np.array([getattr(block, name) for block in blocks]) for name in ("letters", "link_share", "links"))
    seen, seen_worth = np.cumsum(letters) - letters, (np.cumsum(gains) - gains) / total
    tail = np.array([block.letters < 40 and _TAIL.match(block.text) is not None for block in blocks])
    sentences = np.array([is_sentence(block.text) for block in blocks])
    tail[_within_text(tail, gains * sentences, seen_looks)] = False
    tails = np.cumsum(tail & (seen_worth > 0.3))
    bare = ("".join(block.text.split()) if 3 < len(block.text) <= 2 * len(title) else "" for block in blocks)
    kinds, tags = [block.kind for block in blocks], [block.tag for block in blocks]
    here = np.arange(len(blocks))
    own = np.column_stack(
        (
            *(np.log1p(letters), letters > 50, letters < 10, linked, np.minimum(3, links), linked > 0.9),
            sentences,
            _shares([block.text[:400] for block in blocks]),
            [block.letters <= LONG and _is_boilerplate(block.text) for block in blocks],
            *([block.furniture for block in blocks], tail),
            [block.letters < 60 and _DATA.search(block.text) is not None for block in blocks],
            *(np.minimum(5, tails), tails > 0, [kind in VERBATIM for kind in kinds]),
            *([kind == one for kind in kinds] for one in _KINDS),
            *([tag in some for tag in tags] for some in _TAGS),
            *(levels == 0, levels == 1, levels == 2, levels > 2, np.minimum(5, steps) / 5, np.minimum(4, steps) * (levels > 0)),
            *((first <= here) & (here < last), like, like > 0.5),
            *(seen / (letters.sum() or 1), seen_worth, seen_worth < 0.02, seen_worth > 0.98),
            *(here == headline, here < headline, np.full(len(blocks), headline < 0)),
            (headline >= 0) & (headline < here) & (here < headline + 4),
            [len(text) > 0 and text in title for text in bare],
            *(*within, within[0] > 0.4, fading, fading == 1.0, nearest[:, None] == np.arange(-1, len(GROUPS))),
        )
    )
    around = own[:, [_OWN.index(name) for name in _AROUND]]
    padded = np.pad(around, ((_WINDOW, _WINDOW), (0, 0)))
    sums = np.vstack([np.zeros((1, around.shape[1])), np.cumsum(padded, axis=0)])
    here += _WINDOW
    before, behind = (sums[here] - sums[here - _WINDOW]) / _WINDOW, (sums[here + _WINDOW + 1] - sums[here + 1]) / _WINDOW
    return np.hstack([own, padded[here - 1], padded[here + 1], before, behind])


@cache
def _signs() -> NDArray[np.uint8]:
    """Return the class of each character up to U+FFFF, as bits: stop character (1), punctuation (2), Chinese (4)."""
    signs = np.zeros(0x10000, dtype=np.uint8)
    signs[[ord(letter) for letter in STOP_CHARACTERS]] |= 1
    signs[[ord(letter) for letter in "，。；、！？,;"]] |= 2
    signs[0x4E00:0xA000] |= 4
    return signs


def _shares(texts: Sequence[str]) -> Floats:
    """Return the scaled shares of stop characters, punctuation and Chinese characters, shape (texts, 3). No text may be empty."""
    ends = np.cumsum([len(text) for text in texts])
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), dtype="<u4")
    signs = _signs()[np.minimum(codes, 0xFFFF)]
    starts = np.concatenate([[0], ends[:-1]])
    counts = np.column_stack([np.add.reduceat((signs & bit) > 0, starts, dtype=np.int64) for bit in (1, 2, 4)])
    shares: Floats = counts / (ends - starts)[:, None]
    shares[:, 1] = np.minimum(0.2, shares[:, 1])
    return shares * (5, 5, 1)


_KINDS = ("heading", "item", "quote", "caption", "table", "code", "formula")
_TAGS = (("p",), ("h1",), ("div",), ("td", "th"), ("li",))
_OWN = (
    *("size", "long", "short", "link", "links", "all link", "sentence", "stop characters", "punctuation", "chinese"),
    *("boilerplate", "furniture", "tail", "data", "tails", "behind a tail", "verbatim", *_KINDS),
    *(f"tag {tags[0]}" for tags in _TAGS),
    *("in best", "in best's parent", "in best's grandparent", "far above best", "away from best", "beside best"),
    *("dense", "like it", "most like it", "before", "worth before", "at the start", "at the end"),
    *("headline", "before headline", "no headline", "near headline", "in title"),
    *("in parent", "in grandparent", "most in parent"),
    *GROUPS,
    *(f"is {name}" for name in GROUPS),
    *("no name", *(f"nearest {name}" for name in GROUPS)),
)
_SCORES = (
    *("first", "first below top", "top", "three top", "group", "group below top", "like", "window 1", "window 3", "window 8"),
    *("best of 3 before", "best of 3 behind", "before it", "behind it", "sum before", "sum behind"),
)


def feature_names(stage: int) -> list[str]:
    """Return the names of the columns of the features of stage 1 or 2."""
    around = [f"{name} of {side}" for side in ("1 before", "1 behind", "5 before", "5 behind") for name in _AROUND]
    return [*(_SCORES if stage == 2 else ()), *_OWN, *around]


def score_features(scores: Floats, blocks: Sequence[Block]) -> Floats:
    """Return the further features of the second model: the first ``scores`` around each block."""
    scores = np.clip(scores, -8, 8)
    count = len(scores)
    weights = block_weights(blocks)
    groups: dict[HtmlElement | None, int] = {}
    looks: dict[tuple[str, str], int] = {}
    group, look = np.empty(count, dtype=np.intp), np.empty(count, dtype=np.intp)
    for place, block in enumerate(blocks):
        element = up = _element(block)
        while up is not None and up.tag in _NO_GROUP:
            up = up.getparent()
        group[place] = groups.setdefault(up, len(groups))
        above = element.getparent() if element is not None else None
        look[place] = looks.setdefault((above.get("class", "") if above is not None else "", block.tag), len(looks))

    def mean_of(ids: NDArray[np.intp]) -> Floats:
        means: Floats = (np.bincount(ids, scores * weights) / np.bincount(ids, weights))[ids]
        return means

    here = np.arange(count)
    sums, sizes = (np.concatenate([[0.0], np.cumsum(values)]) for values in (scores * weights, weights))

    def window(width: int) -> Floats:
        low, high = np.maximum(0, here - width), np.minimum(count, here + width + 1)
        means: Floats = (sums[high] - sums[low]) / (sizes[high] - sizes[low])
        return means

    padded = np.pad(scores, 3, constant_values=-8)
    before, behind = padded[here + 2], padded[here + 4]
    most_before = np.maximum.reduce([padded[here], padded[here + 1], before])
    most_behind = np.maximum.reduce([behind, padded[here + 5], padded[here + 6]])
    top, three = np.full(count, scores.max()), np.full(count, np.sort(scores)[-3:].mean())
    gains = np.clip(scores, 0, None) * weights
    share = (np.cumsum(gains) - gains) / (gains.sum() + 1e-9)
    in_group = mean_of(group)
    columns = (scores, scores - top, top, three, in_group, in_group - top, mean_of(look), window(1), window(3), window(8))
    return np.column_stack([*columns, most_before, most_behind, before, behind, share, 1 - share])


def block_weights(blocks: Sequence[Block]) -> Floats:
    """Return the weights of the blocks' scores, growing with the logarithm of their letters."""
    return np.log1p(np.array([block.letters for block in blocks], dtype=np.float64)) + 0.3


def _within_text(tail: NDArray[np.bool_], running: Floats, looks: Sequence[tuple[str, ...]]) -> slice:
    """Return the lines from the first tail behind running text to the last paragraph looking like most of that text.

    A tail must not be followed by more of the text: encyclopaedias have 编辑 behind every headline. Paragraphs look alike if they
    share a class, or have none and share the classes of their ancestors.
    """
    ends = np.flatnonzero(tail & (np.cumsum(running) > running))
    if not len(ends):
        return slice(0)
    own = [look[:2] if any(look[1:2]) else look for look in looks]
    gains: dict[tuple[str, ...], float] = {}
    for look, gain in zip(own[: ends[0]], running, strict=False):
        gains[look] = gains.get(look, 0.0) + gain
    usual = max(gains, key=gains.__getitem__)
    return slice(ends[0], max(place for place, look in enumerate(own) if look == usual and running[place] > 0))


def _element(block: Block) -> HtmlElement | None:
    element = block.element
    return element.getparent() if block.in_tail and element is not None else element


def _masses(
    elements: Sequence[HtmlElement | None], worths: Sequence[float]
) -> tuple[dict[HtmlElement | None, float], HtmlElement | None]:
    """Return the worth within each element, and the element with the most worth close to it."""
    mass: dict[HtmlElement | None, float] = {}
    near: dict[HtmlElement, float] = {}
    for element, value in zip(elements, worths, strict=True):
        share, up, step = value, element, 0
        while up is not None and step < REACH:
            mass[up] = mass.get(up, 0.0) + value
            if step < 5 and up.tag not in _PHRASE:
                near[up] = near.get(up, 0.0) + share
                share *= 0.7
            step, up = step + 1, up.getparent()
    return mass, max(near, key=near.__getitem__, default=None)


def _look(element: HtmlElement | None) -> tuple[str, ...]:
    """Return tags and classes of three ancestors of a block: paragraphs of a text look alike, and so do comments."""
    found: list[str] = []
    while element is not None and len(found) < 6:
        if element.tag not in _PHRASE or element.tag == "p":
            found += (str(element.tag), element.get("class", ""))
        element = element.getparent()
    return tuple(found)


class _Places:
    """Places of elements relative to the element with the most text, and to named elements."""

    def __init__(self, best: HtmlElement | None) -> None:
        above = [best, *best.iterancestors()] if best is not None else []
        self._level = {element: level for level, element in enumerate(above)}
        self._known: dict[HtmlElement | None, tuple[int, int, tuple[float, ...], int]] = {None: (9, 0, (0.0,) * len(GROUPS), -1)}

    def of(self, element: HtmlElement | None) -> tuple[int, int, tuple[float, ...], int]:
        """Return the place of an element: level, steps, names and nearest group.

        Level counts from the best element up to the common ancestor (9: none), steps from there down. Names give the nearness of
        a name of each group, 1 to 0. Nearest is the group of the nearest name, -1 without one.
        """
        path = []
        while element not in self._known:
            path.append(element)
            element = element.getparent() if element is not None else None
        level, steps, fading, nearest = self._known[element]
        for below in reversed(path):
            assert below is not None
            level, steps = (self._level[below], 0) if below in self._level else (level, steps + 1)
            if below.tag not in ("body", "html"):
                names = f"{below.get('class', '')} {below.get('id', '')}"
                own = _groups_in(names) if len(names) > 1 else frozenset()
                if own or nearest >= 0:  # all 0 otherwise
                    fading = tuple([1.0 if number in own else value * FADES for number, value in enumerate(fading)])
                nearest = max(own, default=nearest)
            self._known[below] = level, steps, fading, nearest
        return level, steps, fading, nearest


@lru_cache(maxsize=10_000)  # pages of a site share their names
def _groups_in(names: str) -> frozenset[int]:
    return frozenset([_GROUP_OF[name] for word in _WORD.findall(names) if (name := word.lower()) in _GROUP_OF])


def find_headline(title: str, blocks: Sequence[Block]) -> int:
    """Return the place of the headline, -1 without one: a heading, or else any line, contained in the title."""
    found = -1
    for place, block in enumerate(blocks):
        text = "".join(block.text.split()) if len(block.text) < 200 else ""
        if len(text) > 3 and text in title:
            if block.tag in ("h1", "h2", "h3"):
                return place
            if found < 0 and len(text) > 5 and block.link_share < LINKED:
                found = place
    return found


# -- The choice

CAP = 4.0  # greatest score, up or down: no block decides alone
INNER = -1.0  # score below which a block within the text is left out
SURE = 3.0
"""Least value of the highest score of a page: plausible blocks are raised with it, since every article has a text. On sites left
out, 0 gives a mean F1 of .963, 2 .969, 3 .971, 4 .971."""


@cache
def _weights() -> tuple[tuple[float, Floats], tuple[float, Floats]]:
    """Return bias and weights of the two models."""
    with (files("topical_crawler.extraction") / "main_text.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream, delimiter="\t"))[1:]
    found = {(int(stage), name): float(weight) for stage, name, weight in rows}
    first, second = ((found[stage, "bias"], np.array([found[stage, name] for name in feature_names(stage)])) for stage in (1, 2))
    return first, second


def scores_of(title: str, blocks: Sequence[Block]) -> Floats:
    """Return the log odds of each block to be text, shape (blocks,)."""
    if not blocks:
        return np.zeros(0)
    features = block_features(title, blocks)
    (bias, weights), (second_bias, second) = _weights()
    first = features @ weights + bias
    scores: Floats = np.hstack([score_features(first, blocks), features]) @ second + second_bias
    return scores


def stretch(scores: Floats, blocks: Sequence[Block]) -> set[int]:
    """Return the places of the stretch with the greatest sum, except blocks below :data:`INNER`.

    >>> line = Block("各支部开展学习。", 7, 0, 0, "", "p", False)
    >>> stretch(np.array([-3.0, 2.0, -1.5, 3.0, -3.0]), [line] * 5)
    {1, 3}
    """
    if len(scores) and (lacking := SURE - scores.max()) > 0:
        may_be = [block.link_share <= LINKED and not (block.furniture or _is_boilerplate(block.text)) for block in blocks]
        scores = scores + lacking * np.array(may_be)
    first, last = _densest((np.clip(scores, -CAP, CAP) * block_weights(blocks)).tolist())
    return {place for place in range(first, last) if scores[place] > INNER}


def main_blocks(tree: HtmlElement, blocks: Sequence[Block]) -> list[Block]:
    """Return the ``blocks`` of the main text of a normalised page, or [].

    >>> from topical_crawler.extraction.structure import read_blocks
    >>> head = "<title>学习会</title><a href='/'>首页</a><h1>学习会</h1>"
    >>> page = parse(f"{head}<p>各支部开展主题党日活动，学习党章。</p><p>版权所有</p>")
    >>> [block.text for block in main_blocks(page, read_blocks(page))]
    ['各支部开展主题党日活动，学习党章。']
    """
    blocks = without_labels(blocks)
    title = tree.findtext(".//title") or ""
    verse = short_lines(blocks, title)
    if not verse and not any(worth(block) > 0 or block.kind in VERBATIM for block in blocks):
        return []
    chosen = stretch(scores_of(title, blocks), blocks)
    missed = sum(blocks[place].letters for place in verse - chosen)
    if missed < sum(blocks[place].letters for place in verse & chosen):
        chosen |= verse
    elif missed > sum(blocks[place].letters for place in chosen):
        chosen = verse
    found = whole(blocks, chosen)
    bare = "".join(title.split())
    only = sum(block.tag == "h1" for block in blocks) == 1
    while len(found) > 1 and found[0].kind == "heading":  # the headline
        if not (only and found[0].tag == "h1") and "".join(found[0].text.split()) not in bare:
            break
        found = found[1:]
    return once(found)


LABELS = 3  # least recurrences of a label on a page


def without_labels(blocks: Sequence[Block]) -> list[Block]:
    """Drop the buttons standing behind each section of a page.

    >>> section = [Block("甲" * 40, 40, 0, 0, "", "p", False), Block("编辑", 2, 0, 0, "", "div", False)]
    >>> [len(without_labels(section * times)) for times in (2, 3)]
    [4, 3]
    """

    def label_of(block: Block) -> str:
        is_label = block.letters <= MAX_BUTTON and block.kind not in VERBATIM
        is_label = is_label and (block.link_share > LINKED or any(form.match(block.text) for form in (_TAIL, _LABEL)))
        return _DIGITS.sub("0", block.text) if is_label else ""

    labels = [label_of(block) for block in blocks]
    times = Counter(labels)
    return [block for block, label in zip(blocks, labels, strict=True) if not label or times[label] < LABELS]


COPIED = 2 / 3
"""Share of the distinct lines of a text repeated over which the page holds a copy, for small screens, printers or voices.
Refrains and clauses recur between other lines, and before half of the text."""


def once(blocks: list[Block]) -> list[Block]:
    """Drop the second and further copies of a text.

    >>> lines = [Block(text * 40, 40, 0, 0, "", "p", False) for text in "甲乙丙丁"]
    >>> once(lines * 3) == lines, once([lines[0], lines[3], lines[1], lines[3], lines[2], lines[3]]) == lines
    (True, False)
    """
    places: dict[str, list[int]] = {}
    for place, block in enumerate(blocks):
        if block.kind not in VERBATIM:
            places.setdefault(block.text, []).append(place)
    again = [found for found in places.values() if len(found) > 1 and found[1] - found[0] > (len(places) - 1) / 2]
    if len(again) <= COPIED * len(places):
        return blocks
    copies = {place for found in places.values() for place in found[1:]}
    return [block for place, block in enumerate(blocks) if place not in copies]


# -- Parts belonging to a text

LEADS_IN = (":", "：")  # ends of a line introducing code, a formula or a table


def whole(blocks: Sequence[Block], chosen: set[int]) -> list[Block]:
    """Return the ``chosen`` blocks with their code, formulas, tables, items, captions and headings.

    Items and captions count between the first and the last chosen block, code, formulas and tables also right behind.
    """
    texts = [number for number in chosen if blocks[number].link_share <= LINKED]
    if not texts:
        return []
    first, last = min(texts), max(texts)
    chosen = {number for number in chosen if first <= number <= last}  # no text begins or ends with links
    for number in range(last + 1, len(blocks)):
        block = blocks[number]
        if block.kind in VERBATIM and _belongs(block):
            last = number
        elif block.furniture or not (block.kind == "heading" or block.text.endswith(LEADS_IN)) or block.link_share > LINKED:
            break
        elif block.kind != "heading":
            chosen.add(number)
    kept: list[Block] = []
    heads = False  # the next block, except headings, is kept
    for number in range(last, first - 1, -1):
        block = blocks[number]
        keep = (number in chosen) or (heads if block.kind == "heading" else _belongs(block))
        if keep:
            kept.append(block)
        heads = keep if block.kind != "heading" else heads
    return kept[::-1]


def _belongs(block: Block) -> bool:
    if block.furniture or block.link_share > LINKED:
        return False
    return block.kind in VERBATIM or (block.kind in ("item", "caption") and worth(block) > 0)
