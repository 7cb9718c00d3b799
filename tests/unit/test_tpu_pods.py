"""Ray's pods in the TPU stacks: what they ask for, see and wait for."""

from functools import partial
from typing import Any

import pytest

from catalog import Catalog
from components.pod_manifest import STAYS
from stacks.problems import problem_of
from tests.conftest import Recording, Register
from tests.parts.preset_samples import ON_AUTOPILOT
from tests.unit.stack_graphs import at, before_ray, built, pods_of

STACKS = ["tpu-multislice", "tpu-elastic"]
FIXED = STACKS[0]
WORKERS = "ray__maxtext-tpu-cluster__workers__tpu-group"
# The scenario's without fused collectives, with the names of the interfaces that pods claim.
FLAGS = (
    "--xla_tpu_scoped_vmem_limit_kib=122880 "
    "--xla_tpu_use_minor_sharding_for_major_trivial_input=true "
    "--xla_tpu_relayout_group_size_threshold_for_reduce_scatter=1 "
    "--xla_tpu_assign_all_reduce_scatter_layout "
    "--xla_tpu_enable_async_collective_fusion=false "
    "--xla_tpu_overlap_compute_collective_tc=true "
    "--xla_enable_async_all_gather=true "
    "--megascale_grpc_interface_prefixes="
)
ZONES = {"v6e": "us-central1-b", "v5e": "us-central1-a", "v5p": "us-central1-a"}
NAMES = {"v6e": "tpu-v6e-slice", "v5e": "tpu-v5-lite-podslice", "v5p": "tpu-v5p-slice"}
MACHINES = [name for name, it in Catalog.load().machines.items() if it.family.startswith("ct")]


def known_to_ray(machine: str) -> list[str]:
    catalog = Catalog.load()
    known = catalog.topologies(machine)
    return [
        name
        for name in known
        if not problem_of("", partial(catalog.check_ray_topology, machine, name))
    ]


# Of each machine the smallest are enough for every change.
SHAPES = [
    pytest.param(machine, topology, marks=[] if number < 3 else pytest.mark.thorough)
    for machine in MACHINES
    for number, topology in enumerate(known_to_ray(machine))
]


def group(made: Recording) -> dict[str, Any]:
    (found,) = made.one(":RayCluster").inputs["spec"]["workerGroupSpecs"]
    return found


def container(pod: dict[str, Any]) -> dict[str, Any]:
    (found,) = pod["spec"]["containers"]
    return found


def environment(made: Recording) -> dict[str, str]:
    return {it["name"]: it["value"] for it in container(pods_of(made)[1])["env"]}


@pytest.mark.parametrize("stack", STACKS)
def test_a_replica_is_a_slice_and_has_a_pod_on_each_host(register: Register, stack: str) -> None:
    made = built(register, stack)
    assert made.one(":RayCluster").inputs["metadata"]["name"] == "maxtext-tpu-cluster"
    workers = group(made)
    assert (workers["groupName"], workers["replicas"], workers["numOfHosts"]) == ("tpu-group", 2, 4)


def test_workers_show_the_metrics_of_their_chips_and_rays_where_kuberay_says(
    register: Register,
) -> None:
    head, worker = pods_of(built(register, FIXED))
    assert {"name": "tpu-metrics", "containerPort": 8431} in container(worker)["ports"]
    assert 8431 not in [it["containerPort"] for it in container(head)["ports"]]
    # KubeRay declares 8080, whatever Ray is told.
    assert "metrics-export-port" not in group(built(register, FIXED))["rayStartParams"]


def test_a_worker_may_use_every_core_of_its_host_unless_the_config_limits_it(
    register: Register,
) -> None:
    def limits(**values: Any) -> dict[str, str]:
        return container(pods_of(built(register, FIXED, **values))[1])["resources"]["limits"]

    assert "cpu" not in limits()
    assert limits(**at(f"{WORKERS}__limits", {"cpu": 80, "memory_gib": 186}))["cpu"] == "80"


@pytest.mark.parametrize("stack", STACKS)
def test_a_worker_takes_all_chips_of_its_host_and_claims_its_interfaces(
    register: Register, stack: str
) -> None:
    made = built(register, stack)
    pod = pods_of(made)[1]
    asked = {"memory": "186Gi", "google.com/tpu": "4"}
    assert container(pod)["resources"] == {
        "requests": {"cpu": "8", **asked},
        "limits": asked,
        "claims": [{"name": "netdev"}],
    }
    assert pod["spec"]["resourceClaims"] == [
        {"name": "netdev", "resourceClaimTemplateName": "two-netdev"}
    ]
    assert pod["spec"]["nodeSelector"] == {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "4x4",
    }


@pytest.mark.parametrize("stack", STACKS)
def test_a_worker_has_the_scenarios_environment_but_no_fixed_number_of_slices(
    register: Register, stack: str
) -> None:
    assert environment(built(register, stack)) == {
        "MEGASCALE_PORT": "9915",
        "JAX_PLATFORMS": "tpu,cpu",
        "ENABLE_PJRT_COMPATIBILITY": "true",
        "LIBTPU_INIT_ARGS": f"{FLAGS}eth1,eth2,lo",
    }


def test_megascale_keeps_to_the_interfaces_that_are_claimed(register: Register) -> None:
    one = {"dcn": [{"name": "net-1", "range": "10.50.0.0/16"}]}
    found = environment(built(register, FIXED, network=one))
    assert found["LIBTPU_INIT_ARGS"] == f"{FLAGS}eth1,lo"
    without = environment(built(register, FIXED, network={"dcn": []}))["LIBTPU_INIT_ARGS"]
    assert f"{without} --megascale_grpc_interface_prefixes=" == FLAGS


def test_flags_of_libtpu_are_the_configs_own(register: Register) -> None:
    flags = [
        {"name": "xla_enable_async_all_gather"},
        {"name": "xla_tpu_scoped_vmem_limit_kib", "value": 65536},
        {"name": "xla_tpu_overlap_compute_collective_tc", "value": False},
    ]
    made = built(register, FIXED, network={"dcn": []}, **at("pools__v6e-16__libtpu_flags", flags))
    assert environment(made)["LIBTPU_INIT_ARGS"] == (
        "--xla_enable_async_all_gather --xla_tpu_scoped_vmem_limit_kib=65536 "
        "--xla_tpu_overlap_compute_collective_tc=false"
    )


@pytest.mark.parametrize("stack", STACKS)
def test_every_pod_mounts_the_bucket_as_rays_own_user(register: Register, stack: str) -> None:
    made = built(register, stack)
    for pod in pods_of(made):
        (volume,) = [it["csi"] for it in pod["spec"]["volumes"] if "csi" in it]
        assert volume["driver"] == "gcsfuse.csi.storage.gke.io"
        given = volume["volumeAttributes"]
        assert given["bucketName"] == made.named("bucket-bucket").inputs["name"]
        assert given["skipCSIBucketAccessCheck"] == "true"
        assert given["gcsfuseMetadataPrefetchOnMount"] == "false"
        options = {
            *("implicit-dirs", "uid=1000", "gid=1000", "dir-mode=775", "file-mode=664"),
            "file-cache:max-size-mb:0",
        }
        assert options <= set(given["mountOptions"].split(","))
        mounts = {it["mountPath"] for it in container(pod)["volumeMounts"]}
        assert {"/data", "/dev/shm"} <= mounts
        assert (
            pod["spec"]["serviceAccountName"]
            == made.named("account-account").inputs["metadata"]["name"]
        )


def test_every_pods_sidecar_may_take_what_it_needs(register: Register) -> None:
    for pod in pods_of(built(register, FIXED)):
        assert pod["metadata"]["annotations"] == {
            **STAYS,
            "gke-gcsfuse/volumes": "true",
            "gke-gcsfuse/cpu-limit": "0",
            "gke-gcsfuse/memory-limit": "0",
            "gke-gcsfuse/ephemeral-storage-limit": "0",
        }


def test_a_limit_of_the_configs_own_takes_the_place_of_none(register: Register) -> None:
    made = built(register, FIXED, buckets__bucket__mount__sidecar={"memory_gib": 4})
    for pod in pods_of(made):
        given = pod["metadata"]["annotations"]
        assert given["gke-gcsfuse/memory-limit"] == "4Gi"
        assert given["gke-gcsfuse/cpu-limit"] == "0"


def test_autopilot_has_every_container_limited(register: Register) -> None:
    head, worker = pods_of(built(register, FIXED, **ON_AUTOPILOT))
    # A host writes six files of a checkpoint, and each has the CPU of one sidecar.
    for pod, cpu in ((head, "250m"), (worker, "1500m")):
        assert pod["metadata"]["annotations"] == {
            **STAYS,
            "gke-gcsfuse/volumes": "true",
            "gke-gcsfuse/cpu-limit": cpu,
            "gke-gcsfuse/memory-limit": "1Gi",
        }
    limited: dict[str, Any] = {**ON_AUTOPILOT, "buckets__bucket__mount__sidecar": {"cpu": 0.5}}
    for pod in pods_of(built(register, FIXED, **limited)):
        assert pod["metadata"]["annotations"]["gke-gcsfuse/cpu-limit"] == "500m"


def test_the_head_is_on_the_cpu_pool_without_chips_or_claims(register: Register) -> None:
    head = pods_of(built(register, FIXED))[0]
    assert head["spec"]["nodeSelector"] == {"cloud.google.com/gke-nodepool": "cpu-pool"}
    asked = {"cpu": "8", "memory": "16Gi"}
    assert container(head)["resources"] == {"requests": asked, "limits": asked}
    assert "resourceClaims" not in head["spec"]


def test_on_autopilot_workers_name_the_class_and_the_head_a_machine_of_its_own(
    register: Register,
) -> None:
    made = built(register, FIXED, **ON_AUTOPILOT)
    head, worker = pods_of(made)
    assert worker["spec"]["nodeSelector"] == {
        "cloud.google.com/compute-class": made.named("v6e-16-class").inputs["metadata"]["name"],
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "4x4",
    }
    assert head["spec"]["nodeSelector"]["cloud.google.com/compute-class"] == "Performance"
    assert environment(made)["LIBTPU_INIT_ARGS"] == f"{FLAGS}eth1,eth2,lo"


def test_pods_wait_for_slices_claims_grant_and_nat(register: Register) -> None:
    waits = before_ray(built(register, FIXED))
    assert {"v6e-16-0-pool", "v6e-16-1-pool", "cpu-pool", "claims-2-template"} <= waits
    assert {"bucket-user-grant", "account-account", "network-nat"} <= waits


def test_pods_let_go_of_what_they_hold_before_it_is_replaced(register: Register) -> None:
    made = built(register, FIXED)
    names = ("bucket-bucket", "claims-2-template", "v6e-16-0-pool", "v6e-16-1-pool")
    held = {made.named(name).urn for name in names}
    assert made.one(":RayCluster").replace_with == held
    assert made.one(":RayJob").replace_with == {*held, made.one(":RayCluster").urn}


@pytest.mark.parametrize(("machine", "topology"), SHAPES)
def test_every_topology_of_every_machine_works_by_config_alone(
    register: Register, machine: str, topology: str
) -> None:
    shape = Catalog.load().topology(machine, topology)
    zone = ZONES[shape.generation]
    interfaces = len(Catalog.load().machine(machine).additional_interfaces)
    dcn = [{"name": f"net-{n}", "range": f"172.{16 + n}.0.0/16"} for n in range(interfaces)]
    made = built(
        register,
        FIXED,
        zone=zone,
        pools__slice={"machine_type": machine, "topology": topology, "slices": 2},
        network={"dcn": dcn, "subnet": "10.0.0.0/16", "pods": "10.128.0.0/9"},
        # The model does not fit the smallest slices.
        jobs=None,
        **{"pools__v6e-16": None, f"{WORKERS}__requests": {"cpu": 4, "memory_gib": 16}},
    )
    for number in (0, 1):
        inputs = made.named(f"slice-{number}-pool").inputs
        assert inputs["name"] == f"slice-{number}"
        assert inputs["nodeCount"] == shape.hosts
        placed = inputs.get("placementPolicy", {}).get("tpuTopology")
        assert placed == (topology if shape.hosts > 1 else None)
    workers = group(made)
    assert workers.get("numOfHosts", 1) == shape.hosts
    pod = workers["template"]["spec"]
    chips = shape.chips // shape.hosts
    assert pod["containers"][0]["resources"]["limits"]["google.com/tpu"] == str(chips)
    assert pod["nodeSelector"]["cloud.google.com/gke-tpu-accelerator"] == NAMES[shape.generation]
    assert ("resourceClaims" in pod) == bool(interfaces)
