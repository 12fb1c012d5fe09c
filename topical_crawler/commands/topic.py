"""``topical-crawler topic``: the topics there are, and what can be done with them."""

from typing import ClassVar

from topical_crawler.cli.base import ActionsCommand


class Command(ActionsCommand):
    name = "topic"
    actions: ClassVar = {
        "list": ("topic.show", "the topics that come with the product"),
        "show": ("topic.show", "a topic's heaviest terms, parameters and seeds"),
        "new": ("topic.new", "make a topic folder from a sentence, keywords, texts, URLs or a category"),
        "seeds": ("topic.seeds", "propose start URLs: known sites, links of Wikipedia, a search by a server of yours"),
        "build": ("topic.build", "find terms in a domain corpus, choose and weigh them"),
        "check": (
            "topic.check",
            "what in a topic's files does not do what it should; a few pages judged by it as a crawl judges them",
        ),
        "expand": ("topic.expand", "propose neighbours of a topic's terms (HowNet, Cilin, word vectors)"),
        "explain": ("topic.explain", "why a page or a text is on topic or not, word by word and link by link"),
    }
    usage = (
        "list | show TOPIC | new FOLDER [SENTENCE] | seeds TOPIC|SENTENCE | build FOLDER --corpus SOURCE… | expand TOPIC | "
        "check TOPIC [PAGE…] | explain TOPIC URL|FILE|TEXT"
    )
    summary = "List topics, show one, build one from texts"
    description = (
        "Topics are folders of plain files (topic.toml, terms.tsv, …). 'build' finds terms in a domain corpus, chooses and "
        "weighs them (w = f/N · ln(N/N_i), Zhou et al. 2019, Eq. 2); what a person wrote into the folder stays."
    )
