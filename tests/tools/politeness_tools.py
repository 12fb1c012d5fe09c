"""Servers that make politeness hard, and what they see of it.

Times are those at which a server has read a request. The crawler counts a host's delay from the beginning of the answer, so what
a server sees is the delay or more, whatever the machine is busy with: no tolerance is needed.
"""

import datetime
import itertools
import socket
import ssl
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crawl_tools import Hit, Site
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

TEXT = "text/plain"
CLOSE = {"Connection": "close"}
"""Headers of an answer after which the next request needs a connection of its own."""


def taken_up_late(site: Site, seconds: float = 0.2) -> Site:
    """Every other connection is taken up late: its request arrives long after it was sent."""
    waits, take_up = itertools.cycle((0.0, seconds)), site._server.process_request

    def late(request: Any, address: Any) -> None:
        site.closing.wait(next(waits))
        take_up(request, address)

    site._server.process_request = late  # type: ignore[method-assign]
    return site


def both_schemes(site: Site, folder: Path) -> Site:
    """Answers http and https at the same port, with a certificate of its own."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([]), datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(1)).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "server.pem"
    file.write_bytes(secret + made.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    take_up = site._server.finish_request

    def finish(request: socket.socket, address: Any) -> None:
        secure = request.recv(1, socket.MSG_PEEK) == b"\x16"  # a TLS handshake
        take_up(context.wrap_socket(request, server_side=True) if secure else request, address)

    site._server.finish_request = finish  # type: ignore[method-assign,assignment]
    return site


def gaps(hits: Iterable[Hit]) -> list[float]:
    """Seconds between the arrivals of requests that follow each other."""
    return [later.began - earlier.began for earlier, later in itertools.pairwise(sorted(hits, key=lambda h: h.began))]


def most_in_flight(hits: Iterable[Hit]) -> int:
    """The most requests that a server was answering at the same time."""
    changes = sorted([(h.began, 1) for h in hits] + [(h.ended, -1) for h in hits])
    return max(itertools.accumulate(change for _, change in changes))
