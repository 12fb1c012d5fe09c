"""When a page says it was published, by the ways in which Chinese pages write it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

EARLIEST = 1994
"""First year of a date that is believed: that of the first web pages in Chinese."""
BEIJING = timedelta(hours=8)
"""Ahead of UTC; Chinese pages give their days and hours in it."""

_DIGITS = {
    digit: value
    for value, digits in enumerate(("〇零○", "一", "二", "三", "四", "五", "六", "七", "八", "九"))
    for digit in digits
}
_FULL = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?[年/.\-]\s?(\d{1,2})\s?[月/.\-]\s?(\d{1,2})(?!\d)")
_WRITTEN = re.compile(r"([一二][〇零○一二三四五六七八九]{3})年([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})日")
_MONTH_DAY = re.compile(r"(?<![\d年])(\d{1,2})\s?月\s?(\d{1,2})\s?日")
_NUMBERS_ONLY = re.compile(r"(?<![\d./:-])(\d{1,2})-(\d{1,2})\s{1,3}\d{1,2}:\d\d")
_AGO = re.compile(r"(?<!\d)(\d{1,3})\s?(分钟|小时|天|分鐘|小時)之?前")
_DAYS = {"刚刚": 0, "今天": 0, "今日": 0, "昨天": 1, "昨日": 1, "前天": 2}
_DAY = re.compile("|".join(_DAYS))
_IN_ADDRESS = re.compile(r"(?<!\d)((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])[/_-]?(0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR_IN_ADDRESS = re.compile(r"(?<!\d)(20\d\d|199\d)(?=[/_-]|0[1-9]|1[0-2])")
_CLOCK = re.compile(r"(?<!\d)(?:今天|现在|目前|当前)(?:是|时间)")


def in_text(text: str, url: str = "", fetched: str = "") -> str:
    """The first date of a line as ``YYYY-MM-DD``, "" if it has none that can be: after :data:`EARLIEST`, not after ``fetched``.

    Args:
        text: a line, e.g. the one below the headline.
        url: of the page; the year of a date without one.
        fetched: when the page was fetched, as ISO 8601 in UTC; what 昨天 is counted from. Now where it is not given.

    >>> in_text("2024年3月1日 08:30 来源：党建网"), in_text("二〇二四年三月十一日")
    ('2024-03-01', '2024-03-11')
    >>> in_text("昨日 08:30", fetched="2024-03-01T02:00:00+00:00"), in_text("3月1日", "http://a.cn/2023/c1.html")
    ('2024-02-29', '2023-03-01')
    """
    if _CLOCK.search(text):
        return ""
    now = _moment(fetched)
    return next((found.isoformat() for found in _dates(text[:500], url, now) if _believed(found, now)), "")


def in_address(url: str, fetched: str = "") -> str:
    """The date in an address, "" if it has none that can be.

    >>> in_address("http://www.example.cn/dangjian/202403/t20240301_12345678.html")
    '2024-03-01'
    """
    now = _moment(fetched)
    found = (_made(match.groups()) for match in _IN_ADDRESS.finditer(url[:2000]))
    return next((day.isoformat() for day in found if day is not None and _believed(day, now)), "")


def latest(fetched: str) -> date:
    """The last day that a page fetched then can name: that day in Beijing.

    >>> latest("2024-03-01T20:00:00+00:00")
    datetime.date(2024, 3, 2)
    """
    return _moment(fetched).date()


def _moment(fetched: str) -> datetime:
    try:
        moment = datetime.fromisoformat(fetched) if fetched else datetime.now(UTC)
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
        return moment + BEIJING
    except (ValueError, OverflowError):
        return datetime.now(UTC).replace(tzinfo=None) + BEIJING


def _believed(day: date, now: datetime) -> bool:
    return day.year >= EARLIEST and day <= now.date()


def _dates(text: str, url: str, now: datetime) -> Iterator[date]:
    for match in _FULL.finditer(text):
        if (day := _made(match.groups())) is not None:
            yield day
    for match in _WRITTEN.finditer(text):
        year, month, day_of = match.groups()
        digits = "".join(str(_DIGITS[digit]) for digit in year)
        if (day := _made((digits, _count(month), _count(day_of)))) is not None:
            yield day
    if (ago := _AGO.search(text)) is not None:
        amount, unit = int(ago[1]), ago[2]
        yield (
            now
            - (timedelta(days=amount) if unit == "天" else timedelta(hours=amount) if "小" in unit else timedelta(minutes=amount))
        ).date()
    elif (near := _DAY.search(text)) is not None:
        yield (now - timedelta(days=_DAYS[near[0]])).date()
    for match in (*_MONTH_DAY.finditer(text), *_NUMBERS_ONLY.finditer(text)):
        written = _YEAR_IN_ADDRESS.search(url[:2000])
        day = _made((written[1] if written else now.year, *match.groups()))
        if day is not None and not written and day > now.date():  # in January a page of December
            day = _made((now.year - 1, *match.groups()))
        if day is not None:
            yield day


def _made(numbers: Sequence[str | int]) -> date | None:
    try:
        return date(int(numbers[0]), int(numbers[1]), int(numbers[2]))
    except ValueError:
        return None


def _count(written: str) -> int:
    """A number from 1 to 99 in Chinese characters.

    >>> _count("三"), _count("十一"), _count("三十"), _count("二十九")
    (3, 11, 30, 29)
    """
    tens, ten, ones = written.rpartition("十")
    return (_DIGITS.get(tens[-1:], 1) * 10 if ten else 0) + _DIGITS.get(ones[-1:], 0)
