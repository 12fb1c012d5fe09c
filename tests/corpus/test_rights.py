"""What sites ask is kept with a text, counted, and filtered by, in both databases and in corpora that were made before."""

import pytest
from corpus_tools import NewPlace, everything, kept

from topical_crawler.corpus.copy import copy
from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.web.rights import parse

CC = "https://creativecommons.org/licenses/by/4.0/"
SAID = ("", "noai; ai-train=no", "nofollow", "ai-train=no", "")


def taken(store: CorpusStore, condition: str) -> list[int]:
    return [record.order for record in store.records(Filters(rights=parse(condition)))]


def test_rights_are_kept_counted_and_filtered(place: str, new_place: NewPlace) -> None:
    with CorpusStore(place) as store:
        for n, said in enumerate(SAID, 1):
            why: dict[str, object] = {"terms": {"noai": 1.0, "rights": 1.0}, "anchor": 'NUL\0 "rights":{"noai":true}'}
            if said:
                why["rights"] = dict.fromkeys(said.split("; "), True)
            store.put(kept(n, why=why, license=CC if n in (1, 2) else ""))
        assert [record.rights for record in everything(place)] == list(SAID)
        assert taken(store, "unreserved") == [1, 3, 5]
        assert taken(store, "noai") == [1, 3, 4, 5]
        assert taken(store, "ai-train=no,nofollow") == [1, 5]
        assert taken(store, "licensed") == [1, 2] and taken(store, "licensed,unreserved") == [1]
        assert store.stats().rights == {"noai": 1, "ai-train=no": 2, "nofollow": 1}
    with CorpusStore(place, read_only=True) as source, CorpusStore(new_place("sqlite")) as target:
        copy(source, target, lambda *_: None)
        assert taken(target, "unreserved") == [1, 3, 5]


@pytest.mark.parametrize("condition", ["unreserved", "noindex"])
def test_a_part_of_a_name_is_none(place: str, condition: str) -> None:
    with CorpusStore(place) as store:
        store.put(kept(1, why={"rights": {"noimageai": True}}))
        store.put(kept(2, why={"rights": {"noindex": True}}))
        assert taken(store, condition) == [1]
