"""Zhou, Wang, Yu 2019: likeness of structure (Eq. 4, Algorithm 2). (Algorithm 3: test_zhou2019.py.)"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.strategies.semantic.url_structure import StructureParameters, UrlParts, structure_similarity

DEFAULT = StructureParameters()
PLAIN = StructureParameters(alpha=1.0, beta=1.0, threshold=0.0, a_host=1.0, b=0.25, a_path=1.0, d=4.0)


def by_hand(one: str, other: str, p: StructureParameters) -> float:
    """Steps 3 to 7 of Algorithm 2, word for word, for URLs ``host/path``."""

    def jaccard(a: str, b: str) -> float:
        return len(set(a) & set(b)) / len(set(a) | set(b))

    host1, _, path1 = one.partition("/")
    host2, _, path2 = other.partition("/")
    weight, host_sim = p.a_host, 0.0
    for a, b in zip(host1.split("."), host2.split("."), strict=False):
        likeness = jaccard(a, b)
        if "www" in a and "www" in b:
            likeness /= p.d
        host_sim += weight * likeness
        weight = max(0.0, weight - p.b)
    weight, path_sim = p.a_path, 0.0
    for a, b in zip([x for x in path1.split("/") if x], [x for x in path2.split("/") if x], strict=False):
        path_sim += weight * jaccard(a, b)
        weight /= 2
    return p.alpha * host_sim + p.beta * path_sim


def test_every_step_with_numbers() -> None:
    """hostSim = 1·J(www,www)/4 + 0.75·J(ab,bc) + 0.5·J(cn,cn); pathSim = 1·J(dj,dj) + 0.5·J(12,23)."""
    same, value = structure_similarity("http://www.ab.cn/dj/12", "http://www.bc.cn/dj/23", PLAIN)
    assert value == pytest.approx(1 / 4 + 0.75 / 3 + 0.5 + 1 + 0.5 / 3)
    assert same


def test_weights_of_the_host_never_fall_below_zero() -> None:
    parameters = replace(PLAIN, b=0.75, beta=0.0)
    _, value = structure_similarity("http://a.x.y.z/", "http://b.x.y.w/", parameters)
    assert value == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("one", "other"),
    [("http://www.a.cn/x", "http://a.cn/y"), ("http://a.cn/x", "https://a.cn:8080/y"), ("http://a.cn", "http://ba.cn")],
)
def test_containment_of_hosts_is_the_same(one: str, other: str) -> None:
    assert structure_similarity(one, other) == structure_similarity(other, one) == (True, 1.0)


def test_within_host_compares_paths() -> None:
    inside = replace(DEFAULT, within_host=True)
    assert structure_similarity("http://a.cn/djyw/1.html", "http://a.cn/djyw/2.html", inside)[0]
    assert structure_similarity("http://a.cn/djyw/1.html", "http://a.cn/lib/q.pdf", inside) == (
        False,
        pytest.approx(0.5 * 0.1 / 10),
    )
    assert structure_similarity("http://www.a.cn/djyw/1.html", "http://b.com/djyw/1.html", inside) == structure_similarity(
        "http://www.a.cn/djyw/1.html", "http://b.com/djyw/1.html"
    )


def test_what_is_no_url_is_like_nothing() -> None:
    for other in ("http://a.cn/", "", "党建", "http://[/"):
        assert structure_similarity("", other) == (False, 0.0)


HOSTS = st.lists(st.sampled_from(["www", "news", "dj", "a", "sina", "com", "cn"]), min_size=1, max_size=4).map(".".join)
PATHS = st.lists(st.text("abc019-_", min_size=1, max_size=6), max_size=5).map("/".join)
NUMBERS = st.floats(0, 2)


@given(HOSTS, PATHS, HOSTS, PATHS, st.builds(StructureParameters, *[NUMBERS] * 6, st.floats(1, 20)))
def test_agrees_with_the_algorithm_word_for_word(h1: str, p1: str, h2: str, p2: str, parameters: StructureParameters) -> None:
    same, value = structure_similarity(f"http://{h1}/{p1}", f"http://{h2}/{p2}", parameters)
    if h1 in h2 or h2 in h1:
        assert (same, value) == (True, 1.0)
    else:
        assert value == pytest.approx(by_hand(f"{h1}/{p1}", f"{h2}/{p2}", parameters))
        assert same == (value > parameters.threshold)
        assert structure_similarity(UrlParts.of(f"http://{h2}/{p2}"), f"http://{h1}/{p1}", parameters)[1] == pytest.approx(value)


def test_escapes_are_compared_as_they_stand_in_the_url() -> None:
    assert UrlParts.of("http://a.cn/党建/x") == UrlParts.of("http://a.cn/%E5%85%9A%E5%BB%BA/x")
