"""Hypernyms of topic words (Sun et al. 2018, section 1.3): 智能手机 → 手机, 操作系统 → 软件.

A definition in the topic's own texts comes first (酷睿是…处理器品牌). Otherwise every source names candidates: Cilin, by our
list of its classes (``kinds.txt``) and by their names, HowNet's definitions, the head of the word, the Chinese Library
Classification. A candidate's value depends on its source, its agreement with the others, the shape of the words and their
vectors (:class:`HypernymFinder`). A word unknown to all sources takes the hypernym of its nearest neighbours among the vectors.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from topical_crawler.resources.categories import Category, CategoryError, CategoryTree, name_terms, read_clc
from topical_crawler.resources.cilin import Cilin, CilinTree, Group
from topical_crawler.resources.hownet import HowNet, SememeTree, read_lines
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.text.segment import normalise

_LEAST = 2


@dataclass(frozen=True, slots=True)
class Hypernym:
    """Direct hypernym."""

    word: str  # normalised
    source: str  # `definition`, `head`, `cilin`, `cilin_tree`, `hownet`, `clc` or `vectors`


VAGUE = frozenset(
    (
        *("事务", "事情", "事件", "部件", "属性", "属性值", "物质", "万物", "实体", "信息", "现象", "抽象", "精神", "知识"),
        *("人", "用具", "地方", "时间", "设施", "场所", "货币", "位置", "材料", "机构", "数量", "团体", "语文"),
        *("用品", "机具", "器具", "统称", "性能", "活动", "经济", "机器", "物体", "物", "自然物", "生活", "设备", "无生物"),
        *("地点", "人工物", "抽象事物"),
    )
)
"""Names of sememes and of Cilin classes too vague to search for, avoided if there is a better one."""


def direct_hypernym(word: str, resources: Resources, documents: Sequence[str] = ()) -> Hypernym | None:
    """Return the best direct hypernym of a word, None if no source has one. ``documents`` may define the word.

    >>> direct_hypernym("智能手机", Resources.none())
    Hypernym(word='手机', source='head')
    >>> direct_hypernym("酷睿", Resources.none(), ["酷睿是英特尔（Intel）推出的处理器品牌，问世多年。"])
    Hypernym(word='处理器', source='definition')
    """
    defined = _by_definition(word := normalise(word), documents)
    return Hypernym(defined, "definition") if defined else HypernymFinder(resources).of(word)


def installed_cilin(resources: Resources) -> Cilin | None:
    """Open the groups of Cilin, if installed."""
    return Cilin(path) if (path := resources.path("cilin")) else None


_NO_NAMES = "EK"  # Cilin classes of qualities and of auxiliaries, never hypernyms
_OF_A_KIND = frozenset(("generic|统称", "mass|众", "employee|员"))  # sememes of words for a whole kind


class HypernymFinder:
    """Hypernyms from all installed sources, read once. The weights were chosen on 200 words (experiments/notes/hypernyms.md)."""

    def __init__(self, resources: Resources) -> None:
        paths = {name: resources.path(name) for name in ("vectors", "cilin_tree", "clc")}
        self._hownet, self._cilin = HowNet.installed(resources), installed_cilin(resources)
        self._parents = _parents(self._hownet.tree) if self._hownet and self._hownet.tree else {}
        self._classes = CilinTree(paths["cilin_tree"]) if paths["cilin_tree"] else None
        self._categories = read_clc(paths["clc"]) if paths["clc"] else None
        self._vectors = WordVectors.open(paths["vectors"]) if paths["vectors"] else None

    def of(self, word: str) -> Hypernym | None:
        """Return the best candidate. Without candidates, fall back to the word's neighbours, then to a verb as its head."""
        if best := self._best(word):
            return best
        if (near := self._by_neighbours(word)) is not None:
            return Hypernym(near, "vectors")
        verb = head_word(word, "v", before=1)
        return Hypernym(verb, "head") if verb else None

    def _best(self, word: str) -> Hypernym | None:
        worth: dict[str, float] = {}
        sources: dict[str, list[str]] = {}
        synonyms = {word, *(self._cilin.synonyms(word) if self._cilin else ())}
        found = list(self._candidates(word, synonyms))
        found += [(name, 1.1, "vectors") for name in self._narrower(word, {name for name, _, _ in found})]
        for name, value, source in found:
            if name not in synonyms and not name.endswith(word):  # 名演员 is a kind of 演员
                worth[name] = max(worth.get(name, value), value)
                sources.setdefault(name, []).append(source)
        if not worth:
            return None
        best = max(worth, key=lambda name: worth[name] + self._evidence(word, name, len(set(sources[name]))))
        return Hypernym(best, sources[best][0])

    def _candidates(self, word: str, synonyms: Container[str]) -> Iterator[tuple[str, float, str]]:
        """Yield (name, value, source) for each candidate of each source."""
        is_phrase = not (self._hownet and word in self._hownet.senses) and not (self._cilin and word in self._cilin)
        if head := head_word(word) if is_phrase else head_word(word, "n", "vn", before=1):
            yield head, 1.7 if is_phrase else 0.05, "head"
        for code in self._cilin.codes(word) if self._cilin else ():  # longest prefix in the list
            yield from [(_kinds()[code[:n]], 2.0, "cilin") for n in range(7, 1, -1) if code[:n] in _kinds()][:1]
        for name, value in self._by_cilin(word, synonyms):
            yield name, value, "cilin_tree"
        for number, name in enumerate(self._by_hownet(word, synonyms)):
            yield name, 0.6 if number else 0.9, "hownet"
        if self._categories and (category := _category_above(word, self._categories)):
            yield category, 0.35, "clc"

    def _evidence(self, word: str, name: str, sources: int) -> float:
        """Return the adjustment of a candidate's value by further evidence."""
        value = 0.3 * (sources - 1)
        if word.endswith(name):
            value += 0.8 if len(name) >= _LEAST else 0.3  # 足球: 球
        elif word[-1] == name[-1]:
            value += 0.2  # 无人机: 飞机
        own, others = self._definitions(word), self._definitions(name)
        if own and others:
            alike = [(one, other) for one in own for other in others if one[0] == other[0]]
            value += 0.3 if alike else -0.2
            if alike and not any(set(other) - _OF_A_KIND <= set(one) for one, other in alike):
                value -= 0.5  # a sibling of the word: 商店 sells, 银行 does not
        if self._vectors:
            value += 0.6 * max(0.0, self._vectors.similarity(word, name))
        return value - 0.7 * (name in VAGUE)

    def _by_cilin(self, word: str, synonyms: Container[str]) -> Iterator[tuple[str, float]]:
        """Yield the names of the Cilin classes holding the word, with values: level 3, and level 2 among things. Elsewhere
        level 2 holds fields (政法).

        A class of level 3 has a name for each of its parts (灯 镜子 眼镜). The name in the first group of the word's own part
        is a hypernym, the others are siblings. If one is a synonym of the word, all are siblings (大象: 狮, 虎, 象).
        """
        for part, near, above, _ in self._classes.hypernyms(word) if self._classes else ():
            if near.code.startswith(tuple(_NO_NAMES)):
                continue
            beside = any(name in synonyms for name in near.names)
            kinds = any(g.relation == "#" for g in self._groups(word) if g.code.startswith(part.code))
            for place, name in enumerate(near.names):
                codes = [group.code for group in self._groups(name)]
                value = 1.0 + 0.2 * (len(near.names) == 1) - 0.1 * (len(near.names) - 1) - 0.1 * (place > 0) - 1.0 * beside
                if any(code.startswith(part.code) for code in codes):
                    value += 0.7 * kinds
                elif any(code.startswith(near.code) for code in codes):
                    value -= 0.6
                yield name, value
            if above.code.startswith("B"):  # things
                yield from ((name, 0.6 if beside else 0.45) for name in above.names)

    def _groups(self, word: str) -> list[Group]:
        return [self._cilin.groups[code] for code in self._cilin.codes(word)] if self._cilin else []

    def _by_hownet(self, word: str, synonyms: Container[str]) -> Iterator[str]:
        """Yield the distinct main sememes of the word's senses, shortest definition first (鱼: the animal before the surname).

        A sememe synonymous with the word is replaced by its parent.
        """
        if not self._hownet:
            return
        concepts = [c for i in self._hownet.senses.get(word, ()) if not (c := self._hownet.concepts[i]).function]
        concepts.sort(key=lambda concept: len(list(concept.values())))
        for sememe in dict.fromkeys(concept.first for concept in concepts):
            name = _chinese(self._parents.get(sememe, "") if _chinese(sememe) in synonyms else sememe)
            if name and name not in synonyms:
                yield name

    def _definitions(self, word: str) -> list[tuple[str, ...]]:
        """Return the sememes of each sense of a word, or of its longest end known to HowNet, main sememe first."""
        if self._hownet:
            for start in range(max(1, len(word) - 1)):
                if senses := self._hownet.senses.get(word[start:]):
                    return [tuple(c.values()) for i in senses if not (c := self._hownet.concepts[i]).function]
        return []

    def _narrower(self, word: str, names: set[str]) -> Iterator[str]:
        """Yield for each broad candidate the nearest word by vectors with a fitting ending: for 学校, a 场所, 教育机构."""
        near = (
            self._vectors.nearest(word, 150)
            if self._vectors and any(names.intersection(wide) for wide, _, _ in _NARROWER)
            else []
        )
        for wide, endings, least in _NARROWER:
            if names.intersection(wide):
                yield from [
                    name for name, like in near
                    if like >= least and name.endswith(endings) and name not in VAGUE and not name.startswith(("的", word))
                ][:1]  # fmt: skip

    def _by_neighbours(self, word: str) -> str | None:
        """Return a word that ends other near words (高铁: 高速铁路, 铁路), else the most common hypernym of the near words."""
        near = self._vectors.nearest(word, _NEIGHBOURS) if self._vectors else []
        names = [name for name, _ in near if len(name) >= _LEAST and name not in word]
        heads = Counter(head for head in names for name in names if name != head and name.endswith(head))
        if heads:
            return max(heads, key=lambda head: (heads[head], -names.index(head)))
        called = Counter(best.word for name in names if (best := self._best(name)) and best.word not in {*VAGUE, word})
        return next((above for above, times in called.most_common(1) if times > 1), None)


_NEIGHBOURS = 12
_NARROWER = (
    (("人", "职业"), ("人员", "工作者"), 0.6),
    (("场所", "机构", "设施"), ("机构", "场所", "设施"), 0.5),
    (("用具", "机具", "器具", "机器", "设备", "用品"), ("设备", "仪器", "电器", "家电", "装置", "工具"), 0.5),
)
"""(broad candidates, endings of narrower words of that kind, least cosine with the word)"""


def _chinese(sememe: str) -> str:
    """``computer|电脑`` → 电脑."""
    return normalise(sememe.partition("|")[2])


def _parents(tree: SememeTree) -> dict[str, str]:
    """Return the parent of each sememe, in a file validated by :class:`SememeTree`. Of several places the first one counts."""
    lines = [line.split() for _, line in read_lines(tree.path)]
    names = {index: name for index, name, _ in lines}
    return {name: names[parent] for _, name, parent in reversed(lines)}


@functools.cache
def _kinds() -> dict[str, str]:
    """Return the list ``kinds.txt``: hypernyms by the prefix of Cilin codes."""
    lines = files(__package__).joinpath("kinds.txt").read_text(encoding="utf-8").splitlines()
    return {code: name for name, *codes in map(str.split, lines) if name != "#" for code in codes}


@functools.cache
def _dictionary() -> str:
    """Return jieba's dictionary, one line per word: word, frequency, tag."""
    return "\n" + files("jieba").joinpath("dict.txt").read_text(encoding="utf-8")


def head_word(word: str, *kinds: str, before: int = _LEAST) -> str | None:
    """Return the head of a phrase: its longest ending that is a noun in jieba's dictionary.

    Verbs (文本挖掘, 机器学习) are heads only on request. Endings cutting a word in two are not heads (条件随机场 is no 机场).

    Args:
        word: the phrase.
        kinds: prefixes of a head's tag. (): ``n``, a noun.
        before: least number of characters before it.

    >>> head_word("笔记本电脑"), head_word("智能手机"), head_word("文本挖掘"), head_word("条件随机场")
    ('电脑', '手机', None, None)
    >>> head_word("文本挖掘", "v"), head_word("党支部", before=1)
    ('挖掘', '支部')
    """
    parts = {word[i:j] for i in range(len(word)) for j in range(i + 1, len(word) + 1)}
    tags = {}
    if len(word) >= _LEAST + before:
        lines = _dictionary()
        for part in parts:
            if (at := lines.rfind(f"\n{part} ")) >= 0:  # the last entry of a repeated word
                tags[part] = lines[at + 1 : lines.find("\n", at + 1)].split(" ")[2]
    longer = {part for part in tags if len(part) >= _LEAST}
    for start in range(before, len(word) - _LEAST + 1):
        if tags.get(word[start:], "").startswith(kinds or "n") and (word[:start] in longer or not _crossed(word, start, longer)):
            return word[start:]
    return None


def _crossed(word: str, place: int, words: Container[str]) -> bool:
    """Return True if a word of the dictionary lies across a place (条件随|机场: 随机)."""
    return any(word[i:j] in words for i in range(place) for j in range(place + 1, len(word)))


_MAKES = frozenset(("品牌", "系列", "型号", "产品", "名称", "总称", "统称", "简称", "之一", "一种", "一类"))
_WIDE = frozenset(
    ("过程", "步骤", "方法", "方式", "技术", "学科", "领域", "问题", "部分", "工具", "基础", "核心", "手段", "统一", "选择")
)
_ASIDE = re.compile(r"[（(][^（()）]*[)）]")


def _by_definition(word: str, documents: Sequence[str]) -> str | None:
    """Return the last noun of a sentence defining the word, up to its first comma.

    品牌 and the like give way to the noun before them (处理器品牌). 过程 and the like are no hypernyms.
    """
    from jieba import posseg

    pattern = re.compile(rf"(?:^|[。\n])\s*{re.escape(word)}(?:[^,。;\n]{{0,12}},)?是([^,。;\n]{{2,60}})")
    for document in documents if word else ():
        for match in pattern.finditer(_ASIDE.sub("", normalise(document))):
            words = [(pair.word, pair.flag) for pair in posseg.cut(match[1])]
            while words and words[-1][0] in _MAKES:
                words.pop()
            name, tag = words[-1] if words else ("", "")
            if len(name) >= _LEAST and tag.startswith(("n", "l")) and name != word and name not in _WIDE:
                return name
    return None


def _category_above(word: str, tree: CategoryTree) -> str | None:
    """Return the first term in the name of the parent category, if the word matches exactly one category."""
    if (category := find_category(tree, word)) is None or category.parent is None:
        return None
    return next((term for term in name_terms(tree.categories[category.parent].name) if term != word), None)


def find_category(tree: CategoryTree, word: str) -> Category | None:
    """Return the only category matching the word, None if none or several match."""
    try:
        return tree.find(word)
    except CategoryError:
        return None
