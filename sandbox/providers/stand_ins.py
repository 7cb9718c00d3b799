"""Every provider that the sandbox has a stand-in for."""

from __future__ import annotations

from functools import partial

from sandbox.clusters import Clusters
from sandbox.providers.gcp import GcpStandIn
from sandbox.providers.kubernetes import KubernetesStandIn
from sandbox.providers.operations import Operations
from sandbox.providers.random import RandomStandIn
from sandbox.providers.server import ProviderServer


def serve_all(
    server: ProviderServer, clusters: Clusters, operations: Operations, *, fills_in: bool = False
) -> None:
    """Offer them to the engine. `fills_in`: for programs that leave to Pulumi's plugins what those
    fill in."""
    gcp = partial(GcpStandIn, clusters, operations, fills_in=fills_in)
    kubernetes = partial(KubernetesStandIn, clusters, operations, fills_in=fills_in)
    server.serve("gcp", "pulumi-gcp", gcp)
    server.serve("kubernetes", "pulumi-kubernetes", kubernetes, compares_inputs=True)
    if fills_in:
        server.serve("random", "pulumi-random", RandomStandIn)
