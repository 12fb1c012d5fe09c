"""The benchmark that compares texts with what a browser shows."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
import visible

PAGE = (
    "<html><head><title>小镇见闻</title><style>.a{display:none}</style></head><body><article><h1>小镇见闻</h1>"
    + "<p>渡口的船修好了，明天一早就可以下水，船夫请大家都去看一看。<b class=a>盗版必究</b></p>" * 3
    + "<p>晚上在<ruby>祠<rt>cí</rt></ruby>堂里有戏，演的是白蛇传，锣鼓已经借来了。</p></article></body></html>"
)


@pytest.mark.skipif(
    find_spec("playwright") is None or not Path(visible.CHROMIUM).is_file(), reason=f"needs playwright and {visible.CHROMIUM}"
)
def test_a_text_is_what_the_browser_shows(tmp_path: Path) -> None:
    page, figures = tmp_path / "page.html", tmp_path / "figures.json"
    page.write_text(PAGE, encoding="utf-8")
    visible.main([str(page), "--json", str(figures)])
    assert [one["f1"] for one in json.loads(figures.read_text())] == [1.0]
