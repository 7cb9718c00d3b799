"""What the in-memory Kubernetes API accepts, refuses and defaults.

It cannot prove what only a real API server knows, such as conversion or webhooks.
"""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kube.errors import KubeError
from kube.objects import Ref
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    LABELS,
    asking,
    changed,
    cpu_node,
    gpu_nodes,
    job,
    lustre_claim,
    lustre_volume,
    make,
    pod,
    ray_cluster,
    ray_job,
    ref,
    refusal,
    workload,
)


@pytest.fixture
def kube() -> MemoryKube:
    return MemoryKube({}, [cpu_node()])


@pytest.mark.parametrize(
    ("api_version", "kind", "ending"),
    [
        ("ray.io/v1", "RayClster", "the nearest known kind is RayCluster in version ray.io/v1"),
        ("v1", "Deployment", "Deployment is served in version apps/v1"),
        ("example.com/v1", "Pods", "the nearest known kind is Pod in version v1"),
    ],
)
def test_an_unknown_kind_is_refused_with_the_nearest_known(
    kube: MemoryKube, api_version: str, kind: str, ending: str
) -> None:
    text = refusal(kube, make(kind, "x", api_version))
    assert text.startswith(f'no matches for kind "{kind}" in version "{api_version}"; ')
    assert text.endswith(ending)


@pytest.mark.parametrize(
    ("manifest", "ending"),
    [
        (make("ConfigMap", "c", dat={}), "dat: unknown field, the nearest known one is data"),
        (make("ConfigMap", "c", data={"a": 1}), "data.a: must be string, not integer"),
        (make("ConfigMap", "Upper"), "start with a letter or digit and end with a letter or digit"),
        (make("ConfigMap", ""), "metadata.name: required value"),
        (
            pod(imagee="x"),
            "spec.containers[0].imagee: unknown field, the nearest known one is image",
        ),
        (pod(resources=asking(cpu="8x")), "a number with a unit such as 8, 500m or 64Gi"),
        (
            pod(resources={"requests": {"nvidia.com/gpu": "1"}}),
            "limits.nvidia.com/gpu: limit must be set for a resource that is not shared",
        ),
        (
            pod(resources={"requests": {"nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 2}}),
            '"1" must be equal to nvidia.com/gpu limit of 2',
        ),
        (pod(resources={"limits": {"nvidia.com/gpu": "500m"}}), '"500m" must be an integer'),
        (pod(resources={"limits": {"gpu": "1"}}), "devices are named vendor/device"),
        (
            pod(volumeMounts=[{"name": "v", "mountPath": "/v"}]),
            'volumeMounts[0].name: no volume "v"',
        ),
        (
            changed(pod(), ..., "spec", "containers", 0, "image"),
            "containers[0].image: required value",
        ),
        (workload("Job", "j", api_version="batch/v1"), "must be Never or OnFailure in a Job"),
        (
            workload("Deployment", "d", selector={"matchLabels": {"app": "other"}}),
            "spec.template.metadata.labels: do not match spec.selector",
        ),
        (workload("Deployment", "d", replicas=-1), "spec.replicas: -1 must not be negative"),
        (
            workload("Deployment", "d", replicas=10**9),
            "the 2000 pods of one owner that the sandbox runs",
        ),
        (make("Pod", "p"), "spec: required value"),
        (pod(env=[None]), "spec.containers[0].env[0]: must not be null"),
        (make("Service", "s", spec={"selector": LABELS}), "spec.ports: required value"),
        (make("Service", "1s", spec={"ports": [{"port": 1}]}), "end with a letter or digit"),
        (
            changed(lustre_volume(), ..., "spec", "csi"),
            "spec: must specify a volume type such as csi",
        ),
        (lustre_claim("0"), 'spec.resources.requests.storage: "0" must be greater than zero'),
        (
            changed(pod(), {"a": "b c"}, "metadata", "labels"),
            "at most 63 letters, digits, -, _ or .",
        ),
        (
            make("PriorityClass", "p", "scheduling.k8s.io/v1", value=2 * 10**9),
            "value: above 1000000000 is kept for system classes",
        ),
        (
            changed(make("Namespace", "n"), "x", "metadata", "namespace"),
            "metadata.namespace: a Namespace belongs to no namespace",
        ),
    ],
)
def test_a_mistake_is_refused_by_its_field(
    kube: MemoryKube, manifest: dict[str, Any], ending: str
) -> None:
    text = refusal(kube, manifest)
    assert " is invalid: " in text
    assert text.endswith(ending)


def test_every_mistake_is_reported_at_once(kube: MemoryKube) -> None:
    with pytest.raises(KubeError) as caught:
        kube.apply(make("ConfigMap", "c", dat={}, data={"a": 1}))
    assert len(caught.value.problems) == 2


def test_a_cluster_begins_with_the_api_servers_own_service(kube: MemoryKube) -> None:
    own = Ref(api_version="v1", kind="Service", namespace="default", name="kubernetes")
    assert kube.get(own) is not None
    assert kube.inventory() == {}


def test_a_dry_run_gives_the_defaults_and_stores_nothing() -> None:
    state: dict[str, Any] = {}
    kube = MemoryKube(state, [])
    before = json.dumps(state)
    shown = kube.validate(workload("Deployment", "d"))
    assert (shown["metadata"]["namespace"], shown["spec"]["replicas"]) == ("default", 1)
    assert json.dumps(state) == before


def test_numbers_may_come_as_floats_and_nulls_count_as_absent(kube: MemoryKube) -> None:
    manifest = workload("Deployment", "d", replicas=2.0, minReadySeconds=None)
    live = kube.apply(manifest)
    assert live["spec"]["replicas"] == 2
    assert "minReadySeconds" not in live["spec"]
    assert len(kube.pods()) == 2


def test_an_object_needs_its_namespace_and_goes_with_it(kube: MemoryKube) -> None:
    inside = changed(make("ConfigMap", "c"), "rl", "metadata", "namespace")
    assert refusal(kube, inside) == 'namespaces "rl" not found'
    kube.apply(make("Namespace", "rl"))
    kube.apply(inside)
    kube.delete(Ref(api_version="v1", kind="Namespace", name="rl"))
    assert kube.inventory() == {}
    kube.apply(changed(inside, "kube-system", "metadata", "namespace"))


def test_a_built_in_namespace_cannot_be_deleted(kube: MemoryKube) -> None:
    kube.apply(make("Namespace", "default"))
    with pytest.raises(KubeError, match=r"this namespace may not be deleted$"):
        kube.delete(Ref(api_version="v1", kind="Namespace", name="default"))


def test_deleting_what_is_not_there_is_not_found(kube: MemoryKube) -> None:
    with pytest.raises(KubeError, match=r"^Pod default/p not found$") as caught:
        kube.delete(ref("Pod", "p"))
    assert caught.value.reason == "NotFound"


def test_an_update_keeps_the_identity_and_counts_generations(kube: MemoryKube) -> None:
    first = kube.apply(make("ConfigMap", "c", data={"a": "1"}))["metadata"]
    same = kube.apply(make("ConfigMap", "c", data={"a": "1"}))["metadata"]
    second = kube.apply(make("ConfigMap", "c", data={"a": "2"}))["metadata"]
    assert same == first
    assert second["uid"] == first["uid"]
    assert (first["generation"], second["generation"]) == (1, 2)


def test_importing_the_package_loads_no_schema_library() -> None:
    heavy = "{'jsonschema', 'kubernetes_validate', 'pulumi', 'yaml'}"
    code = f"import sys, sandbox.kube; print({heavy} & {{*sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


JUNK = st.sampled_from(
    [None, "", "x", "-1", 0, -1, 1.5, 10**9, True, [], ["x"], [None], {}, {"x": "y"}]
)
_NETWORKS = "networking.gke.io/v1"
_DEVICE = {"deviceMode": "RDMA"}
_PARAMETERS = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": "n"}
SAMPLES = [
    lustre_volume(),
    lustre_claim(),
    ray_cluster(),
    ray_job(runtimeEnvYAML="a: 1", submissionMode="HTTPMode"),
    ray_job(clusterSelector=None, rayClusterSpec=ray_cluster()["spec"]),
    job(completions=2, completionMode="Indexed"),
    workload("Deployment", "d", replicas=2),
    workload("DaemonSet", "a"),
    pod(resources=asking(cpu="1"), env=[{"name": "A", "value": "b"}]),
    make("Service", "s", spec={"selector": LABELS, "ports": [{"port": 80}]}),
    make("Secret", "s", data={"a": "eA=="}, stringData={"b": "c"}),
    make("GKENetworkParamSet", "n", _NETWORKS, spec={"vpc": "v", "vpcSubnet": "s"} | _DEVICE),
    make("Network", "n", _NETWORKS, spec={"type": "Device", "parametersRef": _PARAMETERS}),
    changed(pod(), {"networking.gke.io/interfaces": "[{}]"}, "metadata", "annotations"),
    changed(pod(), {"gke-gcsfuse/volumes": "true"}, "metadata", "annotations"),
]


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for step, item in items:
        yield (*path, step)
        if isinstance(item, dict | list):
            yield from places(item, (*path, step))


@settings(max_examples=150)
@given(data=st.data())
def test_junk_in_a_manifest_is_refused_or_taken_but_never_crashes(data: st.DataObject) -> None:
    sample = data.draw(st.sampled_from(SAMPLES))
    path = data.draw(st.sampled_from(sorted(places(sample), key=str)))
    state: dict[str, Any] = {}
    kube = MemoryKube(state, gpu_nodes(2))
    with contextlib.suppress(KubeError):
        live = kube.apply(changed(sample, data.draw(JUNK), *path))
        kube.reconcile()
        kube.readiness(Ref.of(live))
        kube.health(Ref.of(live))
        kube.apply(sample)
        kube.delete(Ref.of(live))
    json.dumps(state)
