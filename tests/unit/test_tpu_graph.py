"""The cloud side of the TPU stacks as a graph: networks, clusters, slices, claims, bucket."""

from typing import Any

import pytest

from tests.conftest import PROJECT_NUMBER, Recording, Register
from tests.parts.preset_samples import ON_AUTOPILOT
from tests.unit.stack_graphs import at, built, fingerprint, images_of

FIXED, ELASTIC = "tpu-multislice", "tpu-elastic"
STACKS = [FIXED, ELASTIC]
RAY = "maxtext-tpu-cluster"
JOBS = {FIXED: "maxtext-llama3-8b", ELASTIC: "maxtext-elastic-8b"}
OWN = at("pools__v6e-16__interfaces", "own")
BETWEEN = {f"net-{n}-{part}" for n in (1, 2) for part in ("vpc", "subnet", "internal")}
SHARED = {
    *("google", "network-vpc", "network-subnet", "network-router", "network-nat"),
    *(f"apis-{it}" for it in ("compute", "container", "iam", "cloudresourcemanager")),
    *("apis-monitoring", "apis-storage", "gke-cluster", "gke-kubernetes"),
    *("bucket-bucket", "bucket-user-grant", "account-account"),
    *("monitoring-dashboard", f"{RAY}-cluster", f"{RAY}-access"),
}


def shared(stack: str) -> set[str]:
    return SHARED | {f"{RAY}-launchers-files", f"{JOBS[stack]}-job"}


def pool(made: Recording, number: int = 0) -> dict[str, Any]:
    return made.named(f"v6e-16-{number}-pool").inputs


def claim(made: Recording) -> dict[str, Any]:
    return made.one(":ResourceClaimTemplate").inputs


def networks(count: int) -> dict[str, Any]:
    return {"dcn": [{"name": f"dcn-{n}", "range": f"10.{70 + n}.0.0/16"} for n in range(count)]}


@pytest.mark.parametrize("stack", STACKS)
def test_a_standard_stack_is_all_that_the_scenario_asks_for(register: Register, stack: str) -> None:
    identities = {f"{kind}-nodes-{part}" for kind in ("cpu", "tpu") for part in ("account", "role")}
    pools = {"cpu-pool", "v6e-16-0-pool", "v6e-16-1-pool", *images_of("cpu", "tpu")}
    assert {it.name for it in built(register, stack).resources if it.custom} == (
        shared(stack) | identities | pools | {"claims-2-template"}
    )
    assert {it.name for it in built(register, stack, **OWN).resources if it.custom} == (
        shared(stack) | BETWEEN | identities | pools | {"claims-2-template"}
    )


def test_an_autopilot_stack_has_a_class_for_its_slices_and_neither_pools_nor_their_networks(
    register: Register,
) -> None:
    made = built(register, FIXED, **ON_AUTOPILOT)
    own = {"auto-nodes-account", "auto-nodes-role", "v6e-16-class", "claims-2-template"}
    own |= images_of("auto", standard=False)
    assert {it.name for it in made.resources if it.custom} == shared(FIXED) | own


@pytest.mark.parametrize("stack", STACKS)
def test_networks_of_its_own_are_two_vpcs_with_large_packets(
    register: Register, stack: str
) -> None:
    made = built(register, stack, **OWN)
    for number, cidr in ((1, "10.50.0.0/16"), (2, "10.60.0.0/16")):
        vpc = made.named(f"net-{number}-vpc").inputs
        assert (vpc["mtu"], vpc["autoCreateSubnetworks"]) == (8896, False)
        subnet = made.named(f"net-{number}-subnet").inputs
        assert (subnet["ipCidrRange"], subnet["region"]) == (cidr, "us-central1")
        assert subnet["network"].endswith(vpc["name"])


def test_a_network_between_slices_lets_in_its_own_range_alone(register: Register) -> None:
    made = built(register, FIXED, **OWN)
    for number, cidr in ((1, "10.50.0.0/16"), (2, "10.60.0.0/16")):
        rule = made.named(f"net-{number}-internal").inputs
        assert rule["sourceRanges"] == [cidr]
        assert rule["network"].endswith(made.named(f"net-{number}-vpc").inputs["name"])
    assert len(made.of_type(":Firewall")) == 2


@pytest.mark.parametrize("number", [0, 1])
def test_a_slice_is_a_pool_of_all_its_hosts_as_in_the_scenario(
    register: Register, number: int
) -> None:
    inputs = pool(built(register, FIXED), number)
    assert inputs["name"] == f"v6e-16-{number}"
    assert inputs["nodeCount"] == 4
    assert inputs["location"] == "us-central1-b"
    assert inputs["placementPolicy"] == {"type": "COMPACT", "tpuTopology": "4x4"}
    assert inputs["networkConfig"]["acceleratorNetworkProfile"] == "auto"
    assert "additionalNodeNetworkConfigs" not in inputs["networkConfig"]
    node = inputs["nodeConfig"]
    assert node["machineType"] == "ct6e-standard-4t"
    assert node["advancedMachineFeatures"] == {"threadsPerCore": 1}
    assert node["gvnic"] == {"enabled": True}
    assert node["labels"] == {
        "cloud.google.com/gke-networking-dra-driver": "true",
        "gke-ai-stacks/stack": "maxtext-tpu",
    }
    assert node["oauthScopes"] == ["https://www.googleapis.com/auth/cloud-platform"]
    assert node["spot"] is False


def test_slices_in_networks_of_its_own_are_attached_to_each_of_them(register: Register) -> None:
    made = built(register, FIXED, **OWN)
    assert pool(made)["networkConfig"]["additionalNodeNetworkConfigs"] == [
        {"network": f"maxtext-tpu-net-{n}-net", "subnetwork": f"maxtext-tpu-net-{n}-sub"}
        for n in (1, 2)
    ]
    assert made.named("gke-cluster").inputs["enableMultiNetworking"] is True


def test_an_elastic_job_is_submitted_once_rays_head_is_up_and_waits_for_slices_itself(
    register: Register,
) -> None:
    def waits(stack: str, **values: Any) -> str:
        cluster = built(register, stack, **values).one(":RayCluster").inputs
        return cluster["metadata"]["annotations"]["pulumi.com/waitFor"]

    assert waits(ELASTIC) == "condition=HeadPodReady"
    all_of_it = "jsonpath={.status.state}=ready"
    assert waits(FIXED) == all_of_it
    # Spot slices come when workers are pending, which may take hours.
    assert waits(ELASTIC, jobs=None) == "condition=HeadPodReady"


def test_the_elastic_stacks_slices_are_spot(register: Register) -> None:
    made = built(register, ELASTIC)
    assert [pool(made, n)["nodeConfig"]["spot"] for n in (0, 1)] == [True, True]


def test_the_cluster_has_the_networking_and_add_ons_of_the_scenario(register: Register) -> None:
    inputs = built(register, FIXED).named("gke-cluster").inputs
    assert inputs["location"] == "us-central1-b"
    assert "enableMultiNetworking" not in inputs
    assert inputs["datapathProvider"] == "ADVANCED_DATAPATH"
    assert inputs["workloadIdentityConfig"] == {"workloadPool": "my-project.svc.id.goog"}
    assert inputs["addonsConfig"]["gcsFuseCsiDriverConfig"] == {"enabled": True}
    assert inputs["addonsConfig"]["rayOperatorConfigs"][0]["enabled"] is True


def test_the_cluster_is_of_a_version_that_has_dranet(register: Register) -> None:
    assert built(register, FIXED).named("gke-cluster").inputs["minMasterVersion"] == "1.35"


def test_the_cpu_pool_is_one_machine_of_the_scenarios(register: Register) -> None:
    inputs = built(register, FIXED).named("cpu-pool").inputs
    assert inputs["nodeConfig"]["machineType"] == "n1-standard-16"
    assert "additionalNodeNetworkConfigs" not in inputs.get("networkConfig", {})


def test_on_autopilot_the_class_has_the_slices_shape_zone_and_networks_to_claim(
    register: Register,
) -> None:
    made = built(register, FIXED, **ON_AUTOPILOT)
    spec = made.named("v6e-16-class").inputs["spec"]
    assert spec["nodePoolConfig"] == {"dra": {"networking": {"enabled": True}}}
    assert spec["priorities"] == [
        {
            "machineType": "ct6e-standard-4t",
            "tpu": {"type": "tpu-v6e-slice", "count": 4, "topology": "4x4"},
            "acceleratorNetworkProfile": "auto",
            "location": {"zones": ["us-central1-b"]},
            "spot": False,
        }
    ]
    cluster = made.named("gke-cluster").inputs
    assert (cluster["enableAutopilot"], cluster["location"]) == (True, "us-central1")


def test_a_pod_claims_an_interface_in_every_network_between_slices(register: Register) -> None:
    template = claim(built(register, FIXED))
    assert template["metadata"]["name"] == "two-netdev"
    assert template["spec"]["spec"]["devices"]["requests"] == [
        {
            "name": "req-netdev",
            "exactly": {
                "deviceClassName": "netdev.google.com",
                "allocationMode": "ExactCount",
                "count": 2,
            },
        }
    ]


def test_with_one_network_a_pod_claims_one_interface(register: Register) -> None:
    template = claim(built(register, FIXED, network=networks(1)))
    assert template["metadata"]["name"] == "one-netdev"
    assert template["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"] == 1


def test_without_networks_between_slices_nothing_is_claimed_or_attached(
    register: Register,
) -> None:
    made = built(register, FIXED, network={"dcn": []})
    assert not made.of_type(":ResourceClaimTemplate")
    assert "networkConfig" not in pool(made)
    assert pool(made)["nodeConfig"]["labels"] == {"gke-ai-stacks/stack": "maxtext-tpu"}
    assert not made.named("gke-cluster").inputs.get("enableMultiNetworking")


@pytest.mark.parametrize(
    ("machine", "count"),
    [("ct6e-standard-4t", 2), ("ct6e-standard-8t", 4), ("ct6e-standard-1t", 1)],
)
def test_on_autopilot_the_machine_says_how_many_interfaces_there_are_to_claim(
    register: Register, machine: str, count: int
) -> None:
    topology = {"ct6e-standard-8t": "2x4", "ct6e-standard-1t": "1x1"}.get(machine, "4x4")
    made = built(
        register,
        FIXED,
        **ON_AUTOPILOT,
        pools__tpu={"machine_type": machine, "topology": topology, "slices": 2},
        **at("pools__v6e-16", None),
        **at(f"ray__{RAY}__workers__tpu-group__requests", {"cpu": 8, "memory_gib": 100}),
        jobs=None,
    )
    requests = claim(made)["spec"]["spec"]["devices"]["requests"]
    assert requests[0]["exactly"]["count"] == count


def test_no_slice_waits_for_another_or_for_the_cpu_pool(register: Register) -> None:
    made = built(register, FIXED, **OWN, **at("pools__v6e-16__slices", 3))
    for number in range(3):
        waits = made.waits_for(f"v6e-16-{number}-pool")
        others = {f"v6e-16-{n}-pool" for n in range(3) if n != number}
        assert {"gke-cluster", "net-1-subnet", "net-2-subnet"} <= waits
        assert not waits & {*others, "cpu-pool", "bucket-bucket", "net-1-internal", "network-nat"}


def test_the_cluster_waits_for_no_network_between_slices(register: Register) -> None:
    assert not built(register, FIXED, **OWN).waits_for("gke-cluster") & {*BETWEEN, "bucket-bucket"}


def test_one_kubernetes_account_may_use_the_objects_of_the_bucket(register: Register) -> None:
    grant = built(register, FIXED).one(":BucketIAMMember").inputs
    assert grant["role"] == "roles/storage.objectUser"
    assert grant["member"] == (
        f"principal://iam.googleapis.com/projects/{PROJECT_NUMBER}/locations/global/"
        "workloadIdentityPools/my-project.svc.id.goog/subject/ns/default/sa/maxtext-tpu"
    )


def test_one_switch_protects_what_holds_data_or_is_hard_to_get_back(register: Register) -> None:
    made = built(register, FIXED, **OWN, deletion_protection=True)
    kept = {"network-vpc", "network-subnet", "gke-cluster", "bucket-bucket"}
    between = {name for name in BETWEEN if not name.endswith("internal")}
    assert {it.name for it in made.resources if it.protect} == kept | between


def test_one_slice_more_is_one_pool_more_and_touches_no_job_and_no_pod(register: Register) -> None:
    two, three = built(register, FIXED), built(register, FIXED, **at("pools__v6e-16__slices", 3))
    assert three.names() - two.names() == {"v6e-16-2", "v6e-16-2-pool"}
    assert not two.names() - three.names()
    before = {it.urn: it.inputs for it in two.resources}
    after = {it.urn: it.inputs for it in three.resources}
    different = {urn.rpartition("::")[2] for urn in before if before[urn] != after[urn]}
    assert different == {f"{RAY}-cluster", f"{RAY}-launchers-files"}
    (was,) = two.one(":RayCluster").inputs["spec"]["workerGroupSpecs"]
    (now,) = three.one(":RayCluster").inputs["spec"]["workerGroupSpecs"]
    assert now == was | {"replicas": 3, "minReplicas": 3, "maxReplicas": 3}
    assert two.named(f"{RAY}-launchers-files").inputs["data"]["slices"] == "2\n"
    assert three.named(f"{RAY}-launchers-files").inputs["data"]["slices"] == "3\n"


def test_when_the_first_slice_goes_the_second_stays_as_it_is(register: Register) -> None:
    both = built(register, FIXED)
    second = built(register, FIXED, **at("pools__v6e-16__slices", [1]))
    assert both.names() - second.names() == {"v6e-16-0", "v6e-16-0-pool"}
    was, now = both.named("v6e-16-1-pool"), second.named("v6e-16-1-pool")
    assert (now.urn, now.inputs) == (was.urn, was.inputs)
    assert now.inputs["name"] == "v6e-16-1"
    assert second.one(":RayCluster").inputs["spec"]["workerGroupSpecs"][0]["replicas"] == 1


def test_one_slice_alone_stays_what_it_is_beside_another_unless_it_is_to_stay_alone(
    register: Register,
) -> None:
    one = at("pools__v6e-16__slices", 1)
    assert pool(built(register, FIXED, **one)) == pool(built(register, FIXED))
    alone = built(register, FIXED, **one, **at("pools__v6e-16__interfaces", "none"))
    assert "networkConfig" not in pool(alone)
    assert not alone.of_type(":ResourceClaimTemplate")


def test_slices_named_by_number_are_those_counted_from_zero(register: Register) -> None:
    counted, named = (
        built(register, FIXED),
        built(register, FIXED, **at("pools__v6e-16__slices", [0, 1])),
    )
    assert fingerprint(counted) == fingerprint(named)
