"""Best-first on anchors, and the keywords that judge the pages of baselines."""

from __future__ import annotations

from topical_crawler import Candidate, Evidence, Page, Topic, strategies
from topical_crawler.strategies.anchor import Anchor
from topical_crawler.text.segment import Segmenter

TOPIC = Topic("t", "试验", {"党建": 1.0, "支部": 2.0})


def test_a_priority_is_the_share_of_topic_terms_in_the_best_anchor() -> None:
    strategy = Anchor(TOPIC, Segmenter(TOPIC.terms))
    anchors = [["支部 党建"], ["支部 要闻"], ["支部 支部 要闻"], ["天气"], [""], [], ["天气", "支部 要闻"]]
    given = [Candidate("http://a.cn/1", tuple(Evidence("http://a.cn/", 0.0, False, a) for a in said)) for said in anchors]
    assert strategy.score(given) == [1.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.5]
    assert strategy.explain(given[-1]) == {"anchor": 0.5}


def test_pages_are_judged_alike_by_all_of_them() -> None:
    pages = [Page("http://a.cn/", title=title) for title in ("支部 要闻", "天气", "", "党建 支部")]
    verdicts = [
        [strategies.create(TOPIC, name, resources=None).judge(page) for page in pages]
        for name in ("breadth_first", "anchor", "random")
    ]
    assert verdicts[0] == verdicts[1] == verdicts[2]
    assert [(v.relevance, v.keep) for v in verdicts[0]] == [(0.5, True), (0.0, False), (0.0, False), (1.0, True)]
    assert verdicts[0][3].why == {"党建": 0.5, "支部": 0.5}
