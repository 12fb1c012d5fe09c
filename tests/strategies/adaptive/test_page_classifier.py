"""The judge of pages: by the topic's terms at first, then by the words of the pages that hold most of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.strategies.adaptive.link_model import digest
from topical_crawler.strategies.adaptive.memory import CAPACITY, LINK_WORDS, PAGE_TERMS, PAGE_WORDS, PART_UNIT, Memory, PageWords
from topical_crawler.strategies.adaptive.page_classifier import PageClassifier, _most_probable, evidence
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import MarkedText
from topical_crawler.web.page import Page

TERMS = {"党建": 2.0, "支部": 1.0, "主题教育": 1.5, "党员": 1.0}
SEGMENTER = Segmenter(TERMS, backend="rjieba")
NEAR = ("誓词", "书记", "换届", "先锋", "党性", "廉洁")
"""Words that are no terms, and stand where terms are."""
FAR = ("球队", "比赛", "主场", "榜首", "教练", "球员")
ELSEWHERE = ("天气", "多云", "降雨", "台风", "气温", "湿度")
ODD_PAGES = (
    Page(""),
    Page("http://a.cn/", title=" \n"),
    Page("http://a.cn/", title="\0\ufffd\U0001f600﷽"),
    Page("http://a.cn/", title="党建" * 50_000),
    Page("http://a.cn/", title=" ".join(f"word{n}x" for n in range(5_000))),
    Page("http://a.cn/", html="<p>" * 5_000 + "党建", labels=("", "党建" * 100, "，")),
    Page.from_html("http://a.cn/", "</html><title>党<a href=x><h1>"),
)


def judge(**more: object) -> PageClassifier:
    return PageClassifier(TERMS, SEGMENTER, **more)  # type: ignore[arg-type]


def page(*words: str, labels: Sequence[str] = ()) -> Page:
    return Page("http://a.cn/1.html", title=" ".join(words), labels=tuple(labels))


def read(of: PageClassifier, *words: str) -> PageWords:
    return of.read(page(*words), article=True)[0]


def probability(of: PageClassifier, *words: str) -> float:
    return of.probability(read(of, *words))


def teach(of: PageClassifier, pages: Iterable[Page], article: bool = True) -> Memory:
    """As a crawl does."""
    memory = Memory()
    for n, one in enumerate(pages):
        known = of.read(one, article)[0]
        memory.add(n + 1, known, None, of.probability(known))
        of.note(known)
    of.refit(memory)
    return memory


def own(n: int) -> str:
    """A word of one page."""
    return f"word{chr(97 + n // 26)}{chr(97 + n % 26)}"


def learn(of: PageClassifier, pages: Iterable[Iterable[str]], article: bool = True) -> Memory:
    """Titles of these words; no page is like another."""
    return teach(of, (page(*words, own(n)) for n, words in enumerate(pages)), article)


def with_labels(on: Sequence[str], off: Sequence[str]) -> list[Page]:
    """:func:`pages`, with a label of their own, and those on topic with others than the rest."""
    return [page(*w, own(n), labels=(*(on if set(w) & set(TERMS) else off), own(n))) for n, w in enumerate(pages())]


def pages(each: int = 15) -> list[list[str]]:
    """Pages on topic, on sports, and on the weather, with some words of their field each."""
    draw = random.Random(1)
    fields = ([*TERMS, *NEAR], FAR, ELSEWHERE)
    return [draw.sample(fields[n % 3], 7 if n % 3 == 0 else 4) for n in range(3 * each)]


@pytest.fixture(scope="module")
def taught() -> PageClassifier:
    found = judge()
    learn(found, pages())
    return found


_WORDS = st.lists(st.sampled_from((*TERMS, *NEAR, *FAR)), max_size=12)


@given(_WORDS, st.lists(st.sampled_from((*TERMS, *FAR)), max_size=6), st.sampled_from(list(TERMS)))
def test_a_further_term_in_the_title_never_speaks_against_a_page(title: list[str], body: list[str], term: str) -> None:
    untaught = judge()

    def of(words: list[str]) -> float:
        html = f"<title>{' '.join(words)}</title><p>{' '.join(body)}</p>"
        return untaught.probability(untaught.read(Page.from_html("http://a.cn/1", html), article=True)[0])

    assert of([*title, term]) >= of(title)
    if term not in title:
        assert of([*title, term]) > of(title)


def test_more_and_heavier_terms_say_more() -> None:
    untaught = judge()
    assert probability(untaught, *TERMS, *NEAR) > 0.5 > probability(untaught, *FAR)
    assert probability(untaught, "党建", "支部") > probability(untaught, "党建") > probability(untaught, *FAR)
    assert probability(untaught, "党建", *FAR) > probability(untaught, "支部", *FAR)


def test_the_terms_are_told_with_their_parts() -> None:
    words, said = judge().read(page("党建", "支部", "球队"), article=False)
    assert set(said) == {"党建", "支部"} and said["党建"] > said["支部"] > 0
    assert len(words.terms) == len(words.parts) == 2 and words.parts.tolist() == [2.25 * PART_UNIT] * 2 and not words.is_article
    assert set(judge().read(page("共产党员"), article=True)[1]) == {"党员"}  # within a longer word


def test_terms_of_words() -> None:
    of = judge()
    assert 0.0 < of.terms_of(["支部"]) < of.terms_of(["党建"]) < of.terms_of(["主题教育"])  # 党建 is a word that many texts hold
    assert of.terms_of(TERMS) == pytest.approx(len(TERMS))
    assert of.terms_of(["支部", "党建", "支部", "球队"]) == pytest.approx(of.terms_of(["支部"]) + of.terms_of(["党建"]))
    assert of.terms_of(["党支部", "支部"]) == of.terms_of(["支部"])  # an anchor's words may be longer than the term
    assert of.terms_of([]) == of.terms_of(["球队"]) == 0.0


def test_a_label_is_known_as_a_whole() -> None:
    """What a site files under one heading belongs together, whatever single words of the heading say elsewhere."""
    of, filed = judge(), (("先锋 主场",), ("先锋 天气", "换届 主场"))
    teach(of, with_labels(*filed))
    on, off = (of.probability(of.read(page("更多", labels=labels), article=True)[0]) for labels in filed)
    assert on > off + 0.1


def test_a_few_pages_teach_words_that_stand_beside_the_terms(taught: PageClassifier) -> None:
    of = judge()
    assert probability(of, *NEAR) == probability(of, *FAR)  # no term in either
    learn(of, pages(12))
    assert probability(of, *NEAR) > probability(of, *FAR) + 0.1
    assert probability(of, *NEAR[:2], *FAR) > probability(of, *FAR)
    assert probability(taught, *NEAR) > 2 * probability(taught, *ELSEWHERE)
    assert probability(taught, *TERMS, *NEAR) > 0.5 > probability(taught, *ELSEWHERE)
    assert probability(taught, "支部", *NEAR) > probability(taught, "支部", *FAR)  # among other words


def test_lists_of_links_and_pages_that_did_not_come_teach_no_words() -> None:
    of = judge()
    learn(of, pages(), article=False)
    assert probability(of, *NEAR) == probability(judge(), *NEAR)
    memory = Memory()
    for n in range(50):
        memory.add(n + 1, None, None, 0.0)
    of.refit(memory)
    assert probability(of, *NEAR) == probability(judge(), *NEAR)


def test_articles_that_all_hold_a_term_can_be_told_apart() -> None:
    """The crawl that follows one term alone meets hardly any page without it."""
    first, *_ = TERMS
    # They hold more than a quarter and less than half of what an example holds.
    some = [[first, *words, "更多"] for words in pages() if not set(words) & set(TERMS)]
    of = judge()
    learn(of, [*(words for words in pages() if set(words) & set(TERMS)), *some])
    assert probability(of, *NEAR) > probability(judge(), *NEAR) + 0.05
    assert probability(of, first, *NEAR) > probability(of, first, *FAR) + 0.1


def test_a_crawl_that_found_nothing_does_not_take_it_for_the_topic() -> None:
    of = judge()
    learn(of, [words for n, words in enumerate(pages()) if n % 3])
    assert probability(of, *FAR) < 0.5 and probability(of, *ELSEWHERE) < 0.5


def test_of_few_examples_other_pages_are_on_topic_too() -> None:
    """Each example is like itself, which says nothing about pages that are not among the examples."""
    draw = random.Random(7)

    def several(page: int) -> list[str]:
        return [f"{own(page)}{chr(97 + n)}" for n in range(12)]

    examples = [[*draw.sample(list(TERMS), 3), *draw.sample(NEAR, 3), *several(n)] for n in range(6)]
    others = [[*draw.sample(FAR if n % 2 else ELSEWHERE, 5), *several(50 + n)] for n in range(90)]
    of = judge()
    learn(of, [*examples, *others])
    assert probability(of, "党员", *NEAR[:3], *several(200)) > 0.2
    assert probability(of, *FAR[:4], *several(200)) < 0.1


def test_a_large_class_teaches_by_all_that_is_sure_and_a_small_one_by_no_more() -> None:
    """Among the texts with most terms some are on something else; they are many where the class is small."""
    draw = random.Random(3)
    mixed = [["主题教育", "党员", *draw.sample(FAR, 4)] for _ in range(30)]
    for number in (12, 150):
        on_topic = [[*draw.sample(list(TERMS), 3), *draw.sample(NEAR, 4)] for _ in range(number)]
        off_topic = [draw.sample(FAR if n % 2 else ELSEWHERE, 5) for n in range(200)]
        memory = learn(judge(), [*on_topic, *mixed, *off_topic])
        examples = np.flatnonzero(memory.example[: len(memory)])
        assert number * 0.8 <= (examples < number).sum()
        assert (examples >= number).sum() <= 3


def test_a_long_crawl_off_topic_does_not_make_its_pages_likely() -> None:
    """What a page is measured against is the whole crawl, and not its end, which may be on other sites."""
    of = judge()
    late = [["网页", "首页", "更多", f"栏目{n}"] for n in range(1200)]
    learn(of, [*pages(40), *late])
    before = judge()
    learn(before, pages(40))
    assert probability(of, *FAR[:4]) < 0.2 and probability(before, *FAR[:4]) < 0.2
    assert probability(of, *TERMS, *NEAR[:2]) > 0.5


def test_what_the_topic_is_is_not_forgotten_in_a_long_crawl() -> None:
    """What comes late holds a term now and then: the best that it is must not become the topic."""
    of = judge()
    memory = learn(of, pages(80))
    for n in range(CAPACITY):
        late = ["主题教育", *FAR[:3]] if n % 4 == 0 else ELSEWHERE[:3]
        words = read(of, *late, f"own{chr(97 + n % 26)}")
        memory.add(1000 + n, words, None, 0.0)
        of.note(words)
        if n % 500 == 0:
            of.refit(memory)
    of.refit(memory)
    assert probability(of, *TERMS, *NEAR[:2]) > 0.5
    assert probability(of, "主题教育", *FAR[:3]) < 0.5


def likeness(of: PageClassifier, *texts: str) -> list[float]:
    says = b"".join(of.word_ids(SEGMENTER.cut(text)) for text in texts)
    return [float(x) for x in of.likeness(np.frombuffer(says, dtype="<u2").reshape(len(texts), -1))]


def test_short_texts_are_likened_to_articles_by_their_words(taught: PageClassifier) -> None:
    near, terms, far, neither, nothing = likeness(taught, " ".join(NEAR[:2]), "党建", " ".join(FAR[:2]), "早餐", "，!")
    assert near > 1.2 and terms > 1.2 and 0 <= far < 0.9
    assert neither == nothing == 1
    assert far < likeness(taught, f"{NEAR[0]} {FAR[0]}")[0] < near
    assert likeness(judge(), NEAR[0], FAR[0]) == [1, 1]  # nothing learned
    long = " ".join([*FAR, *ELSEWHERE, *(f"word{chr(97 + n)}" for n in range(9)), *NEAR])
    assert len(taught.word_ids(SEGMENTER.cut(long))) == len(taught.word_ids([])) == 2 * LINK_WORDS
    assert likeness(taught, long) == likeness(taught, long.removesuffix(" ".join(NEAR)))


def test_texts_that_a_person_marked_pull() -> None:
    def told(on: str, off: str) -> PageClassifier:
        kinds = [("relevant", on), ("irrelevant", off)]
        of = judge(marked=[MarkedText(f"http://m.cn/{mark}/{n}", "", text, mark) for mark, text in kinds for n in range(5)])
        learn(of, pages())
        return of

    plain, weather, sports = judge(), told(" ".join(ELSEWHERE), " ".join(FAR)), told(" ".join(FAR), " ".join(ELSEWHERE))
    learn(plain, pages())
    assert probability(weather, *ELSEWHERE) > probability(plain, *ELSEWHERE) + 0.05
    assert probability(sports, *FAR) > probability(plain, *FAR) + 0.05
    assert probability(weather, *ELSEWHERE) > probability(weather, *FAR)


def test_marks_move_what_is_like_them_and_hardly_anything_else() -> None:
    """A mark weighs most where it is a surprise; as a text of its own it tells the same as the page that was fetched."""
    plain = judge()
    memory = learn(plain, pages())
    alike, other, near = ["誓词", *ELSEWHERE[:3]], ["党建", *FAR[:2]], [*TERMS, *NEAR]
    before = [probability(plain, *words) for words in (alike, other, near)]
    marks = [MarkedText(f"http://m.cn/{n}", " ".join(draw), "", "relevant") for n, draw in enumerate([alike] * 3)]
    elsewhere = judge(marked=marks)
    learn(elsewhere, pages())
    after = [probability(elsewhere, *words) for words in (alike, other, near)]
    assert after[0] > max(0.8, before[0] + 0.3) and after[2] > 0.8
    assert abs(after[1] - before[1]) < after[0] - before[0]

    for mark in marks:
        memory.add(digest(mark.url), words := read(plain, *alike), None, 0.0)
        plain.note(words)
    plain.mark(marks)
    plain.refit(memory)
    assert probability(plain, *alike) == pytest.approx(after[0], abs=0.1)
    assert [plain.probabilities(memory)[row] for row in range(len(memory) - 3, len(memory))] == [1, 1, 1]


def test_a_page_marked_as_off_topic_is_no_example() -> None:
    of = judge()
    memory = learn(of, pages())
    first = int(np.flatnonzero(memory.example[: len(memory)])[0])
    url = "http://m.cn/off"
    memory.pages[first] = digest(url)
    memory.load_state_dict(memory.state_dict())
    of.mark([MarkedText(url, "党建", "", "irrelevant")])
    of.refit(memory)
    assert not memory.example[first] and memory.example.sum() > 0
    assert of.probabilities(memory)[first] == 0


def test_examples_that_are_like_pages_marked_as_off_topic_are_given_up() -> None:
    draw = random.Random(2)
    sports = [[*TERMS, *draw.sample(FAR, 4)] for _ in range(8)]
    marks = [MarkedText(f"http://m.cn/{n}", " ".join([*TERMS, *draw.sample(FAR, 4)]), "", "irrelevant") for n in range(4)]
    plain, told = judge(), judge(marked=marks)
    examples = [learn(of, [*pages(30), *sports]).example[90:98].sum() for of in (plain, told)]
    assert examples == [8, 0]
    assert probability(told, *sports[0]) < 0.3 < probability(plain, *sports[0])


@given(st.lists(st.tuples(st.floats(-9, 9), st.booleans()), min_size=1, max_size=12), st.floats(0.01, 100), st.integers(0, 99))
def test_the_most_probable_log_odds_are_where_the_slope_is_zero(
    told: list[tuple[float, bool]], variance: float, seed: int
) -> None:
    prior, on = np.array([odds for odds, _ in told]), np.array([float(mark) for _, mark in told])
    vectors = np.random.default_rng(seed).normal(size=(len(told), 4))
    covariance = variance * vectors @ vectors.T
    pulls = _most_probable(covariance, prior, on)
    likely = 1 / (1 + np.exp(-prior - covariance @ pulls))
    assert covariance @ pulls == pytest.approx(covariance @ (on - likely), abs=1e-3 * (1 + variance))


@pytest.mark.parametrize("even", [0.0, 0.5])
def test_all_pages_are_judged_as_each_alone(even: float) -> None:
    of = judge(even=even)
    memory = learn(of, pages())
    known = [memory.page_words(row) for row in range(len(memory))]
    for judging in (of, judge(even=even)):
        assert judging.probabilities(memory) == pytest.approx([judging.probability(words) for words in known], abs=1e-6)


def test_eq_3_counts_beside_terms_and_words() -> None:
    """It is a mean over a page's words: two light terms among forty other words tell less than heavy ones alone."""
    dense, sparse = ("党建", "主题教育", *NEAR[:2]), ("支部", "党员", *NEAR, *FAR, *ELSEWHERE, *(f"{w}日" for w in NEAR))
    for learned in (False, True):
        plain, paper = judge(), judge(even=0.5)
        if learned:
            learn(plain, pages())
            learn(paper, pages())
        assert read(plain, *dense).odds == 0
        assert probability(paper, *dense) > probability(plain, *dense)
        assert probability(paper, *sparse) < probability(plain, *sparse)


@pytest.mark.parametrize(("terms", "others"), [(("党建",), 0), (("党建", "支部"), 3), ((), 4)])
def test_eq_3_is_the_mean_of_squared_weights(terms: tuple[str, ...], others: int) -> None:
    """Of a page without HTML the description is the text, too."""
    words = (*terms, *FAR[:others])
    eq3 = sum(TERMS[term] ** 2 for term in terms) / len(words)
    assert read(judge(even=0.5), *words).odds == pytest.approx(2 * evidence(eq3, 0.5))
    assert evidence(0.5, 0.5) == 0.0


def test_a_term_that_is_on_every_article_of_the_crawl_hardly_counts() -> None:
    """On a web of laws 法规 is on every page, whatever it is about."""
    terms = {"法规": 1.0, "航运": 1.0}
    segmenter = Segmenter(terms, backend="rjieba")
    of = PageClassifier(terms, segmenter)

    def shares() -> tuple[float, float]:
        said = of.read(page("法规", "航运"), article=True)[1]
        return said["法规"] / sum(said.values()), sum(said.values())

    before, _ = shares()
    learn(of, [["法规", *(["航运", "船舶"] if n % 9 == 0 else [*FAR[:3]])] for n in range(90)])
    assert shares()[0] < before / 2
    learn(of, [["法规", "航运", *FAR[:3]]] * 90)  # a crawl that is on topic throughout
    after, whole = shares()
    assert after == pytest.approx(before, rel=0.01)
    assert whole > 4  # two heavy terms in a title, each worth 2 and more


def test_a_term_that_is_in_every_text_still_tells_in_a_title() -> None:
    """On a web of laws every text says who pays, so 财政 is in all of them, and in the titles of those about it."""
    terms = {"财政": 1.0, "审计": 1.0}
    of = PageClassifier(terms, Segmenter(terms, backend="rjieba"))

    def law(title: str) -> Page:
        head = f"<title>{title}</title><meta name=description content={title}>"
        return Page.from_html("http://a.cn/1.html", f"{head}<p>{'经费由财政保障，财政部门负责。' * 3}")

    def said(page: Page) -> float:
        return sum(of.read(page, article=True)[1].values())

    about, other = law("财政监督条例"), law("渔业港口条例")
    before = said(about) / said(other)
    teach(of, [about if n % 9 == 0 else other for n in range(90)])
    assert said(about) / said(other) > 2 * before
    assert said(about) - said(other) > 1.9  # a title alone is an example


def test_a_term_that_no_article_holds_takes_no_weight_from_the_others() -> None:
    """渗透测试 and 逆向工程 are rare words, so they weigh much; on a web that never says them, 漏洞 must still find its pages."""
    terms = {"漏洞": 1.0}
    absent = {"渗透测试": 1.0, "逆向工程": 1.0, "网安": 1.0}
    segmenter = Segmenter({**terms, **absent}, backend="rjieba")
    pages = [["漏洞", *NEAR[:3]] if n % 6 == 0 else [*FAR[:3]] for n in range(90)]
    alone, among = PageClassifier(terms, segmenter), PageClassifier({**terms, **absent}, segmenter)
    for of in (alone, among):
        learn(of, pages)
    assert among.read(page("漏洞"), article=True)[1] == pytest.approx(alone.read(page("漏洞"), article=True)[1])


def test_where_the_best_articles_hold_very_many_terms_one_that_mentions_a_term_is_no_counterexample() -> None:
    """A site of language courses has lessons full of the language's name, and more that say it once."""
    of = judge()

    def lesson(n: int, title: Iterable[str], text: Iterable[str]) -> Page:
        return Page.from_html("http://a.cn/1.html", f"<title>{' '.join(title)} {own(n)}</title><p>{' '.join(text)}</p>")

    kinds = ((TERMS, [*TERMS] * 9), (NEAR, ["党建", *NEAR]), (FAR, FAR))
    teach(of, [lesson(n, *kinds[n % 3]) for n in range(90)])
    mentions, others = (of.probability(of.read(lesson(90, words, words), article=True)[0]) for words in (NEAR, FAR))
    assert mentions > 3 * others


def test_a_label_speaks_for_its_pages_by_the_others_that_bear_it() -> None:
    of = judge()

    def with_label(label: str) -> float:
        return of.probability(of.read(page(*ELSEWHERE[:2], labels=[label]), article=True)[0])

    assert with_label("党建") > with_label("更多")
    memory = teach(of, with_labels(["组织"], ["体育"]))
    assert with_label("组织") > 2 * with_label("更多") > 2 * with_label("体育")
    for n in range(3):  # labels of one page each tell nothing
        assert not of._label_odds[memory.labels[n, 1]]


def test_probabilities_of_a_made_crawl_are_calibrated() -> None:
    """Of pages that are on topic by chance, so that words and terms only make it likely."""
    draw = random.Random(3)
    for share in (0.05, 0.3):
        of, made, on_topic = judge(), [], []
        for _ in range(600):
            is_on = draw.random() < share
            near, far = (6, 2) if is_on else (1, 6)
            words = [*draw.sample(NEAR, draw.randrange(near)), *draw.sample((*FAR, *ELSEWHERE), draw.randrange(far))]
            words += draw.sample(list(TERMS), 1 + draw.randrange(3)) if draw.random() < (0.8 if is_on else 0.05) else []
            made.append(words)
            on_topic.append(is_on)
        told, truth = of.probabilities(learn(of, made)), np.array(on_topic)
        bins = np.minimum(9, (10 * told).astype(int))
        error = sum(abs(truth[bins == b].sum() - told[bins == b].sum()) for b in range(10)) / len(told)
        assert error < 0.1, share


@pytest.mark.parametrize("odd", ODD_PAGES, ids=range(len(ODD_PAGES)))
def test_odd_pages(odd: Page, taught: PageClassifier) -> None:
    for of in (judge(), taught):
        words, said = of.read(odd, article=True)
        assert len(words.numbers) == len(words.counts) <= PAGE_WORDS and (len(words.counts) == 0 or words.counts.min() > 0)
        assert 0 <= of.probability(words) <= 1 and set(said) <= set(TERMS)
        assert len(words.terms) == len(words.parts) == len(said) <= PAGE_TERMS and all(part > 0 for part in said.values())


def test_of_a_page_of_many_words_the_rare_ones_are_remembered(taught: PageClassifier) -> None:
    many = [f"page{own(n)}" for n in range(2 * PAGE_WORDS)]
    whole, common = set(read(taught, *NEAR, *many).numbers.tolist()), set(read(taught, *FAR).numbers.tolist())
    assert len(whole) <= PAGE_WORDS
    assert not common <= set(read(taught, *FAR, *many).numbers.tolist())


@pytest.mark.parametrize("each", [0, 1, 15])
def test_the_state_survives_json(each: int) -> None:
    of, restored = judge(), judge()
    learn(restored, [FAR, *pages(3)])  # forgotten
    memory = learn(of, pages(each))
    restored.load_state_dict(json.loads(json.dumps(of.state_dict())))
    probes = (NEAR, FAR, ELSEWHERE, TERMS, (), [f"page{n}x" for n in range(150)])
    assert [probability(restored, *words) for words in probes] == [probability(of, *words) for words in probes]
    assert likeness(restored, *NEAR, *FAR) == likeness(of, *NEAR, *FAR)
    assert restored.state_dict() == of.state_dict()
    for one in (of, restored):
        one.note(read(one, *FAR))
        one.refit(memory)
    assert restored.state_dict() == of.state_dict()


def test_a_light_term_here_and_there_is_not_the_topic() -> None:
    of = PageClassifier({**TERMS, "社区": 0.4}, SEGMENTER)
    learn(of, [["社区", *FAR[:4]] if n % 4 == 0 else ELSEWHERE[:5] for n in range(40)])
    assert of.terms_of(["社区"]) > 0
    assert probability(of, "社区", *FAR[:4]) < 0.5


@pytest.mark.parametrize(("mentions", "examples"), [(1, 0), (4, 8)])
def test_where_no_text_stands_out_those_with_some_mentions_are_the_examples(mentions: int, examples: int) -> None:
    found, draw = judge(), random.Random(2)

    def text(n: int) -> Page:
        words = [*draw.sample(NEAR, 4), *["支部"] * mentions] if n < 8 else draw.sample((*FAR, *ELSEWHERE), 5)
        return Page(f"http://a.cn/{n}.html", title=f"word{n}x", html=f"<p>{'，'.join(words)}。</p>")

    memory = teach(found, map(text, range(45)))
    assert memory.example[:8].sum() == memory.example.sum() == examples
    assert (probability(found, *NEAR[:4]) > probability(found, *FAR[:4])) == bool(examples)
