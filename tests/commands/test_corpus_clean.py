"""``topical-crawler corpus clean`` as a user runs it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_tools import RunScrapy
from corpus_tools import everything

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

SLOGAN = "跟着某某党建网，学习永远在路上！"
TOPICS = ("志愿服务", "走访慰问", "植树造林", "读书分享", "技能比武", "红色观影", "安全检查", "防汛演练", "义务献血", "法律宣讲")


def body(n: int) -> str:
    topic, other = TOPICS[n % 10], TOPICS[(n * 3 + 1) % 10]
    return (
        f"{topic}是第{n}支部今年的重点，党员们围绕{other}和{topic}各抒己见，形成了{n + 7}条意见。\n"
        f"有人提出把{topic}同{other}结合起来，先在{chr(0x4E5D + 31 * n)}社区试点，再看效果如何。\n"
        f"支部书记说，{other}不能只做一次，要有专人负责，年底以前把{topic}的结果报上来。"
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Ten pages with a slogan above the text, one that becomes a copy without it, and some that are none."""
    place = tmp_path / "corpus.sqlite"
    texts = [f"{SLOGAN}\n{body(n)}" for n in range(10)]
    texts += [
        body(30).encode().decode("gb18030", "replace"),
        "版权所有 某某网 未经授权禁止转载\n京ICP备12345678号\n某某网法律声明",
        "ＣＰＵ　" + body(31) + "联系电话：13800138000",
    ]
    with CorpusStore(place) as store:
        for n, text in enumerate(texts):
            store.put(Record(url=f"http://www.a.cn/{n}", host="www.a.cn", keep=True, text=text, title=f"标题{n}"))
        store.put(Record(url="http://b.cn/", host="b.cn", keep=False, reason="off topic"))
    return place


@pytest.fixture
def run(call_scrapy: RunScrapy, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    def run(*arguments: str) -> tuple[int, str, str]:
        done = call_scrapy("corpus", "clean", *arguments, cwd=tmp_path)
        return done.returncode, done.stdout, done.stderr

    return run


def test_texts_are_cleaned_once_and_for_all(run: Callable[..., tuple[int, str, str]], corpus: Path, tmp_path: Path) -> None:
    before = everything(corpus)
    code, out, _ = run(str(corpus), "--dry-run")
    assert code == 0
    assert "11 would be changed, 2 would be rejected" in out
    assert f"10× {SLOGAN}" in out
    assert everything(corpus) == before

    code, out, _ = run(str(corpus), "--report", str(tmp_path / "report.json"))
    assert code == 0
    assert "11 changed, 2 rejected" in out
    after = everything(corpus)
    assert [record.text for record in after[:10]] == [body(n) for n in range(10)]
    assert [record.reason for record in after[10:]] == ["garbled text", "copyright only", "", "off topic"]
    assert after[12].text == f"CPU {body(31)}联系电话：13800138000"
    assert (after[12].personal, after[12].language, after[12].script) == ({"phone": 1}, "zh", "simplified")
    assert after[0].measures["han"] > 0.9
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (report["pages"], report["changed"]) == (13, 11)
    assert report["rejected"] == {"garbled text": 1, "copyright only": 1}
    assert {"line": SLOGAN, "pages": 10} in report["hosts"][0]["lines"]

    code, out, _ = run(str(corpus))
    assert "11 texts checked: 0 changed, 0 rejected" in out
    assert everything(corpus) == after


def test_the_settings_hold_and_masks_stay_counted(run: Callable[..., tuple[int, str, str]], corpus: Path) -> None:
    settings = ("-s", "TOPICAL_PERSONAL=mask", "-s", "TOPICAL_SITE_LINES=0")
    run(str(corpus), *settings)
    found = everything(corpus)
    assert found[0].text == f"{SLOGAN}\n{body(0)}"
    assert found[12].text is not None and found[12].text.endswith("联系电话：[电话]")
    run(str(corpus), *settings)
    assert everything(corpus) == found
    assert found[12].personal == {"phone": 1}


def test_what_cannot_be_done_is_said(run: Callable[..., tuple[int, str, str]], corpus: Path) -> None:
    code, _, err = run(str(corpus), "-s", "TOPICAL_CONVERT=hant")
    assert (code, "TOPICAL_CONVERT" in err) == (1, True)
    code, _, err = run("nowhere")
    assert (code, "there is no corpus" in err) == (1, True)
