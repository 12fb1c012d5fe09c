"""Which parameters of addresses change nothing on a site is learned by proof, and by host."""

from __future__ import annotations

from topical_crawler.crawl.parameters import MOST, PROOFS, Parameters

HOST = "a.cn"


def proved(found: Parameters, number: int = PROOFS, parameter: str = "tok", first: int = 0) -> Parameters:
    """So many pages came with a text, and again as duplicates under another value of a parameter."""
    for n in range(first, first + number):
        found.count(f"http://{HOST}/show?id={n}&{parameter}=1", HOST, True, False)
        found.count(f"http://{HOST}/show?id={n}&{parameter}=2", HOST, False, True)
    return found


def test_too_few_proofs_are_none() -> None:
    found = proved(Parameters(), PROOFS - 1)
    assert not found.idle(HOST) and not found.repeats(f"http://{HOST}/show?id=0&tok=3", HOST)
    assert proved(found, 1, first=PROOFS).idle(HOST) == {"tok"}


def test_one_address_behind_which_all_is_the_same_is_one_proof() -> None:
    found = Parameters()
    for n in range(100):
        found.count(f"http://{HOST}/show?id={n}", HOST, n == 0, n > 0)
    assert not found.idle(HOST)


def test_a_parameter_that_once_led_to_another_text_chooses() -> None:
    found = Parameters()
    for value in "12":
        found.count(f"http://{HOST}/list?tok={value}", HOST, True, False)
    assert not proved(found, 3 * PROOFS).idle(HOST)


def test_what_is_learned_of_one_host_says_nothing_of_another() -> None:
    found = proved(Parameters())
    assert found.repeats(f"http://{HOST}/show?id=0&tok=3", HOST)
    assert not found.repeats("http://b.cn/show?id=0&tok=3", "b.cn")


def test_the_page_itself_may_be_fetched_again() -> None:
    found = proved(Parameters())
    assert not found.repeats(f"http://{HOST}/show?id=0&tok=1", HOST)


def test_two_of_them_are_learned_one_after_the_other() -> None:
    found = proved(Parameters())
    for n in range(100, 100 + PROOFS):
        found.count(f"http://{HOST}/show?id={n}&tok=1&zs=1", HOST, True, False)
        found.count(f"http://{HOST}/show?id={n}&tok=7&zs=2", HOST, False, True)
    assert found.idle(HOST) == {"tok", "zs"}
    assert found.repeats(f"http://{HOST}/show?zs=9&id=100&tok=9", HOST)


def test_pages_off_topic_count_once_it_is_learned() -> None:
    found = proved(Parameters())
    found.count(f"http://{HOST}/other?tok=1", HOST, False, False)
    assert found.repeats(f"http://{HOST}/other?tok=2", HOST)
    assert not found.repeats(f"http://{HOST}/third?tok=2", HOST)


def test_addresses_with_very_many_parameters_are_left_alone() -> None:
    found = proved(Parameters())
    many = "&".join(f"p{n}=1" for n in range(MOST))
    found.count(f"http://{HOST}/show?{many}&tok=1", HOST, True, False)
    assert not found.repeats(f"http://{HOST}/show?{many}&tok=2", HOST)
