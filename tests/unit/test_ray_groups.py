"""A RayCluster of several groups of workers and several volumes, as registered and as the
sandbox's API server takes it."""

from dataclasses import replace
from typing import Any

import pytest

from components.base.component import check_arguments
from components.buckets.mount import BucketMountArgs
from components.ray.cluster import RayCluster, RayClusterArgs, RayVolumeArgs, RayWorkersArgs
from components.ray.cluster_manifest import RayAutoscaling
from sandbox.memory_kube.memory import MemoryKube
from tests.conftest import Register, Registered, inside
from tests.unit.memory_kube_samples import ray_ref
from tests.unit.test_ray_cluster import ARGS, POD

ROLLOUT = replace(POD, gpus=1, shm_gib=10, node_selector={"pool": "l4"})
LEARNERS = RayWorkersArgs(pod=POD, count=2, least=1)
TWO = {"learners": LEARNERS, "actors": RayWorkersArgs(pod=ROLLOUT, count=6, least=3)}
CLAIM = RayVolumeArgs(name="lustre", mount_path="/lustre", claim_name="lustre-pvc")
BUCKET = RayVolumeArgs(
    name="checkpoints",
    mount_path="/checkpoints",
    bucket=BucketMountArgs(
        bucket_name="kept", options=["uid=1000"], skip_access_check=True, prefetch_metadata=False
    ),
)
SCALING = RayAutoscaling(idle_seconds=60)


def made(register: Register, **args: Any) -> Registered:
    wanted: RayClusterArgs = replace(ARGS, **{"workers": TWO, **args})
    return register(lambda: RayCluster("ray", wanted, opts=inside())).named("ray-cluster")


def groups(cluster: Registered) -> dict[str, Any]:
    return {it["groupName"]: it for it in cluster.inputs["spec"]["workerGroupSpecs"]}


def pods(cluster: Registered) -> list[Any]:
    """The pod of the head, and of each group."""
    spec = cluster.inputs["spec"]
    return [it["template"]["spec"] for it in (spec["headGroupSpec"], *spec["workerGroupSpecs"])]


def test_a_queue_admits_the_head_and_each_worker_of_every_group_as_it_comes(
    register: Register,
) -> None:
    cluster = made(register, queue="lq", autoscaling=SCALING)
    gates = [{"name": "kueue.x-k8s.io/elastic-job"}]
    assert [pod["schedulingGates"] for pod in pods(cluster)] == [gates, gates, gates]
    assert {name: it["replicas"] for name, it in groups(cluster).items()} == {
        "learners": 1,
        "actors": 3,
    }


def test_the_template_of_a_group_is_what_its_pods_are_made_of(register: Register) -> None:
    args = replace(ARGS, workers=TWO, volumes=[CLAIM, BUCKET])
    found = groups(made(register, volumes=[CLAIM, BUCKET]))
    for name in TWO:
        assert args.worker_template(name) == found[name]["template"]
    assert args.worker_template("actors") != args.worker_template("learners")


def test_a_misspelt_group_is_told_the_nearest() -> None:
    args = replace(ARGS, workers=TWO)
    with pytest.raises(ValueError, match=r'group "actor" is none of workers; nearest: actors$'):
        args.worker_template("actor")


def test_a_group_that_comes_or_goes_or_has_other_hosts_is_another_cluster(
    register: Register,
) -> None:
    both = made(register).replacement_trigger
    fewer = made(register, workers={"learners": LEARNERS}).replacement_trigger
    renamed = {"trainers": LEARNERS, "actors": TWO["actors"]}
    wider = {**TWO, "learners": replace(LEARNERS, hosts=2)}
    others = [made(register, workers=it).replacement_trigger for it in (renamed, wider)]
    assert both not in [fewer, *others]


def test_more_workers_of_one_group_come_in_place(register: Register) -> None:
    more = {**TWO, "actors": replace(TWO["actors"], count=9)}
    assert made(register, workers=more).replacement_trigger == made(register).replacement_trigger


def test_the_api_server_takes_both_groups_and_makes_the_pods_of_each(register: Register) -> None:
    cluster = made(register, namespace="default", secret_name=None, secret_keys=()).inputs
    kube = MemoryKube({}, [])
    kube.apply({key: cluster[key] for key in ("apiVersion", "kind", "metadata", "spec")})
    found = kube.get(ray_ref(name="demo"))
    assert found is not None
    assert found["status"]["desiredWorkerReplicas"] == 8
    kinds = [pod.name.split("-")[1] for pod in kube.pods()]
    assert {it: kinds.count(it) for it in kinds} == {"head": 1, "learners": 2, "actors": 6}


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"count": -1}, "count: -1 is no number of workers; nearest: 0"),
        ({"count": 2, "hosts": 0}, "a pod each; nearest: 1"),
        ({"count": 2, "least": 3}, "least: 3 is more than count, which is 2; nearest: 2"),
        ({"count": 2, "least": -1}, "is no number of workers; nearest: 0"),
    ],
)
def test_numbers_that_make_no_group_are_refused(numbers: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=f"{message}$"):
        check_arguments(RayWorkersArgs(pod=POD, **numbers))


@pytest.mark.parametrize(
    ("volumes", "message"),
    [
        ([CLAIM, replace(BUCKET, name="lustre")], 'name: "lustre" is of two.*; nearest: lustre-2'),
        ([CLAIM, replace(BUCKET, mount_path="/lustre")], 'mount_path: "/lustre".*: /lustre-2'),
        ([replace(CLAIM, name="dshm")], 'name "dshm" is of two.*; nearest: dshm-2'),
        ([replace(CLAIM, name="launcher")], 'name "launcher" is of two.*; nearest: launcher-2'),
    ],
)
def test_volumes_that_one_pod_cannot_hold_are_refused(
    register: Register, volumes: list[RayVolumeArgs], message: str
) -> None:
    with pytest.raises(ValueError, match=f"{message}$"):
        made(register, volumes=volumes)
