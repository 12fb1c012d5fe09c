"""An order by chance."""

from __future__ import annotations

from experiments.baselines.random_order import RandomOrder
from topical_crawler import Candidate, Evidence, Topic
from topical_crawler.text.segment import Segmenter

TERMS = {"党建": 1.0, "支部": 2.0}
TOPIC = Topic("t", "试验", TERMS)
WORDS = Segmenter(TERMS)


def links(n: int) -> list[Candidate]:
    return [Candidate(f"http://a.cn/{i}.html", ()) for i in range(n)]


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
    found = Candidate("http://A.cn/", (Evidence("http://a.cn/", 0.0, False, "x"),))
    assert one.score([Candidate("http://a.cn/index.html#top", ())]) == one.score([found])
