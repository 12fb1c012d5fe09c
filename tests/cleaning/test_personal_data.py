"""Personal data: found by form and check digit, and nothing else."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.cleaning.personal import MASKS, find, mask


def identity(first17: str) -> str:
    """With its check digit, worked out another way than in the program: the whole is 1 modulo 11 (ISO 7064)."""
    total = sum(int(digit) * 2 ** (17 - place) for place, digit in enumerate(first17))
    check = (1 - total) % 11
    return first17 + ("X" if check == 10 else str(check))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("电话13800138000。", "电话[电话]。"),
        ("手机：138-0013-8000、+86 13900139001、(+86)15900159002", "手机：[电话]、[电话]、[电话]"),
        ("座机010-62345678，0571-87654321转8001", "座机[电话]，[电话]"),
        ("（0571）87654321或(010) 62345678", "[电话]或[电话]"),
        ("咨询电话：83326533", "咨询电话：[电话]"),
        ("发到 zhang.san+1@mail.example.com.cn 即可", "发到 [邮箱] 即可"),
        ("邮箱13800138000@139.com", "邮箱[邮箱]"),
        (f"身份证{identity('11010519491231002')}", "身份证[身份证号]"),
        ("身份证号码：110105491231002", "身份证号码：[身份证号]"),
        ("银行卡号：6222 0200 0000 0000 003", "银行卡号：6222 0200 0000 0000 003"),
        ("账号 4111111111111111", "账号 [卡号]"),
    ],
)
def test_personal_data_is_masked(text: str, masked: str) -> None:
    assert mask(text)[0] == masked
    assert sum(find(text).values()) == sum(masked.count(word) for word in MASKS.values())


@pytest.mark.parametrize(
    "text",
    [
        "2024-12-31 08:30:00，2024年1月1日至2025年12月31日",
        "ISBN 978-7-302-51461-9，ISBN 9787302514619，DOI 10.1000/13800138000",
        "投资13800138000.50元，共1380013800000元，13,800,138,000元",
        "版本 1.3.8.0013，构建号 v13800138000，commit 13800138000abcdef",
        "国发〔2021〕13号，京ICP备13800138号，文号010-2024-001",
        "网址 http://www.example.cn/13800138000.html?id=13800138000",
        "数据 0.13800138000，-13800138000e5，x=13800138000",
        "身份证110105194912310021",  # wrong check digit
        "编号110105194913310020",  # no such month
        "订单号4111111111111111",  # by no card's name
        "卡号4111111111111112",  # wrong check digit
        "电话13800000000和13000000000（示例）",
        "图标 icon@2x.png，git@github.com，@用户 a@b",
        "邮编100871，区号0571，股票代码600519，2010-2011赛季，全长62345678米",
        "服务器 127.0.0.1 和 192.168.100.254",
    ],
)
def test_other_numbers_are_left_alone(text: str) -> None:
    assert mask(text) == (text, {})


@given(st.dates(date(1900, 1, 1), date(2020, 12, 31)), st.integers(0, 999), st.sampled_from(("11", "44", "65", "82")))
def test_every_identity_number_is_found_and_no_other_check_digit(born: date, n: int, province: str) -> None:
    number = identity(f"{province}0101{born:%Y%m%d}{n:03d}")
    assert find(f"证件{number}号") == {"id": 1}
    wrong = "0" if number[17] != "0" else "1"
    assert find(f"证件{number[:17]}{wrong}号") == {}


@given(st.text(alphabet="0123456789-() @.a电话卡号身份证+", max_size=80))
def test_a_mask_stands_for_each_find_and_all_else_stays(text: str) -> None:
    masked, counts = mask(text)
    assert {kind: masked.count(MASKS[kind]) for kind in counts} == counts
    rest = iter(text)
    assert all(character in rest for part in masked.split("[") for character in part.rpartition("]")[2])


@pytest.mark.parametrize("unit", ["1", "1-", "138 ", "a@", "a.", "卡号1 ", "+86", "0571-8", "电话", "(0"])
def test_no_text_takes_long(unit: str) -> None:
    begun = time.process_time()
    find(unit * 20_000)
    assert time.process_time() - begun < 2


def test_the_news_holds_none(news: list[str]) -> None:
    assert [text for text in news if find(text)] == []
