"""Parts that share pools and queues: what could never run beside the others is refused, and what
is made finds the nodes that it was meant for."""

from typing import Any

import pytest

from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import Recording, changed
from tests.programs import WITH_TOKEN, lines_of, registered

SMALL = {"cpu": 2, "memory_gib": 8, "ephemeral_storage_gib": 20}
SERVER = {"model": "google/gemma-2-2b-it", "gpus": 1, "requests": SMALL}
L4 = {"machine_type": "g2-standard-24", "nodes": 2}
STACK: dict[str, Any] = {
    "name": "together",
    "project": "my-project",
    "region": "us-central1",
    "zone": "us-central1-a",
    "pools": {
        "system": {"machine_type": "e2-standard-16", "nodes": 2},
        "l4": L4,
        "h100": {"machine_type": "a3-highgpu-8g", "nodes": 2},
    },
    "ray": {"main": {"head": {"requests": SMALL}, "workers": {"gpu": {"requests": SMALL}}}},
}
MIXED = {
    "flavors": {it: {"pool": it} for it in ("l4", "h100", "system")},
    "cluster_queues": {"all": {}},
    "local_queues": [{"name": "lq", "cluster_queue": "all"}],
}
ON_L4 = {"ray__main__workers__gpu__pools": "l4"}
ON_H100 = {"ray__main__workers__gpu__pools": "h100"}


def refused(**changes: Any) -> list[str]:
    return [it.removeprefix("stack.") for it in lines_of(changed(STACK, **changes))]


def fields(lines: list[str]) -> list[str]:
    return [it.partition(": ")[0] for it in lines]


def plan_of(**changes: Any) -> Plan:
    return validate(changed(STACK, **changes), secrets_set=WITH_TOKEN)


def made(**changes: Any) -> Recording:
    return registered(plan_of(**changes))


class TestRoom:
    def test_a_server_on_nodes_whose_gpus_ray_has_is_refused(self) -> None:
        lines = refused(**ON_L4, servers={"chat": {**SERVER, "pool": "l4"}})
        assert fields(lines) == ["servers.chat"]
        assert "1 GPUs beside ray.main.workers.gpu are more than 2 nodes of l4" in lines[0]

    def test_a_server_beside_workers_that_leave_it_a_gpu_is_right(self) -> None:
        beside = {"chat": {**SERVER, "pool": "l4"}}
        assert not refused(**ON_L4, ray__main__workers__gpu__gpus=1, servers=beside)

    def test_a_server_beside_a_cluster_that_scales_without_a_job_is_right(self) -> None:
        beside = {"chat": {**SERVER, "pool": "l4"}}
        assert not refused(**ON_L4, ray__main__autoscaling={}, servers=beside)

    @pytest.mark.parametrize("engine", ["vllm", "tgi"])
    def test_more_replicas_than_nodes_hold_are_refused(self, engine: str) -> None:
        many = {**SERVER, "pool": "l4", "replicas": 5, "engine": engine}
        assert len(refused(ray=None, servers={"chat": many})) == 1

    def test_two_servers_that_each_fit_and_together_do_not_are_refused(self) -> None:
        three = {**SERVER, "pool": "l4", "replicas": 3}
        assert fields(refused(ray=None, servers={"one": three, "two": three})) == ["servers.two"]

    def test_servers_of_vllm_scale_within_their_bounds(self) -> None:
        scaling = {"min": 3, "max": 2}
        one = {**SERVER, "pool": "l4", "autoscaling": scaling}
        lines = refused(ray=None, cluster={"release_channel": "RAPID"}, servers={"chat": one})
        assert fields(lines) == ["servers.chat.autoscaling.max"]


class TestQueues:
    def test_a_queue_that_does_not_give_out_the_workers_pool_is_refused(self) -> None:
        only = changed(MIXED, flavors__h100=None)
        lines = refused(**ON_H100, queues=only, ray__main__queue="lq")
        assert fields(lines) == ["ray.main.queue"]
        assert lines[0].endswith("nearest: one more of queues.flavors, with pool h100")

    def test_a_queue_that_does_not_give_out_a_servers_pool_is_refused(self) -> None:
        only = changed(MIXED, flavors__l4=None)
        server = {**SERVER, "pool": "l4", "queue": "lq"}
        lines = refused(ray=None, queues=only, servers={"chat": server})
        assert fields(lines) == ["servers.chat.queue"]

    def test_workers_of_one_group_in_a_queue_are_as_many_as_any_of_its_pools_holds(self) -> None:
        pools = {
            "pools__more": {**L4, "nodes": 5},
            "ray__main__workers__gpu__pools": ["l4", "more"],
        }
        both = changed(MIXED, flavors__more={"pool": "more"})
        plan = plan_of(**pools, queues=both, ray__main__queue="lq")
        assert plan.ray["main"].workers == L4["nodes"]

    def test_ray_does_not_wait_in_a_queue_on_autopilot(self) -> None:
        autopilot = {"cluster": {"mode": "autopilot"}, "pools": {"l4": L4}, "queues": {}}
        lines = refused(**autopilot, ray__main__queue="lq")
        assert "ray.main.queue" in fields(lines)

    def test_workers_in_a_queue_name_their_pool_for_kueue_knows_no_other_label(self) -> None:
        scales = {"ray__main__autoscaling": {}, "ray__main__queue": "lq"}
        found = made(**ON_H100, **scales, queues=MIXED)
        spec = found.of_type(":RayCluster")[0].inputs["spec"]["workerGroupSpecs"][0]
        assert spec["template"]["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] == (
            "h100-pool"
        )

    def test_servers_in_a_queue_name_their_pool(self) -> None:
        server = {**SERVER, "pool": "l4", "queue": "lq"}
        found = made(ray=None, queues=MIXED, servers={"chat": server})
        pod = found.of_type(":Deployment")[0].inputs["spec"]["template"]["spec"]
        assert pod["nodeSelector"] == {"cloud.google.com/gke-nodepool": "l4-pool"}


class TestGroups:
    def test_a_group_on_some_of_the_pools_with_its_gpus_is_on_those_alone(self) -> None:
        pools = {"pools__more": L4, "pools__third": L4}
        found = made(**pools, ray__main__workers__gpu__pools=["l4", "more"])
        spec = found.of_type(":RayCluster")[0].inputs["spec"]["workerGroupSpecs"][0]
        assert "third-pool" not in str(spec["template"]["spec"]["affinity"])

    def test_a_job_is_cut_to_the_group_with_its_gpus_and_not_to_workers_beside_it(self) -> None:
        beside = {"requests": SMALL, "pools": "system"}
        plan = plan_of(**ON_H100, ray__main__workers__cpu=beside)
        assert (plan.ray["main"].workers, plan.ray["main"].gpus) == (2, 16)

    def test_a_cluster_without_gpus_is_not_told_to_look_for_them(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[str] = []

        def submit(command: str, _environment: str, gpus: int = 0, before: str = "") -> str:
            told.append(f"{command} on {gpus} GPUs")
            return ""

        monkeypatch.setattr("stacks.exports.submit_command", submit)
        made(ray__main__workers__gpu__pools="system")
        assert told == ["python3 on 0 GPUs"]


SLICE = {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": 1}
ON_SLICE: dict[str, Any] = {"requests": {"cpu": 8, "memory_gib": 186}}


@pytest.mark.parametrize(
    ("shapes", "chosen"), [(("4x4", "4x4"), True), (("4x4", "2x4"), False)], ids=["twins", "others"]
)
def test_workers_on_slices_of_one_pool_stay_off_those_of_another_of_the_same_shape(
    shapes: tuple[str, str], chosen: bool
) -> None:
    names = ("first", "second")
    pools = {it: {**SLICE, "topology": shape} for it, shape in zip(names, shapes, strict=True)}
    head = {"requests": SMALL}
    rays = {it: {"head": head, "workers": {"tpu": {**ON_SLICE, "pools": it}}} for it in names}
    pools["cpu"] = {"machine_type": "e2-standard-16", "nodes": 1}
    found = made(zone="us-central1-b", pools=pools, ray=rays)
    labels = {
        it.inputs["name"]: it.inputs["nodeConfig"].get("labels") or {}
        for it in found.of_type(":NodePool")
    }
    for name in names:
        (group,) = found.named(f"{name}-cluster").inputs["spec"]["workerGroupSpecs"]
        selector = group["template"]["spec"]["nodeSelector"]
        own = {key: it for key, it in selector.items() if not key.startswith("cloud.google.com")}
        assert bool(own) is chosen
        reached = [it for it in names if own.items() <= labels[f"{it}-0"].items()]
        assert reached == ([name] if chosen else [*names])


def test_tpu_hosts_have_the_threads_that_the_pool_leaves_them() -> None:
    hosts = [
        plan_of(zone="us-central1-b", ray=None, pools={"tpu": {**SLICE, **more}}).pools["tpu"].host
        for more in ({}, {"threads_per_core": 2})
    ]
    one, two = (it.node.cpu_millicores for it in hosts)
    assert one < two / 1.9


def test_a_server_and_a_fine_tuning_have_a_service_of_one_name_on_any_pools() -> None:
    both = {
        "ray": None,
        "pools__more": L4,
        "buckets": {"data": {}},
        "queues": MIXED,
        "servers": {"gemma": {**SERVER, "pool": "more"}},
        "jobs": {"gemma": {"type": "fine-tune", "pool": "l4", "pods": 1, "gpus": 1}},
    }
    assert fields(refused(**both)) == ["jobs.gemma"]
