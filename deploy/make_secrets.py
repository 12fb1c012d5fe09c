#!/usr/bin/env python3
"""Make the passwords of a deployment, and the files that hold them. Needs nothing but Python.

    python3 deploy/make_secrets.py deploy/secrets                          for containers: hosts redis and postgres
    python3 deploy/make_secrets.py /etc/topical --redis 127.0.0.1 --postgres 127.0.0.1

Written are, each with one line but users.acl:
    redis_url              address of Redis for workers (REDIS_URL_FILE)
    users.acl              accounts of Redis: users.acl beside this program, with the digests of the passwords
    redis_cluster          password by which the nodes of a Redis Cluster know each other (cluster.yaml)
    corpus_url             address of the corpus for workers (TOPICAL_CORPUS_FILE)
    postgres_topical       password of the workers' role in PostgreSQL (postgres-roles.sql)
    postgres_admin         password of PostgreSQL's administrator
    scrapyd_password       password of the user "deployer" of scrapyd
    scrapyd.env            the same as environment variables

Only the owner can enter the folder. Its files can be read by whoever they are shown to, for a container that a file is mounted
into has users of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import secrets
import sys
from pathlib import Path

RULES = Path(__file__).parent / "users.acl"
NO_PASSWORD, NO_OTHER = 64 * "0", 64 * "1"
"""Stand in users.acl for the digests of the passwords of workers and of a cluster's nodes; no password has them."""


def contents(redis: str, postgres: str) -> dict[str, str]:
    """The files by name, with new passwords. They are of letters, digits, - and _, which nothing has to quote."""
    redis_password, cluster, topical, admin, scrapyd = (secrets.token_urlsafe(24) for _ in range(5))
    rules = RULES.read_text(encoding="utf-8")
    for digest, password in ((NO_PASSWORD, redis_password), (NO_OTHER, cluster)):
        rules = rules.replace(digest, hashlib.sha256(password.encode()).hexdigest())
    return {
        "redis_url": f"redis://topical:{redis_password}@{redis}:6379/0\n",
        "users.acl": rules,
        "redis_cluster": f"{cluster}\n",
        "corpus_url": f"postgresql+psycopg://topical:{topical}@{postgres}:5432/corpus\n",
        "postgres_topical": f"{topical}\n",
        "postgres_admin": f"{admin}\n",
        "scrapyd_password": f"{scrapyd}\n",
        "scrapyd.env": f"SCRAPYD_USERNAME=deployer\nSCRAPYD_PASSWORD={scrapyd}\n",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--redis", default="redis", metavar="HOST", help="where workers reach Redis (default: %(default)s)")
    parser.add_argument("--postgres", default="postgres", metavar="HOST", help="and PostgreSQL (default: %(default)s)")
    options = parser.parse_args()
    made = contents(options.redis, options.postgres)
    if there := [name for name in made if (options.folder / name).exists()]:
        print(f"{options.folder} has {', '.join(there)} already. Remedy: another folder, or take these away", file=sys.stderr)
        return 2
    options.folder.mkdir(parents=True, exist_ok=True)
    options.folder.chmod(0o700)
    (options.folder / ".gitignore").write_text("*\n", encoding="utf-8")
    for name, text in made.items():
        file = options.folder / name
        file.write_text(text, encoding="utf-8")
        file.chmod(0o644)
    print(f"{options.folder}: {', '.join(made)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
