"""A crawl of 100,000,000 addresses over 64 shards in simulated time, from costs that were measured on a few: what shards, workers
and memory would do. It multiplies; it is no proof that such a crawl runs.

    python benchmarks/shards_model.py --shards 64 --workers 1000 --addresses 100000000

In steps of a second: workers take pages of the shards that answer, best first over all, so from each as its share of what waits;
no more than its core can serve and its hosts allow. A page brings links, new ones the fewer the more is known, to shards by their
share of the hosts. Shards and workers are killed at random moments; links for a shard that is away are kept and handed over
when it is back. What a lease, or a second of an append-only file, held is fetched again.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

# Measured, in seconds of a server's core: docs/decisions/scale.md.
FINISH, CALL, POP = 170e-6, 60e-6, 60e-6  # a page without its links; a call more; a page that is popped, 16 at once
PUSH = 20e-6  # a link
MET = 1.0  # share of the servers of a page's links that are asked what is counted of hosts; 0 where a worker has met all of them
DONE = 206  # bytes of a page that is done, with its outcome
AHEAD, LOOKS = 16, 4  # links that a worker reserves; looks at all logs a second


def simulate(o: argparse.Namespace) -> int:
    chance = np.random.default_rng(o.seed)
    hosts = chance.multinomial(o.hosts, [1 / o.shards] * o.shards)
    share = hosts / hosts.sum()
    waiting, done, kept = share * o.hosts, np.zeros(o.shards), np.zeros(o.shards)
    back, lag = np.zeros(o.shards), []  # when a shard answers again
    foreign = o.shards * (1 - (1 - 1 / o.shards) ** o.elsewhere)  # shards that the links of a page to other hosts fall to
    page = FINISH + POP + o.links * PUSH + (1 + MET) * foreign * CALL + o.shards * CALL / AHEAD
    known, again, busy, second, rates = float(waiting.sum()), 0.0, [], 0, np.zeros(o.shards)
    kills = sorted(chance.integers(60, o.kill_until, o.kill_shards))
    worker_kills = o.kill_workers / o.kill_until
    while done.sum() < 0.999 * o.addresses:
        second += 1
        while kills and kills[0] <= second:
            kills.pop(0)
            dead = int(chance.integers(o.shards))
            if back[dead] <= second:
                back[dead] = second + o.away
                again += rates[dead] + o.workers * AHEAD / o.shards  # a second of its file, and what was given out
        again += worker_kills * AHEAD * (second < o.kill_until)
        here = back <= second
        looks = o.workers * LOOKS * CALL  # of a second of each core
        room = np.where(here, np.clip(1 - looks, 0, 1) / page, 0)
        most = np.minimum(np.minimum(waiting, hosts / o.delay), room)
        wanted = o.workers * o.pages
        weight = np.where(here, waiting, 0)
        rates = np.minimum(most, wanted * weight / max(weight.sum(), 1e-9))
        for _ in range(3):  # what full shards leave goes to the others
            rest = wanted - rates.sum()
            free = most - rates
            if rest < 1e-6 or free.sum() < 1e-6:
                break
            rates += np.minimum(free, rest * free / free.sum())
        waiting -= rates
        done += rates
        busy.append(rates * page + looks)
        found = share * min(o.addresses - known, rates.sum() * o.links * (1 - known / o.addresses))
        waiting += np.where(here, found, 0)
        known += found[here].sum()
        kept += np.where(here, 0, rates.sum() * o.elsewhere * share)  # with those that are known: nobody can tell
        if (arriving := here & (kept > 0)).any():
            given = np.where(arriving, np.minimum(kept, np.clip(1 - rates * page, 0.05, 1) / PUSH), 0)
            kept -= given
            lag += [second - back[n] for n in np.flatnonzero(arriving & (kept <= 0))]
    load = np.array(busy)
    per = done / second
    print(f"pages                            {done.sum():,.0f} in {second / 3600:.1f} h, {done.sum() / second:,.0f} a second")
    print(f"pages a second of a shard        {per.mean():,.0f}; least {per.min():,.0f}, most {per.max():,.0f}")
    print(f"a shard's core is busy           {load.mean():.0%}; the busiest {load.mean(axis=0).max():.0%}")
    print(
        f"a page costs its servers         {1000 * (page + o.workers * LOOKS * CALL * o.shards / (done.sum() / second)):.2f} ms"
    )
    print(f"memory of the largest shard      {done.max() * DONE / 1e9:.2f} GB when all is done")
    print(f"kept links arrived after         {max(lag, default=0):.0f} s at most, {len(lag)} times")
    print(f"fetched again                    {again:,.0f}, {again / done.sum():.5%}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, kind, value, meaning in (
        ("shards", int, 64, "servers"),
        ("workers", int, 1000, "processes"),
        ("pages", float, 15.0, "pages a second of a worker"),
        ("addresses", int, 100_000_000, "of the web"),
        ("hosts", int, 1_000_000, "of the web"),
        ("links", float, 60.0, "of a page"),
        ("elsewhere", float, 6.0, "of them to other hosts"),
        ("delay", float, 1.0, "seconds between two pages of a host"),
        ("away", int, 60, "seconds for which a server that was killed is away"),
        ("kill-shards", int, 64, "kills of servers"),
        ("kill-workers", int, 1000, "kills of workers"),
        ("kill-until", int, 6_000, "second of the last kill"),
        ("seed", int, 0, "of the kills"),
    ):
        parser.add_argument(f"--{name}", type=kind, default=value, help=f"{meaning} ({value:,})")
    return simulate(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
