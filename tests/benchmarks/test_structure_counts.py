"""Counts of what of a page's structure survives extraction."""

# ruff: noqa: E501 (markup)

import structure

PAGE = """<body><nav><pre>menu</pre></nav><div class="post-body"><script src="MathJax.js"></script>
<p>令$x_1$与\\(y\\)</p><script type="math/tex; mode=display">a<b</script><p>$$c$$</p>
<figure class="highlight"><table><tr><td class="gutter"><pre>1<br>2</pre></td><td class="code"><pre>if x:<br>    y()</pre></td></tr></table></figure>
<table><tr><td>年</td><td>数</td></tr><tr><td>2023</td><td>5</td></tr></table></div></body>"""
TEXT = "令$x_1$与$y$\na<b\nc\nif x:\n    y()\n年\t数\n2023\t5"


def test_everything_of_a_whole_text_is_found() -> None:
    counts, misses = structure.lost(PAGE, TEXT)
    assert {kind: counts[kind] for kind in structure.KINDS} == {"display": 2, "inline": 2, "code": 1, "indented": 1, "tables": 1}
    assert misses == []


def test_what_is_lost_is_named() -> None:
    _, misses = structure.lost(PAGE, "令$x_1$与y\na<b\nif x:\ny()\n年\n数\n2023\n5")
    assert [kind for kind, _ in misses] == ["display", "inline", "indented", "tables"]
    assert ("display", "c") in misses and ("inline", "y") in misses
