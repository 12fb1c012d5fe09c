"""Which lines of a host's pages are the site's, by counting."""

from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.cleaning.boilerplate import NEW_LINES, PERIOD, Cleaner, Learned, LineCounts, digest

SLOGAN = "跟着某某党建网，学习永远在路上！"
FOOT = "某某党建网竭诚为您服务"
INSIDE = "扫一扫进入专题学习园地"


def body(n: int) -> list[str]:
    return [
        f"第{n}支部组织党员到社区{'开展志愿服务' if n % 2 else '走访群众'}，收到意见{n * 3}条，做法有不同，{chr(0x4E00 + n)}。",
        "小结",
        f"大家表示，{chr(0x5000 + n)}字当头，要把学到的东西用到工作里去，让群众看得见变化，感受得到温度。",
    ]  # fmt: skip


def page(n: int, inside: str = "") -> str:
    middle = body(n)
    return "\n".join([SLOGAN, *middle[:1], *([inside] if inside else []), *middle[1:], FOOT])


def learned(pages: int, **more: str) -> Learned:
    counts = LineCounts()
    for n in range(pages):
        counts.add(page(n, **more))
    return counts.learned()


def test_head_and_tail_go_and_what_the_author_repeats_stays() -> None:
    found = Cleaner().clean(page(50), learned=learned(20))
    assert found.text == "\n".join(body(50))
    assert found.removed == (SLOGAN, FOOT)


def test_a_line_within_goes_from_most_pages_on() -> None:
    assert INSIDE not in Cleaner().clean(page(50, INSIDE), learned=learned(20, inside=INSIDE)).text
    counts = LineCounts()
    for n in range(20):
        counts.add(page(n, INSIDE if n % 2 else ""))
    assert INSIDE in Cleaner().clean(page(50, INSIDE), learned=counts.learned()).text


def test_sentences_and_headings_within_stay_on_however_many_pages() -> None:
    for line in ("本台消息，记者从有关部门获悉。", "参考文献", "一、学习情况", "[1] 深入学习读本"):
        assert line in Cleaner().clean(page(50, line), learned=learned(30, inside=line)).text


def test_of_a_few_pages_nothing_is_learned() -> None:
    assert SLOGAN in Cleaner().clean(page(50), learned=learned(4)).text
    assert SLOGAN not in Cleaner().clean(page(50), learned=learned(5)).text


def test_a_line_on_few_of_many_pages_stays() -> None:
    counts = LineCounts()
    for n in range(40):
        counts.add(page(n) if n < 8 else "\n".join(body(n)))
    assert SLOGAN in Cleaner().clean(page(50), learned=counts.learned()).text


def test_numbers_and_widths_do_not_matter() -> None:
    assert digest("阅读（１２３） 次") == digest("阅读(4)次") != digest("阅读次")


@given(st.lists(st.sampled_from([SLOGAN, FOOT, INSIDE, "小结", "", *body(1), *body(2)]), max_size=12))
def test_cleaning_twice_changes_nothing(lines: list[str]) -> None:
    known = learned(20, inside=INSIDE)
    once = Cleaner().clean("\n".join(lines), learned=known)
    assert once.reason or Cleaner().clean(once.text, learned=known).text == once.text


def test_the_number_of_lines_is_bounded() -> None:
    counts = LineCounts()
    for n in range(3 * PERIOD):
        counts.add("\n".join(f"栏目{chr(0x4E00 + n)}{chr(0x4E00 + k)}" for k in range(60)) + f"\n{FOOT}")
        assert len(counts.pages) <= NEW_LINES * PERIOD + 1
    assert counts.pages[digest(FOOT)] == 3 * PERIOD
    assert counts.learned().at_edge(FOOT)


def test_a_late_line_is_learned_after_all() -> None:
    counts = LineCounts()
    for n in range(PERIOD + 150):
        counts.add(page(n % 1000) if n >= PERIOD else "\n".join(body(n % 1000)))
    assert counts.learned().at_edge(SLOGAN)


def test_a_long_notice_with_the_address_of_its_page_is_the_sites() -> None:
    notice = (
        "本文采用知识共享署名许可协议，"
        + "转载时须保留作者姓名与出处，不得用于商业目的，" * 7
        + "原文见 https://a.cn/post-{}.html 谢谢"
    )
    assert 120 < len(notice) < 300
    counts = LineCounts()
    for n in range(20):
        counts.add("\n".join([*body(n), notice.format(chr(0x61 + n))]))
    cleaned = Cleaner().clean("\n".join([*body(30), notice.format("z")]), learned=counts.learned())
    assert cleaned.text == "\n".join(body(30)) and cleaned.removed == (notice.format("z"),)
