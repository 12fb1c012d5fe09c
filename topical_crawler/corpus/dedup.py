"""Deduplication: find near-duplicates, and join articles on several pages into one text.

A reprint with another first line or some edited sentences is the same article, the same form filled in with other numbers and
names is not. Only letters and digits count. On 11,055 texts of a daily news programme none of 9,413 pairs of different articles
is taken for one, and 94 % of the texts of 600 letters or more are recognized with a fifth of their sentences changed.

The signature of a text is a MinHash of its shingles (Broder 1997), stored as :data:`BANDS` groups of :data:`ROWS` numbers in the
table ``bands``. Only texts sharing a group are compared (Indyk and Motwani 1998). Two texts sharing s of their shingles are
compared with the probability 1 - (1 - s^4)^20: 0.94 for 0.6, 0.99 for 0.7, a millionth for 0.015.

Everything runs in the caller's transaction, so that two writers do not keep one text twice.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.dml import ReturningInsert

from topical_crawler.cleaning.characters import in_one_script
from topical_crawler.cleaning.quality import measure
from topical_crawler.corpus.record import (
    NON_LETTERS,
    Record,
    pages,
    parts,
    record_of,
    sqlite_rows,
    storable,
    to_json,
    upserting,
    values_of,
)
from topical_crawler.corpus.record import bands as bands_table
from topical_crawler.text.passages import VERBATIM, Passage, layout, passages, plain

# -- The same article

Hashes = NDArray[np.uint64]

SHINGLE = 4  # letters in a shingle
SHORTEST = 100  # letters below which only identical texts are the same article
SHORT = 300  # letters below which no letter may be replaced
MIN_SIMILARITY, MIN_SIMILARITY_SHORT = 0.6, 0.9  # of texts in general, and of those below SHORT
MIN_SIMILARITY_CLAIMED, MIN_SIMILARITY_SHORT_CLAIMED = 0.5, 0.6  # the same for pages naming the other as their original
LETTERS_A_WORD, LETTERS_A_NUMBER = 500, 2000  # letters per replaced word or name, and per replaced number

_TYPOS_A_CHANGE, _MIN_TYPOS = 4, 8  # typos per other change, and in all, in a bad copy
_CLAUSES, _COMPARED, _PASSAGE = 5000, 20_000, 400  # most clauses, tokens, and tokens of one changed passage compared
_BASE = np.uint64(0x9E3779B97F4A7C15)
_CLAUSE_ENDS = re.compile(r"[\n，。！？；：、,;:!?…“”\"《》（）()]+")
_NUMERALS = "0-9〇零一二三四五六七八九十百千万亿两"
_NUMBER = re.compile(f"[{_NUMERALS}]+")
_TOKEN = re.compile(f"[{_NUMERALS}]+|.", re.DOTALL)
_SOURCE = re.compile(r"(?:来源|编辑|责编|发布|更新|浏览|阅读|点击|访问|作者|记者|校对|审核|编审|监制)[\w ]{0,6}[:：]")
_LONGEST_SOURCE = 80


def letters(text: str) -> str:
    """Return the letters and digits of ``text``, with full-width forms, letter case and traditional characters folded.

    >>> letters("Ｐ２Ｐ：“網絡借貸”……")
    'p2p网络借贷'
    """
    bare = "".join(NON_LETTERS.split(text))  # first: normalization is slow, and most texts need it for punctuation only
    if not unicodedata.is_normalized("NFKC", bare):
        bare = "".join(NON_LETTERS.split(unicodedata.normalize("NFKC", bare)))
    return in_one_script(bare.casefold())


def shingle_hashes(letters: str) -> Hashes:
    """Return a hash of every :data:`SHINGLE` consecutive letters, in order, the same on every machine."""
    points = np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    count = max(0, len(points) - SHINGLE + 1)
    hashes = np.zeros(count, np.uint64)
    for shift in range(SHINGLE if count else 0):
        hashes *= _BASE
        hashes += points[shift : shift + count]
    return mixed(hashes)


def mixed(numbers: Hashes) -> Hashes:
    """Mix the bits of ``numbers`` by a round of SplitMix64."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


@dataclass(frozen=True)
class Article:
    """Text for comparison with several others, with cached features."""

    text: str

    @cached_property
    def body(self) -> str:
        """Text without lines naming its source, editor and the like."""
        lines = self.text.split("\n")
        return "\n".join(line for line in lines if len(line) > _LONGEST_SOURCE or not _SOURCE.search(line)) or self.text

    @cached_property
    def letters(self) -> str:
        return letters(self.body)

    @cached_property
    def shingles(self) -> tuple[Hashes, NDArray[np.intp]]:
        """Distinct shingles and their counts."""
        return np.unique(shingle_hashes(self.letters), return_counts=True)

    @cached_property
    def clauses(self) -> list[str]:
        parts = _CLAUSE_ENDS.split(self.body, maxsplit=_CLAUSES)[:_CLAUSES]
        return [clause for part in parts if (clause := letters(part))]

    def similarity(self, other: Article) -> float:
        """Return the share of common shingles (a multiset Jaccard index), 0 to 1. 1 for the same letters and digits.

        >>> Article("各支部开展主题党日活动。").similarity(Article("各支部 开展主题党日活动"))
        1.0
        >>> round(Article("各支部开展主题党日活动。").similarity(Article("各支部开展主题党日学习")), 2)
        0.6
        """
        if self.letters == other.letters:
            return 1.0
        (mine, my_counts), (others, other_counts) = self.shingles, other.shingles
        _, my_indices, indices = np.intersect1d(mine, others, assume_unique=True, return_indices=True)
        shared = int(np.minimum(my_counts[my_indices], other_counts[indices]).sum())
        return shared / max(1, int(my_counts.sum() + other_counts.sum()) - shared)

    def same(self, other: Article, *, claimed: bool = False) -> float | None:
        """Return the similarity of two texts if they are the same article, else None.

        Lines such as 来源：… or 责任编辑：… do not count. Replaced numbers or words mean another day or person: a few, by the
        length of the text, may be an editor's, more make another article. Single letters replaced all over are errors of copying.
        Sentences may be added, removed or replaced within the limits of the similarity. Below :data:`SHORT` letters nothing may
        be replaced.

        Args:
            other: the other text.
            claimed: one page declares the address of the other as its original (a canonical link, a print version).

        >>> report = "七月四日，市气象台发布预报：北京，晴，最高气温三十五度；上海，多云，最高气温三十一度。" * 9
        >>> Article(report).same(Article("记者从市气象台获悉。" + report + "请市民注意防暑。")) is not None
        True
        >>> Article(report).same(Article(report.replace("四日", "五日"))) is None
        True
        """
        length = min(len(self.letters), len(other.letters))
        share = self.similarity(other)
        if share == 1.0 and length:
            return share
        if length < SHORTEST and not claimed:
            return None
        short = length < SHORT
        bounds = (MIN_SIMILARITY_CLAIMED, MIN_SIMILARITY_SHORT_CLAIMED) if claimed else (MIN_SIMILARITY, MIN_SIMILARITY_SHORT)
        if share < bounds[short]:
            return None
        numbers, words, typos = _changes(self.clauses, other.clauses)
        if short:
            return None if numbers or words or (typos and not claimed) else share
        edited = numbers <= length // LETTERS_A_NUMBER and words <= length // LETTERS_A_WORD
        copied_badly = typos >= _MIN_TYPOS and typos >= _TYPOS_A_CHANGE * (numbers + words)
        return share if edited or copied_badly else None


def _changes(a: list[str], b: list[str]) -> tuple[int, int, int]:
    """Count the replaced numbers, words and single letters between two texts."""
    numbers = words = 0
    letters: Counter[str] = Counter()
    budget = _COMPARED
    masked, other_masked = ([_NUMBER.sub("0", clause) for clause in clauses] for clauses in (a, b))
    for what, a1, a2, b1, b2 in SequenceMatcher(None, masked, other_masked).get_opcodes():
        if what == "equal":
            pairs = zip(*(_NUMBER.findall("\n".join(clauses)) for clauses in (a[a1:a2], b[b1:b2])), strict=True)
            numbers += sum(x != y for x, y in pairs)
        elif what == "replace" and budget > 0:
            tokens, other_tokens = (_TOKEN.findall("".join(clauses))[:_PASSAGE] for clauses in (a[a1:a2], b[b1:b2]))
            budget -= len(tokens) + len(other_tokens)
            for x, y in _replaced(tokens, other_tokens):
                if _NUMBER.fullmatch(x) and _NUMBER.fullmatch(y):
                    numbers += 1
                elif len(x) == len(y) == 1:
                    letters[x + y] += 1
                else:
                    words += 1
    # A letter repeatedly replacing another is part of a name.
    repeated = sum(count for count in letters.values() if count > 1)
    return numbers, words + repeated, letters.total() - repeated


def _replaced(a: list[str], b: list[str]) -> list[tuple[str, str]]:
    """Return the pairs of replaced tokens of two passages, [] for different sentences."""
    matcher: SequenceMatcher[str] = SequenceMatcher(None, a, b, autojunk=False)
    if matcher.ratio() < 0.4:
        return []
    codes = matcher.get_opcodes()
    return [("".join(a[a1:a2]), "".join(b[b1:b2])) for what, a1, a2, b1, b2 in codes if what == "replace"]


# -- Near-duplicates

BANDS, ROWS = 20, 4
LATEST = 50  # latest texts considered of a band: a band with very many comes from a form
VERIFIED = 20  # texts compared: those with the most bands in common
LARGEST_ID = 2**63 - 1

_BLOCK = 1024  # shingles at a time, for the processor's cache
_SAMPLE = 16_384  # most shingles used of a text: those with the smallest hashes
_MULTIPLIERS = (mixed(np.arange(1, BANDS * ROWS + 1, dtype=np.uint64)) >> np.uint64(32)).astype(np.uint32)[:, None] | np.uint32(1)
_POWERS = mixed(np.arange(101, 101 + ROWS, dtype=np.uint64)) | np.uint64(1)
_BAND_NUMBERS = np.arange(BANDS, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Twin:
    """Kept page with the same article: ``url``, ``key`` and id of its row, and the similarity of the texts."""

    url: str
    key: str
    page_id: int
    similarity: float


def digest(text: str) -> int:
    """Return a signed 64-bit digest of a string, the same on every machine.

    >>> digest("主题教育")
    4624407228733290095
    """
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


def bands_of(text: str) -> tuple[int, ...]:
    """Return the groups of a text's signature, as :data:`BANDS` signed 64-bit numbers, or () below :data:`SHORTEST` letters.

    They are the same on every machine and in every version.

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
    minima = np.full(BANDS * ROWS, 0xFFFFFFFF, np.uint32)
    for start in range(0, len(short), _BLOCK):
        np.minimum(minima, (_MULTIPLIERS * short[start : start + _BLOCK]).min(axis=1), out=minima)
    groups = mixed((minima.astype(np.uint64).reshape(BANDS, ROWS) * _POWERS).sum(axis=1, dtype=np.uint64) + _BAND_NUMBERS)
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
    """Return the kept page with the same article as ``text``: the most similar, of equals the first stored, or None.

    Args:
        connection: to the corpus, in a transaction.
        text: the text to find.
        bands: signature of ``text``, see :func:`bands_of`.
        own_key: key of the page of ``text``, excluded from the comparison.
        claimed: addresses declared by the page as its original, with a lower threshold. The first four count.
        before: compare only pages with a smaller id.
    """
    article = Article(text)
    twins: dict[int, Twin] = {}
    common = {"own": own_key, "before": before}
    if claimed:
        for page in connection.execute(_CLAIMED, {**common, "urls": list(claimed[:4])}):
            if (similarity := article.same(Article(page.text), claimed=True)) is not None:
                twins[page.id] = Twin(page.url, page.key, page.id, similarity)
    counts = Counter(_candidates(connection, bands) if bands else ())
    if ids := sorted(counts, key=lambda page: (-counts[page], page))[:VERIFIED]:
        # Texts of very different length have too little in common to be worth reading.
        lengths = {"shortest": len(text) // 3, "longest": 3 * len(text)}
        for page in connection.execute(_TEXTS, {**common, **lengths, "ids": ids}):
            if page.id not in twins and (similarity := article.same(Article(page.text))) is not None:
                twins[page.id] = Twin(page.url, page.key, page.id, similarity)
    return min(twins.values(), key=lambda twin: (-twin.similarity, twin.page_id), default=None)


def remember(connection: sa.Connection, page_id: int, bands: tuple[int, ...]) -> None:
    """Store the bands of a kept page. Idempotent."""
    if bands and connection.dialect.name == "postgresql":
        connection.execute(_INSERT_ALL, {"bands": list(bands), "page": page_id})
    elif bands:
        connection.execute(_INSERT, [{"band": band, "page": page_id} for band in bands])


def forget(connection: sa.Connection, page_id: int) -> None:
    """Remove the bands of a page's text, while its row still has it. Stale bands are harmless but cost time."""
    text = connection.scalar(sa.select(pages.c.text).where(pages.c.id == page_id))
    if text:
        connection.execute(bands_table.delete().where(bands_table.c.band.in_(bands_of(text)), bands_table.c.page == page_id))


def lock(connection: sa.Connection, bands: tuple[int, ...]) -> None:
    """Lock the bands on PostgreSQL until the transaction ends, against other writers of texts sharing one.

    Ascending order prevents deadlocks. :data:`BANDS` locks are within the server's max_locks_per_transaction (64).
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
    pages.c.characters.between(sa.bindparam("shortest"), sa.bindparam("longest")),
)


def _candidates(connection: sa.Connection, bands: tuple[int, ...]) -> Sequence[int]:
    """Return the ids of the latest pages of every band, once for each band."""
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


# -- Row of a page

DUPLICATE = "duplicate"
PART = "part"

_LOCK = sa.select(sa.func.pg_advisory_xact_lock(sa.bindparam("number", type_=sa.BigInteger)))
_TWIN = sa.select(pages.c.url).where(pages.c.content_hash == sa.bindparam("hash"), *_USABLE).order_by(pages.c.id).limit(1)
_HELD = sa.select(pages.c.id, pages.c.keep, pages.c.content_hash).where(pages.c.key == sa.bindparam("own"))


def keep_once(connection: sa.Connection, record: Record, *, replaces: bool = False) -> tuple[Record, bool]:
    """Store a :func:`~topical_crawler.corpus.record.storable` page as :meth:`CorpusStore.put` or ``replace`` does.

    Returns:
        The page as stored, and True if it had no text before.
    """
    # A rejection never replaces a text, so the rejected majority of pages need not be looked up.
    held = _held(connection, record.key) if record.keep or replaces else None
    is_new = held is None or not held.keep
    if record.keep and record.series and not replaces:
        return _keep_part(connection, record, held), is_new
    return _keep(connection, record, held, replaces=replaces), is_new


def put_back(connection: sa.Connection, row: Mapping[str, Any]) -> None:
    """Restore the columns of a page formerly kept in this corpus, without comparing its text."""
    held = _held(connection, row["key"])
    if held is not None and held.keep:
        forget(connection, held.id)
    order = _write(connection, dict(row), replaces=True)
    assert order is not None
    remember(connection, order, bands_of(row["text"]))


def _held(connection: sa.Connection, key: str) -> Any:
    """Return ``id``, ``keep`` and ``content_hash`` of the row of a key, or None."""
    return connection.execute(_HELD, {"own": key}).one_or_none()


def _keep(connection: sa.Connection, record: Record, held: Any, *, replaces: bool) -> Record:
    """Write the row, rejected if its text is stored already. ``held`` is from :func:`_held`."""
    bands: tuple[int, ...] = ()
    if record.keep:
        assert record.text
        bands = bands_of(record.text)
        if connection.dialect.name == "postgresql":
            # Other writers of this text wait here until the transaction ends, and then find it.
            if record.content_hash:
                connection.execute(_LOCK, {"number": int(record.content_hash[:16], 16) - 2**63})
            lock(connection, bands)
        record = _rejected_twin(connection, record, bands, held.id if replaces and held is not None else LARGEST_ID)
    changed = held is None or not held.keep or not record.keep or held.content_hash != record.content_hash
    if changed and held is not None and held.keep and (record.keep or replaces):
        forget(connection, held.id)  # before its text is gone
    order = _write(connection, values_of(record), replaces=replaces)
    if order is None:  # the row keeps its text, or that of another writer
        return dataclasses.replace(record, order=_held(connection, record.key).id)
    if record.keep and (changed or replaces):
        remember(connection, order, bands)
    return dataclasses.replace(record, order=order)


def _rejected_twin(connection: sa.Connection, record: Record, bands: tuple[int, ...], before: int) -> Record:
    """Return ``record``, rejected if a kept page has its text."""
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
    """Store one part of an article. The row of the first stored part gets the texts of all."""
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK, {"number": digest(record.series)})
    changed = {"key": record.key, "text": record.text, "layout": record.layout}
    own = {"series": record.series, "number": record.part, **changed}
    elements = [parts.c.series, parts.c.number]
    connection.execute(
        upserting(connection.dialect.name, parts).on_conflict_do_update(index_elements=elements, set_=changed), own
    )
    query = sa.select(parts.c.key, parts.c.text, parts.c.layout).where(parts.c.series == record.series).order_by(parts.c.number)
    texts = {row.key: passages(row.text, row.layout) for row in connection.execute(query)}
    joined = list(chain.from_iterable(texts.values()))
    head, *others = texts
    if head == record.key:
        stored = first = _keep(connection, _with_passages(record, joined), held, replaces=False)
        for row in connection.execute(sa.select(pages).where(pages.c.key.in_(others), pages.c.keep)).mappings().all():
            part = _part_of(record_of(row), first)  # stored before the first part was known
            _keep(connection, part, _held(connection, part.key), replaces=True)
    else:
        first = record_of(connection.execute(sa.select(pages).where(pages.c.key == head)).mappings().one())
        if first.keep:
            first = _keep(connection, _with_passages(first, joined), _held(connection, head), replaces=True)
        stored = _keep(connection, _part_of(record, first), held, replaces=True)
    # Another part may have become the first one, or the article a duplicate.
    moved = sa.update(pages).where(pages.c.key.in_(others), pages.c.reason == PART, pages.c.duplicate_of != _place(first))
    connection.execute(moved.values(duplicate_of=_place(first)))
    return stored


def _part_of(record: Record, first: Record) -> Record:
    return dataclasses.replace(
        record, keep=False, text=None, reason=PART, duplicate_of=_place(first), content_hash="", similarity=0.0
    )


def _place(first: Record) -> str:
    """Return the URL of the article with this first part."""
    return first.url if first.keep else first.duplicate_of


def _with_passages(record: Record, joined: list[Passage]) -> Record:
    if (text := plain(joined)) == record.text and record.layout == layout(joined):
        return record
    measures = dataclasses.asdict(measure(plain(joined, VERBATIM)))
    return storable(dataclasses.replace(record, text=text, layout=layout(joined), measures=measures))


def _write(connection: sa.Connection, row: dict[str, Any], *, replaces: bool) -> int | None:
    """Insert a page or replace the row of its key. Return the id of a written row, else None.

    Unless ``replaces``, a rejection does not replace a text.
    """
    order: int | None
    if connection.dialect.name == "sqlite":
        row |= {name: to_json(row[name]) for name in _JSON}
        ((order,),) = sqlite_rows(connection, _sqlite_upsert(replaces), row) or [(None,)]
    else:
        order = connection.scalar(_upsert(connection.dialect.name, replaces), row)
    return order


_JSON = [column.name for column in pages.c if isinstance(column.type, sa.JSON)]


@cache
def _sqlite_upsert(replaces: bool) -> str:
    columns = [column.name for column in pages.c if column.name != "id"]
    return str(_upsert("sqlite", replaces).compile(dialect=sqlite.dialect(paramstyle="named"), column_keys=columns))


@cache
def _upsert(dialect: str, replaces: bool) -> ReturningInsert[Any]:
    insert = upserting(dialect, pages)
    new = insert.excluded
    changed = {column.name: new[column.name] for column in pages.c if column.name not in ("id", "key")}
    where: Any = None if replaces else sa.or_(new.keep, sa.not_(pages.c.keep))
    return insert.on_conflict_do_update(index_elements=[pages.c.key], set_=changed, where=where).returning(pages.c.id)
