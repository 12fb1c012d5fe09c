"""Longest work of the event loop: python benchmarks/loop.py [--only NAME …]

Nothing that the event loop does at once may take longer than 250 ms of processor time on the worst input that the bounds allow:
meanwhile no host is asked. A server here has such inputs: pages, lists, feeds, sitemaps, heads and robots.txt files, each as bad
as the bounds of a crawl let it be. A crawl fetches them all, in a loop that measures every callback by the processor time of its
thread, and notes of the longest what they did for which address. The exit code is 1 where one took longer, or where the memory
of the crawl's process passed 350 MB.

An idle machine is taken for granted: a busy one makes the same call take up to twice the time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "tools"))  # crawl_tools

import fork_tools  # noqa: E402, F401
from crawl_tools import Crawled, Reply, Site, article, crawl  # noqa: E402

LIMIT = 0.25  # seconds of processor time
MOST_MEMORY = 350_000_000  # bytes of the crawl's process
MOST = 8 * 1024 * 1024  # DOWNLOAD_MAXSIZE
WORDS = "党建学习教育组织生活支部书记工作会议主题活动开展落实推进服务群众干部队伍制度管理"
HEAD = "<title>党建：主题教育</title><meta name=description content=全面从严治党，严肃党内政治生活。>"
GOOD = 40  # pages that teach the judge before the worst come


def _drawn(number: int, length: int, seed: int = 0) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices(WORDS, k=length)) for _ in range(number)]


def _page(part: str, end: str = "", head: str = "") -> str:
    """A page about the topic that is as long as a page may be, of one part again and again."""
    begin = f"<!DOCTYPE html><html><head>{HEAD}{head}</head><body><h1>党建</h1>"
    room = MOST - len((begin + end).encode())
    return begin + part * (room // max(1, len(part.encode()))) + end


def _counted(part: Callable[[int], str], number: int) -> str:
    return f"<html><head>{HEAD}</head><body>{''.join(map(part, range(number)))}".encode()[:MOST].decode("utf-8", "ignore")


def pages() -> dict[str, str]:
    """The worst pages, by what is wrong with them."""
    lines, long = _drawn(2_000, 16), _drawn(2_000, 1_000, seed=1)
    data = json.dumps({f"k{n}": {"title": line, "url": f"/{n}.html"} for n, line in enumerate(_drawn(60_000, 20))})
    deep = '{"a":' * 50_000 + "1" + "}" * 50_000
    article_data = json.dumps({"@type": "NewsArticle", "headline": "党建", "articleBody": "党员学习。" * 200_000})
    listed = json.dumps([{"@type": "NewsArticle", "headline": line, "url": f"/{n}"} for n, line in enumerate(_drawn(50_000, 9))])
    return {
        "200,000 links": _counted(lambda n: f"<li><a href='/{n}.html'>第{n}条</a>", 200_000),
        "2,000 new links": _counted(lambda n: f"<a href='/new/{n}'>{lines[n]}</a>", 2_000),
        "2,000 links of 1,000 characters": _counted(lambda n: f"<a href='/long/{n}'>{long[n]}</a>", 2_000),
        "2,000 links to 2,000 hosts": _counted(lambda n: f"<a href='http://h{n}.example{n}.cn/{n}'>{lines[n]}</a>", 2_000),
        "2,000 links of 2,000 folders": _counted(
            lambda n: f"<a href='/{n}/{'x/' * 20}{n}.html?a={n}&b={n}'>{lines[n]}</a>", 2_000
        ),
        "2,000 long addresses": _counted(lambda n: f"<a href='/{n}/{'%E5%85%9A' * 200}'>{lines[n]}</a>", 2_000),
        "2,000 addresses with parameters": _counted(
            lambda n: f"<a href='/?{'&'.join(f'p{n}x{m}={m}' for m in range(100))}'>{lines[n]}</a>", 2_000
        ),
        "links within links": _page("<a href=/a>党<b><a href=/b>建</b>"),
        "one link 200,000 times": _page("<a href='/a.html'>党</a>"),
        "a million paragraphs": _page("<p>党建"),
        "text alone": _page("党建工作"),
        "text alone, other words": _page("".join(_drawn(1, 50_000))),
        "letters alone": _page("party building "),
        "one word": _page("a"),
        "digits alone": _page("2026-11-27 12:30 "),
        "blanks alone": _page(" \n"),
        "line ends in a text": _page("党\n建\r\n"),
        "characters that are no text": _page("\u200b\u202e\ufffd\x1b"),
        "entities": _page("&nbsp;&#20826;&amp;&notanentity;"),
        "less-than signs": _page("<"),
        "less-than and greater-than signs": _page("<>"),
        "ampersands": _page("&"),
        "quotes": _page("<a href='\"'><a href=\"'\">"),
        "a tag that never ends": _page("x='1' ", head="<a "),
        "a comment that never ends": _page("党建--", head="<!-- "),
        "comments": _page("<!-- 党建 -->"),
        "conditional comments": _page("<!--[if IE]><p>党</p><![endif]-->"),
        "a script that never ends": _page("location.href='/a';", head="<script>"),
        "scripts that go elsewhere": _page("<script>location='/a'</script>"),
        "a script in one line": "<script>" + "var a='location';" * 400_000 + "</script>" + HEAD,
        "refreshes": _page("<meta http-equiv=refresh content='0;url=/a'>"),
        "bases": _page("<base href='/a/'>"),
        "elements nested 490 deep": _page("<p>党建</p>", head="</head><body>" + "<div>" * 490),
        "elements nested 45,000 deep": _page("党建", head="</head><body>" + "<div>" * 44_000),
        "inline elements nested": _page("<b><i><font>党"),
        "lists in lists": _page("<ul><li>党"),
        "tables in tables": _page("<table><tr><td>党"),
        "one table": _page("<tr><td>党<td>建", head="</head><body><table>"),
        "definitions": _page("<dt>党<dd>建"),
        "headings": _page("<h1>党建</h1>"),
        "titles": _page("<title>党建</title>"),
        "a title that never ends": _page("党建", head="<title>"),
        "a heading that never ends": _page("党建", head="</head><body><h1>"),
        "a description that never ends": f"{_page('', head='')}<meta name=description content='{'党建工作' * 600_000}'>",
        "meta elements": _page("<meta name=keywords content=党建>"),
        "sections of a head": _page("<meta property=article:tag content=党建,支部,学习>"),
        "feeds of a head": _page("<link rel=alternate type=application/rss+xml href=/f title=党建>"),
        "canonical addresses": _page("<link rel=canonical href=/c>"),
        "50,000 attributes": _counted(lambda n: f" a{n}=1", 50_000).replace("<body>", "<body><a ", 1),
        "classes": _page("<p class='a b c d e f g h'>党"),
        "styles": _page("<style>.a{display:none}</style>"),
        "hidden elements": _page("<p hidden style='display:none'>党"),
        "forms": _page("<form action=/a><input name=b value=c><button>党</button></form>"),
        "options": _page("<option value=/a>党", head="</head><body><select>"),
        "frames": _page("<iframe src=/a></iframe>"),
        "framesets": _page("<frameset><frame src=/a>"),
        "pictures": _page("<img src=/a.png alt=党建 srcset='/b 1x, /c 2x'>"),
        "videos": _page("<video src=/a><source src=/b><track src=/c></video>"),
        "templates": _page("<template shadowrootmode=open><p>党</template>"),
        "templates, unclosed": _page("<template shadowrootmode=open>"),
        "svg": _page("<svg><text>党</text><a href=/a>建</a></svg>"),
        "mathematics": _page("<math><mi>x</mi></math>"),
        "ruby": _page("<ruby>党<rt>dang</rt></ruby>"),
        "preformatted": _page("<pre>党\n</pre>"),
        "onclick": _page("<div onclick=\"location.href='/a'\">党</div>"),
        "links without an address": _page("<a>党</a>"),
        "links to scripts": _page("<a href='javascript:void(0)'>党</a>"),
        "links that are broken": _page("<a href='http://[::1'>党</a>"),
        "microdata": _page("<p itemscope itemtype=http://schema.org/Article itemprop=name>党"),
        "wide data": f"{HEAD}<script type=application/json id=__NEXT_DATA__>{data}</script>",
        "deep data": f"{HEAD}<script type=application/ld+json>{deep}</script>",
        "an article as data": f"{HEAD}<script type=application/ld+json>{article_data}</script>",
        "a list as data": f"{HEAD}<script type=application/ld+json>{listed}</script>",
        "many data": _page('<script type="application/ld+json">{"@type":"NewsArticle","articleBody":"党建"}</script>'),
        "data in a script": f"{HEAD}<script>window.__INITIAL_STATE__={data};</script>",
        "next pages": _page("<a href='list_2.html'>下一页</a>"),
        "numbered pages": _counted(lambda n: f"<a href='list_{n}.html'>{n}</a>", 100_000),
        "posts of a thread": _page("<div class=post id=p1><span class=author>党</span><p>支部学习</p></div>"),
        "days": _page("<span class=date>2026年11月27日</span>"),
    }


def bodies() -> dict[str, Reply]:
    """Return bodies that are no plain page in UTF-8."""
    text = "".join(_drawn(1, 2_000_000))
    html = f"<html><head>{HEAD}</head><body><p>{text}"
    foreign = html.encode()[: MOST // 2] + b"\xb5\xb3" + html.encode()[MOST // 2 :]
    noise = random.Random(0).randbytes(MOST)
    items = "".join(f"<item><title>{line}</title><link>/f/{n}</link></item>" for n, line in enumerate(_drawn(100_000, 9)))
    urls = "".join(f"<url><loc>/s/{n}</loc><lastmod>2026-11-27</lastmod></url>" for n in range(150_000))
    nested = "".join(f"<sitemap><loc>/i/{n}.xml</loc></sitemap>" for n in range(150_000))
    rss, xml = "<rss version='2.0'><channel>", "application/xml"
    return {
        "GB18030, undeclared": Reply(html.encode("gb18030")[:MOST], content_type="text/html"),
        "Big5, undeclared": Reply(html.encode("big5", "ignore")[:MOST], content_type="text/html"),
        "UTF-16, undeclared": Reply(html.encode("utf-16-le")[:MOST], content_type="text/html"),
        "UTF-8 with a foreign byte": Reply(foreign[:MOST]),
        "UTF-8 with foreign bytes": Reply(html.encode()[:MOST].replace("党".encode(), b"\xb5\xb3")),
        "GBK that says UTF-8": Reply(html.encode("gb18030")[:MOST]),
        "UTF-8 that says GBK": Reply(html.encode()[:MOST], content_type="text/html; charset=gbk"),
        "noise": Reply(noise),
        "noise as text": Reply(noise, content_type="text/plain"),
        "NUL": Reply(HEAD.encode() + b"\0" * (MOST - 1_000)),
        "text/plain": Reply(text[: MOST // 3], content_type="text/plain; charset=utf-8"),
        "JSON": Reply(json.dumps(_drawn(100_000, 20)), content_type="application/json"),
        "compressed": Reply(gzip.compress(html.encode()[:MOST]), headers={"Content-Encoding": "gzip"}),
        "feed": Reply(f"{rss}{items}</channel></rss>", content_type="application/rss+xml"),
        "feed that breaks off": Reply(f"{rss}{items}", content_type="application/rss+xml"),
        "feed of one entry": Reply(f"{rss}<item><title>{text[:1_000_000]}", content_type="application/rss+xml"),
        "Atom": Reply(
            "<feed xmlns='http://www.w3.org/2005/Atom'>" + "<entry><title>党<link href=/a />" * 100_000, content_type=xml
        ),
        "sitemap as a page": Reply(f"<urlset>{urls}</urlset>"[:MOST], content_type=xml),
        "XML with entities": Reply(
            "<!DOCTYPE x [<!ENTITY a '党'>" + "".join(f"<!ENTITY a{n} '&a;&a;'>" for n in range(50_000)) + "]><rss>&a9;",
            content_type=xml,
        ),
        "index of sitemaps": Reply(f"<sitemapindex>{nested}</sitemapindex>"[:MOST], content_type=xml),
        "an error with a long page": Reply(_page("<p>党建</p>"), 404),
    }


def heads() -> dict[str, Reply]:
    """Heads of answers that are as long as a head may be."""
    lines = {f"X-{n}": "党".encode().decode("latin-1") * 90 for n in range(180)}
    cookies = {"Set-Cookie": "; ".join(f"c{n}={n}" for n in range(5_000))}
    return {
        "a long head": Reply(article("头"), headers=lines),
        "a cookie": Reply(article("曲奇"), headers=cookies),
        "many cookies": Reply(raw=_many_cookies),
        "many links in a head": Reply(article("链"), headers={"Link": ", ".join(f"</{n}>; rel=alternate" for n in range(2_500))}),
        "many rights": Reply(article("权"), headers={"X-Robots-Tag": ", ".join(["noai, noimageai, bot: nofollow"] * 1_500)}),
        "a far address": Reply(status=302, headers={"Location": "/x" * 30_000}),
        "an address of parameters": Reply(status=302, headers={"Location": "/?" + "&".join(f"p{n}={n}" for n in range(5_000))}),
        "an encoding of encodings": Reply(article("码"), headers={"Content-Encoding": ", ".join(["gzip"] * 5_000)}),
        "a long content type": Reply(article("类"), content_type="text/html; " + "charset=utf-8; " * 4_000),
    }


def _many_cookies(handler: BaseHTTPRequestHandler) -> None:
    lines = b"".join(b"Set-Cookie: c%d=%s; Path=/%d; Max-Age=9\r\n" % (n, b"x" * 270, n) for n in range(190))
    handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n" + lines + b"\r\n" + article("曲").encode()
    )


def robots() -> dict[str, str]:
    """The worst robots.txt, each of a host of its own."""
    agent = "User-agent: *\n"
    return {
        "pairs": agent + "".join(f"Disallow: /s{n}\nAllow: /s{n}\n" for n in range(20_000)),
        "patterns": agent + "".join(f"Disallow: /*{n}*x*{n}*$\n" for n in range(25_000)),
        "stars": agent + f"Disallow: /{'*a' * 2_000}b\n" * 120,
        "agents": "".join(f"User-agent: bot{n}\nDisallow: /{n}\n" for n in range(15_000)),
        "agents of one group": "User-agent: *\n" * 37_000 + "Disallow: /x\n",
        "sitemaps": agent + "".join(f"Sitemap: http://a.cn/{n}.xml\n" for n in range(18_000)),
        "delays": agent + "Crawl-delay: 1\nRequest-rate: 1/1\n" * 15_000,
        "rights": agent + "Content-Signal: ai-train=no\nContent-Usage: train-ai=n\n" * 9_000,
        "one line": agent + "Disallow: /" + "x" * 520_000,
        "no line": "党" * 170_000,
        "line ends": "\r\n\n" * 170_000,
    }


@dataclass(frozen=True)
class Call:
    """A callback of the event loop that took long."""

    seconds: float  # of processor time
    what: str  # the input that it worked on
    seen: tuple[str, ...]  # functions in which it was seen, with those that called them, the most often first


@contextmanager
def hostile_web(only: Callable[[str], bool] = lambda name: True) -> Iterator[tuple[str, dict[str, str]]]:
    """Servers with all the inputs. Gives the address of the first page, and the name of each input by its address."""
    named: dict[str, Reply] = {f"page: {name}": Reply(html) for name, html in pages().items()}
    named |= {f"body: {name}": reply for name, reply in bodies().items()}
    named |= {f"head: {name}": reply for name, reply in heads().items()}
    chosen = {f"/worst/{n}.html": (name, reply) for n, (name, reply) in enumerate(named.items()) if only(name)}
    with ExitStack() as stack:
        site = stack.enter_context(Site({path: reply for path, (_, reply) in chosen.items()}))
        names = {site.url + path: name for path, (name, _) in chosen.items()}
        good = [f"/good/{n}.html" for n in range(GOOD)]
        site.routes |= {path: Reply(article(path)) for path in good}
        links = dict.fromkeys(good, "党建 支部")
        for name, text in robots().items():
            if only(f"robots.txt: {name}"):
                other = stack.enter_context(
                    Site({"/robots.txt": Reply(text, content_type="text/plain"), "": Reply(article(name))})
                )
                names |= {f"{other.url}/robots.txt": f"robots.txt: {name}", f"{other.url}/": f"robots.txt: {name}"}
                links[f"{other.url}/"] = "党建"
        starts = [site.url + "/"]
        listed = list(chosen)
        for start in range(0, len(listed), 50):
            starts.append(f"{site.url}/list/{start}")
            site.routes[f"/list/{start}"] = Reply(article(f"清单{start}", dict.fromkeys(listed[start : start + 50], "党建 支部")))
        site.routes["/"] = Reply(article("首页", links))
        yield " ".join(starts), names


def measure(folder: Path, only: Callable[[str], bool] = lambda name: True, **options: object) -> tuple[Crawled, list[Call]]:
    """Crawl the hostile web. Return how it ended and its calls, the longest first."""
    shutil.copy(Path(__file__).with_name("loop_probe.py"), folder)
    noted = folder / "calls.jsonl"
    (folder / "project_settings.py").write_text(
        "from pathlib import Path\n\nimport loop_probe\nfrom topical_crawler.settings import *\n\n"
        f"loop_probe.Probe(Path({str(noted)!r}))\n",
        encoding="utf-8",
    )
    with hostile_web(only) as (starts, names):
        settings = {"DOWNLOAD_DELAY": 0, "TOPICAL_ALLOW_PRIVATE": "127.0.0.1", "CONCURRENT_REQUESTS": 4, "TOPICAL_DISPLAY": "off"}
        settings |= {"CONCURRENT_REQUESTS_PER_DOMAIN": 4, "LOG_LEVEL": "DEBUG", "TOPICAL_EXTRACT_TIMEOUT": 2, **options}
        ended = crawl("partybuilding", folder / "data", starts, folder, True, strategy="adaptive", pages=400, **settings)
    calls = []
    for line in noted.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        calls.append(Call(row["seconds"], names.get(row["url"], row["url"]), tuple(row["seen"])))
    return ended, sorted(calls, key=lambda call: -call.seconds)


def main() -> int:
    """Print the longest calls."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="inputs whose name holds this")
    parser.add_argument("--show", type=int, default=40, help="longest calls that are shown")
    parser.add_argument("--log", type=Path, help="keep the log of the crawl")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ended, calls = measure(Path(folder), lambda name: not options.only or any(part in name for part in options.only))
    if options.log:
        options.log.write_text(ended.log, encoding="utf-8")
    table = Table("input", "ms", "seen in", title="Processor time of single calls of the event loop")
    for call in calls[: options.show]:
        style = "red" if call.seconds > LIMIT else None
        table.add_row(call.what, f"{1000 * call.seconds:.0f}", "\n".join(call.seen[:2]), style=style)
    Console(width=None if sys.stdout.isatty() else 170).print(table)
    late = [call for call in calls if call.seconds > LIMIT]
    print(f"{len(late)} calls above {1000 * LIMIT:.0f} ms; most memory {ended.memory / 1e6:.0f} MB; exit code {ended.code}")
    return int(bool(late or ended.memory > MOST_MEMORY or ended.code))


if __name__ == "__main__":
    sys.exit(main())
