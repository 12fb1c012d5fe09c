"""The style sheet of the page that compares crawls: light and dark, wide and narrow."""

from __future__ import annotations

from topical_crawler.evaluation.curve_styles import TONES

_RULES = """\
:root { color-scheme: light dark; --paper: #ffffff; --soft: #f3f4f6; --rule: #d4d7dc; --quiet: #5a6068; --bar: #cfe3f4 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --soft: #22262b; --rule: #3a4047; --quiet: #a4abb4; --bar: #1f4058 }
}
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans CJK SC", "Source Han Sans SC", "PingFang SC", "Microsoft YaHei",
    sans-serif }
main { max-width: 76rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.6rem; line-height: 1.25 }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; padding-top: .8rem; border-top: 1px solid var(--rule) }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .6rem 0 }
dt { color: var(--quiet) }
dd { margin: 0; overflow-wrap: anywhere }
a { color: inherit }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums }
th, td { padding: .28rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; vertical-align: top }
td, tbody th { white-space: nowrap }
thead th { color: var(--quiet); font-weight: 500; vertical-align: bottom; min-width: 3.2rem; max-width: 9rem }
th:first-child { position: sticky; left: 0; background: var(--paper); text-align: left }
tbody th { font-weight: 500 }
tr.oracle > * { color: var(--quiet); font-style: italic }
td small { display: block; color: var(--quiet); font-size: .72rem }
td.bar { background: linear-gradient(to right, var(--bar) var(--w), transparent 0); min-width: 5rem }
abbr { text-decoration: none }
.chart { display: block; width: 100%; min-width: 620px; max-width: 1000px; height: auto }
.chart text { font: 12px system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif }
.tick { fill: var(--quiet) }
.middle { text-anchor: middle }
.end { text-anchor: end }
.grid { stroke: var(--rule); stroke-width: .6 }
.axis { fill: none; stroke: var(--quiet) }
.line { fill: none; stroke-linejoin: round }
.leader { fill: none; stroke-width: .7; opacity: .55 }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 0; margin: .3rem 0; list-style: none; font-size: .84rem }
.sample { width: 34px; height: 10px }
@media print { .wide { overflow: visible } }
"""


def style_sheet() -> str:
    """All rules; the colours of curves (:data:`~topical_crawler.evaluation.curve_styles.TONES`) are among them."""
    light, dark = (" ".join(f"--{name}: {pair[place]};" for name, pair in TONES.items()) for place in (0, 1))
    classes = "\n".join(
        f".line.t-{n}, .leader.t-{n} {{ stroke: var(--{n}) }} .dot.t-{n}, .name.t-{n} {{ fill: var(--{n}) }}" for n in TONES
    )
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{_RULES}{classes}\n"
