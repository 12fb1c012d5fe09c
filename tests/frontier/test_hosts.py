"""The structure of hosts stays small and quick, whatever happens to it."""

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
