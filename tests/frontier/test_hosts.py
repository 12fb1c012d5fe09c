"""The structures of hosts stay small and quick, whatever happens to them."""

import random

from topical_crawler.frontier.hosts import Hosts, Place, Worst


def test_heaps_do_not_grow_with_changes() -> None:
    hosts = Hosts(delay=5.0, in_flight_per_host=1)
    for n in range(5_000):  # the head changes again and again, pops are given back again and again
        hosts.set_head("a.cn", (-0.5 - n / 10_000, n))
        hosts.finish("a.cn", hosts.take("a.cn", 1.0, (-0.1, n)), give_back=True)
    for n in range(5_000):
        hosts.set_delay("a.cn", 5.0 + n)
        assert hosts.best(1e5 * (n + 1)) is not None
        hosts.finish("a.cn", hosts.take("a.cn", 1e5 * (n + 1), (-0.1, n)))
    assert len(hosts._ready) + len(hosts._times) < 200


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
