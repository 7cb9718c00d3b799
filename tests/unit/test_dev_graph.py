"""The preset dev, the smallest, as a graph."""

from typing import Any

from tests.conftest import Recording, Register
from tests.unit.stack_graphs import at, built, pods_of

QUEUED: dict[str, Any] = {
    "ray__dev__autoscaling": None,
    "queues__flavors": {"cpu": {"pool": "cpu"}, "l4": {"pool": "gpu"}},
}


def up(register: Register, **values: Any) -> Recording:
    return built(register, "dev", **values)


def test_it_has_no_lustre_no_token_and_no_job(register: Register) -> None:
    made = up(register)
    for kind in (":Instance", ":Connection", ":Secret", ":PersistentVolume", ":RayJob"):
        assert not made.of_type(kind)
    assert "apis-lustre" not in made.names()
    addons = made.named("gke-cluster").inputs["addonsConfig"]
    assert addons["lustreCsiDriverConfig"] == {"enabled": False}


def test_one_spot_machine_with_a_gpu_comes_from_zero(register: Register) -> None:
    pool = up(register).named("gpu-pool").inputs
    assert pool["nodeConfig"]["spot"] is True
    assert pool["nodeConfig"]["guestAccelerators"][0]["type"] == "nvidia-l4"
    assert pool["autoscaling"]["totalMinNodeCount"] == 0
    assert pool["autoscaling"]["totalMaxNodeCount"] == 1


def test_nothing_is_paid_for_in_advance_or_kept_after_a_destroy(register: Register) -> None:
    made = up(register)
    assert "reservationAffinity" not in made.named("gpu-pool").inputs["nodeConfig"]
    assert made.named("gke-cluster").inputs["location"] == "us-central1-a"
    assert made.named("cpu-pool").inputs["nodeCount"] == 1
    assert made.named("bucket-bucket").inputs["forceDestroy"] is True
    assert not [it.name for it in made.resources if it.protect]


def test_a_worker_with_the_gpu_comes_when_a_job_asks_for_it(register: Register) -> None:
    made = up(register)
    spec = made.named("dev-cluster").inputs["spec"]
    group = spec["workerGroupSpecs"][0]
    assert spec["enableInTreeAutoscaling"] is True
    assert (group["minReplicas"], group["maxReplicas"]) == (0, 1)
    assert group["replicas"] == 0
    container = pods_of(made)[1]["spec"]["containers"][0]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert "env" not in container


def test_the_worker_has_its_gpu_by_the_queue_and_nobody_else_is_promised_it(
    register: Register,
) -> None:
    metadata = up(register).named("dev-cluster").inputs["metadata"]
    assert metadata["labels"]["kueue.x-k8s.io/queue-name"] == "lq"
    assert metadata["annotations"]["kueue.x-k8s.io/elastic-job"] == "true"


def test_the_worker_names_its_pool_or_kueue_would_hold_it_to_the_first_flavor_of_all(
    register: Register,
) -> None:
    head, worker = (it["spec"]["nodeSelector"] for it in pods_of(up(register)))
    pool = "cloud.google.com/gke-nodepool"
    assert worker[pool] != head[pool]
    assert worker["cloud.google.com/gke-accelerator"] == "nvidia-l4"
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


def test_every_pod_of_ray_mounts_the_bucket_as_the_account_that_may(register: Register) -> None:
    made = up(register)
    for pod in pods_of(made):
        mounts = [it["mountPath"] for it in pod["spec"]["containers"][0]["volumeMounts"]]
        assert "/mnt/bucket" in mounts
        assert pod["spec"]["serviceAccountName"] == "dev"
        assert pod["metadata"]["annotations"]["gke-gcsfuse/volumes"] == "true"
    assert {"bucket-user-grant", "account-account"} <= made.waits_for("dev-cluster")


def test_its_one_queue_has_all_of_the_machine_that_may_come(register: Register) -> None:
    made = up(register)
    (group,) = made.named("queues-cluster-queue-gpus").inputs["spec"]["resourceGroups"]
    gpus = {
        flavor["name"]: it["nominalQuota"]
        for flavor in group["flavors"]
        for it in flavor["resources"]
        if it["name"] == "nvidia.com/gpu"
    }
    assert gpus == {"l4": "1", "cpu": "0"}
    assert made.named("queues-local-queue-default-lq").inputs["spec"] == {"clusterQueue": "gpus"}


def test_a_ray_cluster_that_queues_waits_for_its_queue_and_names_it(register: Register) -> None:
    made = up(register, **QUEUED)
    labels = made.named("dev-cluster").inputs["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "lq"
    assert "queues-local-queue-default-lq" in made.waits_for("dev-cluster")
    unqueued = up(register, ray__dev__queue=None).named("dev-cluster").inputs["metadata"]["labels"]
    assert "kueue.x-k8s.io/queue-name" not in unqueued


def test_without_queues_there_is_no_kueue(register: Register) -> None:
    names = up(register, queues=None, ray__dev__queue=None).names()
    assert not [it for it in names if it.startswith(("kueue", "queues"))]


def test_a_namespace_of_its_own_is_made_first(register: Register) -> None:
    made = up(register, namespace="rl")
    assert made.named("kube-namespace").inputs["metadata"]["name"] == "rl"
    assert "kube-namespace" in made.waits_for("dev-cluster")
    assert "kube-namespace" not in up(register).names()
