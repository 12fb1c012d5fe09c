"""Features of links: numbers within bounds whatever the link is, and words that say what each number means."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from topical_crawler.meaning import UNRELATED
from topical_crawler.strategies.adaptive import link_model as module
from topical_crawler.strategies.adaptive.link_model import (
    MAX_FEATURES,
    MAX_PARENTS,
    PLACES,
    SIZE,
    ChangingFeatures,
    Feature,
    LinkFeatures,
    in_words,
    number,
    of_address,
)
from topical_crawler.web.page import Evidence

STANDING = ("best", "mean", "terms", "distance", "likeness", "parent", "wording", "struct", "near")


FEATURES = LinkFeatures(
    str.split,
    terms_of=lambda words: float(sum(word == "党建" for word in words)),
    word_ids=lambda words: " ".join(words).encode(),
    wording=lambda words: 0.5 * (next(iter(words), "") == "党建"),
    near=lambda anchors: [0.4 * (anchor == "党建") for anchor in anchors],
)
PARENT = "http://dj.a.cn/index.html"
BROKEN = ("", "党建", "http://[broken/党建", "http://a.cn:port/x", "//", "http://", "http://a.cn/%ff%fe%", "javascript:void(0)")

_TEXT = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(list("党建支部ab7/.-?%#")), max_size=40).map("".join))
_URLS = st.one_of(_TEXT, _TEXT.map("http://a.cn/{}".format), st.sampled_from(BROKEN))
_PLACES = st.lists(st.builds(Evidence, _URLS, st.floats(0, 1), st.booleans(), _TEXT, path=_TEXT), max_size=5)


def place(anchor: str = "", parent: str = PARENT, path: str = "") -> Evidence:
    return Evidence(parent, 0.5, True, anchor, path=path)


def numbers_of(url: str, found: Sequence[Evidence]) -> list[int]:
    return FEATURES.view(url, found).features.tolist()


def meanings(url: str, found: Sequence[Evidence]) -> dict[int, Feature]:
    return FEATURES.meanings(url, found, FEATURES.view(url, found))


@given(_URLS, _PLACES)
def test_any_link_has_a_bounded_number_of_distinct_features_and_words_for_each(url: str, found: list[Evidence]) -> None:
    numbers = numbers_of(url, found)
    assert all(1 <= n < SIZE for n in numbers) and len(numbers) <= MAX_FEATURES
    of_address, of_anchors = FEATURES.address(url).features.tolist(), FEATURES.anchors(tuple(sorted({e.anchor for e in found})))
    assert all(len(set(part)) == len(part) for part in (of_address, of_anchors.features.tolist()))
    words = meanings(url, found)
    assert list(words) == list(dict.fromkeys(numbers))
    assert all(number(feature) == n and in_words(feature) for n, feature in words.items())
    assert of_address == numbers[: FEATURES.view(url, found).of_address]


@pytest.mark.parametrize("hashed", [0, 1, SIZE - 2, SIZE - 1, SIZE, 2**32 - 1])
def test_a_number_is_none_that_stands_for_nothing(hashed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "crc32", lambda *_: hashed)
    assert 1 <= number(("host", "a.cn")) < SIZE


def test_a_link_with_more_features_than_are_kept_keeps_those_of_its_address() -> None:
    url = "http://a.cn/dangjian/2023/05/zhibu-shenghuo/t20230501_123.html?page=2"
    found = [place(" ".join(f"词{p}{n}" for n in range(50)), path="div/a") for p in range(20)]
    numbers = numbers_of(url, found)
    assert MAX_FEATURES / 2 < len(numbers) <= MAX_FEATURES
    assert {number(f) for f in of_address(url)} <= set(numbers)
    assert {number(("anchor", f"词0{n}")) for n in range(10)} <= set(numbers)  # and of the first anchors
    assert number(("place", "dj.a.cn div/a")) in numbers


def test_articles_of_one_channel_look_alike_and_a_channel_of_another_name_does_not() -> None:
    one, alike, unlike = (
        set(of_address(f"http://{x}")) for x in ("a.cn/dj/2023/t0501_17.html", "a.cn/dj/2023/t0612_99.html", "b.com/ty")
    )
    assert {"host", "path", "shape", "form", "name", "depth"} <= {kind for kind, _ in one & alike}
    assert not {kind for kind, _ in one & unlike} & {"host", "path", "shape", "form", "name"}


def test_an_address_has_its_first_folders_its_forms_and_its_words_within_bounds() -> None:
    found = of_address("http://a.cn/dj/2023/党支部/t0501_17.html?page=2")
    assert [value for kind, value in found if kind == "path"] == ["a.cn/dj", "a.cn/dj/2023", "a.cn/dj/2023/党支部"]
    forms = {"a.cn/dj/0000/党支部/w0000w00w", "a.cn/dj/0/汉/t0_0.html"}
    assert {value for kind, value in found if kind == "shape"} == forms and ("form", "/dj/0000/党支部/w0000w00w") in found
    assert [value for kind, value in found if kind == "name"] == ["dj", "党支部", "党支", "支部", "html"]
    assert {("host", "a.cn"), ("depth", "4"), ("query", "")} < set(found)
    long = of_address(f"http://a.cn/{''.join(map(chr, range(0x4E00, 0x5000)))}/{'x' * 90}")
    assert len(long) == 24 and [len(value) for kind, value in long if kind == "path"] == [4 + 300]
    assert [len(value) for kind, value in of_address(f"http://a.cn/{'x' * 90}") if kind == "shape"] == [6, 64]


def test_a_link_is_as_near_a_text_as_its_nearest_page_and_a_place_without_a_path_is_none() -> None:
    far, near = (Evidence(PARENT, 0.5, True, "", distance=distance) for distance in (3, 1))
    assert FEATURES.view("http://a.cn/1", (far, near)).distance == 1 and FEATURES.view("http://a.cn/1", ()).distance == 0
    assert FEATURES.view("http://a.cn/1", ()).near == 0
    assert not [f for f in meanings("http://a.cn/1", (place("党建"),)).values() if f[0] == "place"]


def test_the_host_of_the_page_that_holds_a_link_counts_only_for_where_it_stands() -> None:
    own, other = place("党建", "http://a.cn/"), place("党建", "http://b.cn/")
    foreign = number(("foreign", ""))
    assert foreign not in numbers_of("http://a.cn/1", (own,))
    assert foreign in numbers_of("http://a.cn/1", (other,))
    assert foreign not in numbers_of("http://a.cn/1", (place("党建", ""),))  # a seed is found nowhere


def test_anchors_of_all_places_count_and_the_first_few_places() -> None:
    found = [place(f"词{n}", path=f"p{n}/a") for n in range(PLACES + 2)]
    words = set(meanings("http://a.cn/1", found).values())
    assert {("anchor", f"词{n}") for n in range(PLACES + 2)} <= words
    assert [f"p{n}/a" for n in range(PLACES + 2) if ("place", f"dj.a.cn p{n}/a") in words] == [f"p{n}/a" for n in range(PLACES)]


def test_signs_are_no_words_of_an_anchor() -> None:
    found = meanings("", (place("党建 ， 【 》 2023"),)).values()
    assert [word for kind, word in found if kind == "anchor"] == ["党建", "2023"]


URL, FOUND = "http://a.cn/党建/支部/1.html?x=1", (place("党建 要闻", path="div/a"), place("要闻 党建"))


def test_what_an_address_and_anchors_say() -> None:
    address, anchors = FEATURES.address(URL), FEATURES.anchors(tuple(sorted(e.anchor for e in FOUND)))
    assert (address.terms, address.words.decode()) == (1, "党建 支部 1 html")
    assert (anchors.terms, anchors.words.decode()) == (1, "党建 要闻 要闻 党建")  # terms of the best one, words of all
    assert FEATURES.view(URL, FOUND).words == anchors.words and FEATURES.view(URL, ()).words == address.words
    assert FEATURES.anchors(()).terms == 0


def test_the_anchor_on_each_page_is_weighed_by_itself() -> None:
    assert FEATURES.view(URL, FOUND).wordings == (0.5, 0)
    assert FEATURES.view(URL, (*FOUND, *[place("党建")] * 20)).wordings == (0.5, 0, *[0.5] * (MAX_PARENTS - 2))
    assert FEATURES.view(URL, FOUND[1:]).wordings == (0,) and FEATURES.view(URL, ()).wordings == (0,)


STEPS = {"best": (10, 23), "mean": (10, 23), "terms": (3, 7), "distance": (1, 7), "likeness": (6, 23)}
STEPS |= {"parent": (10, 10), "wording": (10, 10), "struct": (1, 1), "near": (20, 23)}


def seen(*links: Sequence[float]) -> np.ndarray:
    """The state of links; what is not given is 0."""
    return np.array([[*link, *[0.0] * (9 - len(link))] for link in links], dtype=np.float32).reshape(-1, 9).T


def changing(*link: float) -> list[int]:
    return [int(n) for n in ChangingFeatures().numbers(seen(link))[0]]


@given(st.tuples(*[st.floats(0, most, width=32) for most in (1, 1, 1e6, 1e9, 1e6, 1, 1, 1, 1)]))
@example((0.11, 0.51, 0.34, 1, 1.01, 0.21, 0.99, 1, 0.31))
@example((1.0, 0.49, 60.0, 501, 9, 1.0, 1.0, 0, 0.29))
def test_a_link_stands_in_steps_whatever_its_values(link: tuple[float, ...]) -> None:
    steps = {kind: min(STEPS[kind][1], int(STEPS[kind][0] * np.float32(x))) for kind, x in zip(STANDING, link, strict=True)}
    assert changing(*link) == [number((kind, str(step))) for kind, step in steps.items()]


def test_links_stand_each_as_if_alone() -> None:
    of_pages = product((0.0, 0.25, 1.0), (0.5,), (0.2, 99.0), (0, 7, 10_000))
    links = [(*one, *other) for one in of_pages for other in product((1.5, 9), (0, 0.19), (0.2,), (1,), (0.3,))]
    assert ChangingFeatures().numbers(seen(*links)).tolist() == [changing(*link) for link in links]
    assert ChangingFeatures().kinds == STANDING and ChangingFeatures().numbers(seen()).shape == (0, 9)


def test_the_nearest_anchor_counts() -> None:
    assert FEATURES.view(URL, [place("要闻"), place("党建")]).near == pytest.approx(0.4 - UNRELATED)
    assert FEATURES.view(URL, [place("要闻")]).near == FEATURES.view(URL, ()).near == 0
