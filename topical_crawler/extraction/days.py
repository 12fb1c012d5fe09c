"""Dates as written in mainland China, Taiwan and Hong Kong, parsed to ``YYYY-MM-DD``.

`days.tsv` holds one pattern a line with an example, the likelier reading of an ambiguous text first. Before matching, Chinese
numerals become digits and dates of the lunar calendar are dropped. A date without a year takes the year in the page's address,
else the latest year that puts it in the past.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from importlib.resources import files

EARLIEST = 1994  # first credible year: the first Chinese web pages
ERA = 1911  # year before year 1 of the Republic, 民國
BEIJING = timedelta(hours=8)  # UTC offset of the time on Chinese pages


def read_table(name: str) -> list[list[str]]:
    """Return the rows of a table of this package, without its heading."""
    text = (files("topical_crawler.extraction") / name).read_text(encoding="utf-8")
    return [row.split("\t") for row in text.splitlines()[1:]]


_SIGNS = ("〇零○OoＯ0", "一壹元", "二贰貳两兩", "三叁參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖", "十拾", "百佰")
_DIGITS = {sign: value for value, signs in enumerate(_SIGNS) for sign in signs}
_NUMERAL = re.compile(
    rf"(?<![{''.join(_DIGITS)}])[〇零○廿卅{''.join(_SIGNS[1:])}][{''.join(_DIGITS)}廿卅]*"
    r"(?=\s?(?:[年月日号號天周週个個]|星期|[小时分秒]))"
)
_BEGINNINGS = (  # of month names in English, German and Romance languages
    "jan ene gen jän|feb fév fev|mar mär mrz|apr avr abr|may mai mag|jun juin giu|jul juil lug|aug aoû aou ago|sep set"
    "|oct okt ott out|nov|dec dez déc dic"
)
_MONTHS = {name: number for number, names in enumerate(_BEGINNINGS.split("|"), 1) for name in names.split()}
_PARTS = {"NAMED": rf"(?P<m>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})[^\W\d_]{{0,7}}\.?"}
_KINDS: dict[str, list[re.Pattern[str]]] = {}
for _kind, _example, _pattern in read_table("days.tsv"):
    if _kind == "part":  # written {NAME} in the patterns below it
        _PARTS[_example] = _pattern
    else:
        _whole = re.sub(r"\{([A-Z]+)\}", lambda name: _PARTS[name[1]], _pattern)
        _KINDS.setdefault(_kind, []).append(re.compile(_whole, re.IGNORECASE))
_WRITTEN, _NO_YEAR = _KINDS["year"], _KINDS["no year"]
(_LUNAR,), (_AGO,), (_NO_STAMP,) = _KINDS["lunar"], _KINDS["ago"], _KINDS["no stamp"]
(_IN_ADDRESS,), (_YEAR_IN_ADDRESS,) = _KINDS["in address"], _KINDS["year in address"]
HAS_YEAR = re.compile(r"(?:19|20)\d\d|民|\d\d\s?[年/.-]\s?\d")  # matches every date with a year
_MINUTES = {"秒": 0, "分": 1, "小": 60, "钟": 60, "鐘": 60, "天": 1440, "日": 1440}  # default: a week
_NEAR = "刚刚 剛剛 刚才 剛才 今天 今日 今早 今晨 今晚|昨天 昨日 昨晚 昨夜 尋日 琴日|前天 前日 前晚|大前天 大前日"
_DAYS = {word: days for days, words in enumerate(_NEAR.split("|")) for word in words.split()}
_DAY = re.compile(
    rf"(?:^|[\s:|·于於])(?:({'|'.join(_DAYS)})|(上)?(?:[周週]|星期|[礼禮]拜)([一二三四五六日天]))"
    r"(?=$|[\s|·]|\d{1,2}:\d\d|[上下]午|(?:[发發][布佈]|[发發]表|更新))"
)
"""A day word standing for a date. No match in 今日要闻, 今日头条 or 昨天的会议."""


def in_text(text: str, url: str = "", fetched: str = "") -> str:
    """Return the first credible date of a line, ``YYYY-MM-DD``, or "".

    Credible means from :data:`EARLIEST` on and not after the day of fetching.

    Args:
        text: a line such as the one below the headline. At most its first 500 characters are read.
        url: address of the page. Its year completes a date without one.
        fetched: time of fetching, ISO 8601 in UTC (default: now). Relative dates like 昨天 count from it.

    >>> in_text("2024年3月1日 08:30 来源：党建网"), in_text("二〇二四年三月十一日")
    ('2024-03-01', '2024-03-11')
    >>> in_text("March 5, 2021 · 3 分钟"), in_text("9/17/2004 5:54:13 AM")
    ('2021-03-05', '2004-09-17')
    >>> in_text("昨日 08:30", fetched="2024-03-01T02:00:00+00:00"), in_text("3月1日", "http://a.cn/2023/c1.html")
    ('2024-02-29', '2023-03-01')
    """
    if _NO_STAMP.search(text):
        return ""
    now = _moment(fetched)
    return next((day.isoformat() for day in _dates(text[:500], url, now) if _is_credible(day, now)), "")


def in_address(url: str, fetched: str = "") -> str:
    """Return the first credible date in an address, ``YYYY-MM-DD``, or "".

    >>> in_address("http://www.example.cn/dangjian/202403/t20240301_12345678.html")
    '2024-03-01'
    """
    now = _moment(fetched)
    days = (_date_of(*match.groups()) for match in _IN_ADDRESS.finditer(url[:2000]))
    return next((day.isoformat() for day in days if day is not None and _is_credible(day, now)), "")


def in_beijing(text: str) -> str:
    """Convert a UTC timestamp to Beijing time, keep any other.

    Most content management systems write UTC. Accepts ISO 8601 and RFC 2822, and returns anything else unchanged. A converted
    timestamp keeps the offset ``+00:00``.

    >>> in_beijing("2024-03-01T16:30:00.000Z"), in_beijing("2024-03-01T16:30:00+08:00")
    ('2024-03-02T00:30:00+00:00', '2024-03-01T16:30:00+08:00')
    >>> in_beijing("Fri, 01 Mar 2024 16:30:00 GMT")
    '2024-03-02T00:30:00+00:00'
    """
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text.strip())
            return (moment + BEIJING).isoformat() if moment.utcoffset() == timedelta() else text
        except (ValueError, OverflowError):
            continue
    return text


def moment_of(value: str) -> str:
    """Convert seconds or milliseconds since 1970 to ISO 8601 in UTC, keep any other value.

    >>> moment_of("1714701600000"), moment_of("2024-05-03 10:00")
    ('2024-05-03T02:00:00+00:00', '2024-05-03 10:00')
    """
    return datetime.fromtimestamp(int(value[:10]), UTC).isoformat() if re.fullmatch(r"\d{10}(?:\d{3})?", value) else value


def _moment(fetched: str) -> datetime:
    """Return the time of fetching in Beijing (naive). Its day is the latest credible date of a page.

    >>> _moment("2024-03-01T20:00:00+00:00")
    datetime.datetime(2024, 3, 2, 4, 0)
    """
    try:
        moment = datetime.fromisoformat(fetched) if fetched else datetime.now(UTC)
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
        return moment + BEIJING
    except (ValueError, OverflowError):
        return datetime.now(UTC).replace(tzinfo=None) + BEIJING


def _is_credible(day: date, now: datetime) -> bool:
    return day.year >= EARLIEST and day <= now.date()


def _dates(text: str, url: str, now: datetime) -> Iterator[date]:
    text = plain_day(text)
    for pattern in _WRITTEN if HAS_YEAR.search(text) else ():
        for match in pattern.finditer(text):
            if (day := _date_of(**match.groupdict())) is not None:
                yield day
    if (ago := _AGO.search(text)) is not None:
        many = int(ago[1] or 0)
        if ago[2] == "月":
            year, month = divmod(now.year * 12 + now.month - 1 - many, 12)
            yield date(year, month + 1, min(now.day, monthrange(year, month + 1)[1]))
        else:
            yield (now - many * timedelta(minutes=_MINUTES.get(ago[2][0], 10080))).date()
    elif (near := _DAY.search(text)) is not None:
        weekday = "一二三四五六日".find((near[3] or "").replace("天", "日"))
        since = now.weekday() - weekday + 7 if near[2] else (now.weekday() - weekday) % 7  # last week's, else the latest such day
        yield (now - timedelta(days=_DAYS[near[1]] if near[1] else since)).date()
    for match in (match for pattern in _NO_YEAR for match in pattern.finditer(text)):
        written = _YEAR_IN_ADDRESS.search(url[:2000])
        day = _date_of(written[1] if written else str(now.year), **match.groupdict())
        if day is not None and not written and day > now.date():  # a December page fetched in January
            day = _date_of(str(now.year - 1), **match.groupdict())
        if day is not None:
            yield day


def _date_of(y: str = "", m: str = "", d: str = "", era: str = "", short: str = "", week: str = "") -> date | None:
    year = int(y) if y else int(era) + ERA if era else int(short) + 2000
    try:
        return date.fromisocalendar(year, int(week), int(d)) if week else date(year, _MONTHS.get(m.lower()) or int(m), int(d))
    except ValueError:
        return None


@lru_cache(maxsize=4096)  # several witnesses read the same line
def plain_day(text: str) -> str:
    """Write the numerals of dates in digits and drop dates of the lunar calendar.

    >>> plain_day("發佈於二〇二四年（甲辰年）五月三日")
    '發佈於2024年5月3日'
    """
    return _LUNAR.sub("", _NUMERAL.sub(_arabic, unicodedata.normalize("NFKC", text)))


def _arabic(written: re.Match[str]) -> str:
    """Return a Chinese numeral in digits: its value if it holds 十 or 百, else digit by digit.

    >>> [_NUMERAL.sub(_arabic, text) for text in ("二〇二四年", "一百一十三年", "廿三日", "十月三十日", "两周前")]
    ['2024年', '113年', '23日', '10月30日', '2周前']
    """
    text = written[0].replace("廿", "二十").replace("卅", "三十")
    values = [_DIGITS[sign] for sign in text]
    if max(values) < 10:
        return "".join(map(str, values))
    total = ones = 0
    for value in values:
        total, ones = (total + (ones or 1) * 10 ** (value - 9), 0) if value >= 10 else (total, value)
    return str(total + ones)
