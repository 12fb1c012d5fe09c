"""Pages to write out."""

from hypothesis import strategies as st

from topical_crawler.corpus.record import MEASURES, Record, text_hash
from topical_crawler.export.rows import ExportRow, as_dict
from topical_crawler.text.passages import Passage, layout, plain

PAGE = Record(
    url="http://a.cn/1.html", host="a.cn", keep=True, title="主题\n教育", text="第一段，“引文”。还有！\n\n第二段 <b>&amp;</b>",
    relevance=0.75, date="2024-01-02", author="张&三", source="人民网", section="首页 > 党建", license="CC BY 4.0",
    kind="article", language="zh", script="simplified", measures={name: n / 8 for n, name in enumerate(MEASURES)},
    personal={"phone": 2}, fetched="2026-11-20T08:00:00+00:00", priority=0.5, depth=2, why={"党建": 0.6}, order=1, final_url="http://a.cn/1",
    content_hash=text_hash("第一段"),
)  # fmt: skip
PLAIN = Record(
    url="http://b.cn/2.html", host="b.cn", keep=True, text="开会。", date="2024-02-31", order=2,
    fetched="2026-11-20T09:00:00+00:00",
)  # fmt: skip
COPY = Record(
    url="http://b.cn/", host="b.cn", keep=False, reason="duplicate", duplicate_of=PAGE.url, similarity=0.9, order=3,
    fetched="2026-11-20T10:00:00+00:00",
)  # fmt: skip

PASSAGES = [
    Passage("开场白。"),
    Passage("排序", "heading", 2),
    Passage("快速排序", "heading", 3),
    Passage("先分。", "item", 1, "1"),
    Passage("左边", "item", 2),
    Passage("再合。", "item", 1, "2"),
    Passage("代码如下：", "quote"),
    Passage("再说一遍。", "quote"),
    Passage("def f(x):\n    return x < 1", "code", note="python"),
    Passage("E = mc^2", "formula"),
    Passage("名称\t次数\n快排\t3", "table"),
    Passage("图一", "caption"),
    Passage("结语", "heading", 2),
    Passage("完。"),
]
"""A text with every kind of passage."""
STRUCTURED = Record(
    url="http://c.cn/4.html", host="c.cn", keep=True, text=plain(PASSAGES), layout=layout(PASSAGES), language="zh", order=4
)

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1) | st.sampled_from(
    ["]]>&<>\"'", "\t制表\t", "长" * 30_000, "一\r\n二\r三\x0b\x1c\x85\u2028四", "\ufffe\uffff党",
     " \n \n", "&lt;s&gt;", "=1+1", "</s>\n<doc>"]
)  # fmt: skip
"""Any text, and those that break formats."""


def row(text: str = "开会。", n: int = 1, host: str = "a.cn", **more: object) -> ExportRow:
    """A kept page."""
    fields = {"url": f"http://{host}/{n}", "host": host, "text": text, "order": n, "content_hash": text_hash(text)}
    return as_dict(Record(keep=True, **(fields | more)))  # type: ignore[arg-type]
