"""Which parameters of addresses change nothing on a site is learned by proof, and by host."""

from __future__ import annotations

from typing import Any

import msgpack

from topical_crawler.crawl.parameters import MOST, PROOFS, REMEMBERED, Parameters

HOST = "a.cn"


def proved(found: Parameters, number: int = PROOFS, parameter: str = "tok", first: int = 0) -> Parameters:
    """So many pages came with a text, and again as duplicates under another value of a parameter."""
    for n in range(first, first + number):
        found.count(f"http://{HOST}/show?id={n}&{parameter}=1", True, False)
        found.count(f"http://{HOST}/show?id={n}&{parameter}=2", False, True)
    return found


def test_too_few_proofs_are_none() -> None:
    found = proved(Parameters(), PROOFS - 1)
    assert not found.idle and not found.repeats(f"http://{HOST}/show?id=0&tok=3")
    assert proved(found, 1, first=PROOFS).idle == {"tok"}


def test_one_address_behind_which_all_is_the_same_is_one_proof() -> None:
    found = Parameters()
    for n in range(100):
        found.count(f"http://{HOST}/show?id={n}", n == 0, n > 0)
    assert not found.idle


def test_a_parameter_that_once_led_to_another_text_chooses() -> None:
    found = Parameters()
    for value in "12":
        found.count(f"http://{HOST}/list?tok={value}", True, False)
    assert not proved(found, 3 * PROOFS).idle


def test_two_of_them_are_learned_one_after_the_other() -> None:
    found = proved(Parameters())
    for n in range(100, 100 + PROOFS):
        found.count(f"http://{HOST}/show?id={n}&tok=1&zs=1", True, False)
        found.count(f"http://{HOST}/show?id={n}&tok=7&zs=2", False, True)
    assert found.idle == {"tok", "zs"}
    assert found.repeats(f"http://{HOST}/show?zs=9&id=100&tok=9")


def test_pages_off_topic_count_once_it_is_learned() -> None:
    found = proved(Parameters())
    assert not found.repeats(f"http://{HOST}/show?id=0&tok=1")  # the page itself may be fetched again
    found.count(f"http://{HOST}/other?tok=1", False, False)
    assert found.repeats(f"http://{HOST}/other?tok=2")
    assert not found.repeats(f"http://{HOST}/third?tok=2")


def test_addresses_with_very_many_parameters_are_left_alone() -> None:
    found = proved(Parameters())
    many = "&".join(f"p{n}=1" for n in range(MOST))
    found.count(f"http://{HOST}/show?{many}&tok=1", True, False)
    assert not found.repeats(f"http://{HOST}/show?{many}&tok=2")


def test_what_was_learned_is_kept_as_data() -> None:
    def kept(data: list[Any]) -> Parameters:
        return Parameters.read(list(msgpack.unpackb(msgpack.packb(data), strict_map_key=False)))

    found = kept(proved(Parameters(), PROOFS - 1).data())
    assert proved(found, 1, first=PROOFS).idle == {"tok"}
    again = kept(found.data())
    assert again.repeats(f"http://{HOST}/show?id=0&tok=3") and again.data() == found.data()


def test_the_oldest_addresses_are_forgotten() -> None:
    found = proved(Parameters())
    for n in range(REMEMBERED):
        found.count(f"http://{HOST}/other?id={n}&tok=1", False, False)
    assert len(found) == REMEMBERED
    assert not found.repeats(f"http://{HOST}/show?id=0&tok=3") and found.repeats(f"http://{HOST}/other?id=9&tok=3")
