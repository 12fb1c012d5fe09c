"""The text of a data set's card, for people: what the texts are, how they came together, and what to mind."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from topical_crawler.export.manifest import PROGRAM, Count, Facts, Tally
from topical_crawler.export.rows import COLUMNS
from topical_crawler.export.split import Split
from topical_crawler.version import __version__

SHOWN_HOSTS = 30

_LIMITS = """\
## Known limits

- The main text is taken out of web pages by programs. Now and then a line of navigation stays in, or a line of the text is
  missing; tables, pictures and footnotes are not kept.
- What belongs to the topic was decided by a program, by the words of a text. `relevance` and `why` tell how sure and for what
  reason.
- Exact and near duplicates are merged, and so are articles on several pages; texts that quote each other at length remain.
- `date`, `author`, `source` and `license` are what the page says; they are empty where it says nothing that could be read.
- The hosts are those that links from the seeds led to: no sample of the web, and none of the language.
"""

_RIGHTS = """\
## Licence

The texts belong to their publishers. `license` has the licence that a page names; where it is empty, the page names none, and the
law of the country where the texts are used says what may be done with them. Nothing here grants a right that the publishers did
not grant.
"""


def body(title: str, tally: Tally, facts: Facts, split: Split | None) -> str:
    """The card below its head, in Markdown."""
    parts = [
        f"# {_line(title)}\n",
        f"{tally.whole.texts:,} texts from {len(tally.hosts):,} hosts, {tally.whole.characters:,} characters; collected from the "
        f"web with {PROGRAM} {__version__}.\n",
        _topic(facts),
        _collection(tally, facts),
        _choice(facts),
        _hosts(tally, facts),
        _splits(tally, split) if split else "",
        _fields(),
        _LIMITS,
        _personal(tally, facts),
        _RIGHTS,
    ]
    return "\n".join(part for part in parts if part)


def _topic(facts: Facts) -> str:
    if not facts.topic:
        return ""
    return "## Topic\n\n" + "".join(f"- {name}: {_said(value)}\n" for name, value in facts.topic.items() if value)


def _collection(tally: Tally, facts: Facts) -> str:
    lines = ["## Collection\n"]
    lines += [f"- {name}: {_said(value)}" for name, value in facts.crawl.items() if value not in ("", None)]
    lines.append(f"- pages fetched: {tally.first_fetched or 'unknown'} to {tally.last_fetched or 'unknown'} (UTC)")
    asked = [facts.robots[host] for host in tally.hosts if host in facts.robots]
    said = Counter(str(robots.get("robots", "")) or "unknown" for robots in asked)
    told = f" ({', '.join(f'{_line(name)}: {count:,}' for name, count in said.most_common(10))})" if said else ""
    lines.append(f"- politeness: of {len(tally.hosts):,} hosts the answer to robots.txt is noted for {len(asked):,}{told}")
    if delays := [delay for robots in asked if (delay := robots.get("crawl_delay"))]:
        lines.append(f"- a delay between requests was asked for by {len(delays):,} of them: {min(delays):g} to {max(delays):g} s")
    return "\n".join(lines) + "\n"


def _choice(facts: Facts) -> str:
    lines = [f"- {name}: {_said(value)}" for name, value in facts.filters.items()]
    lines += [f"- changed: {change}" for change in facts.changes]
    return "## Filters\n\n" + ("\n".join(lines) if lines else "None: every kept text of the corpus is here.") + "\n"


def _hosts(tally: Tally, facts: Facts) -> str:
    lines = ["## Hosts\n", "| host | texts | characters | licences named | robots.txt |", "|---|---:|---:|---|---|"]
    ordered = sorted(tally.hosts.items(), key=lambda item: (-item[1].texts, item[0]))
    for host, count in ordered[:SHOWN_HOSTS]:
        named = ", ".join(f"{_line(name)} ({n:,})" for name, n in tally.licenses.get(host, Counter()).most_common(3))
        robots = _line(str(facts.robots.get(host, {}).get("robots", "")))
        lines.append(f"| {_line(host)} | {count.texts:,} | {count.characters:,} | {named} | {robots} |")
    if rest := [count for _, count in ordered[SHOWN_HOSTS:]]:
        texts, characters = sum(c.texts for c in rest), sum(c.characters for c in rest)
        lines.append(f"| {len(rest):,} more (see the manifest) | {texts:,} | {characters:,} | | |")
    return "\n".join(lines) + "\n"


def _splits(tally: Tally, split: Split) -> str:
    lines = ["## Splits\n", "| split | share | texts | characters |", "|---|---:|---:|---:|"]
    shares = dict(zip(("train", "validation", "test"), split.shares, strict=True))
    for name in split.names:
        count = tally.splits.get(name, Count())
        lines.append(f"| {name} | {shares[name]:g} | {count.texts:,} | {count.characters:,} |")
    what = "All texts of a host are in one split." if split.by == "host" else "Texts were divided one by one."
    lines.append(f"\n{what} A digest decides (seed {split.seed}), so that no text moves when the corpus grows.")
    return "\n".join(lines) + "\n"


def _fields() -> str:
    lines = [f"| `{column.name}` | {column.meaning} |" for column in COLUMNS]
    return "\n".join(["## Fields\n", "| field | meaning |", "|---|---|", *lines]) + "\n"


def _personal(tally: Tally, facts: Facts) -> str:
    found = ", ".join(f"{_line(kind)} {count:,}" for kind, count in sorted(tally.personal.items()))
    lines = [
        "## Personal data\n",
        "The texts were published on the open web and name persons. They were searched for telephone numbers, mail addresses,\n"
        "and numbers of identity and bank cards (`personal`); names were not looked for.",
        f"Found (texts): {found}." if found else "None were found.",
    ]
    if tally.unmeasured:
        lines.append(f"{tally.unmeasured:,} texts were stored by a version that did not search.")
    lines += [f"{change.capitalize()}." for change in facts.changes if "personal" in change]
    lines.append("Whoever uses the texts answers for the law on personal data where they are used.")
    return "\n".join(lines) + "\n"


def _said(value: Any) -> str:
    return _line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _line(text: str) -> str:
    """As one line that no table and no markup of the card breaks on: hosts and licences come from strangers."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
