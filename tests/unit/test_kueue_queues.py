"""Kueue's objects, as registered; what Kueue makes of them is not shown here."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.base.helm import HelmChartArgs
from components.base.namespace import KubeNamespace, KubeNamespaceArgs
from components.queues.frameworks import DEFAULT_FRAMEWORKS
from components.queues.kueue import Kueue, KueueArgs
from components.queues.local_queues import LocalQueueArgs, LocalQueues, LocalQueuesArgs
from components.queues.manifest import (
    READY_MINUTES,
    ClusterQueueArgs,
    FlavorQuotasArgs,
    ResourceGroupArgs,
    ResourceQuotaArgs,
)
from components.queues.queues import (
    AdmissionCheckArgs,
    CohortArgs,
    KueueQueues,
    KueueQueuesArgs,
    ResourceFlavorArgs,
    TopologyArgs,
    WorkloadPriorityClassArgs,
)
from tests.conftest import Recording, Register, inside

GPUS = ResourceQuotaArgs(resource="nvidia.com/gpu", nominal=6)
QUEUE = ClusterQueueArgs(
    name="cluster-queue",
    groups=[ResourceGroupArgs(flavors=[FlavorQuotasArgs(flavor="l4", resources=[GPUS])])],
)
ARGS = KueueQueuesArgs(
    flavors=[ResourceFlavorArgs(name="l4", node_labels={"accelerator": "nvidia-l4"})],
    cluster_queues=[QUEUE],
    labels={"stack": "test"},
)
LOCAL_QUEUE = LocalQueueArgs(name="lq", namespace="llm", cluster_queue="cluster-queue")


def made(
    register: Register, local_queues: Sequence[LocalQueueArgs] = (LOCAL_QUEUE,), **values: Any
) -> Recording:
    def program() -> None:
        chart = HelmChartArgs(chart="kueue", version="1.2.3")
        kueue = Kueue(
            "kueue",
            KueueArgs(
                chart=chart,
                labels={},
                frameworks=DEFAULT_FRAMEWORKS,
                unmanaged_namespaces=("kube-system",),
                ready_minutes=READY_MINUTES,
            ),
            opts=inside(),
        )
        args = replace(ARGS, kueue=kueue)
        queues = KueueQueues("queues", replace(args, **values), opts=inside())
        namespace = KubeNamespace(
            "llm",
            KubeNamespaceArgs(namespace="llm", pod_security="baseline", labels={}),
            pulumi.ResourceOptions.merge(inside(), pulumi.ResourceOptions(depends_on=[queues])),
        )
        doors = LocalQueues(
            "queues-local-queue",
            LocalQueuesArgs(
                kueue=kueue,
                queues="queues",
                local_queues=local_queues,
                cluster_queues=dict(queues.names),
                namespaces={"llm": namespace.namespace},
                labels={"stack": "test"},
            ),
            opts=inside(),
        )
        k8s.core.v1.Pod(
            "pod",
            metadata={"labels": {"queue": doors.local_queues["llm/lq"]}},
            spec={"containers": []},
        )

    return register(program)


def test_each_is_there_before_what_names_it_and_so_goes_after_it(register: Register) -> None:
    recording = made(register)
    chain = [
        "kueue-release",
        "queues-flavor-l4",
        "queues-cluster-queue-cluster-queue",
        "llm-namespace",
        "queues-local-queue-llm-lq",
        "pod",
    ]
    for before, after in pairwise(chain):
        assert before in recording.waits_for(after)


def test_all_of_it_lives_and_dies_with_the_release(register: Register) -> None:
    classes = [WorkloadPriorityClassArgs(name="high", value=30)]
    recording = made(register, cohorts=[CohortArgs(name="all")], priority_classes=classes)
    release = frozenset({recording.named("kueue-release").urn})
    children = [*recording.children("queues"), *recording.children("queues-local-queue")]
    assert len(children) == 5
    for name in children:
        assert recording.named(name).replace_with == release, name
        assert release <= recording.named(name).dependencies, name
        assert recording.named(name).delete_before_replace, name


def test_a_local_queue_that_moves_is_another(register: Register) -> None:
    local = made(register).named("queues-local-queue-llm-lq")
    assert local.replace_on_changes == ("spec.clusterQueue",)
    assert made(register).named("queues-flavor-l4").replace_on_changes == ()


def test_queues_of_one_name_in_two_namespaces_are_two(register: Register) -> None:
    queues = [
        LocalQueueArgs(name="lq", namespace=namespace, cluster_queue="cluster-queue")
        for namespace in ("llm", "default")
    ]
    recording = made(register, local_queues=queues)
    assert recording.outputs[recording.named("queues-local-queue").urn]["local_queues"] == {
        "llm/lq": "lq",
        "default/lq": "lq",
    }
    there = recording.named("queues-local-queue-default-lq").inputs["metadata"]["namespace"]
    assert there == "default"


def test_a_cohort_is_there_before_the_queues_in_it(register: Register) -> None:
    recording = made(
        register,
        cohorts=[CohortArgs(name="company"), CohortArgs(name="team", parent="company")],
        cluster_queues=[replace(QUEUE, cohort="team")],
    )
    assert recording.named("queues-cohort-company").inputs["spec"] == {}
    assert recording.named("queues-cohort-team").inputs["spec"] == {"parentName": "company"}
    cluster = recording.named("queues-cluster-queue-cluster-queue")
    assert cluster.inputs["spec"]["cohortName"] == "team"
    assert "queues-cohort-team" in recording.waits_for(cluster.name)


def test_a_class_of_priority_has_its_value_beside_its_metadata(register: Register) -> None:
    classes = [WorkloadPriorityClassArgs(name="high", value=30, description="First.")]
    recording = made(register, priority_classes=classes)
    made_class = recording.named("queues-class-high")
    assert made_class.type == "kubernetes:kueue.x-k8s.io/v1beta2:WorkloadPriorityClass"
    assert made_class.inputs == {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": "high", "labels": {"stack": "test"}},
        "value": 30,
        "description": "First.",
    }
    assert recording.outputs[recording.named("queues").urn]["class_names"] == {"high": "high"}


def test_a_flavor_knows_where_its_nodes_stand_once_that_is_said(
    register: Register,
) -> None:
    recording = made(
        register,
        topologies=[TopologyArgs(name="nodes", levels=["kubernetes.io/hostname"])],
        flavors=[ResourceFlavorArgs(name="l4", node_labels={"a": "b"}, topology="nodes")],
    )
    topology = recording.named("queues-topology-nodes")
    assert topology.inputs["spec"] == {"levels": [{"nodeLabel": "kubernetes.io/hostname"}]}
    flavor = recording.named("queues-flavor-l4")
    assert flavor.inputs["spec"]["topologyName"] == "nodes"
    assert topology.name in recording.waits_for(flavor.name)
    # One that a queue has would not go, and one without a topology may get one in place.
    assert flavor.replace_on_changes == ()


def test_a_queue_waits_for_its_check_and_that_for_what_it_asks_for(register: Register) -> None:
    recording = made(
        register,
        admission_checks=[AdmissionCheckArgs(name="dws", max_run_seconds=3600, retries=2)],
        cluster_queues=[replace(QUEUE, admission_checks={"dws": ["l4"]})],
    )
    config = recording.named("queues-provisioning-config-dws").inputs["spec"]
    assert config["provisioningClassName"] == "queued-provisioning.gke.io"
    assert config["parameters"] == {"maxRunDurationSeconds": "3600"}
    assert config["retryStrategy"] == {"backoffLimitCount": 2}
    check = recording.named("queues-admission-check-dws")
    assert check.inputs["spec"]["controllerName"] == "kueue.x-k8s.io/provisioning-request"
    assert check.inputs["spec"]["parameters"]["name"] == "dws"
    assert "queues-provisioning-config-dws" in recording.waits_for(check.name)
    queue = recording.named("queues-cluster-queue-cluster-queue")
    strategy = queue.inputs["spec"]["admissionChecksStrategy"]
    assert strategy == {"admissionChecks": [{"name": "dws", "onFlavors": ["l4"]}]}
    assert "queues-admission-check-dws" in recording.waits_for(queue.name)
