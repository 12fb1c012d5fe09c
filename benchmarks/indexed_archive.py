"""What a page of an indexed archive costs beside one of a recording: seconds of crawls of the demo's web, the best of three, and
whether they keep the same.

    python benchmarks/indexed_archive.py [--pages 200]

The same crawl answers from the WARC file, from the file by a CDXJ index, and from a CDX server with ranges on loopback.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT), str(ROOT / "tests" / "tools")]

from cdx_tools import ArchiveServer, index_lines  # noqa: E402
from crawl_tools import crawl, rows  # noqa: E402

WEB = ROOT / "demo" / "demo-web.warc.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    pages = parser.parse_args().pages
    lines = index_lines(WEB.parent, [WEB])
    with tempfile.TemporaryDirectory() as folder, ArchiveServer(WEB.parent, lines) as server:
        index = Path(folder, "demo.cdxj")
        index.write_text("\n".join(lines), encoding="utf-8")
        ways = {
            "recording": {"TOPICAL_REPLAY": WEB},
            "CDXJ file": {"TOPICAL_REPLAY": index, "TOPICAL_REPLAY_DATA": WEB.parent},
            "CDX server": {"TOPICAL_REPLAY": f"{server.url}/cdx", "TOPICAL_REPLAY_DATA": server.url},
        }
        first: list[tuple[str, str | None]] = []
        for name, options in ways.items():
            seconds = []
            for attempt in range(3):
                data = Path(folder, f"{name}-{attempt}".replace(" ", "-"))
                given = {"CONCURRENT_REQUESTS": 1, "TOPICAL_MAX_PAGES": pages, **options}
                began = time.perf_counter()
                done = crawl("partybuilding", data, str(ROOT / "demo" / "seeds.txt"), **given)
                seconds.append(time.perf_counter() - began)
            found = [(row.url, row.text) for row in rows(data)]
            first = first or found
            same = "the same" if found == first else "other ones"
            print(f"{name:12}{min(seconds):7.2f} s {len(found):5} pages, {same} (exit {done.code})")


if __name__ == "__main__":
    main()
