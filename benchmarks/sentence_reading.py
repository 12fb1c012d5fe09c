"""What is read of sentences as many people would write them: words that must be terms, and words that must not weigh.

    python benchmarks/sentence_reading.py [--half A] [--verbose]

``sentence_reading.tsv`` has 152 sentences over some thirty fields, written down before any was tried, with the words that must be
terms (several that are as good are parted by =), those of general use, which may weigh :data:`LIGHT` at most, and those that say
what is wanted of the topic, which must be no terms. Half A was read while the reading was mended; half B was measured once before
it was read, too (experiments/notes/terms.md). The language resources are the user's; XDG_DATA_HOME=/nowhere runs it without.
--verbose lists all terms of each sentence.
"""

import argparse
import csv
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from topical_crawler.authoring.start import GENERAL_WEIGHT as LIGHT  # noqa: E402
from topical_crawler.authoring.start import PART_WEIGHT, Start, from_sentence, known_words, other_names  # noqa: E402
from topical_crawler.resources.registry import Resources  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("A", "B", "AB"), default="AB")
    parser.add_argument("--verbose", action="store_true")
    opts = parser.parse_args()
    known = known_words(Resources.from_settings({}))
    must = found = forbidden = wrong = whole = sentences = 0
    with (ROOT / "benchmarks" / "sentence_reading.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["half"] in opts.half]
    for row in rows:
        start = from_sentence(row["sentence"], known)
        start.add(Start(other_names(start.terms)))  # read_sentence would open the resources for each
        weights = {term.word: term.in_means for term in start.terms}
        wanted = [word.split("=") for word in row["must"].split()]
        lost = ["=".join(same) for same in wanted if not any(weights.get(w, 0) > PART_WEIGHT for w in same)]
        heavy = [word for word in row["light"].split() if weights.get(word, 0) > LIGHT]
        request = [word for word in row["none"].split() if word in weights]
        must, found = must + len(wanted), found + len(wanted) - len(lost)
        forbidden, wrong = forbidden + len(row["light"].split()) + len(row["none"].split()), wrong + len(heavy) + len(request)
        sentences, whole = sentences + 1, whole + (not lost and not heavy and not request)
        if opts.verbose or lost or heavy or request:
            print(row["half"], row["sentence"])
            for label, words in (("lost", lost), ("too heavy", heavy), ("no term", request)):
                if words:
                    print(f"    {label}: {' '.join(words)}")
        if opts.verbose:
            print("   ", " ".join(t.word + ("" if t.in_means == 1 else f":{t.in_means:g}") for t in start.terms))
            print("    left out:", " ".join(start.left_out))
    print(f"{sentences} sentences: {found} of {must} words found ({found / must:.3f}), "
          f"{wrong} of {forbidden} weigh too much ({wrong / forbidden:.3f}), {whole} sentences without fault")  # fmt: skip


if __name__ == "__main__":
    main()
