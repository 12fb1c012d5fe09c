"""Log-likelihood by hand, termhood, and the language in general as a background."""

import math
from collections import Counter

import pytest

from topical_crawler.authoring.build import general_background, termhood
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import WordStatistics, language, log_likelihood


def test_log_likelihood_by_hand() -> None:
    rate = 30 / 11_000
    expected = 2 * (20 * math.log(20 / (1000 * rate)) + 10 * math.log(10 / (10_000 * rate)))
    assert log_likelihood(20, 1000, 10, 10_000) == pytest.approx(expected)
    assert log_likelihood(5, 100, 0, 100) == pytest.approx(2 * 5 * math.log(2))


def statistics(documents: int, **spread: int) -> WordStatistics:
    return WordStatistics(documents, Counter(spread), Counter(spread))


def test_termhood_wants_both_likelihood_and_contrast() -> None:
    domain = statistics(100, 党建=40, 工作=90, 罕见=2, 天气=1)
    background = statistics(1000, 党建=5, 工作=500, 罕见=0, 天气=400)
    scores = {w: termhood(domain, background, w)[0] for w in domain.spread}
    assert sorted(scores, key=lambda w: -scores[w]) == ["党建", "罕见", "工作", "天气"]
    assert scores["天气"] < 0


def test_the_general_background_estimates_what_it_does_not_know() -> None:
    domain = statistics(100, 中国=50, 支部=20, 中国支部=10, 呔呔=5)
    background = general_background(domain, language(), Segmenter().cut)
    documents = background.documents
    assert documents == language().documents > 1_000_000
    assert background.spread["中国"] == round(language().rate("中国") * documents)
    # Of the two parts 支部 is the telling one, and half of its documents hold the phrase.
    assert background.spread["中国支部"] == round(language().rate("支部") / 2 * documents)
    assert background.spread["呔呔"] <= background.spread["支部"]
