"""The demo: crawl the bundled web for party building, without network, and show what was collected.

    python demo/run.py [--keep DIR]

Precision and recall come from demo/labels.tsv, which the crawl never sees.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.evaluation.metrics import group_score, harvest_curve, relevant_texts, site_scores
from topical_crawler.evaluation.report import terminal_curve

DEMO = Path(__file__).resolve().parent


def crawl(strategy: str, directory: Path, display: str) -> None:
    """Crawl the demo web through the real command."""
    command = [sys.executable, "-m", "scrapy", "crawl", "topical", "-a", "topic=partybuilding", "-a", f"strategy={strategy}"]
    command += ["-a", f"seeds={DEMO / 'seeds.txt'}", "-s", f"TOPICAL_REPLAY={DEMO / 'demo-web.warc.gz'}"]
    command += ["-s", f"TOPICAL_DATA_DIR={directory}", "-s", f"TOPICAL_DISPLAY={display}", "-s", "CONCURRENT_REQUESTS=1"]
    # Without language resources the figures are the same on every machine, whatever was fetched there.
    command += ["-s", "TOPICAL_RESOURCES=0", "-s", "LOG_LEVEL=WARNING"]
    subprocess.run(command, check=True, cwd=DEMO.parent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the corpora in DIR")
    options = parser.parse_args()
    directory = options.keep or Path(tempfile.mkdtemp(prefix="topical-demo-"))
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print("[bold]Crawling the demo web[/] (3 sites, about 200 pages, no network) for the topic [bold]党建[/]")
    labels = read_labels(DEMO / "labels.tsv")
    curves, fetched = {}, {}
    for strategy, display in (("adaptive", "auto"), ("breadth_first", "off")):
        shutil.rmtree(directory / strategy, ignore_errors=True)
        crawl(strategy, directory / strategy, display)
        with CorpusStore(directory / strategy / "corpus.sqlite", read_only=True) as store:
            records = list(store.records(Filters(rejected=True)))
        fetched[strategy] = records
        curves[strategy] = harvest_curve([r.url for r in records if r.reason != "redirected"], labels)
    records = fetched["adaptive"]
    scores = site_scores(records, labels)
    _, together = group_score("all", scores)
    table = Table("site", "texts kept", "on topic", "precision", "recall", title="Held against the labels", title_justify="left")
    for s in scores:
        table.add_row(s.site, str(s.collected), str(s.relevant), f"{s.precision:.0%}", f"{s.recall:.0%} of {s.available}")
    table.add_row(
        "all",
        str(together.collected),
        str(together.relevant),
        f"{together.precision:.1%}",
        f"{together.recall:.1%} of {together.available}",
    )
    console.print(table)
    total = relevant_texts(labels)
    console.print(f"\nOn-topic texts reached (of {total}) over pages fetched, beside a breadth-first crawl of the same web:\n")
    print(terminal_curve(curves))
    for record in [r for r in records if r.keep][:: max(1, sum(r.keep for r in records) // 3)][:3]:
        why = "  ".join(f"{term} {share:.0%}" for term, share in list(record.why.get("terms", {}).items())[:4])
        text = (record.text or "").replace("\n", " ")
        body = f"{text[:120]}…\n[dim]{record.url}  relevance {record.relevance:.4f}  because of {why}[/]"
        console.print(Panel(body, title=record.title, title_align="left"))
    if options.keep:
        console.print(f"Corpora: {directory}/adaptive and {directory}/breadth_first")
    else:
        shutil.rmtree(directory)
    console.print("Next: your own topic. [bold].venv/bin/scrapy topic list[/], README.md")
    return 0 if together.precision >= 0.9 and together.recall >= 0.75 else 1


if __name__ == "__main__":
    sys.exit(main())
