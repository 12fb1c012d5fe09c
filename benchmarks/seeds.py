"""How well the links of Wikipedia's articles lead from a sentence to the sites of its field: a made dump of real texts.

    python benchmarks/seeds.py CATEGORIES.jsonl.gz

CATEGORIES are lines of JSON with text and category (体育 游戏 教育 房产 时尚).
Each text is an article in a dump of the real form. It cites two of twelve sites of its field and two of three portals, three in
ten also a site of another field, all an archive; one in ten names a site of its field as its official one. Printed for a sentence
of each field: articles taken as near, how many of the first ten seeds are sites of the field, how many portals, and the place of
the first portal. The links are made: the figures say that the order prefers what only the field cites, and not how good the links
of the real Wikipedia are.
"""

import argparse
import gzip
import json
import random
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "tools")]

from dump_tools import DumpPage, write_dump  # noqa: E402

from topical_crawler.authoring.seeds import Nearness, from_wikipedia, rank  # noqa: E402
from topical_crawler.authoring.start import from_sentence  # noqa: E402
from topical_crawler.sources.wikipedia import Wikipedia  # noqa: E402
from topical_crawler.web.urls import host  # noqa: E402

SENTENCES = {
    "体育": "足球和篮球比赛的报道",
    "游戏": "网络游戏玩家与攻略",
    "教育": "高考和大学教育",
    "房产": "房价与楼市",
    "时尚": "服装搭配与护肤化妆",
}
PORTALS = ("news.portal-a.com.cn", "www.portal-b.cn", "paper.portal-c.com.cn")


def pages(texts):
    """The articles, and the sites of each field."""
    chance = random.Random(1)
    sites = {name: [f"www.field{place}-{n}.com.cn" for n in range(12)] for place, name in enumerate(SENTENCES)}
    made = []
    for number, (category, text) in enumerate(texts):
        cited = [*chance.sample(sites[category], 2), *chance.sample(PORTALS, 2)]
        if chance.random() < 0.3:
            cited.append(chance.choice(sites[chance.choice([name for name in sites if name != category])]))
        wiki = text + "".join(f"<ref>{{{{cite web|url=http://{name}/{number}.html|title=报道}}}}</ref>" for name in cited)
        wiki += f"<ref>[https://web.archive.org/web/{number} 存档]</ref>"
        if chance.random() < 0.1:
            wiki += f"\n== 外部链接 ==\n* [http://{cited[0]}/ 官方网站]"
        made.append(DumpPage(f"条目{number}", wiki))
    return made, sites


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    with gzip.open(parser.parse_args().texts, "rt", encoding="utf-8") as lines:
        records = list(map(json.loads, lines))
    made, sites = pages([(record["category"], record["text"]) for record in records])
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder, "zhwiki.xml.bz2")
        write_dump(dump, iter(made))
        for category, sentence in SENTENCES.items():
            terms = {t.word: t.in_means for t in from_sentence(sentence).terms}
            hints, near = from_wikipedia(Nearness(terms), Wikipedia(dump))
            names = [host(seed.url) for seed in rank([hints])]
            first = next((place for place, name in enumerate(names, 1) if name in PORTALS), 0)
            own, portals = (sum(name in of for name in names[:10]) for of in (sites[category], PORTALS))
            print(
                f"{sentence}: {near} articles near; of the first ten {own} of the field, {portals} portals; first portal {first}"
            )


if __name__ == "__main__":
    main()
