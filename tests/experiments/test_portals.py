"""Portals made of real news: party building must hold on a web that nothing was chosen on."""

from __future__ import annotations

from pathlib import Path

from rich.progress import Progress

from experiments import news_web
from experiments.ablation import Setup, Variant, crawl_one
from experiments.comparison import RunKey
from experiments.plan import Cell, LabelledTopic, Start
from experiments.web_in_memory import read_web
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.urls import host

PARTY_SITE, PAGES = "www.zhibu.example", 600


def write_portals(texts: Path, out: Path) -> tuple[str, ...]:
    """A web of the texts of 2024, with its labels; the home pages."""
    read, columns = news_web.read_texts(texts, 0)
    with out.joinpath("web.warc.gz").open("wb") as warc, out.joinpath("web.tsv").open("w", encoding="utf-8") as table:
        table.write("\t".join(("url", "host", "kind", "labels", *columns, "doc", "title")) + "\n")
        for page in news_web.build([text for text in read if text.day.year == 2024], news_web.PORTALS, 0):
            warc.write(news_web.warc_record(page))
            if page.kind:
                table.write(news_web.label_line(page, columns) + "\n")
    return tuple(site.home for site in news_web.PORTALS)


def test_what_is_kept_of_portals_is_right_and_most_of_what_was_fetched(shared_data: Path, tmp_path: Path) -> None:
    """`semantic` is no measure here: no anchor of the home pages has a topic word, and without one it follows no link."""
    homes = write_portals(shared_data / "news/news-dev.jsonl.gz", tmp_path)
    with Progress(disable=True) as progress:
        web, _ = read_web([tmp_path / "web.warc.gz"], tmp_path, 1, progress, texts=False)
    labels = read_labels(tmp_path / "web.tsv", "PARTY")
    labels = {key: label for key, label in labels.items() if host(label.url) != PARTY_SITE}
    topic = load_topic("partybuilding")
    setup = Setup(web, {}, [tmp_path / "web.warc.gz"], {topic.name: LabelledTopic(topic, "PARTY", labels)}, PAGES, {}, tmp_path)
    cell = Cell(RunKey("adaptive", topic.name, "homes"), topic, Start("homes", 0, homes))
    run = crawl_one(Variant("adaptive", "adaptive", {}), cell, setup)
    assert run.recall[PAGES] > 0.3
    assert run.precision >= 0.9
    assert run.kept_recall >= 0.8 * run.recall[PAGES]
