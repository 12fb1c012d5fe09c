"""Choose the constants of the reading of threads by leaving out sites.

    python benchmarks/choose_threads.py --wcxb CHECKOUT --layouts TEXTS.jsonl.gz [--data FOLDER]
        [--gold GOLD.tsv --web RECORDING …]

The pages are those of benchmarks/extraction.py: the part of WCXB for development, four made threads of each layout, two of each
hard one, and of all
other sets the pages that are asked whether they are threads. Every site counts the same. Each constant of
topical_crawler/extraction/forum.py is tried with the values of CHOICES, the others as they are. Then for every site each is set
to the value that is best on all other sites, or left as it is where that gains less than GAIN, and the site is read with these
values. Printed are what each value changes, how often each is chosen, and the F1 of the sites left out beside that of the
constants as they are, by set. The part of WCXB for tests is not read.
"""

import argparse
import functools
import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from extraction import load, read_wcxb, score
from forum_layouts import make_threads
from forum_variants import make_hard_threads
from gold_layouts import make_pages
from gold_pages import GoldPage, read_gold, read_marks, read_pages
from lxml.html import HtmlElement

from topical_crawler.extraction import extract as extraction
from topical_crawler.extraction import forum
from topical_crawler.text.passages import Passage, plain

CHOICES: dict[str, tuple[float, ...]] = {
    "MIN_POINTS": (1, 3),
    "MIN_TITLE": (0, 4, 12),
    "MIN_LEAD": (0, 30, 60),
    "STAMP": (15, 60),
    "MAX_SHARED": (20, 80),
    "SHARED": (0.1, 0.4),
    "REPEATED": (0.5, 0.9),
    "LONG": (15, 60),
    "INNER": (0.25, 0.75),
    "AS_MUCH": (0.5, 0.9),
    "BODY": (0.6, 0.99),
    "LITTLE": (0.05, 0.2),
    "HEAD": (0.15, 0.5),
    "SIGNED": (2, 8),
}
GAIN = 0.001  # least gain of the mean F1 for which a constant is changed
PAGES = 4  # of each made layout


class Case:
    """A page that is parsed, and the F1 of its text where it is taken for no thread."""

    def __init__(self, name: str, page: GoldPage) -> None:
        self.set, self.page = name, page
        asked: list[tuple[str, HtmlElement, str]] = []
        extraction.read_thread = lambda *arguments: asked.append(arguments)  # type: ignore[assignment,func-returns-value]
        try:
            self.other = score(extraction.extract(page.html, page.url).text, page.text)
        finally:
            extraction.read_thread = forum.read_thread
        self.asked = asked[0] if asked else None

    def score(self) -> float:
        """F1 of the page with the constants as they are set."""
        thread = forum.read_thread(*self.asked) if self.asked is not None else None
        if thread is None:
            return self.other
        return score(plain([Passage(b.text, b.kind, b.level, b.note) for b in thread.blocks]), self.page.text)


def with_values(values: Sequence[tuple[str, float]], cases: Sequence[Case]) -> list[float]:
    """F1 of cases with some constants changed."""
    before = {name: getattr(forum, name) for name, _ in values}
    for name, value in values:
        setattr(forum, name, value)
    try:
        return [case.score() for case in cases]
    finally:
        for name, value in before.items():
            setattr(forum, name, value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Choose and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wcxb", type=Path, required=True)
    parser.add_argument("--layouts", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--web", type=Path, nargs="+", default=[])
    options = parser.parse_args(arguments)
    logging.disable(logging.ERROR)
    made = defaultdict(list)
    for page in make_threads(options.layouts):
        made[page.site].append(page)
    pages = [("wcxb dev", page) for page in read_wcxb(options.wcxb, "dev")]
    pages += [("made threads", page) for group in made.values() for page in group[:: max(1, len(group) // PAGES)][:PAGES]]
    others = [*make_pages(options.layouts), *(load(options.data) if options.data else ())]
    others += read_gold(options.gold, read_pages(options.web, read_marks(options.gold))) if options.gold else []
    pages += [("hard threads", page) for page in list(make_hard_threads(options.layouts))[:: PAGES // 2]]
    pages += [("no threads", page) for page in others]
    cases = [case for case in (Case(*page) for page in pages) if case.asked is not None or case.set != "no threads"]
    sites = [f"{case.set} {case.page.site}" for case in cases]
    sizes = Counter(sites)

    def by_site(values: Sequence[float], without: str = "") -> float:
        rows = [(value / sizes[site]) for value, site in zip(values, sites, strict=True) if site != without]
        return sum(rows) / (len(sizes) - bool(without))

    now = with_values((), cases)
    print(f"{len(cases)} pages of {len(sizes)} sites; as they are {by_site(now):.4f}", flush=True)
    tried: dict[tuple[str, float], list[float]] = {}
    for name, choices in CHOICES.items():
        for value in choices:
            tried[name, value] = values = with_values([(name, value)], cases)
            changes = [(case.set, new - old) for case, new, old in zip(cases, values, now, strict=True)]
            parts = ", ".join(
                f"{one} {mean(d for s, d in changes if s == one):+.4f}" for one in dict.fromkeys(s for s, _ in changes)
            )
            gain, changed = by_site(values) - by_site(now), sum(d != 0 for _, d in changes)
            print(f"{name} {getattr(forum, name)} -> {value}: {gain:+.4f}, {changed} pages change ({parts})", flush=True)

    @functools.cache
    def together(values: tuple[tuple[str, float], ...]) -> list[float]:
        return with_values(values, cases)

    def chosen(without: str = "") -> tuple[tuple[str, float], ...]:
        found = []
        for name, choices in CHOICES.items():
            best = max(choices, key=lambda value: by_site(tried[name, value], without))
            if by_site(tried[name, best], without) - by_site(now, without) >= GAIN:
                found.append((name, best))
        return tuple(found)

    picks = {site: chosen(site) for site in sizes}
    for values, count in Counter(picks.values()).most_common():
        print(f"{count} sites: {', '.join(f'{n} {v}' for n, v in values) or 'as they are'}")
    left = [together(picks[site])[n] for n, site in enumerate(sites)]
    for name in dict.fromkeys(case.set for case in cases):
        rows = [n for n, case in enumerate(cases) if case.set == name]
        print(f"{name}: as they are {mean(now[n] for n in rows):.4f}, sites left out {mean(left[n] for n in rows):.4f}")
    print("all sites:", ", ".join(f"{n} {v}" for n, v in chosen()) or "as they are", f"{by_site(together(chosen())):.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
