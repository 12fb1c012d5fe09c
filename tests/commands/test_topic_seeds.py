"""``topical-crawler topic seeds`` as a user runs it."""

import json
from pathlib import Path

from command_tools import RunScrapy, WriteTopic
from dump_tools import DumpPage, write_dump

from topical_crawler.topic.topic import load_topic


def test_a_sentence(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    made = call_scrapy("topic", "seeds", "新能源汽车的原理", "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    seeds = json.loads(made.stdout)
    assert {"http://www.caam.org.cn/", "https://www.d1ev.com/"} <= {seed["url"] for seed in seeds[:4]}
    assert [seed["score"] for seed in seeds] == sorted((seed["score"] for seed in seeds), reverse=True)


def test_written_into_a_topic(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    folder = write_topic({"topic.toml": 'title = "考古"\n', "terms.tsv": "考古\n遗址\n", "seeds.txt": "http://kaogu.cn/"})
    write_dump(tmp_path / "zhwiki.xml.bz2", iter([DumpPage("遗址", "考古遗址。[http://yizhi.cn/ 遗址公园官网]")]))
    command = ("topic", "seeds", f"./{folder.name}", "--wikipedia", "zhwiki.xml.bz2", "--n", "2", "--write")
    made = call_scrapy(*command, cwd=folder.parent)
    assert made.returncode == 0, made.stderr
    assert "1 article near the topic, 1 link" in made.stderr
    assert "own site of 遗址" in made.stdout
    seeds = load_topic(folder).seeds
    assert (seeds[0], len(seeds)) == ("http://kaogu.cn/", 3)  # which is on the list, too
    assert "http://yizhi.cn/" in seeds
    again = call_scrapy(*command, cwd=folder.parent)
    assert (again.returncode, again.stdout.partition(".")[0]) == (0, "The topic has every site found already")
    assert load_topic(folder).seeds == seeds


def test_a_sentence_is_read_with_the_words_of_the_resources(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    (tmp_path / "cilin.txt").write_text("Da01A01= 丝绸之路经济带 一带一路\n", encoding="utf-8")
    pages = (("丝绸之路经济带", "silu"), ("丝绸之路的驼队", "tuodui"))
    write_dump(tmp_path / "zhwiki.xml.bz2", (DumpPage(title, f"{title}。[http://{name}.cn/ 官网]") for title, name in pages))
    command = ("topic", "seeds", "丝绸之路经济带", "--wikipedia", "zhwiki.xml.bz2", "--json", "-s")
    for setting, wanted in (("TOPICAL_CILIN=cilin.txt", {"http://silu.cn/"}),
                            ("TOPICAL_RESOURCES=0", {"http://silu.cn/", "http://tuodui.cn/"})):  # fmt: skip
        made = call_scrapy(*command, setting, cwd=tmp_path)
        assert {seed["url"] for seed in json.loads(made.stdout)} == wanted, made.stderr


def test_mistakes(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("考古", encoding="utf-8")
    for arguments, said in (
        (("的了",), "no word in '的了' can be a term"),
        (("考古发掘", "--write"), "--write needs a topic folder of your own"),
        (("考古发掘", "--wikipedia", "notes.txt"), "notes.txt is no Wikipedia dump"),
        (("./none",), "no topic 'none'"),
    ):
        made = call_scrapy("topic", "seeds", *arguments, cwd=tmp_path)
        assert made.returncode == 1
        assert said in made.stderr
