"""Articles on several pages: fetched to the end before anything else, whatever their last pages say, and joined."""

from __future__ import annotations

from pathlib import Path

from crawl_tools import Reply, Site, article, crawl, rows

HARVEST = (
    "合作社的冷库昨天装进了最后一车苹果，会计算了三遍账。",
    "雨后的山路不好走，护林员的摩托车停在半山腰。",
    "老人们说这样的年景几十年没有见过，渠水一直流到了十月。",
    "卫生院的大夫挨家挨户量血压，药箱里还装着孩子们要的铅笔。",
)

LAST = "天快黑的时候，拖拉机一辆接一辆开下山去，谁家的狗叫了几声，村口的灯就亮了。"


def part(number: int, last: int, text: str, title: str = "党建：一个村庄的党员们") -> str:
    def address(n: int) -> str:
        return "/story.html" if n == 1 else f"/story_{n}.html"

    pages = "".join(f'<a href="{address(n)}">{n}</a> ' for n in range(1, last + 1) if n != number)
    following = f'<a href="{address(number + 1)}">下一页</a>' if number < last else ""
    return (
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><article>{text}</article>"
        f'<div class="page">{pages}{following}</div></body></html>'
    )


def test_the_parts_of_an_article_are_joined(topic: Path, tmp_path: Path) -> None:
    about = "".join(f"<p>第{n}党支部的党员们开展主题教育，走进社区。</p><p>{HARVEST[n % 4]}</p>" for n in range(1, 7))
    off_topic = "".join(f"<p>{sentence}</p>" for sentence in HARVEST)
    routes = {
        "/": Reply(article("首页", {"/other.html": "党建要闻", "/story.html": "党支部", "/third.html": "党支部"})),
        "/other.html": Reply(article("另一篇")),
        "/third.html": Reply(article("第三篇")),
        "/story.html": Reply(part(1, 3, about)),
        "/story_2.html": Reply(part(2, 3, off_topic + "<p>这是第二页。</p>", "村庄")),
        "/story_3.html": Reply(part(3, 3, f"<p>{LAST}</p>", "村庄")),
        "/robots.txt": Reply("", 404),
    }
    with Site(routes) as site:
        crawled = crawl(topic, tmp_path / "data", site.url + "/", pages=20, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS=1)
        order = [hit.path for hit in site.pages()]
    assert crawled.code == 0, crawled.log
    found = {row.url.removeprefix(site.url): row for row in rows(tmp_path / "data")}
    whole = found["/story.html"]
    assert whole.keep and whole.text, crawled.log[-6000:]
    assert "第1党支部" in whole.text and "这是第二页。" in whole.text and whole.text.endswith(LAST)
    for path in ("/story_2.html", "/story_3.html"):
        assert (found[path].reason, found[path].duplicate_of) == ("part", whole.url)
    begun = order.index("/story.html")
    assert order[begun + 1 : begun + 3] == ["/story_2.html", "/story_3.html"], order
