"""How much of what a browser shows of an article is in our text, and what is in it that the browser does not show.

    python benchmarks/visible.py PAGE.html … [--article SELECTOR] [--base URL] [--chromium PATH] [--each] [--json FILE]

Each page is opened in Chromium without its scripts and without the network, and the `innerText` of its article is compared with
the text that `extract` gives, by the F1 of character 4-grams and the recall and precision of characters. The article is the first
element of `--article`, by default of `article, main, [role=main]`, else the innermost element that holds 80 % of what the page
shows. What a reader does not see though it is in `innerText` is taken out first: readings of characters, and what has no size, no
opacity or no place on the page; headlines, menus and footers too, which are no text for us.

Recall tells what is lost, precision what is read that nobody sees. `--each` prints a line a page, the worst first.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

from text_scores import character_precision, character_recall, ngram_f1  # noqa: E402

from topical_crawler.extraction.extract import extract  # noqa: E402
from topical_crawler.web.dom import decode  # noqa: E402
from topical_crawler.web.page import Page  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
ADDRESS = "http://www.example.cn/a/c1.html"
SHOWN = """
selector => {
    const all = [...document.body.querySelectorAll('*')];
    for (const one of document.querySelectorAll('rt, rp, rtc')) one.remove();
    for (const one of all) {
        const style = getComputedStyle(one);
        const own = [...one.childNodes].filter(node => node.nodeType === 3);
        const place = one.getBoundingClientRect();
        const unseen = parseFloat(style.fontSize) === 0 || place.right < 0 || place.bottom < 0;
        if (unseen) for (const node of own) node.remove();
        if (style.opacity === '0') one.remove();
    }
    const size = one => one.innerText.replace(/\\s/g, '').length;
    let found = selector ? document.querySelector(selector) : document.querySelector('article, main, [role=main]');
    if (!found) {
        found = document.body;
        for (let inner = found; inner; found = inner, inner = [...found.children].find(one => size(one) > 0.8 * size(found)));
    }
    for (const one of found.querySelectorAll('nav, footer, aside, h1')) one.remove();
    return found.innerText;
}
"""
"""What the page shows of its article, in the browser. Inner text knows `display`, `visibility` and `white-space` itself."""


def shown(pages: Sequence[tuple[str, str]], chromium: str, selector: str) -> Iterator[str]:
    """What Chromium shows of the articles of pages, given by address and source. Raises SystemExit where there is no browser."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise SystemExit("playwright is not installed. Remedy: pip install 'topical-crawler[scripts]'") from None
    if not Path(chromium).is_file():
        raise SystemExit(f"there is no browser at {chromium}. Remedy: --chromium PATH, or install Chromium")
    with sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        except Error as error:
            raise SystemExit(f"{chromium} cannot be started: {str(error).splitlines()[0]}") from None
        page = browser.new_context(java_script_enabled=False, offline=True).new_page()
        page.route("**/*", lambda route: route.abort())
        for _, html in pages:
            page.set_content(html, wait_until="commit")
            yield str(page.evaluate(SHOWN, selector))
        browser.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE.html", help="pages, or folders of them")
    parser.add_argument("--article", default="", metavar="SELECTOR", help="the element of the article")
    parser.add_argument("--base", default=ADDRESS, metavar="URL", help="where the pages come from")
    parser.add_argument("--chromium", default=CHROMIUM, metavar="PATH", help=f"the browser (default {CHROMIUM})")
    parser.add_argument("--each", action="store_true", help="print a line for each page, the worst first")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    files = [file for path in options.pages for file in (sorted(path.rglob("*.htm*")) if path.is_dir() else [path])]
    if not files:
        raise SystemExit("there are no pages. Remedy: name files of HTML, or folders that hold some")
    pages = [(options.base, decode(file.read_bytes())[0]) for file in files]
    figures: list[dict[str, Any]] = []
    for file, (url, html), seen in zip(files, pages, shown(pages, options.chromium, options.article), strict=True):
        read = extract(Page.from_html(url, html).html, url).text
        scores = {
            "f1": ngram_f1(read, seen),
            "recall": character_recall(read, seen),
            "precision": character_precision(read, seen),
        }
        figures.append({"page": str(file), **scores})
    for one in sorted(figures, key=lambda one: one["f1"]) if options.each else ():
        print(f"{one['f1']:.3f}  recall {one['recall']:.3f}  precision {one['precision']:.3f}  {one['page']}")
    mean = {name: statistics.mean(one[name] for one in figures) for name in ("f1", "recall", "precision")}
    print(f"{len(files)} pages: F1 {mean['f1']:.3f}, recall {mean['recall']:.3f}, precision {mean['precision']:.3f}")
    if options.json:
        options.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
