"""Near-duplicates: signatures, which two texts are one article, and the index in both databases."""

import random
import threading
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from corpus_tools import NewPlace
from hypothesis import given
from hypothesis import strategies as st
from wait_tools import HANGS

from topical_crawler.cleaning.characters import to_traditional
from topical_crawler.corpus import dedup
from topical_crawler.corpus.connections import open_engine
from topical_crawler.corpus.dedup import (
    BANDS,
    VERIFIED,
    Article,
    Twin,
    bands_of,
    digest,
    find,
    forget,
    letters,
    lock,
    remember,
    shingle_hashes,
)
from topical_crawler.corpus.record import Record, pages, tables
from topical_crawler.corpus.record import bands as bands_table

_WHO = ("党支部", "街道工委", "老干部局", "青年突击队", "驻村工作组", "机关党委", "社区居民", "离退休干部", "志愿者", "企业职工")
_DID = ("走访", "学习", "讨论", "整理", "宣传", "检查", "帮助", "评议", "总结", "参观")
_WHAT = ("困难家庭", "理论著作", "整改清单", "档案材料", "惠民政策", "安全设施", "春耕生产", "述职报告", "工作经验", "革命旧址")
_HOW = ("认真细致", "深入基层", "按照计划", "结合实际", "利用周末", "不辞辛苦", "面对面", "逐项逐条", "手拉手", "集中力量")
CITIES = ("北京", "上海", "广州", "成都", "武汉", "西安", "沈阳", "南京")
CITIES += ("昆明", "兰州", "长沙", "合肥", "济南", "福州", "贵阳", "南宁")


def similarity(a: str, b: str) -> float:
    return Article(a).similarity(Article(b))


def same_article(a: str, b: str, *, claimed: bool = False) -> float | None:
    return Article(a).same(Article(b), claimed=claimed)


def article(number: int, sentences: int = 40) -> str:
    """A text of its own, of 17 letters a sentence or so."""
    chance = random.Random(number)
    parts = (
        f"{chance.choice(_WHO)}{chance.choice(_HOW)}{chance.choice(_DID)}{chance.choice(_WHAT)}，"
        f"{chance.choice(_HOW)}{chance.choice(_DID)}{chance.choice(_WHAT)}。"
        for _ in range(sentences)
    )
    return "".join(parts)


def weather(day: int) -> str:
    chance = random.Random(day)
    lines = (f"{city}，{chance.choice('晴阴雨')}天，最高气温{chance.randrange(20, 36)}摄氏度。" for city in CITIES)
    return f"气象台七月{day}日发布预报：\n" + "".join(lines) + "请广大市民注意天气变化，合理安排出行，及时增减衣物。"


def notice(who: str, day: str, subject: str) -> str:
    return (
        f"关于召开{subject}专题学习会的通知\n各党支部：经研究，定于{day}在机关三楼会议室召开{subject}专题学习会，现将有关事项通知如下。"
        f"会议由{who}同志主持并作辅导报告，全体党员参加学习讨论，各支部书记结合实际交流体会。请参会人员提前十分钟入场，将手机调至静音状态，"
        f"认真做好记录；因故不能参加的，须向{who}同志请假，并在会后及时补课。各支部要高度重视，精心组织，确保学习取得实效，"
        "会后一周内将学习情况书面报送机关党委办公室。联系电话见内部通讯录。特此通知。"
    )


def test_a_signature_never_changes() -> None:
    # A corpus has them stored: other numbers here would make its index worthless.
    found = bands_of(article(1))
    assert len(found) == len(set(found)) == BANDS == 20
    assert found[:3] == (7159046786940476008, -6180922373350518230, 4228901057663618751)
    assert digest("主题教育") == 4624407228733290095
    assert shingle_hashes("主题教育").tolist() == [14521561474746852878]
    assert all(-(2**63) <= band < 2**63 for band in found)


def test_signature_of_letters_alone() -> None:
    text = article(2)
    assert bands_of(text) == bands_of(text.replace("，", ",\n").replace("。", "。\u3000")) != bands_of(article(3))
    assert bands_of(text[:60]) == bands_of("") == bands_of("…" * 500) == ()


def test_bands_in_common_are_as_many_as_the_similarity_says() -> None:
    chance = random.Random(1)
    texts = ["".join(map(chr, chance.choices(range(0x4E00, 0x9FA5), k=500))) for _ in range(60)]
    # Of a text and its first four fifths: 0.8 of the shingles, so 20 * 0.8 ** 4 = 8.2 bands on the average.
    shared = [len({*bands_of(text)} & {*bands_of(text[:400])}) for text in texts]
    assert 7.2 < sum(shared) / len(shared) < 9.2
    strange = [len({*bands_of(article(n))} & {*bands_of(article(n + 100))}) for n in range(40)]
    assert sum(strange) <= 2


def test_a_very_long_text_has_a_signature_too() -> None:
    whole = "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x9FA5), k=60_000)))
    assert len({*bands_of(whole)} & {*bands_of(whole[:57_000] + "末" * 100)}) > BANDS // 2


@given(st.text(), st.text())
def test_similarity_is_symmetric_and_a_share(a: str, b: str) -> None:
    assert 0 <= similarity(a, b) == similarity(b, a) <= 1
    assert similarity(a, a) == 1
    assert same_article(a, b) == same_article(b, a) or min(len(letters(a)), len(letters(b))) >= dedup.SHORTEST


@given(st.text(alphabet=st.characters(), max_size=40), st.text(alphabet=st.characters(), max_size=40), st.integers(0, 30))
def test_garbage_never_raises(a: str, b: str, times: int) -> None:
    one, other = a * times + b, b + a * times + a
    assert len(bands_of(one)) in (0, BANDS)
    for claimed in (False, True):
        found = same_article(one, other, claimed=claimed)
        assert found is None or 0 < found <= 1


@pytest.mark.parametrize(
    "other",
    [
        "来源：人民网 2024年5月6日 浏览：123次\n{}\n责任编辑：李明",
        "本报讯（记者 王红）{}",
        "{}\n上一篇：学习体会\n下一篇：工作动态",
        "{}全市干部群众反响热烈，纷纷表示要立足岗位作贡献。",
    ],
)
def test_a_reprint_is_the_same_article(other: str) -> None:
    for number, sentences in ((1, 20), (2, 60), (3, 300)):
        text = article(number, sentences)
        assert same_article(text, other.format(text)) is not None
        assert set(bands_of(text)) & set(bands_of(other.format(text)))


def test_a_text_in_the_other_script_is_the_same_article() -> None:
    text = article(3) + "他们走着看着，台上的著名演员说个不停。"
    for other in (to_traditional(text), to_traditional(text).replace("着", "著").replace("裏", "裡")):
        assert (same_article(text, "來源：青河日報\n" + other) or 0) > 0.95  # OpenCC errs in a word
        assert set(bands_of(text)) & set(bands_of(other))
    assert same_article(text, to_traditional(article(4))) is None


def test_sentences_that_are_gone_or_others_leave_an_article_the_same() -> None:
    sentences = article(4, 60).split("。")[:-1]
    edited = [*sentences[:20], "会议强调要狠抓落实久久为功", *sentences[24:40], *sentences[42:]]
    found = same_article("。".join(sentences), "。".join(edited))
    assert found is not None and 0.8 < found < 1


def test_the_same_form_filled_in_anew_is_another_article() -> None:
    assert similarity(weather(4), weather(5)) > 0.55
    longer = weather(4) + article(20, 30)
    assert similarity(longer, weather(5) + article(20, 30)) > 0.8
    assert same_article(longer, weather(5) + article(20, 30)) is None
    one = notice("张建国", "3月5日", "党纪学习教育")
    for other in (notice("李爱华", "3月5日", "党纪学习教育"), notice("张建国", "4月9日", "党纪学习教育")):
        assert similarity(one, other) > 0.85
        assert same_article(one, other) is None
        rules = article(20, 30)  # the same in both, so that little differs
        assert same_article(one + rules, other + rules) is None
        assert same_article(one, other, claimed=True) is None
    assert same_article(one, notice("张建国", "3月5日", "国家安全法")) is None


def test_a_number_that_was_corrected_in_a_long_article() -> None:
    text = article(6, 90) + "全年共发展党员1250名。" + article(7, 90)
    assert same_article(text, text.replace("1250", "1251")) is not None
    shorter = article(6, 30) + "全年共发展党员1250名。" + article(7, 30)
    assert same_article(shorter, shorter.replace("1250", "1251")) is None
    assert same_article(shorter, shorter.replace("发展", "吸收")) is not None


def test_the_same_name_in_another_s_place_again_and_again() -> None:
    text = "".join(f"{sentence}李局长到场。" for sentence in article(8, 40).split("。")[:-1])
    assert same_article(text, text.replace("李", "王")) is None


def test_a_table_of_numbers_without_words_in_between() -> None:
    chance = random.Random(3)
    one, other = ("".join(f"{city}{chance.randrange(100, 999)}元" for city in CITIES * 9) for _ in range(2))
    assert same_article(one, other) is None


def test_short_texts_are_the_same_only_by_every_letter() -> None:
    text = article(9, 4)
    assert len(letters(text)) < dedup.SHORTEST
    assert same_article(text, text.replace("，", " ")) == 1
    assert same_article(text, text + "完。") is None
    assert same_article(text, text + "完。", claimed=True) is not None


def test_a_page_that_says_itself_that_it_is_the_same_needs_less() -> None:
    text = article(10, 60)
    longer = text + article(11, 50)
    assert 0.5 < similarity(text, longer) < 0.6
    assert same_article(text, longer) is None
    assert same_article(text, longer, claimed=True) is not None
    assert same_article(text, article(12, 60), claimed=True) is None


@pytest.fixture
def connection(place: str) -> Iterator[sa.Connection]:
    """In a transaction that may write, in a database with the tables."""
    engine = open_engine(place, read_only=False, patience=5)
    writing = {"isolation_level": "READ COMMITTED", "postgresql_readonly": False} if "://" in place else {"transaction": "writes"}
    with engine.connect().execution_options(**writing) as connection, connection.begin():
        tables.create_all(connection)
        yield connection
    engine.dispose()


def store(connection: sa.Connection, number: int, text: str, *, keep: bool = True, **more: str) -> str:
    """Store a page with its bands; its key."""
    text_of = {"text": text} if keep else {"reason": "off topic"}
    record = Record(url=f"http://a.cn/{number}", host="a.cn", keep=keep, **text_of, **more)  # type: ignore[arg-type]
    values = {column.name: getattr(record, column.name) for column in pages.c if hasattr(record, column.name)}
    connection.execute(pages.insert(), values | {"id": number, "why": {}, "personal": {}, "text": text})
    remember(connection, number, bands_of(text))
    return record.key


def test_the_most_similar_page_is_found_and_of_equals_the_first(connection: sa.Connection) -> None:
    text = article(1, 60)
    for number in range(20, 40):
        store(connection, number, article(number))
    store(connection, 5, "来源：新华网\n" + text + article(2, 3))
    key = store(connection, 7, text + "完")
    store(connection, 8, text + "完")
    found = find(connection, text, bands_of(text), "")
    assert found is not None and (found.url, found.key, found.page_id) == ("http://a.cn/7", key, 7)
    assert 0.99 < found.similarity < 1
    assert find(connection, article(99), bands_of(article(99)), "") is None
    other = find(connection, text, bands_of(text), key)
    assert other is not None and other.page_id == 8
    assert find(connection, text, bands_of(text), "", before=7) == Twin(
        "http://a.cn/5",
        Record(url="http://a.cn/5", host="a.cn", keep=False, reason="-").key,
        5,
        similarity(text, text + article(2, 3)),
    )
    assert find(connection, text, bands_of(text), "", before=5) is None
    assert find(connection, text[:50], (), "") is None


def test_a_form_filled_in_many_times_is_not_taken_for_another(connection: sa.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(1, 101):
        store(connection, day, weather(day))
    compared = []
    same = Article.same
    monkeypatch.setattr(Article, "same", lambda self, other, **how: compared.append(other) or same(self, other, **how))
    assert find(connection, weather(101), bands_of(weather(101)), "") is None
    assert 0 < len(compared) <= VERIFIED
    found = find(connection, "来源：气象台\n" + weather(90), bands_of("来源：气象台\n" + weather(90)), "")
    assert found is not None and found.page_id == 90


def test_an_address_that_the_page_names_is_looked_at_too(connection: sa.Connection) -> None:
    text = article(1, 60)
    store(connection, 1, text)
    longer = text + article(2, 50)
    assert find(connection, longer, (), "") is None
    found = find(connection, longer, (), "", claimed=("http://b.cn/", "http://a.cn/1"))
    assert found is not None and found.page_id == 1
    strange = article(3, 60)
    assert find(connection, strange, bands_of(strange), "", claimed=("http://a.cn/1",)) is None


def test_what_is_forgotten_is_found_no_more(connection: sa.Connection) -> None:
    text, count = article(1), sa.select(sa.func.count()).select_from(bands_table)
    store(connection, 1, text)
    store(connection, 2, article(2))
    remember(connection, 1, bands_of(text))
    assert connection.scalar(count) == 2 * BANDS
    forget(connection, 1)
    forget(connection, 3)
    assert connection.scalar(count) == BANDS
    assert find(connection, text, bands_of(text), "") is None
    assert find(connection, article(2), bands_of(article(2)), "") is not None


def test_who_stores_a_text_that_shares_a_band_waits(new_place: NewPlace) -> None:
    place = new_place("postgresql")
    engine = open_engine(place, read_only=False, patience=HANGS)
    one, other, third = (
        engine.connect().execution_options(isolation_level="READ COMMITTED", postgresql_readonly=False) for _ in range(3)
    )
    first, second = bands_of(article(1, 60)), bands_of(article(1, 60) + article(2, 5))
    assert set(first) & set(second) and not set(first) & set(bands_of(article(3)))
    done = threading.Event()

    def wait() -> None:
        with other.begin():
            lock(other, second)
            done.set()

    with one, other, third:
        with one.begin():
            lock(one, first)
            held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
            assert one.scalar(sa.text(held)) == BANDS
            waiting = threading.Thread(target=wait)
            waiting.start()
            with third.begin():
                lock(third, bands_of(article(3)))
                lock(third, ())
            assert not done.wait(0.3)
        assert done.wait(HANGS)
        waiting.join()
    engine.dispose()
