"""In what order `destroy` is to take a stack away: machines first, data last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cli.urns import token_of
from stacks.refusal import NODE_POOL

# What holds data that nobody can make again.
DATA = ("gcp:lustre/instance:Instance", "gcp:storage/bucket:Bucket")


def data_last(
    dependencies: Mapping[str, Iterable[str]], urns: Iterable[str]
) -> dict[str, set[str]]:
    """With what holds data gone only once machines are given back, which cost and may use it: what
    fails on the way then leaves data without machines, and not machines without data."""
    found = {urn: set(it) for urn, it in dependencies.items()}
    known = list(urns)
    data = {urn for urn in known if token_of(urn) in DATA}
    for urn in known:
        if token_of(urn) == NODE_POOL:
            found.setdefault(urn, set()).update(data)
    return found
