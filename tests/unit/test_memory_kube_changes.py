"""Which changes replace an object and which the API server refuses."""

from typing import Any

import pytest

from sandbox.kube.immutability import replaced_by
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    changed,
    cpu_node,
    job,
    lustre_claim,
    lustre_volume,
    make,
    only_pod,
    pod,
    refusal,
    workload,
)


@pytest.fixture
def kube() -> MemoryKube:
    return MemoryKube({}, [cpu_node()])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            lustre_volume(),
            changed(lustre_volume(), "10.0.0.9", "spec", "csi", "volumeAttributes", "ip"),
            ["spec.csi.volumeAttributes.ip"],
        ),
        (lustre_claim(), lustre_claim("9100Gi"), []),
        (lustre_claim(), lustre_claim(storageClassName="x"), ["spec.storageClassName"]),
        (
            make("ConfigMap", "c", data={"a": "1"}),
            make("ConfigMap", "c", data={"a": "2"}),
            ["data.a"],
        ),
        (
            make("Secret", "c", data={"a": "1"}),
            make("Secret", "c", data={"b": "2"}),
            ["data.a", "data.b"],
        ),
        (make("ConfigMap", "a"), make("ConfigMap", "b"), ["metadata.name"]),
        (
            make("ConfigMap", "a"),
            changed(make("ConfigMap", "a"), "default", "metadata", "namespace"),
            [],
        ),
        (job(), job(parallelism=2), ["spec.parallelism"]),
        (job(), job(backoffLimit=2), []),
        (
            job(),
            changed(job(), "other", "spec", "template", "spec", "containers", 0, "image"),
            ["spec.template.spec.containers[0].image"],
        ),
        (
            workload("Deployment", "d"),
            changed(workload("Deployment", "d"), {"app": "x"}, "spec", "selector", "matchLabels"),
            ["spec.selector.matchLabels.app"],
        ),
        (workload("Deployment", "d"), workload("Deployment", "d", replicas=3), []),
        (
            make("Service", "s", spec={"clusterIP": "None"}),
            make("Service", "s", spec={}),
            ["spec.clusterIP"],
        ),
    ],
)
def test_pulumi_replaces_for_what_its_table_names(
    old: dict[str, Any], new: dict[str, Any], expected: list[str]
) -> None:
    assert replaced_by(old["kind"], old, new) == expected


def test_secret_and_config_map_data_can_be_made_mutable() -> None:
    old, new = make("Secret", "s", data={"a": "1"}), make("Secret", "s", data={"a": "2"})
    assert replaced_by("Secret", old, new, mutable_secrets=True) == []
    frozen = changed(new, True, "immutable")
    assert replaced_by("Secret", old, frozen, mutable_secrets=True) == ["data.a"]


@pytest.mark.parametrize(
    ("first", "second", "ending"),
    [
        (job(), job(completionMode="Indexed"), "spec.completionMode: field is immutable"),
        (pod(), pod(args=["x"]), "spec.containers[0].args: field is immutable"),
        (
            make("PriorityClass", "p", "scheduling.k8s.io/v1", value=1),
            make("PriorityClass", "p", "scheduling.k8s.io/v1", value=2),
            "value: field is immutable",
        ),
        (
            make("StorageClass", "s", "storage.k8s.io/v1", provisioner="a/b"),
            make("StorageClass", "s", "storage.k8s.io/v1", provisioner="a/c"),
            "provisioner: field is immutable",
        ),
    ],
)
def test_the_api_server_refuses_changes_of_what_it_holds_immutable(
    kube: MemoryKube, first: dict[str, Any], second: dict[str, Any], ending: str
) -> None:
    kube.apply(first)
    assert refusal(kube, second).endswith(ending)


def test_a_pods_image_may_change(kube: MemoryKube) -> None:
    kube.apply(pod())
    kube.apply(pod(image="other"))
    assert only_pod(kube).phase == "Running"


@pytest.mark.parametrize(
    ("kind", "unknown", "expected"),
    [
        ("DaemonSet", "spec", ["spec"]),
        ("RayCluster", "spec", []),
        ("RayCluster", "metadata", ["metadata"]),
    ],
)
def test_a_property_unknown_as_a_whole_replaces_where_it_holds_a_field_that_does(
    kind: str, unknown: str, expected: list[str]
) -> None:
    same = make(kind, "c")
    found = replaced_by(kind, same, same, unknown=[unknown])
    assert found == expected
