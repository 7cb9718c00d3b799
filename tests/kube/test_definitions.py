"""Custom kinds: the in-memory mode refuses what a real API server refuses by the definitions that
the operators, GKE's networking module and GKE's own parts bring.

No operator runs here, so what their webhooks refuse beyond it is not shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import JsonObject
from sandbox.control_plane import ControlPlane
from sandbox.control_plane.binaries import MANIFESTS
from sandbox.kube import schemas
from sandbox.live_kube.api import Api, ApiError
from sandbox.live_kube.operators.kustomization import customized, read_objects
from sandbox.memory_kube.admission import check
from tests.kube.conftest import eventually
from tests.unit.kueue_samples import cluster_queue, flavor, in_llm, local_queue
from tests.unit.memory_kube_samples import changed, make, ray_cluster, ray_job
from tests.unit.network_samples import network, params
from tests.unit.provisioning_samples import request as provisioning_request

CLOUD = {
    "type": "gcp:container/cluster:Cluster",
    "urns": ["urn:pulumi:none::gke-ai-stacks::gcp:container/cluster:Cluster::it"],
    "creating": False,
    "outputs": {},
}
CLUSTER = "projects/p/locations/us-central1/clusters/c"
MONITORING = {
    "selector": {"matchLabels": {"app": "vllm"}},
    "endpoints": [{"port": "http", "interval": "15s", "path": "/metrics", "scheme": "http"}],
}
PRIORITY = {
    "machineType": "ct6e-standard-4t",
    "spot": True,
    "tpu": {"type": "tpu-v6e-slice", "count": 4, "topology": "4x4"},
    "location": {"zones": ["us-east5-b"]},
    "maxPodsPerNode": 32,
}
CLASS = {
    "priorities": [PRIORITY, {"reservations": {"affinity": "AnyBestEffort"}}],
    "nodePoolAutoCreation": {"enabled": True},
    "nodePoolConfig": {"dra": {"networking": {"enabled": True}}, "imageType": "cos_containerd"},
    "whenUnsatisfiable": "DoNotScaleUp",
}
TOPOLOGY = {"levels": [{"nodeLabel": "block"}, {"nodeLabel": "kubernetes.io/hostname"}]}
POD = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}
PODS = {"completions": 1, "template": {"spec": POD}}
JOB = {"name": "workers", "replicas": 1, "template": {"spec": PODS}}
SAMPLES = [
    network(stackType="ipv4", dnsConfig={"nameservers": ["10.0.0.1"]}),
    params(podIPv4Ranges={"rangeNames": ["pods"]}),
    make("ComputeClass", "tpus", "cloud.google.com/v1", spec=CLASS),
    in_llm(make("PodMonitoring", "vllm", "monitoring.googleapis.com/v1", spec=MONITORING)),
    in_llm(provisioning_request()),
    cluster_queue(preemption={"withinClusterQueue": "LowerPriority"}, cohortName="all"),
    local_queue(),
    flavor(nodeLabels={"a": "b"}, nodeTaints=[{"key": "a", "effect": "NoSchedule"}]),
    make("WorkloadPriorityClass", "high", "kueue.x-k8s.io/v1beta2", value=1000),
    make("Topology", "racks", "kueue.x-k8s.io/v1beta2", spec=TOPOLOGY),
    in_llm(make("JobSet", "train", "jobset.x-k8s.io/v1alpha2", spec={"replicatedJobs": [JOB]})),
    in_llm(ray_cluster()),
    in_llm(ray_job()),
]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder = tmp_path_factory.mktemp("definitions")
    cluster = CLOUD | {"inputs": {"name": "c", "location": "us-central1"}}
    (folder / "cloud.json").write_text(json.dumps({"resources": {CLUSTER: cluster}}))
    plane = ControlPlane(folder / "plane", cluster=CLUSTER, cloud_file=folder / "cloud.json")
    job_sets = read_objects(MANIFESTS / "jobset" / "crds" / "jobset.x-k8s.io_jobsets.yaml")
    operators = [customized(MANIFESTS / name / "crd") for name in ("kueue", "kuberay")]
    try:
        plane.start()
        server = Api(plane.kubeconfig)
        for each in [*job_sets, *operators[0], *operators[1]]:
            # Objects are sent in the version that is stored.
            each["spec"].pop("conversion", None)
            server.apply(each)
        server.apply(make("Namespace", "llm"))
        for each in SAMPLES:
            eventually(lambda each=each: refusal(server, each), _is_served)
        yield server
    finally:
        plane.remove()


def _is_served(said: str) -> bool:
    return "Not Found" not in said and "not served" not in said


def refusal(api: Api, manifest: JsonObject) -> str:
    try:
        api.apply(manifest, dry_run=True)
    except ApiError as error:
        return str(error)
    return ""


def refused_in_memory(manifest: JsonObject) -> str:
    try:
        check(manifest)
    except KubeError as error:
        return str(error)
    return ""


def paths(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """Every field of a value but those of pods, which are Kubernetes' own."""
    fields = value.items() if isinstance(value, dict) else enumerate(value)
    for name, each in fields:
        yield (*path, name)
        if isinstance(each, dict | list) and name != "template":
            yield from paths(each, *path, name)


def mistakes(manifest: JsonObject) -> Iterator[JsonObject]:
    """Each field left out, with a field that nobody knows, of other types, and out of any range."""
    for path in paths(manifest["spec"]) if "spec" in manifest else [("value",)]:
        at = path if path == ("value",) else ("spec", *path)
        for value in (..., {"unknown": 1}, [], "?", -1, 10**9):
            yield changed(manifest, value, *at)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["kind"])
def test_both_modes_take_and_refuse_the_same(api: Api, sample: JsonObject) -> None:
    assert (refusal(api, sample), refused_in_memory(sample)) == ("", "")
    for manifest in mistakes(sample):
        real, memory = refusal(api, manifest), refused_in_memory(manifest)
        assert bool(real) <= bool(memory), (manifest, real)
        assert bool(schemas.findings(manifest)) <= bool(real), (manifest, memory)
