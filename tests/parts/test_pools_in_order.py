"""Pools of which Kueue chooses one for all workers of a group, in the order of its queue: what is
registered for it. That Kueue chooses is shown in tests/stacks and, with the real one, tests/kube.
"""

from typing import Any

from components.base.node_terms import selector_terms
from stacks.config import validate
from tests.conftest import Recording, changed
from tests.programs import registered
from tests.unit.effect_queues import EITHER

POOL = "cloud.google.com/gke-nodepool"
POOLS = ("reserved-pool", "spot-pool")
ON_REQUEST = changed(
    EITHER,
    pools__spot__capacity={"mode": "queued", "max_run_hours": 24},
    pools__spot__autoscaling={"min": 0, "max": 4},
    queues__admission_checks={"dws": {}},
    queues__cluster_queues__gpus__admission_checks=["dws"],
)


def made(config: dict[str, Any]) -> Recording:
    return registered(validate(config))


def worker(recording: Recording) -> dict[str, Any]:
    (cluster,) = recording.of_type(":RayCluster")
    (group,) = cluster.inputs["spec"]["workerGroupSpecs"]
    return group


def queue(recording: Recording) -> dict[str, Any]:
    (found,) = recording.of_type(":ClusterQueue")
    return found.inputs["spec"]


def test_workers_come_onto_either_pool_and_onto_no_third() -> None:
    third = changed(EITHER, pools__third=EITHER["pools"]["spot"])
    spec = worker(made(third))["template"]["spec"]
    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required == {"nodeSelectorTerms": selector_terms([{POOL: it} for it in POOLS])}
    assert POOL not in spec["nodeSelector"]


def test_pods_of_a_script_come_onto_either_pool_each_on_a_node_of_its_own() -> None:
    recording = made(changed(EITHER, ray=None))
    (job_set,) = recording.of_type(":JobSet")
    (one,) = job_set.inputs["spec"]["replicatedJobs"]
    spec = one["template"]["spec"]["template"]["spec"]
    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required == {"nodeSelectorTerms": selector_terms([{POOL: it} for it in POOLS])}
    assert "podAntiAffinity" in spec["affinity"]
    assert POOL not in spec["nodeSelector"]


def test_there_are_as_many_workers_as_the_smallest_pool_has_nodes() -> None:
    assert worker(made(EITHER))["replicas"] == 2
    alone = changed(EITHER, ray__either__queue=None, jobs=None)
    assert worker(made(alone))["replicas"] == 6


def test_flavors_stand_in_the_order_of_the_queue_and_then_by_their_names() -> None:
    def names(**change: Any) -> list[str]:
        (group,) = queue(made(changed(EITHER, **change)))["resourceGroups"]
        return [it["name"] for it in group["flavors"]]

    assert names() == ["spot", "cpu", "reserved"]
    order = "queues__cluster_queues__gpus__order"
    assert names(**{order: ["reserved", "spot"]}) == ["reserved", "spot", "cpu"]
    backwards = dict(reversed(EITHER["queues"]["flavors"].items()))
    assert names(**{order: None, "queues__flavors": backwards}) == ["cpu", "reserved", "spot"]


def test_going_on_to_the_next_flavor_is_said_only_where_it_is_not_kueues_default() -> None:
    assert "flavorFungibility" not in queue(made(EITHER))
    said = {"when_can_preempt": "MayStopSearch"}
    found = queue(made(changed(EITHER, queues__cluster_queues__gpus__fungibility=said)))
    assert found["flavorFungibility"] == {
        "whenCanBorrow": "MayStopSearch",
        "whenCanPreempt": "MayStopSearch",
    }


def test_kueue_asks_for_machines_that_come_by_a_request_and_the_stack_does_not() -> None:
    recording = made(ON_REQUEST)
    checks = queue(recording)["admissionChecksStrategy"]["admissionChecks"]
    assert checks == [{"name": "dws", "onFlavors": ["spot"]}]
    assert recording.of_type(":ProvisioningRequest") == []
    template = worker(recording)["template"]
    assert "consume-provisioning-request" not in str(template.get("metadata"))
