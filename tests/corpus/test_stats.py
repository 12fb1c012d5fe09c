"""What a host brought for what was downloaded from it."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from topical_crawler.cli.corpus.stats import show
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

HOSTS = ("www.dangjian.cn", "tv.news.cn", "a-very-long-name-of-a-host-that-somebody-gave.some-portal.example.com.cn")
TEXT = "基层党组织开展主题教育，把学习成果转化为为群众办实事的行动。"


def page(number: int, host: str, size: int, text: str | None) -> Record:
    url = f"http://{host}/{number}.html"
    reason = "" if text else "redirected" if size == 0 else "off topic"
    return Record(
        key=f"{number:032x}", url=url, final_url=url, host=host, text=text, keep=bool(text), reason=reason, size=size,
        fetched="2026-11-22T00:00:00+00:00",
    )  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> CorpusStore:
    made = CorpusStore(tmp_path / "corpus.sqlite")
    pages = [("www.dangjian.cn", 40_000, TEXT), ("www.dangjian.cn", 160_000, None), ("www.dangjian.cn", 0, None)]
    pages += [("tv.news.cn", 1_800_000, None), (HOSTS[2], 500_000, TEXT[::-1])]
    for number, (host, size, text) in enumerate(pages):
        made.put(page(number, host, size, text))
    return made


def test_rejected_pages_count_for_the_download(store: CorpusStore) -> None:
    stats = store.stats()
    found = {host.host: (host.size, round(host.density, 6)) for host in stats.hosts}
    assert found == {HOSTS[0]: (200_000, 5 * len(TEXT)), HOSTS[1]: (1_800_000, 0.0), HOSTS[2]: (500_000, 2 * len(TEXT))}
    assert (stats.fetched, stats.redirects, stats.rejected) == (4, 1, {"off topic": 2})  # a redirect is no page
    assert stats.size == 2_500_000 and stats.density == pytest.approx(2 * len(TEXT) / 2.5)
    store.close()


@pytest.mark.parametrize(("width", "hosts"), [(80, 20), (120, 20), (80, 1)])
def test_the_table_shows_every_figure_whole(store: CorpusStore, width: int, hosts: int) -> None:
    console = Console(width=width, record=True, file=io.StringIO())
    show(store.stats(), store.name, hosts, console)
    shown = console.export_text()
    assert "2.5 MB downloaded" in shown
    assert "chars/MB" in shown and f"{5 * len(TEXT)} │" in shown and "…" not in shown
    assert ("1.8" in shown) is (hosts > 1) and ("2 more" in shown) is (hosts == 1)
    store.close()
