"""Days: every way in which a line gives one, and what names none."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.extraction.days import _KINDS, EARLIEST, in_address, in_text, plain_day, read_table

FETCHED = "2024-03-05T02:00:00+00:00"


SPELLINGS = [
    # any page
    ("2024-03-01", "2024年3月1日", "2024-03-01 08:30 来源：党建网", "发布时间：2024/3/1", "2024.03.01",
      "2024-03-0108:30来源：党建网", "2024 03/01 08:30", "March 1, 2024", "1 Mar 2024", "3/1/2024 9:23:57 PM",
      "二〇二四年三月一日", "3月1日 08:30"),
    ("2024-02-10", "Saturday, February 10th, 2024 10:56 am"),
    ("", "© 2008-2024 党建网", "2024年13月1日", "2024年2月30日", "2025年1月1日", "1949年10月1日", "今天是2024年3月5日",
      "没有日期", "最新推荐文章于 2024-03-01 08:30 发布", "来源：今日头条", "今日要闻", "分享到今日头条", "昨天的会议"),
    ("2023-12-31", "二○二三年十二月三十一日", "12月31日 08:30"),
    ("2024-03-04", "昨天 08:30", "11小时前", "发布于昨天"),
    ("2024-03-05", "今天 08:30", "3小时前"),
    ("2024-02-29", "5天前"),
    # the mainland
    ("2021-09-08", "2021 年 9 月 8 日", "２０２１年９月８日", "２０２１－０９－０８　１０：２０", "2021年9月8号", "2021—09—08",
      "2021·09·08", "2021 . 09 . 08", "2021_09_08", "【2021-09-08】", "2021年9月8日星期三", "二零二一年九月八日",
      "贰零贰壹年玖月捌日", "公元2021年9月8日（农历辛丑年八月初二）", "辛丑年八月初二　2021年9月8日", "2021年（辛丑年）9月8日",
      "21年9月8日", "21-09-08 10:20", "发布时间：20210908", "发布时间：20210908102030", "08 2021-09", "08/2021.09",
      "9月8日 2021年", "九月 8, 2021", "8 9 月, 2021"),
    ("2021-09-28", "二Ｏ二一年九月廿八日"),
    ("", "农历辛丑年八月初二", "编号：20210908", "2021年第9期", "2021年9月", "1950年 9月8日"),
    ("2023-09-08", "九月八日 10:20"),
    # Taiwan
    ("2021-09-08", "民國110年9月8日", "民國 110 年 09 月 08 日", "中華民國一百一十年九月八日", "中華民國一一〇年九月八日",
      "民國110年（西元2021年）9月8日", "西元2021年（民國110年）9月8日", "110年9月8日", "發布日期：110/09/08",
      "更新日期：110-09-08　點閱數：34", "發佈於二〇二一年九月八日", "2021/09/08 (三) 10:20", "2021年9月8日（週三）上午10:20"),
    ("2010-09-08", "民國九十九年九月八日"),
    ("", "版本 110.09.08", "電話：110-09-08"),
    # Hong Kong
    ("2021-09-08", "08/09/2021 10:20", "上載日期：8-9-2021", "最後更新：08.09.2021", "9/8/2021 10:20:30 AM", "8 Sept 2021"),
    ("2021-09-28", "刊登日期：28/9/2021", "9/28/2021"),
    ("2024-03-04", "尋日 10:20"),
    # counted from the fetch, on Tuesday, 5 March 2024
    ("2024-02-20", "2周前", "兩週前", "两个星期前"),
    ("2024-03-02", "三天前", "3 日前", "大前天"),
    ("2024-02-22", "十二天前"),
    ("2024-02-05", "1个月前"),
    ("2023-12-05", "3 個月前"),
    ("2024-03-05", "半小时前", "20秒前", "剛剛"),
    ("2024-03-04", "十一小時前", "昨晚 22:10"),
    ("", "2年前", "5月3日前", "周五见"),
    ("2024-03-01", "上周五 10:20"),
    ("2024-03-03", "發表於 星期日 10:20"),
    # machines
    ("2021-09-08", "2021-09-08-10:20:30", "2021-09-08 10:20:30.0", "20210908T102030Z", "2021-W36-3", "2021W363",
      "Wed, 08 Sep 2021 10:20:30 +0800", "Wed Sep  8 10:20:30 2021", "Wed Sep 08 10:20:30 CST 2021",
      "发布时间：Wed Sep 08 10:20:30 GMT+08:00 2021", "Wed Sep 08 2021 10:20:30 GMT+0800 (中国标准时间)",
      "Wednesday, 08-Sep-2021 10:20:30 CST", "2021-Sep-08"),
    # elsewhere
    ("2021-09-08", "8. September 2021", "8 de septiembre de 2021"),
    ("2021-08-08", "le 8 août 2021"),
]  # fmt: skip
"""Days, "" for none, and lines that give them, fetched on Tuesday, 5 March 2024."""


@pytest.mark.parametrize(("line", "day"), [(line, day) for day, *lines in SPELLINGS for line in lines])
def test_days_as_pages_write_them(line: str, day: str) -> None:
    assert in_text(line, "http://a.cn/x.html", FETCHED) == day


def test_every_pattern_reads_its_example() -> None:
    kinds: dict[str, list[str]] = {}
    for kind, example, _ in read_table("days.tsv"):
        kinds.setdefault(kind, []).append(example)
    assert set(kinds) == {*_KINDS, "part"}
    for kind, patterns in _KINDS.items():
        for example, pattern in zip(kinds[kind], patterns, strict=True):
            line = example if kind == "lunar" else plain_day(example)
            assert pattern.search(line.replace("（", "(").replace("）", ")")), example
            assert "year" not in kind or "address" in kind or in_text(example, "", "2024-12-01T02:00:00+00:00"), example


def test_every_pattern_of_a_line_fits_its_example() -> None:
    for name, example, pattern in read_table("lines.tsv"):
        assert re.search(pattern, example), name


@given(st.dates(date(EARLIEST, 1, 1), date(2099, 12, 31)), st.dates(date(2000, 1, 1), date(2060, 1, 1)))
def test_no_date_is_after_the_page_was_fetched(day: date, fetched: date) -> None:
    moment = f"{fetched.isoformat()}T03:00:00+00:00"
    for written in (f"{day.year}年{day.month}月{day.day}日", day.isoformat()):
        assert in_text(written, "", moment) == (day.isoformat() if day <= fetched else "")
    assert in_address(f"http://a.cn/t{day:%Y%m%d}_1.html", moment) == (day.isoformat() if day <= fetched else "")


@given(st.text(max_size=80), st.text(max_size=30))
def test_no_line_raises(line: str, fetched: str) -> None:
    found = in_text(line, line, fetched)
    assert not found or date.fromisoformat(found)
