"""Samples of our own writing, and a browser to judge them in."""

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from wait_tools import HANGS
from workbench_tools import Served, workbench

from topical_crawler.judging.sample import Header, Item, Sample, Stratum, write_sample

TEXTS: Mapping[str, str] = {
    "社区党支部把主题教育办到居民家门口": (
        "十一月八日，梧桐社区党支部在小广场上开了一堂露天党课。支部书记没有念稿子，而是先请老党员讲讲三十年前怎样带着大家修路。"
        "\n到场的党员干部有六十多人，还有不少路过的居民停下来听。有人问，主题教育和修楼道的灯有什么关系。书记回答，关系就在于："
        "灯坏了三个月没人管，是作风问题；今天晚上必须亮起来，是整改。\n散会以后，电工和两名党员当场换好了灯。居民在意见簿上写道，"
        "党组织的话说到了心里，事也办到了门口。\n据介绍，社区今年列出了二十七件民生小事，已经办完二十一件，其余六件在公告栏上"
        "逐一写明了负责人和期限。"
    ),
    "基层党组织怎样开好组织生活会": (
        "开好组织生活会，先要把问题找准。\n<script>document.title = '坏'</script><b>粗体</b>也只是文字。"
    ),
    "雨后登山记": "清晨下过一阵小雨，山路上满是松针的气味。走到半山亭，云从脚下升起来，远处的水库像一面没有擦干净的镜子。",
    "关于本站": "版权所有　未经许可不得转载\n联系我们　网站地图　设为首页",
}


HOSTS = ("www.wutong.cn", "www.menhu.cn")


def sample(copies: int = 1) -> Sample:
    """Four texts a copy, from two hosts, and one rejected page."""
    items = []
    for copy in range(copies):
        for place, (title, text) in enumerate(TEXTS.items()):
            page = {"url": f"http://www.wutong.cn/{copy}/{place}.html", "title": title, "date": "2026-11-08", "text": text}
            page |= {"host": HOSTS[place // 2], "stratum": HOSTS[place // 2]}
            items.append(Item(key=f"{copy}-{place}", relevance=0.8 - place / 5, weight=50, **page))
    missed = Item(
        key="missed", url="javascript:alert(1)", title="党务公开", host="c.cn", date="", relevance=0.01, reason="off topic",
        stratum="c.cn", weight=300,
    )  # fmt: skip
    strata = [Stratum(host, 100 * copies, 2 * copies) for host in ("www.menhu.cn", "www.wutong.cn")]
    terms = ("主题教育", "党员", "党组织", "党课", "党支部", "党员干部", "整改", "作风", "组织生活会")
    header = Header(
        corpus="data/partybuilding/corpus.sqlite", topic="党建", terms=terms, program="0.1.0", by="host", equal=False, seed=0,
        edges=(0.3, 0.5), strata=(*strata, Stratum("c.cn", 300, 1, "off topic")),
    )  # fmt: skip
    return Sample(header, (*items, missed))


def written(path: Path, copies: int = 1) -> Path:
    """``path``, with such a sample in it."""
    write_sample(sample(copies), path)
    return path


def serving(path: Path) -> contextlib.AbstractContextManager[Served]:
    """What ``topical-crawler corpus judge`` serves."""
    return workbench(path.parent, str(path), command=("corpus", "judge"))


@contextlib.contextmanager
def browser(*, language: str = "en", dark: bool = False, size: str = "1100,900") -> Iterator[webdriver.Chrome]:
    """A Chromium without a window, from the system's packages; the test is skipped where there is none."""
    chromium, driver = shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no Chromium here: apt-get install chromium chromium-driver")
    options = Options()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--window-size={size}"):
        options.add_argument(argument)
    options.add_argument(f"--lang={language}")
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(driver))
    try:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        found.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        found.set_page_load_timeout(HANGS)
        found.set_script_timeout(HANGS)
        yield found
    finally:
        found.quit()
