"""The structure of hosts stays small and quick, whatever happens to it."""

from __future__ import annotations

from topical_crawler.frontier.hosts import Hosts


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


def test_heads() -> None:
    hosts = Hosts(delay=0.0, in_flight_per_host=1)
    assert (hosts.best(0.0), len(hosts)) == (None, 0)
    hosts.offer("a.cn", (-0.5, 1))
    hosts.offer("a.cn", (-0.4, 2))
    hosts.offer("b.cn", (-0.5, 0))
    assert hosts.best(0.0) == ("b.cn", (-0.5, 0))
    hosts.set_head("b.cn", None)
    assert (hosts.best(0.0), len(hosts)) == (("a.cn", (-0.5, 1)), 1)
    hosts.set_head("a.cn", (-0.4, 2))
    assert hosts.best(0.0) == ("a.cn", (-0.4, 2))
