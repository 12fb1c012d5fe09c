"""The topic of ESVSM: a model by LDA (Sun et al. 2018, sections 1.1 and 2.1) and hypernyms of its topic word (1.3).

A topic word that yields too little gives way to what it is a kind of: 智能手机 → 手机, 操作系统 → 软件. The sources are asked in
this order: what the topic's own texts define it as (酷睿是…处理器品牌); the head of the word, where it is a phrase that no
dictionary has; the classes of Cilin; HowNet's definition of it, unless that is as wide as 事务; its head all the same; the
Chinese Library Classification; its neighbours among the word vectors; a verb as its head.
"""

from __future__ import annotations

import functools
import logging
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from topical_crawler.package_data import needed
from topical_crawler.resources.categories import Category, CategoryError, CategoryTree, name_terms, read_clc
from topical_crawler.resources.cilin import Cilin, CilinTree
from topical_crawler.resources.hownet import HowNet, SememeTree, read_lines
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.esvsm.vector_space import Measure, Reading, TermSimilarity, svsm
from topical_crawler.text.segment import Segmenter, normalise
from topical_crawler.text.statistics import Idf
from topical_crawler.topic.topic import Topic

SUB_TOPICS = 10  # sub-topics of a topic model (Sun et al. 2018, section 2.1)
WORDS = 20  # most probable words taken of each (ibid.)
_PASSES = 20

WordCounts = Mapping[str, int]


def description_documents(topic: Topic, segmenter: Segmenter) -> list[Counter[str]]:
    """The content words of each of the topic's documents, and as one more document what else describes it: title, description
    and terms, each term as often as its weight says (at least once).

    >>> from topical_crawler import Topic
    >>> topic = Topic("os", "操作系统", {"内核": 2.0}, documents=("进程等待进程。",))
    >>> [dict(document) for document in description_documents(topic, Segmenter(["操作系统", "内核"]))]
    [{'进程': 2, '等待': 1}, {'操作系统': 1, '内核': 2}]
    """
    documents = [Counter(segmenter.content(text)) for text in topic.documents]
    known = Counter(segmenter.content(f"{topic.title}\n{topic.description}"))
    known.update({term: max(1, round(weight)) for term, weight in topic.terms.items()})
    return [document for document in (*documents, known) if document]


def sub_topics(
    documents: Sequence[WordCounts], seed: int = 0, topics: int = SUB_TOPICS, words: int = WORDS
) -> list[dict[str, float]]:
    """The sub-topics of a topic: the ``words`` most probable words of each, with their probability.

    One document has one sub-topic: its most frequent words, as many as all sub-topics would have together, with their shares.

    The documents are counts of words, none of them empty; the same seed gives the same sub-topics.
    """
    if len(documents) == 1:
        (only,) = documents
        total = sum(only.values())
        frequent = sorted(only, key=lambda word: (-only[word], word))[: topics * words]
        return [{word: only[word] / total for word in frequent}]
    names = dict(enumerate(sorted({word for document in documents for word in document})))
    number = {word: i for i, word in names.items()}
    bags = [sorted((number[word], count) for word, count in document.items()) for document in documents]
    log = logging.getLogger("gensim")  # it reports every pass, and warns of collections as small as these
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        model = needed("gensim.models", "topical-crawler[gensim]").LdaModel(
            bags, num_topics=topics, id2word=names, passes=_PASSES, random_state=seed % (1 << 32)
        )
        return [{word: float(p) for word, p in model.show_topic(i, words)} for i in range(topics)]
    finally:
        log.setLevel(level)


def topic_vector(topics: Sequence[Mapping[str, float]], idf: Idf) -> dict[str, float]:
    """The topic as a vector: word → Σ over the sub-topics of its probability · IDF, heaviest first.

    >>> topic_vector([{"内核": 0.5, "进程": 0.25}, {"内核": 0.25}], Idf({"内核": 2.0, "进程": 4.0}))
    {'内核': 1.5, '进程': 1.0}
    """
    total: dict[str, float] = {}
    for sub_topic in topics:
        for word, probability in sub_topic.items():
            total[word] = total.get(word, 0.0) + probability * idf.of(word)
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


# -- Hypernyms

RELATED = 20  # neighbours of a hypernym among the vectors that describe it; as many as words are taken of a sub-topic
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Hypernym:
    """A direct hypernym."""

    word: str  # normalised
    source: str  # what says so: `definition`, `head`, `hownet`, `cilin_tree`, `clc` or `vectors`


VAGUE = frozenset(
    (
        *("事务", "事情", "事件", "部件", "属性", "属性值", "物质", "万物", "实体", "信息", "现象", "抽象", "精神", "知识"),
        *("人", "用具", "地方", "时间", "设施", "场所", "货币", "位置", "材料", "机构", "数量", "团体", "语文"),
    )
)
"""Sememes that say too little of a word to search for; those of the second line name over a hundred words each."""


def direct_hypernym(word: str, resources: Resources, documents: Sequence[str] = ()) -> Hypernym | None:
    """The direct hypernym of a word by the first source that has one; None where none has. ``documents`` may define the word.

    >>> direct_hypernym("智能手机", Resources.none())
    Hypernym(word='手机', source='head')
    >>> direct_hypernym("酷睿", Resources.none(), ["酷睿是英特尔（Intel）推出的处理器品牌，问世多年。"])
    Hypernym(word='处理器', source='definition')
    """
    found = _hypernyms(normalise(word), resources, documents)
    return next((Hypernym(above, source) for above, source in found if above), None)


def _hypernyms(word: str, resources: Resources, documents: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    """What each source says, the best first."""
    yield _by_definition(word, documents), "definition"
    hownet, cilin = HowNet.installed(resources), _cilin(resources)
    is_phrase = not (hownet and word in hownet.senses) and not (cilin and word in cilin)
    if is_phrase:
        yield head_word(word), "head"
    synonyms = {word, *(cilin.synonyms(word) if cilin else ())}
    paths = {name: resources.path(name) for name in ("vectors", "cilin_tree", "clc")}
    vectors = WordVectors.open(paths["vectors"]) if paths["vectors"] else None
    if paths["cilin_tree"]:
        yield _by_cilin(word, CilinTree(paths["cilin_tree"]), synonyms, vectors), "cilin_tree"
    by_hownet = _by_hownet(word, hownet, synonyms) if hownet else None
    if by_hownet not in VAGUE:
        yield by_hownet, "hownet"
    elif (head := head_word(word, "n", "vn", before=1)) not in synonyms:
        yield head, "head"
    yield _by_categories(word, paths["clc"]) if paths["clc"] else None, "clc"
    yield _by_neighbours(word, vectors, hownet) if vectors else None, "vectors"
    yield head_word(word, "v", before=1), "head"
    yield by_hownet, "hownet"


def related_words(word: str, resources: Resources, cache_dir: Path | None = None, n: int = RELATED) -> list[str]:
    """Words that describe a normalised hypernym in place of an article on it: those of its groups in Cilin, its ``n`` nearest
    neighbours among the word vectors, and the ``n`` heaviest keywords of the category that it names in the Chinese Library
    Classification; each once, itself not among them. Missing resources are done without."""
    words: list[str] = []
    if cilin := _cilin(resources):
        words += [*cilin.synonyms(word), *cilin.kin(word)]
    if path := resources.path("vectors"):
        words += [near for near, _ in WordVectors.open(path, cache_dir).nearest(word, n)]
    if path := resources.path("clc"):
        tree = read_clc(path)
        if (category := _find(tree, word)) is not None:
            words += list(tree.keywords(category.code))[:n]
    return [w for w in dict.fromkeys(words) if w != word]


@functools.lru_cache(64)  # it reads 350,000 lines
def head_word(word: str, *kinds: str, before: int = _LEAST) -> str | None:
    """The head of a phrase: its longest end that is a noun in jieba's dictionary.

    A verb (文本挖掘, 机器学习) is no head unless asked for, nor is what cuts a word in two (条件随机场 is no 机场).

    Args:
        kinds: what the tag of a head begins with; none: ``n``, a noun.
        before: characters before it at least.

    >>> head_word("笔记本电脑"), head_word("智能手机"), head_word("文本挖掘"), head_word("条件随机场")
    ('电脑', '手机', None, None)
    >>> head_word("文本挖掘", "v"), head_word("党支部", before=1)
    ('挖掘', '支部')
    """
    parts = {word[i:j] for i in range(len(word)) for j in range(i + 1, len(word) + 1)}
    tags = {}
    if len(word) >= _LEAST + before:
        for line in files("jieba").joinpath("dict.txt").read_text(encoding="utf-8").splitlines():
            entry, _, tag = line.split(" ")
            if entry in parts:
                tags[entry] = tag
    longer = {part for part in tags if len(part) >= _LEAST}
    for start in range(before, len(word) - _LEAST + 1):
        if tags.get(word[start:], "").startswith(kinds or "n") and (word[:start] in longer or not _crossed(word, start, longer)):
            return word[start:]
    return None


def _crossed(word: str, place: int, words: Container[str]) -> bool:
    """Whether a word of the dictionary lies across a place (条件随|机场: 随机)."""
    return any(word[i:j] in words for i in range(place) for j in range(place + 1, len(word)))


def _cilin(resources: Resources) -> Cilin | None:
    path = resources.path("cilin")
    return Cilin(path) if path else None


_MAKES = frozenset(("品牌", "系列", "型号", "产品", "名称", "总称", "统称", "简称", "之一", "一种", "一类"))
_WIDE = frozenset(
    ("过程", "步骤", "方法", "方式", "技术", "学科", "领域", "问题", "部分", "工具", "基础", "核心", "手段", "统一", "选择")
)
_ASIDE = re.compile(r"[（(][^（()）]*[)）]")


def _by_definition(word: str, documents: Sequence[str]) -> str | None:
    """The last noun of what a sentence says that the word is, up to its first comma; 品牌 and the like stand for what is before
    them (处理器品牌), and 过程 and the like for nothing."""
    from jieba import posseg

    says = re.compile(rf"(?:^|[。\n])\s*{re.escape(word)}(?:[^,。;\n]{{0,12}},)?是([^,。;\n]{{2,60}})")
    for document in documents if word else ():
        for match in says.finditer(_ASIDE.sub("", normalise(document))):
            words = [(pair.word, pair.flag) for pair in posseg.cut(match[1])]
            while words and words[-1][0] in _MAKES:
                words.pop()
            name, tag = words[-1] if words else ("", "")
            if len(name) >= _LEAST and tag.startswith(("n", "l")) and name != word and name not in _WIDE:
                return name
    return None


_NEIGHBOURS = 12


def _by_neighbours(word: str, vectors: WordVectors, hownet: HowNet | None) -> str | None:
    """What the nearest words by vectors are: one of them that others end with (高铁: 高速铁路, 铁路), else what HowNet calls most
    of them."""
    near = vectors.nearest(word, _NEIGHBOURS)
    names = [name for name, _ in near if len(name) >= _LEAST and name not in word]
    heads = Counter(head for head in names for name in names if name != head and name.endswith(head))
    if heads:
        return max(heads, key=lambda head: (heads[head], -names.index(head)))
    called = Counter(above for name in names if hownet and (above := _by_hownet(name, hownet, {name})) and above not in VAGUE)
    return next((above for above, times in called.most_common(1) if times > 1), None)


def _by_hownet(word: str, hownet: HowNet, synonyms: set[str]) -> str | None:
    """The main sememe of the sense with the shortest definition (of 鱼: the animal, not the surname); where that is a synonym of
    the word, the sememe above it."""
    concepts = [c for i in hownet.senses.get(word, ()) if not (c := hownet.concepts[i]).function]
    if not concepts:
        return None
    sememe = min(concepts, key=lambda concept: len(list(concept.values()))).first
    if _chinese(sememe) in synonyms:
        sememe = _parents(hownet.tree).get(sememe, sememe) if hownet.tree else sememe
    name = _chinese(sememe)
    return name if name and name not in synonyms else None


def _chinese(sememe: str) -> str:
    """``computer|电脑`` → 电脑."""
    return normalise(sememe.partition("|")[2])


def _parents(tree: SememeTree) -> Mapping[str, str]:
    """The sememe above each, of a file that :class:`SememeTree` has found good; of several places the first one counts."""
    lines = [line.split() for _, line in read_lines(tree.path)]
    names = {index: name for index, name, _ in lines}
    return {name: names[parent] for _, name, parent in reversed(lines)}


_PEOPLE, _QUALITIES = "A", "E"  # Cilin's classes of people, which are parted by 职业 and the like, and of adjectives
_LIKE = 0.2  # similarity under which two words have little to do with each other


def _by_cilin(word: str, tree: CilinTree, synonyms: set[str], vectors: WordVectors | None) -> str | None:
    """The name of a class above the word. Of several names one that the word ends with (足球: 球) or that has its last character
    (无人机: 船, 飞机), else the first, unless by vectors that has little to do with it and another more (地震: 福气, 灾祸). Where
    a class is called by the word itself, or by a synonym, its names stand beside the word (大象: 狮, 虎, 象), and the class above
    it counts. Classes of level 4 have no names of their own."""
    names: list[str] = []
    for _, near, above, _ in tree.hypernyms(word):
        if not near.code.startswith(_QUALITIES):
            beside = synonyms.intersection(near.names)
            names += near.names if not beside else () if near.code.startswith(_PEOPLE) else above.names
    alike = [name for name in names if word.endswith(name)] or [name for name in names if name[-1] == word[-1]]
    if alike or not names or vectors is None:
        return next(iter(alike or names), None)
    like = {name: vectors.similarity(word, name) for name in names}
    return names[0] if like[names[0]] > _LIKE else max(names, key=like.__getitem__)


def _by_categories(word: str, path: Path) -> str | None:
    """The first term of the name of the category above the one that the word finds, where it finds just one."""
    tree = read_clc(path)
    if (category := _find(tree, word)) is None or category.parent is None:
        return None
    return next((term for term in name_terms(tree.categories[category.parent].name) if term != word), None)


def _find(tree: CategoryTree, word: str) -> Category | None:
    """The one category that the word finds; None where it finds none, or several."""
    try:
        return tree.find(word)
    except CategoryError:
        return None


# -- The topic as a measure


@dataclass(frozen=True, slots=True)
class Replacement:
    """A topic word that gave way to its hypernym, both normalised."""

    word: str
    hypernym: str
    source: str  # what says that one is a kind of the other, see `Hypernym`
    page: int  # how many pages had been judged


class TopicModel:
    """Builds the measure: LDA over the topic's documents (:func:`sub_topics`), then SVSM in a ``reading``. ``resources`` hold
    HowNet for similarities, and for hypernyms what there is; converted vectors are kept in ``cache_dir``.

    >>> from topical_crawler import load_topic
    >>> topic = load_topic("partybuilding")
    >>> model = TopicModel(topic, Segmenter(topic.terms), Resources.none())
    >>> list(model.vector())[0], len(model.vector()), model.measure().of(["天气"])
    ('主题教育', 200, 0.0)
    """

    def __init__(
        self,
        topic: Topic,
        segmenter: Segmenter,
        resources: Resources,
        seed: int = 0,
        *,
        sub_topics: int = SUB_TOPICS,
        words: int = WORDS,
        reading: Reading = "terms",
        cache_dir: Path | None = None,
    ) -> None:
        self.resources = resources
        self.texts = topic.documents
        self._segmenter = segmenter
        self._documents = description_documents(topic, segmenter)
        self._size = sub_topics, words
        self._reading = reading
        self._seed = seed
        self._cache_dir = cache_dir
        self._idf = Idf.load()

    def documents(self, replacements: Sequence[Replacement] = ()) -> list[Counter[str]]:
        """The documents that the topic is read from. Where a word was replaced, the hypernym stands in its place, and one more
        document describes the hypernym: itself as often as there are other words, and the words related to it."""
        content = self._segmenter.content
        documents = [Counter(document) for document in self._documents]
        for replacement in replacements:
            hypernym = content(replacement.hypernym)  # the name of a category may be several words
            for document in documents:
                document.update(hypernym * document.pop(replacement.word, 0))
            related = related_words(replacement.hypernym, self.resources, self._cache_dir)
            described = hypernym * max(1, len(related))
            documents.append(Counter([*described, *(word for text in related for word in content(text))]))
        return [document for document in documents if document]

    def heaviest(self, words: Sequence[str], most: int) -> dict[str, int]:
        """The ``most`` words with the greatest TF-IDF, each with its number."""
        counts = Counter(words)
        chosen = sorted(counts, key=lambda word: (-counts[word] * self._idf.of(word), word))[:most]
        return {word: counts[word] for word in chosen}

    def vector(self, replacements: Sequence[Replacement] = ()) -> dict[str, float]:
        """The topic as a vector, word → weight."""
        return topic_vector(sub_topics(self.documents(replacements), self._seed, *self._size), self._idf)

    def measure(self, replacements: Sequence[Replacement] = ()) -> Measure:
        """Sim(text, topic)."""
        topic = self.vector(replacements)
        return svsm(topic, TermSimilarity.of_terms(list(topic), self.resources), self._idf, self._reading)
