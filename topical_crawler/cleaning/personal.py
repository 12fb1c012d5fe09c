"""Personal data: telephone, identity card and bank card numbers, e-mail addresses.

Only numbers proven by their form or check digit count, since document, book and order numbers are as long.

>>> find("联系人王某，电话13800138000，邮箱 wang@example.cn")
{'email': 1, 'phone': 1}
>>> mask("身份证号11010519491231002X，银行卡号：4111 1111 1111 1111")
('身份证号[身份证号]，银行卡号：[卡号]', {'card': 1, 'id': 1})
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import date

MASKS = {"id": "[身份证号]", "card": "[卡号]", "phone": "[电话]", "email": "[邮箱]"}  # replacements by kind

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
    """Count the personal data of ``text`` by kind ("id", "card", "phone", "email"). Kinds without any are left out.

    >>> find("2024-12-31，ISBN 978-7-302-51461-9，DOI 10.13800/138001380001，版本 1.3.8，国发〔2021〕13号")
    {}
    """
    return mask(text)[1]


def mask(text: str) -> tuple[str, dict[str, int]]:
    """Replace the personal data of ``text`` by :data:`MASKS`. Return the text and the counts by kind.

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
    signs: dict[int, None] = {}  # numbers of the lines with a sign
    for sign in _SIGN.finditer(text):
        number += text.count("\n", here, here := sign.start())
        signs[number] = None
    for number in signs:
        line = f"\n{lines[number]}" if number else lines[number]  # for patterns looking behind
        # Telephone numbers last: one may match within the digits of a card, or before the @ of an address.
        for kind, pattern, proven in _KINDS:
            line = pattern.sub(masking(kind, proven), line)
        lines[number] = line.removeprefix("\n")
    return "\n".join(lines), dict(counts)


def _is_identity(number: str) -> bool:
    """Check an identity number by GB 11643-1999: province, date of birth, check digit of ISO 7064 MOD 11-2.

    A number of 15 digits has a birth year of two digits and no check digit.
    """
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
    """Check a card number by ISO/IEC 7812: the sum of its digits, every second from the right doubled, is a multiple of ten."""
    digits = [int(digit) for digit in number if digit.isdecimal()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return 16 <= len(digits) <= 19 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def _is_phone(number: str) -> bool:
    """Return False for one repeated digit, as in examples and forms."""
    return len(set(re.sub(r"[^0-9]", "", number)[-7:])) > 1


def _is_address(address: str) -> bool:
    """Return False for file names such as ``icon@2x.png`` and hosts of repositories."""
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
