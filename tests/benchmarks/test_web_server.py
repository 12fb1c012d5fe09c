"""The recorded web as a real HTTP server: what it answers, when, and what it writes down."""

import http.client
from base64 import b64encode
from pathlib import Path

from wait_tools import HANGS
from web_server import WebServer

from topical_crawler.recordings.reader import Recording

DEMO = Path(__file__).parents[2] / "demo" / "demo-web.warc.gz"
HOME = "http://www.qingheonline.example/"
LATENCY = 0.05


def test_answers_as_recorded_over_one_connection(tmp_path: Path) -> None:
    name = {"Proxy-Authorization": f"Basic {b64encode(b'w7:-').decode()}"}
    asked = [HOME, f"{HOME}go?id=91", f"{HOME}nothing", "http://elsewhere.example/", f"{HOME}robots.txt"]
    found = []
    with WebServer(DEMO, tmp_path / "log.jsonl", LATENCY, {"www.qingheonline.example": 0.25}) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=HANGS)
        sockets = set()
        for url in asked:
            connection.request("GET", url, headers=name)
            sockets.add(connection.sock)
            response = connection.getresponse()
            found.append((response.status, response.getheader("Location"), response.read()))
        connection.close()
        hung_up = http.client.HTTPConnection("127.0.0.1", server.port, timeout=HANGS)
        hung_up.request("GET", HOME)
        hung_up.close()
    with Recording(DEMO, tmp_path) as recording:
        page, redirect = recording.get(asked[0]), recording.get(asked[1])
    assert page is not None and redirect is not None
    assert found[0] == (200, None, page.body)
    assert found[1][:2] == (redirect.status, redirect.header("Location"))
    assert [status for status, _, _ in found] == [200, 301, 404, 502, 200]
    assert b"Crawl-delay: 0.25" in found[4][2] and found[4][2].lower().count(b"crawl-delay") == 1
    assert len(sockets) == 1, "the connection stays open"
    hits = server.hits()
    assert [(hit.name, hit.url, hit.status) for hit in hits] == [
        *(("w7", url, status) for url, (status, _, _) in zip(asked, found, strict=True)),
        ("", HOME, 0),
    ]
    assert all(hit.answered - hit.arrived >= LATENCY for hit in hits[:-1])
