"""Waits for a job's end, or until a server can be used, through lost connections."""

from __future__ import annotations

import time
from collections.abc import Iterator

from aistack.cluster import Cluster
from aistack.errors import VerbError
from aistack.find import Found
from aistack.patience import Patience
from kube.jobs import State
from kube.kinds import DEPLOYMENT

_SECONDS = 2.0


def reached(found: Found, state: State) -> bool:
    """Whether there is nothing more to wait for: a server never ends."""
    return state.has_ended or (found.kind == DEPLOYMENT and state is State.RUNNING)


def states(cluster: Cluster, found: Found) -> Iterator[State | None]:
    """Each time that it is another; None where it is gone, or another of its name is there.

    Raises VerbError where it may not be read.
    """
    last, patience = found.job.state, Patience()
    yield last
    while last is not None and not reached(found, last):
        time.sleep(_SECONDS)
        try:
            obj = cluster.get(found.kind, found.job.namespace, found.job.name)
        except VerbError as error:
            patience.bear(error)
            continue
        patience.heard()
        same = obj is not None and obj["metadata"]["uid"] == found.job.uid
        now = Found(found.kind, obj).job.state if obj is not None and same else None
        if now is not last:
            last = now
            yield last
