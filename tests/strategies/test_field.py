"""The baselines of the field: an order by chance, best-first on anchors, and the keywords that judge their pages."""

from __future__ import annotations

from topical_crawler import Candidate, Evidence, Page, Topic, strategies
from topical_crawler.strategies.baselines import KeywordAnchors, RandomOrder
from topical_crawler.text.segment import Segmenter

TERMS = {"党建": 1.0, "支部": 2.0}


TOPIC = Topic("t", "试验", TERMS)
WORDS = Segmenter(TERMS)


def links(n: int) -> list[Candidate]:
    return [Candidate(f"http://a.cn/{i}.html", ()) for i in range(n)]


def place(anchor: str, parent: str = "http://a.cn/") -> Evidence:
    return Evidence(parent, 0.0, False, anchor)


def test_random_priorities_are_uniform() -> None:
    scores = [s for s in RandomOrder(TOPIC, WORDS, seed=1).score(links(20_000)) if s is not None]
    assert len(set(scores)) == 20_000
    assert all(0 <= s < 1 for s in scores)
    tenths = [sum(t / 10 <= s < (t + 1) / 10 for s in scores) for t in range(10)]
    assert all(1_850 < n < 2_150 for n in tenths)


def test_another_seed_is_another_order_and_the_address_is_read_in_its_one_form() -> None:
    one, other = RandomOrder(TOPIC, WORDS, seed=1), RandomOrder(TOPIC, WORDS, seed=2)
    given = links(200)

    def order(strategy: RandomOrder) -> list[int]:
        return sorted(range(200), key=lambda i: strategy.score(given)[i] or 0.0)

    assert order(one) == order(RandomOrder(TOPIC, WORDS, seed=1)) != order(other)
    moved = sum(a != b for a, b in zip(order(one), order(other), strict=True))
    assert moved > 190
    assert one.score([Candidate("http://a.cn/index.html#top", ())]) == one.score([Candidate("http://A.cn/", (place("x"),))])


def test_keyword_is_the_share_of_topic_terms_in_the_best_anchor() -> None:
    strategy = KeywordAnchors(TOPIC, WORDS)
    anchors = [["支部 党建"], ["支部 要闻"], ["支部 支部 要闻"], ["天气"], [""], [], ["天气", "支部 要闻"]]
    given = [Candidate("http://a.cn/1", tuple(place(a, f"http://a.cn/{i}") for i, a in enumerate(said))) for said in anchors]
    assert strategy.score(given) == [1.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.5]
    assert strategy.explain(given[-1]) == {"anchor": 0.5}


def test_pages_are_judged_alike_by_all_of_them() -> None:
    topic = Topic("t", "试验", TERMS)
    pages = [Page("http://a.cn/", title=title) for title in ("支部 要闻", "天气", "", "党建 支部")]
    verdicts = [
        [strategies.create(topic, name, resources=None).judge(page) for page in pages]
        for name in ("breadth_first", "random", "keyword")
    ]
    assert verdicts[0] == verdicts[1] == verdicts[2]
    assert [(v.relevance, v.keep) for v in verdicts[0]] == [(0.5, True), (0.0, False), (0.0, False), (1.0, True)]
    assert verdicts[0][3].why == {"党建": 0.5, "支部": 0.5}
