"""Texts that a page holds as data and not in its markup."""

import json
import time

import pytest

from topical_crawler.extraction.extract import extract
from topical_crawler.web.data import text_in_data

LINES = [
    "渡口的船修好了，明天一早就可以下水，船夫请大家都去看一看。",
    "晚上在祠堂里有戏，演的是白蛇传，锣鼓已经借来了，台子也搭好了。",
    "修表的师傅说，机械表走得慢，多半是油干了，并不是坏了。",
    "河边的芦苇割过一茬以后，野鸭子就搬到了上游的浅滩。",
    "镇上的图书馆把闭馆时间推迟到了晚上九点，下班的人赶得上还书。",
    "茶农说，清明以前的叶子最嫩，过了谷雨就只能做粗茶。",
    "果园里的蜜蜂是租来的，花期一过就要装车运往北方。",
    "火车站的候车室装了新的暖气，等夜车的人不再跺脚。",
]
TEXT = "\n".join(LINES)
HTML = "".join(f"<p>{line}</p>" for line in LINES)
NEXT = "<script id='__NEXT_DATA__' type='application/json'>{}</script>"
LD_ARTICLE = {"@type": "Article", "articleBody": TEXT}
STATE = "<script>window.__INITIAL_STATE__ = {};(function(){{var s;}}());</script>"


def dumped(data: object, *, ascii_only: bool = True) -> str:
    return json.dumps(data, ensure_ascii=ascii_only)


@pytest.mark.parametrize(
    ("script", "place"),
    [
        (NEXT.format(dumped({"props": {"pageProps": {"post": {"title": "小镇", "content": HTML}}}})), "__NEXT_DATA__"),
        (NEXT.format(dumped({"props": {"paragraphs": LINES, "tags": ["小镇", "见闻"]}})), "__NEXT_DATA__"),
        (NEXT.format(dumped({"blocks": [{"type": "p", "text": line} for line in LINES]})), "__NEXT_DATA__"),
        (NEXT.format(dumped({"content": HTML.replace("<", "&lt;").replace(">", "&gt;")})), "__NEXT_DATA__"),
        (STATE.format(dumped({"note": {"desc": TEXT, "user": "阿青"}}, ascii_only=False)), "__INITIAL_STATE__"),
        (STATE.format('{"a":undefined,"b":{"desc":' + dumped(TEXT) + ',"time":undefined}}'), "__INITIAL_STATE__"),
        (STATE.format("JSON.parse(" + dumped(dumped({"article": {"content": HTML}})) + ")"), "__INITIAL_STATE__"),
        (f"<script>window.__NUXT__=(function(a,b){{return {{body:a}}}}({dumped(HTML)},1));</script>", "__NUXT__"),
        (f"<script id=__NUXT_DATA__ type=application/json>{dumped([[1], {'a': 2}, HTML])}</script>", "__NUXT_DATA__"),
        (f"<script>var art = '{HTML}'; // it's all</script>", "script"),
        (f"<script>self.__next_f.push([1,{dumped('5:' + dumped(['$', {'__html': HTML}]))}])</script>", "script"),
        (f"<script type='application/ld+json'>{dumped({'@graph': [{'@type': 'Person'}, LD_ARTICLE]})}</script>", "json-ld"),
        (STATE.format(dumped({"comments": [{"content": "写得真好，想起了小时候。"}] * 5, "content": HTML})), "__INITIAL_STATE__"),
    ],
)
@pytest.mark.parametrize(
    "root", ["<div id=app></div>", "<nav><a href=/a/>新闻</a></nav><div>加载中</div><noscript>请启用脚本</noscript>"]
)
def test_a_text_in_data_is_the_text_of_a_page_without_another(script: str, place: str, root: str) -> None:
    found = extract(f"<title>小镇见闻</title><body>{root}{script}</body>", "http://www.example.cn/a/c1.html")
    assert (found.text, found.method, found.kind) == (TEXT, place, "article")


def test_the_description_of_a_picture_post_is_its_text() -> None:
    head = f"<title>小镇</title><meta property='og:description' content='{LINES[0]}&quot;{LINES[1]}'>"
    found = extract(f"{head}<body>{'<img src=1.jpg>' * 5}</body>", "http://www.example.cn/a/c1.html")
    assert (found.text, found.method) == (f'{LINES[0]}"{LINES[1]}', "og:description")


@pytest.mark.parametrize(
    ("body", "url"),
    [
        (f"{HTML}{STATE.format(dumped({'content': '另一段文字，与正文不同。' * 90}))}", "http://www.example.cn/a/c1.html"),
        (STATE.format(dumped({"token": "A9f" * 100, "api": f"https://a.cn/{'abc/' * 50}"})), "http://www.example.cn/a/1.html"),
        (
            "".join(f"<li><a href=/n/{n}.html>第{n}条新闻的长长的标题</a></li>" for n in range(20))
            + STATE.format(dumped({"list": [{"title": "新闻的标题", "summary": LINES[0]}] * 20})),
            "http://www.example.cn/list/",
        ),
        (f"<video src=/1.mp4></video><meta property='og:description' content='{TEXT}'>", "http://www.example.cn/v/1.html"),
    ],
)
def test_data_do_not_take_the_place_of_what_a_page_is(body: str, url: str) -> None:
    found = extract(f"<title>小镇见闻</title><body>{body}</body>", url)
    assert found.text in ("", TEXT)
    assert found.method in ("", "model")


@pytest.mark.parametrize(
    "html",
    [
        "<script>" + '\\"' * 200_000,
        "<script>" * 50_000,
        "<meta og:description " * 20_000,
        "<script>" + "a" * 400_000 + " " * 400_000,
        '<script>"' + '[\\"' * 100_000 + '"',
        "<script>x = " + "[" * 5_000 + '"' + "]" * 5_000,
        "<template " * 50_000 + "shadowroot",
    ],
)
def test_data_are_read_in_time(html: str) -> None:
    began = time.process_time()
    assert text_in_data(html, 0) == ("", "", 0)
    assert time.process_time() - began < 5
