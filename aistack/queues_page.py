"""Kueue's own page on this machine: KueueViz in Kueue's namespace, and a token for it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, VerbError
from aistack.exit_codes import ExitCode
from aistack.offered import offered_up
from aistack.service import Door
from aistack.tunnel import Tunnel
from components.kueue_manifest import NAMESPACE, RELEASE
from components.kueueviz_manifest import (
    ACCOUNT,
    AUDIENCE,
    BACKEND_PORT,
    ORIGINS,
    PAGE_PORT,
    backend_service,
    page_service,
)
from kube.kinds import SERVICE

# A day at work; the page then says that it has ended.
_TOKEN_SECONDS = 12 * 3600
TOKEN_COMMAND = (
    f"kubectl create token {ACCOUNT} --namespace {NAMESPACE} --audience {AUDIENCE} --duration 12h"
)
Tell = Callable[[str], None]


@dataclass(frozen=True)
class QueuesPage:
    """What a browser loads, and what the page calls."""

    page: Door
    backend: Door


def queues_page(cluster: Cluster) -> QueuesPage:
    """Raises VerbError where KueueViz is not installed."""
    return QueuesPage(
        _door(cluster, page_service(RELEASE)), _door(cluster, backend_service(RELEASE))
    )


def token_for(cluster: Cluster) -> str | None:
    """Good for the page alone; None where the user may make none."""
    try:
        return cluster.token(NAMESPACE, ACCOUNT, AUDIENCE, _TOKEN_SECONDS)
    except ForbiddenError:
        return None


@contextmanager
def led_to(cluster: Cluster, found: QueuesPage, tell: Tell) -> Iterator[Callable[[], None]]:
    """With both ports open; what it gives serves for ever. Raises VerbError where one is taken."""
    with ExitStack() as stack:
        page = stack.enter_context(_listener(PAGE_PORT, "the backend answers no page at another"))
        backend = stack.enter_context(_listener(BACKEND_PORT, "the page can call no other"))
        behind = Tunnel(cluster, found.backend, tell, ORIGINS).serve
        threading.Thread(target=behind, args=(backend,), daemon=True).start()
        yield lambda: Tunnel(cluster, found.page, tell).serve(page)


def _listener(port: int, why: str) -> socket.socket:
    try:
        return Tunnel.listen(port)
    except OSError as error:
        raise VerbError(
            f"port {port} of this machine: {error.strerror}, and {why}; "
            "nearest: end the program that has it"
        ) from None


def _door(cluster: Cluster, name: str) -> Door:
    service = cluster.get(SERVICE, NAMESPACE, name)
    if service is None:
        raise VerbError(
            f"KueueViz, Kueue's own page, is not installed: there is no Service {NAMESPACE}/"
            f"{name}; nearest: `queues.dashboard: true` in the stack's config, and "
            f"`{offered_up()}`",
            ExitCode.NOT_FOUND,
        )
    return Door(service, service["spec"]["ports"][0])
