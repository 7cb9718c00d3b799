"""What Kueue refuses: its own objects, and jobs that it could not run."""

from typing import Any

import pytest

from kube.errors import KubeError
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.kueue_samples import (
    KUEUE,
    QUEUE,
    changed,
    cluster_queue,
    fine_tune,
    flavor,
    group,
    in_llm,
    kueue_ref,
    local_queue,
    make,
    quota,
    refused,
    scenario,
    with_kueue,
)
from tests.unit.memory_kube_samples import ray_cluster, refusal

FLAVOR = ("spec", "resourceGroups", 0, "flavors", 0)


@pytest.mark.parametrize(
    ("value", "path", "ending"),
    [
        ("gpu", (*FLAVOR, "resources", 0, "name"), "coveredResources; nearest: cpu"),
        ("-1", (*FLAVOR, "resources", 0, "nominalQuota"), "must be greater than or equal to 0"),
        ("6 GPUs", (*FLAVOR, "resources", 0, "nominalQuota"), "a unit such as 8, 500m or 64Gi"),
        ("1", (*FLAVOR, "resources", 0, "borrowingLimit"), "must be nil when cohort is empty"),
        (["cpu"], ("spec", "resourceGroups", 0, "coveredResources"), "as the coveredResources"),
        ("Maybe", ("spec", "preemption", "withinClusterQueue"), "LowerOrNewerEqualPriority"),
        ("team", ("spec", "cohort"), "unknown field, the nearest known one is cohortName"),
        (..., (*FLAVOR, "resources", 0, "nominalQuota"), "required value"),
    ],
)
def test_a_cluster_queue_is_refused_with_field_and_reason(
    value: Any, path: tuple[str | int, ...], ending: str
) -> None:
    assert refused(changed(cluster_queue(), value, *path)).endswith(ending)


def test_a_resource_stands_in_one_group_only() -> None:
    gpus = quota("nvidia.com/gpu", "2")
    groups = [group([gpus], ["a"]), group([gpus], ["b"])]
    text = refused(cluster_queue(resourceGroups=groups))
    path = "spec.resourceGroups[1].coveredResources[0]"
    assert text.endswith(f'{path}: duplicate value: "nvidia.com/gpu"')


def test_a_flavor_stands_in_one_group_only() -> None:
    groups = [group([quota("cpu", "2")], ["a"]), group([quota("memory", "2Gi")], ["a"])]
    text = refused(cluster_queue(resourceGroups=groups))
    assert text.endswith('spec.resourceGroups[1].flavors[0].name: duplicate value: "a"')


def test_there_are_at_most_sixteen_groups() -> None:
    groups = [group([quota(f"x.org/r{n}", "1")], [f"f{n}"]) for n in range(17)]
    assert refused(cluster_queue(resourceGroups=groups)).endswith(": must have at most 16 items")


def test_nobody_lends_more_than_there_is() -> None:
    lending = [quota("cpu", "2", lendingLimit="3")]
    text = refused(cluster_queue(quotas=lending, cohortName="team"))
    assert text.endswith("must be less than or equal to the nominalQuota")


def test_borrowing_by_preemption_needs_reclaiming() -> None:
    preemption = {"borrowWithinCohort": {"policy": "LowerPriority"}}
    text = refused(cluster_queue(preemption=preemption, cohortName="team"))
    assert text.endswith("reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never")


def test_a_cohort_without_a_parent_has_no_limits() -> None:
    spec = {"resourceGroups": [group([quota("cpu", "2", borrowingLimit="1")])]}
    text = refused(make("Cohort", "team", KUEUE, spec=spec))
    assert text.endswith('"1" must be nil when parent is empty')


def test_a_toleration_without_a_key_tolerates_everything_or_is_refused() -> None:
    assert refused(flavor(tolerations=[{"value": "x"}])).endswith(
        "operator must be Exists when 'key' is empty"
    )


def test_a_priority_class_of_kueue_needs_its_value() -> None:
    assert refused(make("WorkloadPriorityClass", "p", KUEUE)).endswith("value: required value")


def test_a_local_queue_needs_its_namespace() -> None:
    elsewhere = changed(local_queue(), "nowhere", "metadata", "namespace")
    assert refusal(scenario(), elsewhere) == 'namespaces "nowhere" not found'


def test_a_local_queue_keeps_its_cluster_queue() -> None:
    text = refusal(scenario(), local_queue(target="other"))
    assert text.endswith("spec.clusterQueue: field is immutable")


def test_a_flavor_in_use_stays() -> None:
    kube = scenario()
    with pytest.raises(KubeError, match=r"used by ClusterQueue cluster-queue$"):
        kube.delete(kueue_ref("ResourceFlavor", "l4"))
    kube.delete(kueue_ref("ClusterQueue", "cluster-queue"))
    kube.delete(kueue_ref("ResourceFlavor", "l4"))


def test_a_ray_cluster_that_scales_by_itself_queues_as_an_elastic_job_alone() -> None:
    scaling = changed(in_llm(ray_cluster()), True, "spec", "enableInTreeAutoscaling")
    queued = changed(scaling, {QUEUE: "lq"}, "metadata", "labels")
    text = refusal(with_kueue(), queued)
    assert text.startswith('admission webhook "vraycluster.kb.io" denied the request')
    assert text.endswith('set the "kueue.x-k8s.io/elastic-job": "true" annotation')
    elastic = changed(queued, {"kueue.x-k8s.io/elastic-job": "true"}, "metadata", "annotations")
    assert with_kueue().apply(elastic)["metadata"]["name"] == queued["metadata"]["name"]


def test_a_ray_job_does_not_queue_for_a_cluster_of_others() -> None:
    spec = {"clusterSelector": {"ray.io/cluster": "c"}, "entrypoint": "x"}
    queued = changed(
        in_llm(make("RayJob", "j", "ray.io/v1", spec=spec)), {QUEUE: "lq"}, "metadata", "labels"
    )
    assert refusal(with_kueue(), queued).endswith("should not use an existing cluster")


def test_a_job_that_runs_keeps_its_queue() -> None:
    kube = scenario()
    kube.apply(fine_tune())
    moved = fine_tune(queue="other")
    assert refusal(kube, moved).endswith("field is immutable while the job is not suspended")


def test_nothing_queues_while_kueues_manager_does_not_run() -> None:
    kube = with_kueue()
    kube.set_nodes([])
    text = 'failed calling webhook "vjob.kb.io": Kueue\'s manager does not run: connection refused'
    assert refusal(kube, fine_tune()) == text


def test_without_kueue_its_kinds_are_unknown() -> None:
    text = 'no matches for kind "ClusterQueue" in version "kueue.x-k8s.io/v1beta2"; '
    assert refusal(MemoryKube({}, []), cluster_queue()) == f"{text}the Helm chart kueue brings it"
