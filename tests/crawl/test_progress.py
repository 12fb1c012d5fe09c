"""What a crawl counts while it runs: all of it, by site, and of the last pages."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.corpus.record import Record, Yield
from topical_crawler.crawl.progress import STALL, Durations, Progress

PAGES = st.lists(
    st.tuples(st.sampled_from(["www.dangjian.cn", "news.a.cn", "b.cn:8080"]), st.booleans(), st.integers(0, 8 << 20)),
    max_size=250,
)


def page(kept: bool, size: int, characters: int = 700) -> Yield:
    return Yield(1, int(kept), size, characters if kept else 0, 0.5)


def test_a_second_look_counts_a_text_and_no_page() -> None:
    progress = Progress()
    progress.reasons.update({"off topic": 2, "redirected": 1})
    progress.note_second_look("off topic", Record(url="http://a.cn/1", host="a.cn", keep=True, text="党" * 300))
    progress.note_second_look("off topic", Record(url="http://a.cn/2", host="a.cn", keep=False, reason="duplicate"))
    assert progress.rejected == {"duplicate": 1}
    assert (progress.total.pages, progress.total.kept, progress.second_looks, progress.total.characters) == (0, 1, 1, 300)
    assert progress.recent.pages == 0 and progress.total.harvest_rate == 0
    progress.note("news.a.cn", page(False, 1000))
    assert progress.total.harvest_rate == progress.recent.harvest_rate + 1 == 1  # that text was fetched in an earlier run


@given(PAGES)
def test_the_sites_add_up_to_the_whole(pages: list[tuple[str, bool, int]]) -> None:
    progress = Progress()
    for site, kept, size in pages:
        progress.note(site, page(kept, size))
    whole = Yield()
    for site_yield in progress.sites.values():
        whole.add(site_yield)
    assert progress.total == whole
    assert (progress.total.pages, progress.total.kept) == (len(pages), sum(kept for _, kept, _ in pages))
    assert whole.size == sum(size for *_, size in pages) and whole.characters == 700 * whole.kept
    last, recent = pages[-100:], progress.recent
    assert (recent.pages, recent.kept) == (len(last), sum(kept for _, kept, _ in last))
    assert recent.size == sum(size for *_, size in last)


def test_rejected_pages_count_for_the_download() -> None:
    progress = Progress()
    assert progress.total.density == progress.recent.harvest_rate == 0.0 and progress.seconds > 0
    progress.note("a.cn", page(True, 250_000, len("全面从严治党") * 100))
    progress.note("a.cn", page(False, 750_000))
    progress.note("b.cn", page(False, 2_000_000))
    assert progress.sites["a.cn"].density == 600.0 and progress.sites["b.cn"].density == 0.0
    assert progress.total.density == 200.0 and progress.total.megabytes == 3.0
    assert progress.sites["a.cn"].harvest_rate == 0.5


def test_a_page_without_an_answer_has_no_time_of_download() -> None:
    progress = Progress()
    progress.note("a.cn", Yield(1), handled=0.2)
    progress.note("a.cn", page(False, 1), handled=0.3)
    assert progress.download.up_to()[-1] == (inf, 1) and progress.page.up_to()[-1] == (inf, 2)


@given(st.lists(st.floats(0, 100), max_size=50))
def test_durations_fall_into_rising_buckets(seconds: list[float]) -> None:
    durations = Durations((0.5, 1.0, 10.0))
    for each in seconds:
        durations.add(each)
    counts = dict(durations.up_to())
    assert counts == {bound: sum(each <= bound for each in seconds) for bound in (0.5, 1.0, 10.0, inf)}
    assert durations.seconds == pytest.approx(sum(seconds))


def test_a_stall_counts_for_a_while_and_a_moment_is_none() -> None:
    progress = Progress()
    progress.note_stall(STALL / 2)
    assert not progress.has_stalled(within=60) and progress.stall == STALL / 2
    progress.note_stall(2 * STALL)
    progress.note_stall(0.001)
    assert progress.has_stalled(within=60) and not progress.has_stalled(within=0) and progress.stall == 2 * STALL
