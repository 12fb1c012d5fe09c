"""The worst waiting entry is found with few looks."""

import random

from topical_crawler.frontier.hosts import Place, Worst


def test_the_worst_of_many_hosts_with_few_looks() -> None:
    """Against a scan; entries come; they get better and leave, of which nothing is said."""
    rng = random.Random(8)
    worst, waiting, looks = Worst(), {f"{n}.cn": set[Place]() for n in range(60)}, 0

    def last(name: str) -> Place | None:
        nonlocal looks
        looks += 1
        return max(waiting[name], default=None)

    assert worst.find(last) is None
    for number in range(3_000):
        name = f"{rng.randrange(60)}.cn"
        place = (-rng.random(), number)
        waiting[name].add(place)
        worst.offer(name, place)
        if rng.random() < 0.2:
            name = f"{rng.randrange(60)}.cn"
            if waiting[name]:
                priority, gone = rng.choice(sorted(waiting[name]))
                waiting[name].remove((priority, gone))
                if rng.random() < 0.5:
                    waiting[name].add((priority - 1.0, gone))
        if number >= 1_500:
            found = worst.find(last)
            assert found is not None and found[1] == max(max(places) for places in waiting.values() if places)
            waiting[found[0]].remove(found[1])
    assert looks < 3 * 1_500
    assert len(worst._heap) < 200
    for places in waiting.values():
        places.clear()
    assert worst.find(last) is None
