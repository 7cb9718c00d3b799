"""Queues that share quota in a cohort: borrowing, and taking back what was lent."""

from typing import Any

from sandbox.memory_kube.memory import MemoryKube
from tests.unit.kueue_samples import (
    LOWER_PRIORITY,
    cluster_queue,
    fine_tune,
    flavor,
    group,
    in_llm,
    kinds,
    l4_nodes,
    local_queue,
    make,
    phases,
    pods_of,
    priority,
    queue_of,
    quota,
    server,
    used,
    with_kueue,
)

EVERY = {"cpu": "72", "memory": "288Gi"}


def gpu_quotas(gpus: str, **limits: str) -> list[dict[str, Any]]:
    rest = [quota(name, amount) for name, amount in EVERY.items()]
    return [*rest, quota("nvidia.com/gpu", gpus, **limits)]


def cohort_of_two(
    serving: list[dict[str, Any]], training: list[dict[str, Any]], **spec: Any
) -> MemoryKube:
    """Servers and fine-tune Jobs in two queues of one cohort."""
    kube = with_kueue()
    for manifest in (
        flavor(),
        cluster_queue("serving", serving, cohortName="team", **spec),
        cluster_queue("training", training, cohortName="team", **spec),
        local_queue("serve", "serving"),
        local_queue("train", "training"),
        priority("low", 20),
        priority("high", 30),
    ):
        kube.apply(manifest)
    return kube


def test_a_queue_borrows_what_its_cohort_does_not_use() -> None:
    kube = cohort_of_two(gpu_quotas("2"), gpu_quotas("4"))
    kube.apply(server(3, queue="serve"))
    assert phases(kube, "tgi") == ["Running"] * 3
    (gpus,) = [q for q in queue_of(kube, "serving").quotas if q.resource == "nvidia.com/gpu"]
    assert (gpus.quota, gpus.used, gpus.borrowed) == ("2", "6", "4")


def test_without_a_cohort_nothing_is_borrowed() -> None:
    kube = cohort_of_two(gpu_quotas("2"), gpu_quotas("4"))
    alone = cluster_queue("serving", gpu_quotas("2"))
    kube.apply(alone)
    kube.apply(server(3, queue="serve"))
    assert len(queue_of(kube, "serving").admitted) == 1


def test_a_borrowing_limit_ends_the_borrowing() -> None:
    kube = cohort_of_two(gpu_quotas("2", borrowingLimit="2"), gpu_quotas("4"))
    kube.apply(server(3, queue="serve"))
    assert len(queue_of(kube, "serving").admitted) == 2


def test_a_lending_limit_keeps_the_rest_for_its_queue() -> None:
    kube = cohort_of_two(gpu_quotas("2"), gpu_quotas("4", lendingLimit="2"))
    kube.apply(server(3, queue="serve"))
    assert len(queue_of(kube, "serving").admitted) == 2


def test_a_queue_takes_back_what_a_lower_priority_borrowed() -> None:
    kube = cohort_of_two(gpu_quotas("4"), gpu_quotas("2"))
    kube.apply(fine_tune(queue="train"))
    assert used(queue_of(kube, "training")) == "4"
    kube.apply(server(2, queue="serve"))
    assert phases(kube, "tgi") == ["Running"] * 2
    assert pods_of(kube, "finetune") == []
    kube.apply(server(1, queue="serve"))
    assert phases(kube, "finetune") == ["Running"] * 2


def test_a_queue_that_reclaims_never_waits_for_its_own_quota() -> None:
    never = {"preemption": {"withinClusterQueue": "LowerPriority"}}
    kube = cohort_of_two(gpu_quotas("4"), gpu_quotas("2"), **never)
    kube.apply(fine_tune(queue="train"))
    kube.apply(server(2, queue="serve"))
    assert phases(kube, "finetune") == ["Running"] * 2
    assert len(queue_of(kube, "serving").waiting) == 1


def test_nobody_is_preempted_in_another_queue_to_borrow() -> None:
    kube = cohort_of_two(gpu_quotas("2"), gpu_quotas("4"))
    kube.apply(fine_tune(queue="train"))
    kube.apply(server(2, queue="serve"))
    assert phases(kube, "finetune") == ["Running"] * 2
    assert len(queue_of(kube, "serving").waiting) == 1


def test_who_may_preempt_to_borrow_takes_from_who_borrows() -> None:
    borrowing = {
        "preemption": {**LOWER_PRIORITY, "borrowWithinCohort": {"policy": "LowerPriority"}}
    }
    kube = cohort_of_two(gpu_quotas("0"), gpu_quotas("0"), **borrowing)
    kube.apply(cluster_queue("reserve", gpu_quotas("4"), cohortName="team"))
    kube.apply(fine_tune(queue="train"))
    kube.apply(server(1, queue="serve"))
    assert phases(kube, "tgi") == ["Running"]
    assert pods_of(kube, "finetune") == []


def test_a_cohort_has_quota_of_its_own_and_gets_from_its_parent() -> None:
    kube = cohort_of_two(gpu_quotas("0"), gpu_quotas("0"))
    resources = [group(gpu_quotas("2"))]
    spec = {"parentName": "company", "resourceGroups": resources}
    kube.apply(make("Cohort", "team", "kueue.x-k8s.io/v1beta2", spec=spec))
    kube.apply(server(2, queue="serve"))
    assert len(queue_of(kube, "serving").admitted) == 1
    company = make(
        "Cohort", "company", "kueue.x-k8s.io/v1beta2", spec={"resourceGroups": resources}
    )
    kube.apply(company)
    assert len(queue_of(kube, "serving").admitted) == 2


def test_the_second_flavor_serves_when_the_first_is_full() -> None:
    kube = with_kueue([*l4_nodes(2)])
    quotas = [quota("cpu", "8"), quota("memory", "80Gi"), quota("nvidia.com/gpu", "2")]
    both = [group(quotas, ("reserved", "spot"))]
    for manifest in (
        flavor("reserved", nodeLabels={"kubernetes.io/os": "linux"}),
        flavor("spot", tolerations=[{"key": "spot", "operator": "Exists"}]),
        cluster_queue(resourceGroups=both),
        local_queue(),
        priority("high", 30),
    ):
        kube.apply(manifest)
    kube.apply(server(2))
    queue = queue_of(kube)
    gpus = {q.flavor: q.used for q in queue.quotas if q.resource == "nvidia.com/gpu"}
    assert gpus == {"reserved": "2", "spot": "2"}


def test_a_flavor_whose_labels_the_pods_do_not_select_is_passed_over() -> None:
    kube = with_kueue()
    quotas = [quota("cpu", "8"), quota("memory", "80Gi"), quota("nvidia.com/gpu", "2")]
    for manifest in (
        flavor("other", nodeLabels={"cloud.google.com/gke-accelerator": "nvidia-b200"}),
        flavor("tainted", nodeTaints=[{"key": "k", "value": "v", "effect": "NoSchedule"}]),
        cluster_queue(resourceGroups=[group(quotas, ("other", "tainted"))]),
        local_queue(),
        priority("high", 30),
    ):
        kube.apply(manifest)
    kube.apply(server(1))
    reason = queue_of(kube).waiting[0].reason
    assert "flavor other doesn't match node affinity" in reason
    assert reason.endswith("untolerated taint k=v:NoSchedule in flavor tainted")


def test_strict_order_holds_back_what_would_fit() -> None:
    small = in_llm(fine_tune("small", pods=1, queue="lq"))
    kube = with_kueue()
    for manifest in (
        flavor(),
        cluster_queue(quotas=gpu_quotas("4"), queueingStrategy="StrictFIFO"),
        local_queue(),
        priority("low", 20),
    ):
        kube.apply(manifest)
    kube.apply(fine_tune("first", pods=1))
    kube.apply(fine_tune("large", pods=2))
    kube.apply(small)
    queue = queue_of(kube)
    assert kinds(queue.admitted) == ["job"]
    assert queue.waiting[1].reason.endswith("as queueingStrategy StrictFIFO says")
