"""Run by test_sqlite.py in a process that is killed: crawls an endless made-up web and prints each page once it is done.

Page n links to pages 2n+1, 2n+2 and to its neighbours. Usage: crawl_until_killed.py FILE
"""

import sys

from frontier_tools import entry, key, outcome

from topical_crawler.frontier.sqlite import SqliteFrontier


def links(n: int) -> list[int]:
    return [2 * n + 1, 2 * n + 2, n + 1, n + 3]


def main() -> None:
    frontier = SqliteFrontier(sys.argv[1], in_flight_per_host=4)
    frontier.push([entry("0", 1.0)])
    print(f"recovered {frontier.status().recovered}", flush=True)
    now = 0.0
    while True:
        now += 1.0
        popped = [e for e in (frontier.pop(now) for _ in range(4)) if e is not None]
        for e in popped:
            n = int(e.url.rpartition("/")[2])
            found = [entry(str(m), 1 / (1 + m % 97), e.url) for m in links(n)]
            frontier.done(key(str(n)), outcome(str(n)), found)
            print(n, flush=True)


if __name__ == "__main__":
    main()
