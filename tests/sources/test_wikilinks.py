"""Links that lead out of a wiki, by the forms that articles give them."""

import pytest

from topical_crawler.sources.wikilinks import Link, external_links


@pytest.mark.parametrize(
    ("wikitext", "label", "kind"),
    [
        ("* {{cite web|title=党课|url=http://a.cn/}}", "党课", "reference"),
        ("{{引用网页|url=http://a.cn/|標題=黨課|date=2024}}", "黨課", "reference"),
        ("<ref name=甲>[http://a.cn/ 党课]</ref>", "党课", "reference"),
        ("<ref name=甲/>[http://a.cn/ 党课]", "党课", "link"),
        ("{{cite book|title=党史}}[http://a.cn/ 党课]", "党课", "link"),
        ("{{Infobox|名=支部|官方網站=[http://a.cn/ 支部]}}", "支部", "site"),
        ("{{Official website|http://a.cn/}}", "", "site"),
        ("[http://a.cn/ 支部主页]", "支部主页", "site"),
        ("见http://a.cn/，另见", "", "link"),
    ],
)
def test_what_a_link_is(wikitext: str, label: str, kind: str) -> None:
    assert external_links(wikitext) == [Link("http://a.cn/", label, kind)]
