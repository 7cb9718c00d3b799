"""Fields of others in memory: what `kubectl scale` and Kueue wrote, and updates by the program."""

import pytest

from sandbox.kube.errors import KubeError
from sandbox.kube.objects import JsonObject
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.kueue_samples import (
    L4,
    SERVER_REF,
    changed,
    cluster_queue,
    fine_tune,
    flavor,
    job_ref,
    local_queue,
    namespace,
    phases,
    priority,
    scenario,
    server,
    with_kueue,
)
from tests.unit.test_memory_kube_kueue_ray import kueue_ray, ray_cluster

POOL = {**L4, "cloud.google.com/gke-nodepool": "l4"}
SELECTOR = "spec.template.spec.nodeSelector"


def forced(manifest: JsonObject) -> JsonObject:
    return changed(manifest, {"pulumi.com/patchForce": "true"}, "metadata", "annotations")


def labelled(manifest: JsonObject) -> JsonObject:
    labels = {**manifest["metadata"]["labels"], "team": "other"}
    return changed(manifest, labels, "metadata", "labels")


def test_replicas_that_kubectl_scaled_are_a_conflict_in_the_next_change() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.scale(SERVER_REF, 2)
    assert phases(kube, "tgi") == ["Running"] * 2
    with pytest.raises(KubeError, match=r'conflict with "kubectl" with subresource "scale"'):
        kube.apply(server(3))


def test_forced_the_change_goes_through_and_so_does_the_next_without() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.scale(SERVER_REF, 2)
    kube.apply(forced(server(3)))
    assert phases(kube, "tgi") == ["Running"] * 3
    kube.apply(server(1))
    assert phases(kube, "tgi") == ["Running"]


def test_the_scale_that_is_there_already_is_nobodys_conflict() -> None:
    kube = scenario()
    kube.apply(server(1))
    kube.scale(SERVER_REF, 1)
    kube.apply(server(2))
    kube.scale(SERVER_REF, 3)
    kube.apply(server(3))
    assert phases(kube, "tgi") == ["Running"] * 3


def with_pool_flavor() -> MemoryKube:
    kube = with_kueue()
    kube.apply(namespace("llm"))
    for manifest in (
        flavor(nodeLabels=L4 | {"kubernetes.io/arch": "amd64"}),
        cluster_queue(),
        local_queue(),
        priority("low", 1),
    ):
        kube.apply(manifest)
    kube.apply(fine_tune())
    return kube


def suspended(kube: MemoryKube) -> bool:
    return bool((kube.get(job_ref()) or {})["spec"].get("suspend"))


def test_a_job_that_kueue_started_refuses_any_update_that_names_its_node_selector() -> None:
    kube = with_pool_flavor()
    assert not suspended(kube)
    for update in (fine_tune(), labelled(fine_tune()), forced(labelled(fine_tune()))):
        with pytest.raises(KubeError, match=r"spec\.template: Invalid value"):
            kube.apply(update)


def test_with_the_selector_left_to_kueue_the_update_goes_through() -> None:
    kube = with_pool_flavor()
    kube.apply(labelled(fine_tune()), [SELECTOR])
    job = kube.get(job_ref())
    assert job is not None
    assert job["metadata"]["labels"]["team"] == "other"
    assert not suspended(kube)


def test_a_ray_cluster_that_kueue_started_refuses_any_update_that_names_its_workers() -> None:
    kube = scenario()
    kube.apply(ray_cluster())
    assert phases(kube, "ray") == ["Running"] * 3
    for update in (ray_cluster(), labelled(ray_cluster())):
        with pytest.raises(KubeError, match=r'conflict with "kueue" .*: \.spec\.workerGroupSpecs'):
            kube.apply(update)


def test_with_its_workers_left_to_kueue_the_update_of_a_ray_cluster_goes_through() -> None:
    kube = scenario()
    kube.apply(ray_cluster())
    more = labelled(ray_cluster())
    more["spec"]["workerGroupSpecs"][0] |= {"replicas": 1, "minReplicas": 1}
    kube.apply(more, ["spec.workerGroupSpecs"])
    found = kube.get(kueue_ray())
    assert found is not None
    assert found["metadata"]["labels"]["team"] == "other"
    assert phases(kube, "ray") == ["Running"] * 3


def test_the_workers_of_a_ray_cluster_that_waits_are_the_programs() -> None:
    kube = scenario()
    kube.apply(server(3))
    kube.apply(ray_cluster())
    assert phases(kube, "ray") == []
    kube.apply(labelled(ray_cluster()))
    kube.apply(server(1))
    assert phases(kube, "ray") == ["Running"] * 3


def test_a_running_job_is_not_ready_when_it_is_read_though_its_own_wait_is_over() -> None:
    kube = scenario()
    wait = {"pulumi.com/waitFor": "jsonpath={.metadata.uid}"}
    kube.apply(changed(fine_tune(), wait, "metadata", "annotations"))
    assert kube.readiness(job_ref()).ready
    assert not kube.readiness_on_read(job_ref()).ready
    skip = {"pulumi.com/skipAwait": "true"}
    kube.apply(changed(fine_tune(), skip, "metadata", "annotations"))
    assert kube.readiness_on_read(job_ref()).ready
