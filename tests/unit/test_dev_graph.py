"""The preset dev, the smallest, as a graph: what waits for what, and what its queue leads to."""

from typing import Any

from tests.conftest import Recording, Register
from tests.unit.stack_graphs import at, built, pods_of


def up(register: Register, **values: Any) -> Recording:
    return built(register, "dev", **values)


def test_the_worker_names_its_pool_or_kueue_would_hold_it_to_the_first_flavor_of_all(
    register: Register,
) -> None:
    head, worker = (it["spec"]["nodeSelector"] for it in pods_of(up(register)))
    pool = "cloud.google.com/gke-nodepool"
    assert worker[pool] != head[pool]
    for values in ({"ray__dev__queue": None}, {"ray__dev__autoscaling": None}):
        assert pool not in pods_of(up(register, **values))[1]["spec"]["nodeSelector"]


def test_the_worker_is_of_the_pool_that_its_group_names_and_so_is_its_flavor(
    register: Register,
) -> None:
    sure = {"machine_type": "g2-standard-8", "nodes": 1, "capacity": {"mode": "on-demand"}}
    flavors = {"cpu": {"pool": "cpu"}, "l4": {"pool": "gpu"}, "sure": {"pool": "sure"}}
    wanted = {"cpu": {}, "l4": {"gpus": 0}, "sure": {}}
    made = up(
        register,
        pools__sure=sure,
        queues__flavors=flavors,
        queues__cluster_queues={"gpus": {"flavors": wanted}},
        **at("ray__dev__workers__gpu-worker-group__pools", "sure"),
    )
    worker = pods_of(made)[1]["spec"]["nodeSelector"]
    flavor = made.named("queues-flavor-sure").inputs["spec"]["nodeLabels"]
    assert worker.items() >= flavor.items()


def test_ray_waits_for_its_account_its_bucket_and_its_queue(register: Register) -> None:
    needed = {"bucket-user-grant", "account-account", "queues-local-queue-default-lq"}
    assert needed <= up(register).waits_for("dev-cluster")


def test_a_namespace_of_its_own_is_made_first(register: Register) -> None:
    assert "kube-namespace" in up(register, namespace="rl").waits_for("dev-cluster")
