"""The stand-ins answer the engine as the real providers would."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import struct_pb2
from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime.proto import provider_pb2
from pulumi.runtime.rpc import UNKNOWN as WIRE_UNKNOWN

from catalog import Catalog
from catalog.durations import Durations
from components.cluster.kubeconfig import kubeconfig
from sandbox.clock import VirtualClock
from sandbox.cloud.cloud import Cloud
from sandbox.clusters import Clusters
from sandbox.errors import CloudError
from sandbox.journal import Journal
from sandbox.providers.gcp import GcpStandIn
from sandbox.providers.kubernetes import KubernetesStandIn
from sandbox.providers.operations import Operations
from sandbox.providers.server import _Servicer
from sandbox.providers.values import plain_map, wrap_map

# As the engine sends it, and the SDK hands it on.
UNKNOWN = PropertyValue.unmarshal(struct_pb2.Value(string_value=WIRE_UNKNOWN))
POOL_URN = "urn:pulumi:s::p::gcp:container/nodePool:NodePool::pool"
POOL = {"name": "gpu", "cluster": "c", "networkConfig": {"enablePrivateNodes": True}}


@pytest.fixture
def gcp(tmp_path: Path) -> GcpStandIn:
    return GcpStandIn(*behind(tmp_path))


@pytest.fixture
def kubernetes(tmp_path: Path) -> KubernetesStandIn:
    return KubernetesStandIn(*behind(tmp_path))


def behind(folder: Path) -> tuple[Clusters, Operations]:
    cloud = Cloud(Catalog.load())
    clusters = Clusters(cloud, folder / "cloud.json")
    return clusters, Operations(cloud, VirtualClock(1), Journal(), Durations.load(), lambda: None)


def diff(gcp: GcpStandIn, news: dict[str, Any]) -> rpc.DiffResponse:
    request = rpc.DiffRequest(POOL_URN, "id", wrap_map(POOL), wrap_map(news), [])
    return asyncio.run(gcp.diff(request))


def test_a_pools_networks_unknown_as_a_whole_panic_as_in_the_real_provider(
    gcp: GcpStandIn,
) -> None:
    with pytest.raises(CloudError, match=r"nearest: plain names and depends_on$"):
        diff(gcp, {**POOL, "networkConfig": UNKNOWN})
    partly = {"enablePrivateNodes": True, "podRange": UNKNOWN}
    assert diff(gcp, {**POOL, "networkConfig": partly}).changes


def test_nodes_that_are_not_known_yet_replace_their_pool(gcp: GcpStandIn) -> None:
    assert diff(gcp, {**POOL, "nodeConfig": UNKNOWN}).replaces == ["nodeConfig"]
    assert diff(gcp, {**POOL, "management": UNKNOWN}).replaces == []


TAINT = {"key": "team", "value": "a", "effect": "NO_SCHEDULE"}


@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [
        ({}, {"labels": {"team": "a"}}, ["nodeConfig"]),
        ({"labels": {"team": "a"}}, {"labels": {"team": "b"}}, ["nodeConfig"]),
        ({"labels": {"team": "a", "tier": "b"}}, {"labels": {"team": "a"}}, ["nodeConfig"]),
        ({"labels": {"team": "a"}}, {}, []),
        ({}, {"taints": [TAINT]}, ["nodeConfig"]),
        ({"taints": [TAINT]}, {"taints": [{**TAINT, "effect": "NO_EXECUTE"}]}, ["nodeConfig"]),
        ({"taints": [TAINT]}, {}, ["nodeConfig"]),
    ],
)
def test_labels_and_taints_change_in_place_and_the_last_labels_never_go(
    gcp: GcpStandIn, before: dict[str, Any], after: dict[str, Any], differs: list[str]
) -> None:
    olds = wrap_map({**POOL, "nodeConfig": {"diskSizeGb": 100, **before}})
    news = wrap_map({**POOL, "nodeConfig": {"diskSizeGb": 100, **after}})
    answer = asyncio.run(gcp.diff(rpc.DiffRequest(POOL_URN, "id", olds, news, [])))
    assert answer.diffs == differs
    assert answer.replaces == []


@pytest.mark.parametrize(("kind", "replaced"), [("DaemonSet", ["spec"]), ("StatefulSet", [])])
def test_a_specification_that_is_not_known_yet_replaces_a_daemon_set(
    kubernetes: KubernetesStandIn, kind: str, replaced: list[str]
) -> None:
    urn = f"urn:pulumi:s::p::kubernetes:apps/v1:{kind}::it"
    old = {"metadata": {"name": "it"}, "spec": {"selector": {"matchLabels": {"a": "b"}}}}
    new = wrap_map({**old, "spec": UNKNOWN})
    found = asyncio.run(kubernetes.diff(rpc.DiffRequest(urn, "id", wrap_map(old), new, [])))
    assert found.replaces == replaced
    assert found.changes


def test_a_secret_whose_values_are_not_known_yet_is_no_mistake(
    kubernetes: KubernetesStandIn,
) -> None:
    urn = "urn:pulumi:s::p::kubernetes:core/v1:Secret::it"
    new = wrap_map({"metadata": {"name": "it"}, "stringData": UNKNOWN})
    request = rpc.CheckRequest(urn, {}, new, b"")
    assert not asyncio.run(kubernetes.check(request)).failures


SAME, OTHER = "gke-1.us-east1.gke.goog", "gke-2.us-east1.gke.goog"


@pytest.mark.parametrize(
    ("before", "after", "replaced"),
    [
        (None, None, ["kubeconfig"]),
        (None, SAME, ["kubeconfig"]),
        (SAME, SAME, []),
        (SAME, OTHER, ["clusterIdentifier", "kubeconfig"]),
    ],
)
def test_another_address_is_another_cluster_unless_what_it_is_known_by_stays(
    kubernetes: KubernetesStandIn, before: str | None, after: str | None, replaced: list[str]
) -> None:
    def config(host: str, known_as: str | None) -> dict[str, Any]:
        found = {"kubeconfig": kubeconfig("demo", host, "Y2E=")}
        return found if known_as is None else {**found, "clusterIdentifier": known_as}

    urn = "urn:pulumi:s::p::pulumi:providers:kubernetes::gke-kubernetes"
    olds, news = (wrap_map(config(*it)) for it in (("203.0.113.7", before), ("10.0.0.2", after)))
    found = asyncio.run(kubernetes.diff_config(rpc.DiffRequest(urn, "id", olds, news, [])))
    assert found.changes
    assert found.replaces == replaced


MAP_URN = "urn:pulumi:s::p::kubernetes:core/v1:ConfigMap::it"


def checked(kubernetes: KubernetesStandIn, urn: str, news: dict[str, Any]) -> dict[str, Any]:
    answer = asyncio.run(kubernetes.check(rpc.CheckRequest(urn, {}, wrap_map(news), b"")))
    assert not answer.failures
    assert answer.inputs is not None
    return plain_map(answer.inputs)


def test_what_names_no_namespace_is_in_the_default_one(kubernetes: KubernetesStandIn) -> None:
    """pulumi-kubernetes provider/pkg/provider/provider.go:1311, 94977969."""
    named = checked(kubernetes, MAP_URN, {"metadata": {"name": "it"}})
    assert named["metadata"] == {"name": "it", "namespace": "default"}
    urn = MAP_URN.replace("ConfigMap", "Namespace")
    assert checked(kubernetes, urn, {"metadata": {"name": "it"}})["metadata"] == {"name": "it"}


def test_a_field_that_is_null_is_absent_and_no_difference(kubernetes: KubernetesStandIn) -> None:
    news = {"metadata": {"name": "it", "labels": None, "namespace": "a"}, "data": {"a": "b"}}
    kept = checked(kubernetes, MAP_URN, news)
    assert kept["metadata"] == {"name": "it", "namespace": "a"}
    olds, news = wrap_map(kept), wrap_map(news)
    assert not asyncio.run(kubernetes.diff(rpc.DiffRequest(MAP_URN, "id", olds, news, []))).changes


FIREWALL_URN = "urn:pulumi:s::p::gcp:compute/firewall:Firewall::it"
FIREWALL = {"name": "it", "network": "n", "allows": [{"protocol": "tcp", "ports": ["80"]}]}


def test_a_preview_refuses_a_firewall_rule_without_a_source(gcp: GcpStandIn) -> None:
    """hashicorp/terraform-provider-google-beta services/compute/resource_compute_firewall.go:102,
    resourceComputeFirewallSourceFieldsCustomizeDiff, 93c65b2d."""

    def preview(**values: Any) -> None:
        inputs = wrap_map({**FIREWALL, **values})
        asyncio.run(gcp.create(rpc.CreateRequest(FIREWALL_URN, inputs, 0, preview=True)))

    preview(sourceRanges=UNKNOWN)
    preview(direction="EGRESS")
    with pytest.raises(CloudError, match="must be given for ingress"):
        preview()
    olds = wrap_map({**FIREWALL, "sourceRanges": ["10.0.0.0/8"]})
    with pytest.raises(CloudError, match="must be given for ingress"):
        asyncio.run(gcp.diff(rpc.DiffRequest(FIREWALL_URN, "id", olds, wrap_map(FIREWALL), [])))


# pulumi/pulumi sdk/go/common/resource/plugin/rpc.go: how an archive is marked on the wire.
def archive(digest: str) -> dict[str, str]:
    return {
        "4dabf18193072939515e22adb298388d": "0def7320c3a5731c473e5ecbe6d01bc7",
        "path": "./values",
        "hash": digest,
    }


def struct(**values: Any) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    made.update(values)
    return made


@pytest.mark.parametrize(("digest", "changes"), [("a", "DIFF_NONE"), ("b", "DIFF_SOME")])
def test_an_archive_comes_through_with_its_hash(
    kubernetes: KubernetesStandIn, digest: str, changes: str
) -> None:
    """Another content behind the same path is another file."""
    servicer = _Servicer("pulumi-kubernetes", kubernetes, VirtualClock(1), compares_inputs=True)
    chart = {"name": "it", "namespace": "n", "chart": "kueue"}
    olds = struct(**chart, valueYamlFiles=[archive("a")])
    news = struct(**chart, valueYamlFiles=[archive(digest)])
    urn = "urn:pulumi:s::p::kubernetes:helm.sh/v3:Release::it"
    request = provider_pb2.DiffRequest(urn=urn, olds=olds, old_inputs=olds, news=news)
    answer = asyncio.run(servicer.Diff(request, None))
    assert answer.changes == provider_pb2.DiffResponse.DiffChanges.Value(changes)


def test_an_archive_is_given_back_as_it_came(kubernetes: KubernetesStandIn) -> None:
    servicer = _Servicer("pulumi-kubernetes", kubernetes, VirtualClock(1), compares_inputs=True)
    news = struct(metadata={"name": "it", "namespace": "n"}, data=archive("a"))
    answer = asyncio.run(servicer.Check(provider_pb2.CheckRequest(urn=MAP_URN, news=news), None))
    assert dict(answer.inputs["data"]) == archive("a")
