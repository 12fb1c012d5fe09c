"""Parameters of methods: what cannot be is refused by its name. (File and line: tests/topic/test_topic.py.)"""

from __future__ import annotations

import math

import pytest

from topical_crawler.strategies.adaptive.strategy import AdaptiveParameters
from topical_crawler.strategies.content_url import ContentUrlParameters
from topical_crawler.strategies.esvsm.strategy import EsvsmParameters
from topical_crawler.strategies.esvsm.vector_space import TextAndAnchorParameters
from topical_crawler.strategies.odp2evsm.strategy import Odp2evsmParameters
from topical_crawler.strategies.semantic.parameters import SemanticParameters
from topical_crawler.strategies.semantic.similarity import SimilarityParameters
from topical_crawler.strategies.semantic.url_structure import StructureParameters

SHARE, POSITIVE, NATURAL, WHOLE = (
    f"must be a {kind}, not "
    for kind in ("number from 0 to 1", "number of 0 or more", "whole number of 1 or more", "whole number of 0 or more")
)


@pytest.mark.parametrize(
    ("kind", "table", "message"),
    [
        (AdaptiveParameters, {"page_threshold": 1.5}, f"page_threshold {SHARE}1.5"),
        (AdaptiveParameters, {"page_threshold": "half"}, f"page_threshold {SHARE}'half'"),
        (AdaptiveParameters, {"precision": 90}, f"precision {SHARE}90"),
        (AdaptiveParameters, {"even_relevance": -1}, f"even_relevance {POSITIVE}-1"),
        (ContentUrlParameters, {"page_threshold": 0}, "page_threshold must be above 0, since links"),
        (ContentUrlParameters, {"frequency": 0}, f"frequency {NATURAL}0"),
        (ContentUrlParameters, {"lower_factor": True}, f"lower_factor {POSITIVE}True"),
        (TextAndAnchorParameters, {"page_weight": math.nan}, f"page_weight {POSITIVE}nan"),
        (TextAndAnchorParameters, {"title_weight": 1.5}, f"title_weight {SHARE}1.5"),
        (TextAndAnchorParameters, {"page_weight": 0, "anchor_weight": 0}, "page_weight and anchor_weight are both 0"),
        (EsvsmParameters, {"text_threshold": "1"}, f"text_threshold {POSITIVE}'1'"),
        (EsvsmParameters, {"sub_topics": 0}, f"sub_topics {NATURAL}0"),
        (EsvsmParameters, {"words": 0}, f"words {NATURAL}0"),
        (EsvsmParameters, {"stall_pages": 2.5}, f"stall_pages {WHOLE}2.5"),
        (EsvsmParameters, {"max_replacements": True}, f"max_replacements {WHOLE}True"),
        (EsvsmParameters, {"word": 3}, "word must be a text, not 3"),
        (Odp2evsmParameters, {"own_terms": 1}, "own_terms must be true or false, not 1"),
        (Odp2evsmParameters, {"lam": 1.5}, f"lam {SHARE}1.5"),
        (Odp2evsmParameters, {"batch": 0}, f"batch {NATURAL}0"),
        (SimilarityParameters, {"alpha": math.nan}, f"alpha {SHARE}nan"),
        (SimilarityParameters, {"beta": -0.1}, f"beta {SHARE}-0.1"),
        (SimilarityParameters, {"th1": "0.1"}, f"th1 {SHARE}'0.1'"),
        (SimilarityParameters, {"th2": True}, f"th2 {SHARE}True"),
        (SemanticParameters, {"link_threshold": 1.0}, "link_threshold is 1.0, but no priority reaches 1"),
        (SemanticParameters, {"history_sample": 0}, f"history_sample {NATURAL}0"),
        (SemanticParameters, {"tunnel": -1}, f"tunnel {WHOLE}-1"),
        (SemanticParameters, {"comparisons": [[1, 2], ["1/2", 1]]}, "comparisons must be a 3 × 3 matrix"),
        (SemanticParameters, {"comparisons": 3}, "comparisons must be a 3 × 3 matrix"),
        (StructureParameters, {"d": 0}, "d must be above 0"),
    ],
)
def test_what_cannot_be_is_refused_by_its_name(kind: type, table: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as refused:
        kind(**table)
    assert str(refused.value).startswith(message)
