"""Keep a text once: find near-duplicates, and join articles on several pages into one text.

A reprint with another first line or some edited sentences is the same article; the same form filled in with other numbers and
names is not. Only letters and digits count. The bounds were chosen on 11,055 texts of a daily news programme, which announces the
same kinds of event in the same words (of the pairs that share 40 to 96 % of their shingles, none that was read was one article),
and on edited copies of them: of 9,413 pairs of different articles none is taken for one, and 94 % of the texts of 600 letters or
more are recognized with a fifth of their sentences changed.

Near-duplicates are found without comparing all pairs. The signature of a text is a MinHash of its shingles (Broder 1997): so many
of two signatures' numbers agree as shingles of the texts do. :data:`BANDS` groups of :data:`ROWS` numbers are kept in the table
``bands``; texts that share a group are compared (Indyk and Motwani 1998). Two texts that share the part s of their shingles are
compared with the probability 1 - (1 - s^4)^20: 0.94 for 0.6, 0.99 for 0.7, a millionth for 0.015, which more than nine in ten
pairs of different articles of one news programme share.

Everything runs in the caller's transaction, so that two writers do not keep one text twice.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.dialects import sqlite

from topical_crawler.cleaning.quality import measure
from topical_crawler.corpus.record import _NOT_WORDS, Record, record_of, storable, values_of
from topical_crawler.corpus.schema import bands as bands_table
from topical_crawler.corpus.schema import pages, parts, upserting

# -- The same article

Hashes = NDArray[np.uint64]

SHINGLE = 4  # letters a shingle
SHORTEST = 100  # letters of a text below which only the very same text is the same article
SHORT = 300  # letters of a text below which no letter may be another at the same place
LEAST, LEAST_SHORT = 0.6, 0.9
LEAST_CLAIMED, LEAST_SHORT_CLAIMED = 0.5, 0.6
"""The least similarity: of texts in general, of those below :data:`SHORT`, and of pages that say that they are the same."""
LETTERS_A_WORD, LETTERS_A_NUMBER = 500, 2000
"""One word or name, and one number, may be another in so many letters: an editor's correction."""

# Where single letters differ all over a text, some of those stand side by side, or are digits.
_TYPOS_A_CHANGE = 4
_LEAST_TYPOS = 8
# No text takes longer to compare: at most so many clauses, tokens, and tokens of one passage in which no clause agrees.
_CLAUSES, _COMPARED, _SHINGLE_BLOCK = 5000, 20_000, 400
_BASE = np.uint64(0x9E3779B97F4A7C15)
_CLAUSE_ENDS = re.compile(r"[\n，。！？；：、,;:!?…“”\"《》（）()]+")
_NUMERALS = "0-9〇零一二三四五六七八九十百千万亿两"
_NUMBER = re.compile(f"[{_NUMERALS}]+")
_TOKEN = re.compile(f"[{_NUMERALS}]+|.", re.DOTALL)
_SOURCE = re.compile(r"(?:来源|编辑|责编|发布|更新|浏览|阅读|点击|访问|作者|记者|校对|审核|编审|监制)[\w ]{0,6}[:：]")
_LONGEST_SOURCE = 80


def letters(text: str) -> str:
    """The letters and digits of ``text``; full-width forms and letter case are folded.

    >>> letters("Ｐ２Ｐ：“网络借贷”……")
    'p2p网络借贷'
    """
    bare = "".join(_NOT_WORDS.split(text))  # first, since normalization takes long and most texts have only punctuation for it
    if not unicodedata.is_normalized("NFKC", bare):
        bare = "".join(_NOT_WORDS.split(unicodedata.normalize("NFKC", bare)))
    return bare.casefold()


def shingle_hashes(letters: str) -> Hashes:
    """A hash, the same on every machine, of every :data:`SHINGLE` letters in a row, in their order."""
    points = np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    count = max(0, len(points) - SHINGLE + 1)
    hashes = np.zeros(count, np.uint64)
    for shift in range(SHINGLE if count else 0):
        hashes *= _BASE
        hashes += points[shift : shift + count]
    return mixed(hashes)


def mixed(numbers: Hashes) -> Hashes:
    """Numbers in which every bit depends on the bits of ``numbers`` (a round of SplitMix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


@dataclass(frozen=True)
class Article:
    """A text made ready to be compared with several others.

    Attributes:
        text: as the corpus holds it.
    """

    text: str

    @cached_property
    def body(self) -> str:
        """The text without lines that say where it comes from."""
        lines = self.text.split("\n")
        return "\n".join(line for line in lines if len(line) > _LONGEST_SOURCE or not _SOURCE.search(line)) or self.text

    @cached_property
    def letters(self) -> str:
        return letters(self.body)

    @cached_property
    def shingles(self) -> tuple[Hashes, NDArray[np.intp]]:
        """The different shingles, and how often each stands in the text."""
        return np.unique(shingle_hashes(self.letters), return_counts=True)

    @cached_property
    def clauses(self) -> list[str]:
        parts = _CLAUSE_ENDS.split(self.body, maxsplit=_CLAUSES)[:_CLAUSES]
        return [clause for part in parts if (clause := letters(part))]

    def similarity(self, other: Article) -> float:
        """See :func:`similarity`."""
        if self.letters == other.letters:
            return 1.0
        (mine, my_counts), (others, other_counts) = self.shingles, other.shingles
        _, here, there = np.intersect1d(mine, others, assume_unique=True, return_indices=True)
        shared = int(np.minimum(my_counts[here], other_counts[there]).sum())
        return shared / max(1, int(my_counts.sum() + other_counts.sum()) - shared)

    def same(self, other: Article, *, claimed: bool = False) -> float | None:
        """See :func:`same_article`."""
        length = min(len(self.letters), len(other.letters))
        share = self.similarity(other)
        if share == 1.0 and length:
            return share
        if length < SHORTEST and not claimed:
            return None
        short = length < SHORT
        least = (LEAST_SHORT_CLAIMED if short else LEAST_CLAIMED) if claimed else LEAST_SHORT if short else LEAST
        if share < least:
            return None
        numbers, words, typos = _changes(self.clauses, other.clauses)
        if short:
            return None if numbers or words or (typos and not claimed) else share
        edited = numbers <= length // LETTERS_A_NUMBER and words <= length // LETTERS_A_WORD
        copied_badly = typos >= _LEAST_TYPOS and typos >= _TYPOS_A_CHANGE * (numbers + words)
        return share if edited or copied_badly else None


def similarity(a: str, b: str) -> float:
    """Share of shingles that two texts have in common, each counted as often as it stands there: 0 to 1, 1 where letters and
    digits are the same.

    >>> similarity("各支部开展主题党日活动。", "各支部 开展主题党日活动")
    1.0
    >>> round(similarity("各支部开展主题党日活动。", "各支部开展主题党日学习"), 2)
    0.6
    """
    return Article(a).similarity(Article(b))


def same_article(a: str, b: str, *, claimed: bool = False) -> float | None:
    """The similarity of two texts where they are the same article, else None.

    Lines of the kind 来源：…, 责任编辑：… do not count. A number that is another at the same place, or a word, is taken for
    another day or another person: a few, by the length of the text, may be an editor's, more make another article. Single letters
    that are others all over are errors of copying. Whole sentences may be there or not, or be others, as far as the similarity
    allows. In a text of fewer than :data:`SHORT` letters nothing may be another, only more or less of it be there.

    Args:
        claimed: one page names the address of the other as its own (a canonical link, a copy to print).

    >>> report = "七月四日，市气象台发布预报：北京，晴，最高气温三十五度；上海，多云，最高气温三十一度。" * 9
    >>> same_article(report, "记者从市气象台获悉。" + report + "请市民注意防暑。") is not None
    True
    >>> same_article(report, report.replace("四日", "五日")) is None
    True
    """
    return Article(a).same(Article(b), claimed=claimed)


def _changes(a: list[str], b: list[str]) -> tuple[int, int, int]:
    """How many numbers, words and single letters are others at the same place of two texts."""
    numbers = words = 0
    letters: Counter[str] = Counter()
    budget = _COMPARED
    masked, other_masked = ([_NUMBER.sub("0", clause) for clause in clauses] for clauses in (a, b))
    for what, a1, a2, b1, b2 in SequenceMatcher(None, masked, other_masked).get_opcodes():
        if what == "equal":
            here, there = (_NUMBER.findall("\n".join(clauses)) for clauses in (a[a1:a2], b[b1:b2]))
            numbers += sum(x != y for x, y in zip(here, there, strict=True))
        elif what == "replace" and budget > 0:
            one, other = _tokens(a[a1:a2]), _tokens(b[b1:b2])
            budget -= len(one) + len(other)
            for x, y in _replaced(one, other):
                if _NUMBER.fullmatch(x) and _NUMBER.fullmatch(y):
                    numbers += 1
                elif len(x) == len(y) == 1:
                    letters[x + y] += 1
                else:
                    words += 1
    # The same letter in the place of the same other again and again is no error of copying but a name.
    repeated = sum(count for count in letters.values() if count > 1)
    return numbers, words + repeated, letters.total() - repeated


def _replaced(a: list[str], b: list[str]) -> list[tuple[str, str]]:
    """What stands in the place of what in two passages; nothing where they are different sentences."""
    matcher: SequenceMatcher[str] = SequenceMatcher(None, a, b, autojunk=False)
    if matcher.ratio() < 0.4:
        return []
    codes = matcher.get_opcodes()
    return [("".join(a[a1:a2]), "".join(b[b1:b2])) for what, a1, a2, b1, b2 in codes if what == "replace"]


def _tokens(clauses: list[str]) -> list[str]:
    return _TOKEN.findall("".join(clauses))[:_SHINGLE_BLOCK]


# -- Near-duplicates

BANDS, ROWS = 20, 4
LATEST = 50  # texts with a band that are looked at: one that very many share is of a form that they fill in
VERIFIED = 20  # texts that are compared, those with the most bands in common
LARGEST_ID = 2**63 - 1

_BLOCK = 1024  # shingles at a time, for the processor's cache
_SAMPLE = 16_384  # of a longer text those shingles count that have the least hashes
_MULTIPLIERS = (mixed(np.arange(1, BANDS * ROWS + 1, dtype=np.uint64)) >> np.uint64(32)).astype(np.uint32)[:, None] | np.uint32(1)
_POWERS = mixed(np.arange(101, 101 + ROWS, dtype=np.uint64)) | np.uint64(1)
_BAND_NUMBERS = np.arange(BANDS, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Twin:
    """A kept page with the same article.

    Attributes:
        url, key, page_id: of its row.
        similarity: of the texts, above 0, at most 1.
    """

    url: str
    key: str
    page_id: int
    similarity: float


def digest(text: str) -> int:
    """A signed number of 64 bits for a string, the same on every machine.

    >>> digest("主题教育")
    4624407228733290095
    """
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


def bands_of(text: str) -> tuple[int, ...]:
    """The groups of a text's signature: :data:`BANDS` signed numbers of 64 bits, the same on every machine and in every version
    of this program; none for a text of fewer than :data:`~topical_crawler.corpus.dedup.SHORTEST` letters, whose few shingles
    say too little.

    >>> text = "".join(f"第{n}讲：各支部开展主题党日活动。" for n in range(9))
    >>> len(bands_of(text)), bands_of(text) == bands_of(text.replace("。", "！")), bands_of("主题教育")
    (20, True, ())
    """
    words = letters(text)
    if len(words) < SHORTEST:
        return ()
    hashes = shingle_hashes(words)
    if len(hashes) > _SAMPLE:
        hashes = np.unique(hashes)[:_SAMPLE]
    short = (hashes >> np.uint64(32)).astype(np.uint32)
    least = np.full(BANDS * ROWS, 0xFFFFFFFF, np.uint32)
    for start in range(0, len(short), _BLOCK):
        np.minimum(least, (_MULTIPLIERS * short[start : start + _BLOCK]).min(axis=1), out=least)
    groups = mixed((least.astype(np.uint64).reshape(BANDS, ROWS) * _POWERS).sum(axis=1, dtype=np.uint64) + _BAND_NUMBERS)
    return tuple(groups.view(np.int64).tolist())


def find(
    connection: sa.Connection,
    text: str,
    bands: tuple[int, ...],
    own_key: str,
    *,
    claimed: tuple[str, ...] = (),
    before: int = LARGEST_ID,
) -> Twin | None:
    """The kept page whose text is the same article as ``text``: the most similar, of equals the first that was stored.

    Args:
        bands: of ``text``, see :func:`bands`.
        own_key: of the page that ``text`` comes from; its own row is none of others.
        claimed: addresses that the page calls its own; with those, less similarity is enough. The first four count.
        before: only pages whose number is below.

    At most :data:`VERIFIED` texts are compared beside those of ``claimed``.
    """
    article = Article(text)
    twins: dict[int, Twin] = {}
    common = {"own": own_key, "before": before}
    if claimed:
        for page in connection.execute(_CLAIMED, {**common, "urls": list(claimed[:4])}):
            same = article.same(Article(page.text), claimed=True)
            if same is not None:
                twins[page.id] = Twin(page.url, page.key, page.id, same)
    if bands:
        counts = Counter(_candidates(connection, bands))
        first = sorted(counts, key=lambda page: (-counts[page], page))[:VERIFIED]
        if first:
            # Texts of lengths so different have too little in common: they are not even read.
            lengths = {"least": len(text) // 3, "most": 3 * len(text)}
            for page in connection.execute(_TEXTS, {**common, **lengths, "ids": first}):
                if page.id not in twins and (same := article.same(Article(page.text))) is not None:
                    twins[page.id] = Twin(page.url, page.key, page.id, same)
    return min(twins.values(), key=lambda twin: (-twin.similarity, twin.page_id), default=None)


def remember(connection: sa.Connection, page_id: int, bands: tuple[int, ...]) -> None:
    """Store the bands of a kept page. Doing it twice changes nothing."""
    if bands and connection.dialect.name == "postgresql":
        connection.execute(_INSERT_ALL, {"bands": list(bands), "page": page_id})
    elif bands:
        connection.execute(_INSERT, [{"band": band, "page": page_id} for band in bands])


def forget(connection: sa.Connection, page_id: int) -> None:
    """Remove the bands of a page's text, while its row still has it. Bands that are left behind cost time but are harmless: the
    texts themselves are compared."""
    text = connection.scalar(sa.select(pages.c.text).where(pages.c.id == page_id))
    if text:
        connection.execute(bands_table.delete().where(bands_table.c.band.in_(bands_of(text)), bands_table.c.page == page_id))


def lock(connection: sa.Connection, bands: tuple[int, ...]) -> None:
    """On PostgreSQL, wait until nobody else is storing a text that shares a band, and let nobody begin before the transaction
    ends. In ascending order, so that two who wait do not wait for each other.

    Of two texts that would find each other at least one band is the same, and no smaller set will do. The server has room for
    64 locks (max_locks_per_transaction) for every connection that it allows; these are :data:`BANDS`.
    """
    if bands and connection.dialect.name == "postgresql":
        connection.execute(_LOCKS, {"numbers": sorted(set(bands))})


_LOCKS = sa.text("SELECT pg_advisory_xact_lock(number) FROM unnest(CAST(:numbers AS bigint[])) AS number")
_INSERT = sqlite.insert(bands_table).on_conflict_do_nothing()
_INSERT_ALL = sa.text("INSERT INTO bands (band, page) SELECT unnest(CAST(:bands AS bigint[])), :page ON CONFLICT DO NOTHING")
_PAGES_OF_BANDS = sa.text(
    "SELECT latest.page FROM unnest(CAST(:bands AS bigint[])) AS wanted(band) CROSS JOIN LATERAL "
    "(SELECT page FROM bands WHERE bands.band = wanted.band ORDER BY page DESC LIMIT :latest) AS latest"
)
_USABLE = (pages.c.keep, pages.c.text.is_not(None), pages.c.key != sa.bindparam("own"), pages.c.id < sa.bindparam("before"))
_COLUMNS = sa.select(pages.c.id, pages.c.url, pages.c.key, pages.c.text).where(*_USABLE)
_CLAIMED = _COLUMNS.where(pages.c.url.in_(sa.bindparam("urls", expanding=True))).limit(VERIFIED)
_TEXTS = _COLUMNS.where(
    pages.c.id.in_(sa.bindparam("ids", expanding=True)),
    pages.c.characters.between(sa.bindparam("least"), sa.bindparam("most")),
)


def _candidates(connection: sa.Connection, bands: tuple[int, ...]) -> Sequence[int]:
    """The latest pages of every band, once for each band that they share."""
    if connection.dialect.name == "postgresql":
        return connection.scalars(_PAGES_OF_BANDS, {"bands": list(bands), "latest": LATEST}).all()
    return connection.scalars(_pages_of_bands(len(bands)), {f"band{n}": band for n, band in enumerate(bands)}).all()


@cache
def _pages_of_bands(count: int) -> sa.Executable:
    queries = []
    for n in range(count):
        query = sa.select(bands_table.c.page).where(bands_table.c.band == sa.bindparam(f"band{n}", type_=sa.BigInteger))
        queries.append(sa.select(query.order_by(bands_table.c.page.desc()).limit(LATEST).subquery().c.page))
    return sa.union_all(*queries)


# -- How a page gets its row

DUPLICATE = "duplicate"
PART = "part"

_LOCK = sa.select(sa.func.pg_advisory_xact_lock(sa.bindparam("number", type_=sa.BigInteger)))
_TWIN = (
    sa.select(pages.c.url)
    .where(
        pages.c.content_hash == sa.bindparam("hash"),
        pages.c.keep,
        pages.c.key != sa.bindparam("own"),
        pages.c.id < sa.bindparam("before"),
    )
    .order_by(pages.c.id)
    .limit(1)
)
_HELD = sa.select(pages.c.id, pages.c.keep, pages.c.content_hash).where(pages.c.key == sa.bindparam("own"))


def keep_once(connection: sa.Connection, record: Record, *, replaces: bool = False) -> tuple[Record, bool]:
    """Store a page as :meth:`~topical_crawler.corpus.store.CorpusStore.put` says, or as ``replace`` does.

    Returns:
        The page as it was stored, and whether it had no text before.

    Args:
        connection: in a transaction that may write.
        record: as :func:`~topical_crawler.corpus.record.storable` gives it.
        replaces: whether a text may become a rejection.
    """
    held = _held(connection, record.key)
    is_new = held is None or not held.keep
    if record.keep and record.series and not replaces:
        return _keep_part(connection, record, held), is_new
    return _keep(connection, record, held, replaces=replaces), is_new


def _held(connection: sa.Connection, key: str) -> Any:
    """What is known of the row of a key: its number, whether it is kept, the digest of its text; None if there is none."""
    return connection.execute(_HELD, {"own": key}).one_or_none()


def _keep(connection: sa.Connection, record: Record, held: Any, *, replaces: bool) -> Record:
    """Write the row, rejected if its text is there already; ``held`` is what :func:`_held` returned for it."""
    bands: tuple[int, ...] = ()
    if record.keep:
        assert record.text
        bands = bands_of(record.text)
        if connection.dialect.name == "postgresql":
            # Until the end of the transaction, who else stores this text waits here, and then finds it.
            if record.content_hash:
                connection.execute(_LOCK, {"number": int(record.content_hash[:16], 16) - 2**63})
            lock(connection, bands)
        record = _rejected_twin(connection, record, bands, held.id if replaces and held is not None else LARGEST_ID)
    changed = held is None or not held.keep or not record.keep or held.content_hash != record.content_hash
    if changed and held is not None and held.keep and (record.keep or replaces):
        forget(connection, held.id)  # before its text is gone
    order = connection.scalar(_upsert(connection.dialect.name, replaces), values_of(record))
    if order is None:  # the row keeps its text, or that which another writer gave it just now
        return dataclasses.replace(record, order=_held(connection, record.key).id)
    if record.keep and (changed or replaces):
        remember(connection, order, bands)
    return dataclasses.replace(record, order=order)


def _rejected_twin(connection: sa.Connection, record: Record, bands: tuple[int, ...], before: int) -> Record:
    """``record``, rejected where a kept page has its text."""
    if not record.content_hash:
        return record
    url = connection.scalar(_TWIN, {"hash": record.content_hash, "own": record.key, "before": before})
    similarity = 1.0
    if url is None:
        assert record.text
        claimed = (record.canonical,) if record.canonical else ()
        twin = find(connection, record.text, bands, record.key, claimed=claimed, before=before)
        if twin is None:
            return record
        url, similarity = twin.url, twin.similarity
    return dataclasses.replace(record, keep=False, text=None, reason=DUPLICATE, duplicate_of=url, similarity=similarity)


def _keep_part(connection: sa.Connection, record: Record, held: Any) -> Record:
    """Store one part of an article: its text goes to those of the others, into the row of the first part that is there."""
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK, {"number": digest(record.series)})
    own = {"series": record.series, "number": record.part, "key": record.key, "text": record.text}
    changed = {"key": record.key, "text": record.text}
    elements = [parts.c.series, parts.c.number]
    connection.execute(
        upserting(connection.dialect.name, parts).on_conflict_do_update(index_elements=elements, set_=changed), own
    )
    query = sa.select(parts.c.key, parts.c.text).where(parts.c.series == record.series).order_by(parts.c.number)
    texts: dict[str, str] = {row.key: row.text for row in connection.execute(query)}
    whole = "\n".join(texts.values())
    head, *others = texts
    if head == record.key:
        stored = first = _keep(connection, _with_text(record, whole), held, replaces=False)
        for row in connection.execute(sa.select(pages).where(pages.c.key.in_(others), pages.c.keep)).mappings().all():
            part = _part_of(record_of(row), first)  # stored before the first part was known
            _keep(connection, part, _held(connection, part.key), replaces=True)
    else:
        first = record_of(connection.execute(sa.select(pages).where(pages.c.key == head)).mappings().one())
        if first.keep:
            first = _keep(connection, _with_text(first, whole), _held(connection, head), replaces=True)
        stored = _keep(connection, _part_of(record, first), held, replaces=True)
    # Meanwhile another part may have become the first one, or the whole a duplicate.
    moved = sa.update(pages).where(pages.c.key.in_(others), pages.c.reason == PART, pages.c.duplicate_of != _place(first))
    connection.execute(moved.values(duplicate_of=_place(first)))
    return stored


def _part_of(record: Record, first: Record) -> Record:
    return dataclasses.replace(
        record, keep=False, text=None, reason=PART, duplicate_of=_place(first), content_hash="", similarity=0.0
    )


def _place(first: Record) -> str:
    """Where the whole of an article is whose first part is this."""
    return first.url if first.keep else first.duplicate_of


def _with_text(record: Record, text: str) -> Record:
    if text == record.text:
        return record
    return storable(dataclasses.replace(record, text=text, measures=dataclasses.asdict(measure(text))))


@cache
def _upsert(dialect: str, replaces: bool) -> sa.Executable:
    """Insert a page, or replace the row of its key unless (and not ``replaces``) that has a text and the page has none; gives the
    row's id, None where nothing was replaced."""
    insert = upserting(dialect, pages)
    new = insert.excluded
    changed = {column.name: new[column.name] for column in pages.c if column.name not in ("id", "key")}
    where: Any = None if replaces else sa.or_(new.keep, sa.not_(pages.c.keep))
    return insert.on_conflict_do_update(index_elements=[pages.c.key], set_=changed, where=where).returning(pages.c.id)
