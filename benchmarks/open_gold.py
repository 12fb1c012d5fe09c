"""The open Chinese gold set: python benchmarks/open_gold.py [--only EXTRACTOR …] [--each] [--json FILE] | --make

200 pages of seven kinds in `gold/chinese/`, in the form of WCXB
(https://github.com/Murrough-Foley/web-content-extraction-benchmark): `dev` and `test`, in each `html/NUMBER.html.gz` and
`ground-truth/NUMBER.json`. Layouts (`open_gold_layouts.py`) and texts (`gold/chinese/texts.txt`) are our own, the JSON names both
for each page, and no layout and no text is in both parts. `gold/chinese/README.md` says what belongs to a text.

Without --make, each extractor that is installed reads the pages of both parts, and the mean F1 of character 4-grams by kind is
printed. --make writes the set anew: pages are made from a seed, and a Chromium without scripts shows them, so that the right text
is what a reader sees (`innerText` of the marked elements). A second reader, the lines of the source (`gold_pages.py`), must find
the same. The marks are no part of the saved pages.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import logging
import random
import re
import shutil
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

from extraction import LOW, RIVALS, score  # noqa: E402
from gold_pages import page_lines  # noqa: E402
from lxml.html import document_fromstring, tostring  # noqa: E402
from open_gold_layouts import GIVEN, GOLD, LAYOUTS, NO, PLACES, SURNAMES, TRADITIONAL, Around, Text  # noqa: E402
from text_scores import character_precision, character_recall  # noqa: E402

from topical_crawler.web.dom import decode  # noqa: E402

FOLDER = Path(__file__).parent / "gold/chinese"
PARTS = ("dev", "test")
SEED = 2026
CHROMIUM = "/usr/bin/chromium"
ALIKE = 0.999  # share of the characters of either reader that the other has to have
SHOWN = """
() => {
    const text = one => one.innerText.trim();
    for (const one of document.querySelectorAll('[data-gold=no]')) one.remove();
    const gold = [...document.querySelectorAll('[data-gold=yes]')];
    const found = gold.map(text).filter(one => one);
    for (const one of gold) one.remove();
    return [found.join('\\n'), document.body.innerText];
}
"""
_SLOT = re.compile(r"\{(人2|人|地2|地|年|n|N)\}")
_NUMBERS = {"n": (3, 10), "N": (12, 480)}
_SENTENCES = re.compile(r"(?<=[。？！])(?![”》）])")
_FENCE = "```"


# -- Texts


def read_texts(file: Path) -> Iterator[tuple[str, Text]]:
    """Part and text, as long as it is, of each text of the file. Its form is that of the file itself."""
    for block in re.split(r"^== ", file.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, *lines = block.strip().split("\n")
        kind, part, name = head.split(" ", 2)
        titles = [line[2:] for line in lines if line.startswith("# ")]
        yield part, _text(kind, name, "\n".join(titles), [line for line in lines if not line.startswith("# ")])


def _text(kind: str, name: str, title: str, lines: list[str]) -> Text:
    text = Text(kind, name, title)
    sections: list[tuple[str, list[str]]] = []
    here = text.paragraphs
    for line in lines:
        begun = bool(here) and here[-1].startswith(_FENCE) and not here[-1].endswith("\n" + _FENCE)
        if begun:  # within code
            here[-1] += "\n" + line
        elif line.startswith("## "):
            sections.append((line[3:], here := []))
        elif kind in ("encyclopaedia", "documentation") or kind == "article":
            is_row = "|" in line and not line.startswith(_FENCE)
            if is_row and here and "|" in here[-1] and kind == "documentation":
                here[-1] += "\n" + line
            else:
                here.append(line)
        elif line.startswith("> "):
            (text.after if text.rows else text.paragraphs).append(line[2:])
        elif line.startswith("! "):
            text.after.append(line[2:])
        elif "|" in line:
            text.rows.append(line.split("|"))
        else:
            text.replies.append(line.split("／"))
    code = [(head, [one.removesuffix("\n" + _FENCE) for one in items]) for head, items in sections]
    return replace(text, sections=code)


def draw(text: Text, rng: random.Random) -> Text:
    """A text of a page: some of the paragraphs, replies and sentences of ``text``, with names and numbers of its own."""
    names = {
        **{name: rng.choice(SURNAMES) + rng.choice(GIVEN) for name in ("人", "人2")},
        **dict(zip(("地", "地2"), rng.sample(PLACES, 2), strict=True)),
        "年": str(rng.randrange(1952, 2024)),
    }

    def fill(line: str) -> str:
        return _SLOT.sub(lambda slot: names.get(slot[1]) or str(rng.randrange(*_NUMBERS[slot[1]])), line)

    def cut(line: str) -> str:
        sentences = _SENTENCES.split(line)
        if len(sentences) > 2 and rng.random() < 0.4 and not line.startswith(_FENCE):
            del sentences[rng.randrange(1, len(sentences))]
        return fill("".join(sentences))

    def some(lines: list[str], least: int) -> list[str]:
        count = rng.randrange(min(least, len(lines)), len(lines) + 1)
        kept = {0, *rng.sample(range(len(lines)), count)} if lines else set()
        return [cut(line) for n, line in enumerate(lines) if n in kept]

    count = len(text.replies)
    replies = text.replies
    if text.kind in ("forum", "qa"):
        least = 2 if text.kind == "qa" else 4
        kept = sorted(rng.sample(range(count), rng.randrange(least, count + 1)))
        replies = [text.replies[n] for n in kept]
    sections = text.sections
    if text.kind == "encyclopaedia":
        sections = [one for one in sections if rng.random() < 0.8] or sections[:2]
    return replace(
        text,
        title=fill(rng.choice(text.title.split("\n"))),
        paragraphs=some(text.paragraphs, 5) if text.kind == "article" else [cut(line) for line in text.paragraphs],
        rows=[[fill(cell) for cell in row] for row in text.rows],
        after=[cut(line) for line in text.after],
        replies=[[cut(line) for line in one] for one in replies],
        sections=[(fill(head), [cut(line) if "|" not in line else fill(line) for line in items]) for head, items in sections],
    )


# -- Pages


def make(folder: Path, chromium: str) -> None:
    """Write the set. Raises SystemExit where two readers do not find the same text."""
    from playwright.sync_api import sync_playwright

    texts = list(read_texts(folder / "texts.txt"))
    for part in PARTS:
        shutil.rmtree(folder / part, ignore_errors=True)
        for name in ("html", "ground-truth"):
            (folder / part / name).mkdir(parents=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        view = browser.new_context(java_script_enabled=False, offline=True).new_page()
        view.route("**/*", lambda route: route.abort())
        number = 0
        for kind, (pages, layouts) in LAYOUTS.items():
            for place, (layout, address) in enumerate(layouts):
                part = PARTS[place % 2]
                own = [text for its, text in texts if its == part and text.kind == kind]
                others = [line for its, text in texts if its == part for line in text.title.split("\n") if "{" not in line]
                for turn in range(pages):
                    number += 1
                    rng = random.Random(f"{SEED} {kind} {layout.__name__} {turn}")
                    text = draw(own[(place // 2 + turn * 2 + turn // 2) % len(own)], rng)
                    around = Around(rng, [title for title in others if title != text.title])
                    source = layout(text, around)
                    if layout in TRADITIONAL:
                        source, text = _traditional(source), replace(text, title=_traditional(text.title))
                    view.set_content(source, wait_until="commit")
                    gold, rest = (_clean(one) for one in view.evaluate(SHOWN))
                    _check(f"{layout.__name__} {turn}", source, gold)
                    year, month, day = around.day.split("-")
                    url = address.format(n=around.number, y=year, m=month, d=day)
                    saved = source.replace(GOLD, "").replace(NO, "").encode()
                    known = _known(number, kind, url, text.title, gold, rest)
                    if kind == "article":
                        known["ground_truth"]["publish_date"] = around.day
                    known["_internal"]["source"] = {"layout": f"{layout.__name__} (own)", "text": f"{text.name} (own)"}
                    name = f"{number:04d}"
                    (folder / part / "html" / f"{name}.html.gz").write_bytes(gzip.compress(saved, 9, mtime=0))
                    line = json.dumps(known, ensure_ascii=False, indent=1) + "\n"
                    (folder / part / "ground-truth" / f"{name}.json").write_text(line, encoding="utf-8")
        browser.close()


def _clean(text: str) -> str:
    return "\n".join(line.removeprefix(": ") for line in map(str.strip, text.replace("\u200b", "").splitlines()) if line)


def _traditional(text: str) -> str:
    from opencc import OpenCC

    return str(OpenCC("s2twp").convert(text))


def _check(name: str, source: str, gold: str) -> None:
    """Compare what the browser shows of the marked elements with their lines in the source."""
    tree = document_fromstring(source)
    for element in tree.xpath("//*[@data-gold='no']"):
        element.drop_tree()
    marked = (tostring(part, encoding="unicode", with_tail=False) for part in tree.xpath("//*[@data-gold='yes']"))
    lines = _clean("\n".join(line for part in marked for line in page_lines(part)))
    if min(character_recall(lines, gold), character_precision(lines, gold)) < ALIKE:
        raise SystemExit(f"{name}: the browser shows another text than the source holds:\n{gold}\n---\n{lines}")


def _known(number: int, kind: str, url: str, title: str, gold: str, rest: str) -> dict[str, Any]:
    """The ground truth of a page, in WCXB's form."""
    lines, outside = (
        gold.split("\n"),
        [line for line in rest.split("\n") if len(line) > 5 and line not in gold and title not in line],
    )
    return {
        "schema_version": "2.0",
        "url": url,
        "file_id": f"{number:04d}",
        "_internal": {"page_type": {"primary": kind, "confidence": "verified"}},
        "ground_truth": {
            "title": title,
            "author": None,
            "publish_date": None,
            "main_content": gold,
            "with": [lines[place][:14] for place in sorted({0, len(lines) // 2, len(lines) - 1})],
            "without": [outside[place][:20] for place in sorted({0, len(outside) // 2, len(outside) - 1})] if outside else [],
        },
    }


# -- Scores


def read(folder: Path, part: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Number, kind, address, source and text of the pages of a part."""
    for file in sorted((folder / part / "ground-truth").glob("*.json")):
        known = json.loads(file.read_bytes())
        html = decode(gzip.decompress((folder / part / "html" / f"{file.stem}.html.gz").read_bytes()))[0]
        yield file.stem, known["_internal"]["page_type"]["primary"], known["url"], html, known["ground_truth"]["main_content"]


def measure(folder: Path, part: str, rivals: Sequence[str]) -> dict[str, dict[str, dict[str, float]]]:
    """The score of each page, by extractor and kind."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for rival in rivals:
        package, extractor = RIVALS[rival]
        if importlib.util.find_spec(package) is None:
            continue
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        for number, kind, url, html, truth in read(folder, part):
            try:
                text = extractor(html, url)
            except Exception:  # a page that an extractor fails on is a page that it does not find
                text = ""
            scores[kind][number] = score(text, truth)
        found[rival] = dict(scores)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the tables, or make the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", action="store_true", help="write the set anew")
    parser.add_argument("--chromium", default=CHROMIUM, metavar="PATH", help=f"the browser of --make (default {CHROMIUM})")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="the set")
    parser.add_argument("--part", nargs="+", choices=PARTS, default=PARTS, help="parts to measure (default both)")
    parser.add_argument("--only", nargs="+", choices=list(RIVALS), default=list(RIVALS), help="extractors (default all)")
    parser.add_argument("--each", action="store_true", help="print the score of each page, the worst first")
    parser.add_argument("--json", type=Path, help="write the scores to this file as well")
    options = parser.parse_args(arguments)
    logging.disable(logging.ERROR)
    if options.make:
        make(options.folder, options.chromium)
        return 0
    every = {}
    for part in options.part:
        every[part] = found = measure(options.folder, part, options.only)
        kinds = list(next(iter(found.values())))
        pages = {kind: len(next(iter(found.values()))[kind]) for kind in kinds}
        table = Table(title=f"{part}: mean F1 of character 4-grams", title_justify="left", box=None)
        for heading in ("", *(f"{kind} {pages[kind]}" for kind in kinds), f"all {sum(pages.values())}", f"under {LOW}"):
            table.add_column(heading, justify="right" if heading else "left")
        for rival in options.only:
            if rival not in found:
                table.add_row(rival, "not installed")
                continue
            pages_of = sorted((value, number, kind) for kind, one in found[rival].items() for number, value in one.items())
            means = [statistics.mean(found[rival][kind].values()) for kind in kinds]
            means.append(statistics.mean(value for value, _, _ in pages_of))
            table.add_row(rival, *(f"{mean:.3f}" for mean in means), str(sum(value < LOW for value, _, _ in pages_of)))
            for value, number, kind in pages_of if options.each else ():
                print(f"{value:.3f}  {part}/{number}  {kind}  {rival}")
        Console(width=160).print(table)
    if options.json:
        options.json.write_text(json.dumps(every, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
