"""A corpus that was taken away from a crawl is missed before anything is fetched."""

from __future__ import annotations

from pathlib import Path

from crawl_tools import Reply, Site, article, crawl


def test_a_crawl_does_not_go_on_beside_an_empty_corpus(topic: Path, tmp_path: Path) -> None:
    links = {f"/{n}.html": "党建" for n in range(4)}
    with Site({"/": Reply(article("首页", links)), "": lambda path: Reply(article(path))}) as site:
        data = tmp_path / "data"
        assert crawl(topic, data, site.url + "/", pages=2, DOWNLOAD_DELAY=0).code == 0
        for file in data.glob("corpus.sqlite*"):
            file.rename(tmp_path / file.name)
        asked = len(site.hits)
        refused = crawl(topic, data, site.url + "/", pages=4, DOWNLOAD_DELAY=0)
        assert refused.code == 2
        assert "lacks the last pages of this crawl" in refused.log and "Put it back" in refused.log
        assert len(site.hits) == asked
        for file in tmp_path.glob("corpus.sqlite*"):
            file.rename(data / file.name)
        assert crawl(topic, data, site.url + "/", pages=4, DOWNLOAD_DELAY=0).code == 0
        assert len(site.pages()) == 4
