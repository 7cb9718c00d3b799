"""In what order `destroy` is to take a stack away: accelerators first, data last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from catalog import Catalog
from review.node_pool_facts import pool_facts
from sandbox.urns import token_of
from stacks.refusal import NODE_POOL

# What holds data that nobody can make again.
DATA = ("gcp:lustre/instance:Instance", "gcp:storage/bucket:Bucket")


def data_last(
    dependencies: Mapping[str, Iterable[str]],
    inputs: Mapping[str, Mapping[str, Any]],
    catalog: Catalog,
) -> dict[str, set[str]]:
    """With what holds data gone only once accelerators are given back: what fails on the way then
    leaves data without machines, and not machines, which cost, without data."""
    found = {urn: set(it) for urn, it in dependencies.items()}
    data = {urn for urn in inputs if token_of(urn) in DATA}
    for urn, given in inputs.items():
        if token_of(urn) == NODE_POOL and pool_facts(given, catalog).accelerated:
            found.setdefault(urn, set()).update(data)
    return found
