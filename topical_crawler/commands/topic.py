"""``topical-crawler topic``: the topics there are, and what can be done with them."""

from topical_crawler.cli.actions import TOPIC
from topical_crawler.cli.scrapys import ActionsCommand


class Command(ActionsCommand):
    command = TOPIC
    summary = "List topics, show one, build one from texts"
    description = (
        "Topics are folders of plain files (topic.toml, terms.tsv, …). 'build' finds terms in a domain corpus, chooses and "
        "weighs them (w = f/N · ln(N/N_i), Zhou et al. 2019, Eq. 2); what a person wrote into the folder stays."
    )
