"""How much of what is new a daily refresh finds, and with how many requests: a portal that goes on publishing.

    python benchmarks/refresh.py TEXTS.jsonl.gz [--days 60] [--more 7] [--topic partybuilding]

TEXTS are lines of JSON with date (YYYYMMDD), title, text and channel, such as transcripts of a news programme. The portal has a
front page, lists of 30 a channel and articles with further reading; it is served on this machine as it stands on a day, with
ETags. It is crawled once, as of the last but MORE days; then, for each of these, the corpus is made a day older and refreshed.
A second crawl, of the portal as of the last day, says which texts there were to find. Printed for each day: texts that are new
there and that this crawl keeps, those that the refresh has kept, its requests, and their share of those of the crawl.
"""

import argparse
import gzip
import html
import json
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from contextlib import closing
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ON_A_LIST, ON_FRONT, NEAR = 30, 8, 3


class Portal(ThreadingHTTPServer):
    """The articles of a set of texts that were published until ``today``; counts its requests."""

    daemon_threads = True

    def __init__(self, texts):
        super().__init__(("127.0.0.1", 0), Handler)
        self.today, self.requests = "", 0
        self.texts = {f"/a/{text['date']}/{number}.html": text for number, text in enumerate(texts)}
        self.url = f"http://127.0.0.1:{self.server_port}"

    def until_today(self):
        channels = defaultdict(list)
        for url, text in self.texts.items():
            if text["date"] <= self.today:
                channels[text["channel"]].append((url, text["title"]))
        return [found[::-1] for _, found in sorted(channels.items())]  # the latest first

    def page(self, path):
        """The HTML at a path; None where there is none."""
        channels, parts = self.until_today(), path.strip("/").removesuffix(".html").split("/")
        if path == "/":
            lists = [(f"/c/{number}/0.html", f"频道{number}") for number in range(len(channels))]
            return listed([*lists, *(link for found in channels for link in found[:ON_FRONT])])
        if parts[0] == "c":
            found, page = channels[int(parts[1])], int(parts[2])
            more = [(f"/c/{parts[1]}/{page + 1}.html", "下一页")] if (page + 1) * ON_A_LIST < len(found) else []
            return listed([*found[page * ON_A_LIST :][:ON_A_LIST], *more])
        text = self.texts.get(path)
        if text is None or text["date"] > self.today:
            return None
        found = next(links for links in channels if (path, text["title"]) in links)
        place = found.index((path, text["title"]))
        near = listed(found[max(0, place - NEAR) : place] + found[place + 1 :][:NEAR])
        title, day = html.escape(text["title"]), text["date"]
        body = "".join(f"<p>{html.escape(line)}</p>" for line in text["text"].split("\n") if line.strip())
        return (
            f"<html><head><title>{title}</title></head><body><h1>{title}</h1><div>{day[:4]}-{day[4:6]}-{day[6:8]} 08:30</div>"
            f"<article>{body}</article>{near}</body></html>"
        )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        page = None if self.path == "/robots.txt" else self.server.page(self.path)
        self.server.requests += self.path != "/robots.txt"
        body = (page or "").encode()
        tag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
        status = 404 if page is None else 304 if self.headers.get("If-None-Match") == tag else 200
        body = body if status == 200 else b""
        self.send_response(status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", "ETag": tag, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


def listed(links):
    return "<ul>" + "".join(f'<li><a href="{url}">{html.escape(title)}</a></li>' for url, title in links) + "</ul>"


def crawl(portal, topic, data, *arguments):
    """Crawl or refresh the portal; the number of requests."""
    before = portal.requests
    line = [sys.executable, "-m", "topical_crawler", "crawl", topic, "-a", f"seeds={portal.url}/", *arguments]
    settings = {
        "TOPICAL_DATA_DIR": data,
        "DOWNLOAD_DELAY": 0,
        "TOPICAL_RESOURCES": 0,
        "CONCURRENT_REQUESTS": 1,
        "LOG_LEVEL": "ERROR",
    }
    line += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    subprocess.run(line, check=True, capture_output=True)
    return portal.requests - before


def kept(data, portal):
    with closing(sqlite3.connect(data / "corpus.sqlite")) as corpus:
        return {url.removeprefix(portal.url) for (url,) in corpus.execute("SELECT url FROM pages WHERE keep")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts")
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--more", type=int, default=7)
    parser.add_argument("--topic", default="partybuilding")
    options = parser.parse_args()
    with gzip.open(options.texts, "rt", encoding="utf-8") as lines:
        texts = sorted((text for text in map(json.loads, lines) if len(text["date"]) == 8), key=lambda text: text["date"])
    days = sorted({text["date"] for text in texts})[-options.days - options.more :]
    portal = Portal([text for text in texts if text["date"] >= days[0]])
    threading.Thread(target=portal.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        refreshed, again = Path(folder, "refreshed"), Path(folder, "again")
        portal.today = days[-1]
        crawl(portal, options.topic, again)
        there = kept(again, portal)
        portal.today = days[-options.more - 1]
        whole = crawl(portal, options.topic, refreshed)
        print(
            f"{len(portal.texts)} texts of {len(days)} days; the crawl: {whole} requests, {len(kept(refreshed, portal))} kept",
            flush=True,
        )
        for day in days[-options.more :]:
            with closing(sqlite3.connect(refreshed / "corpus.sqlite")) as corpus, corpus:
                corpus.execute("UPDATE pages SET fetched = replace(datetime(fetched, '-1 day'), ' ', 'T') || '+00:00'")
            portal.today = day
            requests = crawl(portal, options.topic, refreshed, "-a", "refresh=1d")
            new = {url for url in there if portal.texts[url]["date"] == day}
            found = len(new & kept(refreshed, portal))
            print(f"{day}: {len(new)} new, {found} found, {requests} requests ({requests / whole:.1%})", flush=True)


if __name__ == "__main__":
    main()
