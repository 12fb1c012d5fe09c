"""Clean an extracted text: repair it, remove boilerplate, mask personal data, measure and judge it (:class:`TextCleaner`).

Personal data are telephone, identity card and bank card numbers and e-mail addresses, as far as their form or check digit proves
them: document, book and order numbers are as long.

>>> find("联系人王某，电话13800138000，邮箱 wang@example.cn")
{'email': 1, 'phone': 1}
>>> mask("身份证号11010519491231002X，银行卡号：4111 1111 1111 1111")
('身份证号[身份证号]，银行卡号：[卡号]', {'card': 1, 'id': 1})
>>> measures = measure("各级党组织开展主题教育。\\n关注我们\\n关注我们")
>>> measures.han, round(measures.sentences, 2), round(measures.repeated_lines, 2), measures.line_length
(1.0, 0.58, 0.21, 6.333333333333333)
>>> Limits().refusal(measure("★☆党建◆◇"), "zh")
'low quality: symbols'
"""

from __future__ import annotations

import dataclasses
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Literal

from topical_crawler.cleaning.boilerplate import MIN_CHARACTERS, NOTHING, Cleaner, Learned
from topical_crawler.cleaning.characters import (
    GARBLED,
    HAN,
    common_han,
    identify,
    is_garbled,
    repair,
    repair_verbatim,
    to_simplified,
    to_traditional,
)
from topical_crawler.text.passages import VERBATIM, Layout, Passage, mapped, passages, plain, prose
from topical_crawler.text.passages import layout as layout_of

MASKS = {"id": "[身份证号]", "card": "[卡号]", "phone": "[电话]", "email": "[邮箱]"}  # what replaces them, by kind

_SEP = r"[ \-‐‑–]?"
_BEFORE = r"(?<![0-9A-Za-z_./=#%&+\-])"  # not part of a longer number, a version, an address
_AFTER = r"(?![0-9A-Za-z_=%]|[.\-/][0-9A-Za-z])"
_CALLED = r"(?:电话|热线|手机|联系|传真|致电|拨打|咨询|客服|总机|座机|专线|微信|[Tt][Ee][Ll]|[Pp]hone)"
_MOBILE = re.compile(
    rf"(?<![0-9A-Za-z_./=#%&])(?:(?<!-)|(?<=[^0-9A-Za-z]-))(?:(?:\+|00)86{_SEP}|\((?:\+|00)86\){_SEP}|(?<!\+))1[3-9][0-9]"
    rf"(?:[0-9]{{8}}|[ \-][0-9]{{4}}[ \-][0-9]{{4}}){_AFTER}"
)
_AREA = r"(?:10|2[0-57-9]|[3-9][0-9]{2})"
_LANDLINE = re.compile(
    rf"{_BEFORE}(?:(?:\+|00)86{_SEP})?(?:0{_AREA}[\-‐‑–—][2-9][0-9]{{6,7}}|[(（]0{_AREA}[)）]{_SEP}[2-9][0-9]{{6,7}})"
    rf"(?:[\-转][0-9]{{1,5}})?{_AFTER}"
)
_SERVICE = re.compile(rf"{_CALLED}[^0-9\n]{{0,6}}(?P<it>[2-9][0-9]{{6,7}}){_AFTER}")
_ID18 = re.compile(r"(?<![0-9A-Za-z_])[1-9][0-9]{16}[0-9Xx](?![0-9A-Za-z_])")
_ID15 = re.compile(r"身份证[^0-9\n]{0,8}(?P<it>[1-9][0-9]{14})(?![0-9A-Za-z_])")
_SIGN = re.compile(r"[0-9]{7}|[0-9][ \-][0-9]{4}[ \-][0-9]{4}|@|卡号|[账帐][号户]")  # in every line with personal data
_CARD = re.compile(r"(?:卡号|账号|帐号|账户|帐户)[^0-9\n]{0,12}(?P<it>[1-9](?:[ \-]?[0-9]){15,18})(?![0-9A-Za-z_])")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+\-/:@])[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}@(?:[A-Za-z0-9][A-Za-z0-9\-]{0,62}\.){1,5}(?:[A-Za-z]{2,18})"
    r"(?![A-Za-z0-9_\-@/:(])"
)
_PROVINCES = re.compile("1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3]|91")
_SUFFIXES = ("png", "jpg", "jpeg", "gif", "svg", "webp", "js", "css", "html", "py", "so")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def find(text: str) -> dict[str, int]:
    """Count the personal data of ``text`` by kind ("id", "card", "phone", "email"); kinds without any are left out.

    >>> find("2024-12-31，ISBN 978-7-302-51461-9，DOI 10.13800/138001380001，版本 1.3.8，国发〔2021〕13号")
    {}
    """
    return mask(text)[1]


def mask(text: str) -> tuple[str, dict[str, int]]:
    """Replace the personal data of ``text`` by :data:`MASKS`; returns the text and the counts by kind.

    >>> mask("请拨打010-62345678转801或(0571)87654321，+86 138-0013-8000")[0]
    '请拨打[电话]或[电话]，[电话]'
    """
    counts: Counter[str] = Counter()

    def masking(kind: str, proven: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
        def replace(match: re.Match[str]) -> str:
            number = match["it"] if "it" in match.re.groupindex else match[0]
            if not proven(number):
                return match[0]
            counts[kind] += 1
            return match[0][: -len(number)] + MASKS[kind]

        return replace

    lines = text.split("\n")
    number = here = 0
    signs: dict[int, None] = {}  # lines that have one
    for sign in _SIGN.finditer(text):
        number += text.count("\n", here, here := sign.start())
        signs[number] = None
    for number in signs:
        line = f"\n{lines[number]}" if number else lines[number]  # as a pattern sees it that looks behind
        # Telephone numbers last: one may be read within the digits of a card, or before the @ of an address.
        for kind, pattern, proven in _KINDS:
            line = pattern.sub(masking(kind, proven), line)
        lines[number] = line.removeprefix("\n")
    return "\n".join(lines), dict(counts)


def _is_identity(number: str) -> bool:
    """GB 11643-1999: province, date of birth, check digit of ISO 7064 MOD 11-2 (none in 15 digits, whose year has two)."""
    birth = number[6:14] if len(number) == 18 else "19" + number[6:12]
    try:
        born = date(int(birth[:4]), int(birth[4:6]), int(birth[6:]))
    except ValueError:
        return False
    if not _PROVINCES.match(number) or not date(1900, 1, 1) <= born <= date.today():
        return False
    if len(number) == 15:
        return True
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, number, strict=False))
    return "10X98765432"[total % 11] == number[17].upper()


def _is_card(number: str) -> bool:
    """ISO/IEC 7812: the sum of the digits, every second from the right doubled, is a multiple of ten."""
    digits = [int(digit) for digit in number if digit.isdecimal()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return 16 <= len(digits) <= 19 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def _is_phone(number: str) -> bool:
    """Not one digit repeated, as in examples and forms."""
    return len(set(re.sub(r"[^0-9]", "", number)[-7:])) > 1


def _is_address(address: str) -> bool:
    """Neither a file name such as ``icon@2x.png`` nor a repository's host."""
    return not address.startswith("git@") and address.rpartition(".")[2].lower() not in _SUFFIXES


_KINDS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("card", _CARD, _is_card),
    ("id", _ID18, _is_identity),
    ("id", _ID15, _is_identity),
    ("email", _EMAIL, _is_address),
    ("phone", _MOBILE, _is_phone),
    ("phone", _LANDLINE, _is_phone),
    ("phone", _SERVICE, _is_phone),
)

# -- Quality: measures of a text, and limits that refuse what is not running text
#
# The measures are those that filter web corpora (repetition, symbols, lines that are not sentences, as in the rules for
# MassiveText, C4 and FineWeb), counted in characters, since Chinese does not separate words. The limits judge form, not content.

GRAM = 10  # characters of a phrase whose repetitions are counted, white space excluded
SHORT = 200  # characters below which repetition and sentences are not limited: one line would decide, and a poem is no list

LANGUAGE = "language"
REPETITION = "low quality: repetition"
SYMBOLS = "low quality: symbols"
NO_SENTENCES = "low quality: no sentences"
CHARACTERS = "low quality: characters"
REASONS = (LANGUAGE, REPETITION, SYMBOLS, NO_SENTENCES, CHARACTERS)  # that `Limits.refusal` returns

_ENDS = tuple("。！？；：…!?;:.")
_CLOSING = "”’』」）)】》\"' "


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of a text: shares from 0 to 1 except ``line_length``; all 0 for an empty text."""

    han: float = 0.0  # share of Chinese characters in the letters and digits
    latin: float = 0.0  # share of Latin letters in them
    digits: float = 0.0  # share of digits in them
    punctuation: float = 0.0  # share of the characters other than white space
    symbols: float = 0.0  # share of signs such as # * … • │ ★ = and emoji in the characters other than white space
    sentences: float = 0.0  # share of the letters and digits in lines that end like a sentence
    common: float = 0.0  # share of the 1,000 most frequent characters in the Chinese ones
    line_length: float = 0.0  # mean letters and digits of a line
    repeated_lines: float = 0.0  # share of the letters and digits in repeated lines
    repeated_phrases: float = 0.0  # share of the characters other than white space in repeated phrases of ten


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on language and :class:`Measures`. The defaults refuse 2 of 11,055 news texts, and for their prose none of 840
    Chinese articles of 24 sites, most of them on computing.

    A bound without a note is on the measure of its name. A text with fewer sentences than ``min_sentences`` must have a
    ``line_length`` of ``min_line_length`` and a ``punctuation`` from ``min_punctuation`` to ``max_punctuation``, which bare lists
    of words do not.
    """

    languages: Collection[str] = ("zh",)  # ISO 639-1 codes of the accepted languages; empty: all
    min_han: float = 0.02  # low, for articles that are mostly source code; 0.3 refuses these
    min_common: float = 0.4
    max_symbols: float = 0.3
    max_digits: float = 0.6
    max_repeated_lines: float = 0.45
    max_repeated_phrases: float = 0.6
    max_repeated_code: float = 0.9  # in place of that before where `latin` is over `code`: source code and formulas repeat
    code: float = 0.3
    min_sentences: float = 0.1
    min_line_length: float = 10.0
    min_punctuation: float = 0.02
    max_punctuation: float = 0.25

    @classmethod
    def of_language(cls, languages: Collection[str]) -> Limits:
        """Limits on the language only."""
        bounds = {f.name: 0.0 if f.name.startswith("min_") else math.inf for f in dataclasses.fields(cls) if "_" in f.name}
        return cls(languages, **bounds)

    def refusal(self, measures: Measures, language: str, characters: int = SHORT) -> str:
        """Why a text of so many ``characters`` is refused, one of :data:`REASONS`; "" if it is not.

        >>> Limits().refusal(measure("党建\\n支部\\n党员\\n组织\\n" * 30), "zh"), Limits().refusal(Measures(), "en")
        ('low quality: repetition', 'language')
        """
        if self.languages and language not in self.languages:
            return LANGUAGE
        if measures.symbols > self.max_symbols or measures.digits > self.max_digits:
            return SYMBOLS
        if language == "zh" and (measures.han < self.min_han or measures.common < self.min_common):
            return CHARACTERS
        if characters < SHORT:
            return ""
        max_repeated = self.max_repeated_code if measures.latin > self.code else self.max_repeated_phrases
        if measures.repeated_lines > self.max_repeated_lines or measures.repeated_phrases > max_repeated:
            return REPETITION
        if measures.sentences < self.min_sentences:
            wordy = self.min_punctuation <= measures.punctuation <= self.max_punctuation
            if not wordy or measures.line_length < self.min_line_length:
                return NO_SENTENCES
        return ""


def measure(text: str) -> Measures:
    """Measure ``text``, one paragraph a line."""
    kinds: Counter[str] = Counter()
    counts = Counter(text)
    for character, count in counts.items():
        kinds[_kind(character)] += count
    common = sum(counts[character] for character in counts.keys() & common_han())
    letters = kinds["han"] + kinds["latin"] + kinds["digits"] + kinds["letters"]
    characters = letters + kinds["punctuation"] + kinds["symbols"]
    if not characters:
        return Measures()
    seen: set[str] = set()
    lines = in_sentences = repeated = 0
    for line in filter(None, map(str.strip, text.split("\n"))):
        length = sum(map(str.isalnum, line))
        in_sentences += length if line.rstrip(_CLOSING).endswith(_ENDS) else 0
        repeated += length if line in seen else 0
        lines += 1
        seen.add(line)
    per = 1 / letters if letters else 0.0
    return Measures(
        han=kinds["han"] * per,
        latin=kinds["latin"] * per,
        digits=kinds["digits"] * per,
        punctuation=kinds["punctuation"] / characters,
        symbols=kinds["symbols"] / characters,
        sentences=min(1.0, in_sentences * per),
        common=common / kinds["han"] if kinds["han"] else 0.0,
        line_length=letters / lines,
        repeated_lines=min(1.0, repeated * per),
        repeated_phrases=_repeated_phrases("".join(text.split())),
    )


def _repeated_phrases(text: str) -> float:
    seen: set[str] = set()
    covered = end = 0
    for start in range(len(text) - GRAM + 1):
        phrase = text[start : start + GRAM]
        if phrase in seen:
            covered += start + GRAM - max(start, end)
            end = start + GRAM
        else:
            seen.add(phrase)
    return covered / len(text) if text else 0.0


@lru_cache(maxsize=50_000)
def _kind(character: str) -> str:
    code = ord(character)
    if any(first <= code <= last for first, last in HAN):
        return "han"
    category = unicodedata.category(character)
    if category[0] == "L":
        return "latin" if code < 0x250 or 0xFF21 <= code <= 0xFF5A else "letters"
    if category[0] == "N":
        return "digits"
    if character in "#*…•_@\\":  # punctuation in Unicode
        return "symbols"
    return {"P": "punctuation", "S": "symbols", "Z": "space", "C": "space"}.get(category[0], "letters")


# -- All steps in order

Personal = Literal["off", "flag", "mask"]
Convert = Literal["", "simplified", "traditional"]


@dataclass(frozen=True, slots=True)
class CleaningOptions:
    """How texts are cleaned."""

    min_characters: int = MIN_CHARACTERS  # fewest letters and digits of prose and Chinese characters of the rest
    limits: Limits = field(default_factory=Limits)  # bounds on language and measures
    personal: Personal = "flag"  # personal data are counted ("flag"), also replaced ("mask"), or ignored ("off")
    convert: Convert = ""  # the script that Chinese texts are converted to; "": none
    keep_raw: bool = False  # keep the text as extracted beside the cleaned one; masked where `personal` says so
    site_lines: bool = True  # learn and remove the lines that a site repeats on its pages


@dataclass(frozen=True, slots=True)
class CleanedText:
    """A cleaned or rejected text; an early rejection leaves the fields of later steps empty."""

    text: str  # "" for a rejected one
    layout: Layout = ()  # of the text, see `text.passages`
    reason: str = ""  # why it was rejected, a short stable English string; "" for a kept one
    language: str = ""  # with the script, see `characters.identify`
    script: str = ""
    measures: Mapping[str, float] = field(default_factory=dict)  # of the prose, see `Measures`
    personal: Mapping[str, int] = field(default_factory=dict)  # number of personal data by kind
    removed: tuple[str, ...] = ()  # the distinct lines removed as boilerplate


class TextCleaner:
    """Cleans texts by ``options``."""

    def __init__(self, options: CleaningOptions | None = None) -> None:
        self.options = options or CleaningOptions()
        self._cleaner = Cleaner(self.options.min_characters)

    def clean(
        self, text: str, anchors: Collection[str] = (), title: str = "", learned: Learned = NOTHING, layout: Layout = ()
    ) -> CleanedText:
        """Reject a garbled text; repair characters; remove boilerplate; identify the language and convert the script; look for
        personal data; measure the text and apply the limits. Cleaning a cleaned text changes nothing.

        The arguments are those of :meth:`~topical_crawler.cleaning.boilerplate.Cleaner.clean`. Only prose is judged: an article
        is not refused for its code, formulas and tables, nor kept for them. In these only characters that are broken or cannot be
        seen are repaired, and personal data looked for.

        >>> text = "来源：某某网\\n" + "各支部　开展主题党日活动，热线010-62345678。" * 4 + "\\n责任编辑：王某"
        >>> cleaned = TextCleaner().clean(text)
        >>> cleaned.text[:12], cleaned.reason, cleaned.language, cleaned.script, cleaned.personal
        ('各支部 开展主题党日活动', '', 'zh', 'simplified', {'phone': 4})
        """
        if is_garbled(prose(text, layout)):  # before the repair, which removes the signs of it
            return CleanedText("", reason=GARBLED)
        text, layout = _repaired(text, layout)
        cleaned = self._cleaner.clean(text, [repair(anchor) for anchor in anchors], repair(title), learned, layout)
        if cleaned.reason:
            return CleanedText("", reason=cleaned.reason)
        text, layout, options = cleaned.text, cleaned.layout, self.options
        language, script = identify(prose(text, layout))
        if options.convert and language == "zh" and script and script != options.convert:
            text = mapped(text, layout, to_simplified if options.convert == "simplified" else to_traditional)
            script = options.convert
        personal: dict[str, int] = {}
        if options.personal == "mask":
            text, personal = mask(text)
        elif options.personal == "flag":
            personal = find(text)
        judged = prose(text, layout)
        measured = measure(judged)
        measures = dataclasses.asdict(measured)
        # Prose that is less than half of a text may be labels between code: 示例代码, 运行结果.
        characters = len(judged) if 2 * len(judged) >= len(text) else 0
        if reason := options.limits.refusal(measured, language, characters):
            return CleanedText("", (), reason, language, script, measures, removed=cleaned.removed)
        return CleanedText(text, layout, "", language, script, measures, personal, cleaned.removed)


def _repaired(text: str, layout: Layout) -> tuple[str, Layout]:
    if not layout:
        return repair(text), ()
    found: list[Passage] = []
    for passage in passages(text, layout):
        if passage.kind not in VERBATIM:
            lines = repair(passage.text).split("\n")
        else:
            lines = [verbatim] if (verbatim := repair_verbatim(passage.text)).strip() else []
        note = repair(passage.note) if passage.note else ""
        found += [Passage(line, passage.kind, passage.level, note) for line in lines]
    return plain(found), layout_of(found)
