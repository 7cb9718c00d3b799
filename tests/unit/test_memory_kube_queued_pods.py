"""Which pods run on the machines of a provisioning request, and what becomes of both.

It cannot prove what GKE's unpublished webhook adds to pods.
"""

from components.queues.provisioning_manifest import consuming_annotations
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    TOLERATION,
    changed,
    cpu_node,
    job,
    make,
    only_pod,
    pod,
    ray_cluster,
    ray_ref,
    ref,
    workload,
)
from tests.unit.provisioning_samples import (
    GPUS,
    TOLERATIONS,
    conditions,
    consuming,
    pod_named,
    provisioned,
    queued_nodes,
    request,
    request_ref,
    template,
    tolerating,
)


def test_nodes_outlive_their_request_for_as_long_as_pods_run_on_them() -> None:
    kube = provisioned(queued_nodes(), pods=1)
    kube.apply(consuming())
    kube.delete(request_ref())
    assert pod_named(kube).phase == "Running"
    kube.delete(ref("Pod", "p"))
    assert kube.nodes() == []


def test_a_pod_waits_until_its_request_is_provisioned() -> None:
    kube = MemoryKube({}, queued_nodes(1))
    kube.apply(template())
    kube.apply(consuming())
    name = "consuming ProvisioningRequest default/workers"
    assert pod_named(kube).reason == f"{name} that does not exist"
    kube.apply(request(pods=2))
    assert pod_named(kube).reason.startswith(f"{name}: NotProvisioned: ")
    kube.set_nodes(queued_nodes(2))
    assert pod_named(kube).phase == "Running"


def test_a_pod_runs_on_the_nodes_of_its_own_request() -> None:
    kube = provisioned(queued_nodes(2), pods=1)
    kube.apply(request("second", pods=1))
    for name, wanted in (("p", "second"), ("q", "workers")):
        kube.apply(consuming(name, wanted))
    assert (pod_named(kube, "p").node, pod_named(kube, "q").node) == ("a4-1", "a4-0")
    kube.apply(consuming("late", "workers"))
    assert "didn't match Pod's node affinity/selector" in pod_named(kube, "late").reason


def test_a_pod_says_the_class_of_its_request() -> None:
    kube = provisioned(queued_nodes())
    key = "autoscaling.x-k8s.io/provisioning-class-name"
    kube.apply(changed(consuming(), "other", "metadata", "annotations", key))
    assert pod_named(kube).reason == f'annotation {key}: "other" must be queued-provisioning.gke.io'


def test_a_pod_without_the_toleration_stays_off_queued_nodes() -> None:
    kube = provisioned(queued_nodes())
    kube.apply(consuming(tolerations=[TOLERATION]))
    kube.apply(pod("bystander", spec=tolerating(), resources=GPUS))
    for name in ("p", "bystander"):
        assert (
            "untolerated taint {cloud.google.com/gke-queued: true}" in pod_named(kube, name).reason
        )


def test_a_pod_with_no_request_brings_no_node_even_if_it_tolerates_the_taint() -> None:
    kube = MemoryKube({}, queued_nodes())
    kube.apply(pod(spec={"tolerations": TOLERATIONS}, resources=GPUS))
    assert pod_named(kube).reason == "no nodes available to schedule pods"


def test_a_daemon_set_comes_with_the_nodes_and_keeps_none() -> None:
    everywhere = {"operator": "Exists"}
    installer = changed(
        workload("DaemonSet", "installer"), [everywhere], "spec", "template", "spec", "tolerations"
    )
    kube = MemoryKube({}, queued_nodes())
    kube.apply(installer)
    assert kube.pods() == []
    kube.apply(template())
    kube.apply(request())
    assert [it.node for it in kube.pods()] == ["a4-0", "a4-1"]
    kube.delete(request_ref())
    assert kube.pods() == kube.nodes() == []


def test_a_finished_pod_keeps_no_node() -> None:
    training = job()
    pods = ("spec", "template")
    training = changed(training, TOLERATIONS, *pods, "spec", "tolerations")
    annotations = {"annotations": consuming_annotations("workers")}
    training = changed(training, annotations, *pods, "metadata")
    kube = provisioned(queued_nodes(), pods=1)
    kube.apply(training)
    assert only_pod(kube).phase == "Running"
    kube.delete(request_ref())
    kube.reconcile()
    assert only_pod(kube).phase == "Succeeded"
    assert kube.nodes() == []


def test_lost_nodes_revoke_the_capacity_for_good() -> None:
    kube = provisioned(queued_nodes())
    kube.set_nodes(queued_nodes(1))
    assert conditions(kube)["CapacityRevoked"] == ("True", "CapacityRevoked")
    kube.set_nodes(queued_nodes())
    kube.apply(consuming())
    assert pod_named(kube).reason.endswith("is no longer available in the cluster.")
    assert not kube.health(request_ref()).ready


def test_a_ray_cluster_runs_on_the_machines_that_its_workers_asked_for() -> None:
    group = ("spec", "workerGroupSpecs", 0)
    cluster = ray_cluster()
    for path in (("spec", "headGroupSpec"), group):
        cluster = changed(cluster, [], *path, "template", "spec", "volumes")
        cluster = changed(cluster, [], *path, "template", "spec", "containers", 0, "volumeMounts")
    cluster = changed(cluster, {}, "spec", "headGroupSpec", "template", "spec", "nodeSelector")
    own = cluster["spec"]["workerGroupSpecs"][0]["template"]
    cluster = changed(cluster, TOLERATIONS, *group, "template", "spec", "tolerations")
    metadata = {"annotations": consuming_annotations("workers")}
    cluster = changed(cluster, metadata, *group, "template", "metadata")
    head = cpu_node(cpu="8", memory="64Gi")
    kube = MemoryKube({}, [head, *queued_nodes(8)])
    kube.apply(cluster)
    assert not kube.health(ray_ref()).ready
    kube.apply(make("PodTemplate", "workers", template=own))
    kube.apply(request(pods=8))
    assert kube.wait_for(ray_ref()).ready
    assert kube.health(ray_ref()).ready
