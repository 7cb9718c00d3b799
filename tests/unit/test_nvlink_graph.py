"""Stacks with A4X, as registered; that GPUs of its machines speak to each other no test here can
prove."""

from typing import Any

from stacks.config import validate
from tests.conftest import Recording, changed
from tests.parts.machine_samples import NVLINK
from tests.programs import registered
from tests.unit.test_nccl_on_rdma import assert_on_gib, on_rdma


def made(**values: Any) -> Recording:
    return registered(validate(changed(NVLINK, **values)))


def pod_of(found: Recording) -> dict[str, Any]:
    (job,) = found.one(":JobSet").inputs["spec"]["replicatedJobs"]
    return job["template"]["spec"]["template"]["spec"]


def test_a_workload_policy_places_the_pool_within_one_domain() -> None:
    found = made()
    policy = found.named("gb200-placement-policy").inputs
    assert policy["workloadPolicy"] == {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "1x72"}
    pool = found.named("gb200-pool").inputs
    assert pool["placementPolicy"] == {"type": "", "policyName": policy["name"]}
    assert pool["networkConfig"]["acceleratorNetworkProfile"] == "auto"
    assert pool["nodeConfig"]["reservationAffinity"]["values"] == [
        "rack/reservationBlocks/rack-block-1"
    ]


def test_a_job_has_a_domain_of_its_machines_and_each_pod_a_channel() -> None:
    found = made()
    domain = found.named("train-nvlink-domain")
    channel = {"resourceClaimTemplate": {"name": "train-channel"}}
    assert domain.inputs["spec"] == {"numNodes": 2, "channel": channel}
    pod = pod_of(found)
    assert {it["name"]: it["resourceClaimTemplateName"] for it in pod["resourceClaims"]} == {
        "mrdma": "four-mrdma",
        "nvlink": "train-channel",
    }
    (container,) = pod["containers"]
    assert container["resources"]["claims"] == [{"name": "mrdma"}, {"name": "nvlink"}]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "4"
    assert domain.urn in found.named("train-job-set").replace_with
    assert {"nvlink-release", "train-nvlink-domain"} <= found.waits_for("train-job-set")
    assert "nvlink-release" in found.waits_for("train-nvlink-domain")


def test_its_pods_do_not_mind_that_nodes_are_for_arm() -> None:
    found = made()
    tolerated = {it["key"]: it.get("value") for it in pod_of(found)["tolerations"]}
    assert tolerated == {"nvidia.com/gpu": None, "kubernetes.io/arch": "arm64"}
    # GKE's own taint.
    taints = found.named("gb200-pool").inputs["nodeConfig"]["taints"]
    assert [it["key"] for it in taints] == ["nvidia.com/gpu"]


def test_the_plug_in_is_that_for_arm_and_brings_no_libnccl() -> None:
    found = made()
    pod = found.named("nccl-daemon-set").inputs["spec"]["template"]["spec"]
    (installer,) = pod["initContainers"]
    assert "nccl-plugin-gib-arm64:" in installer["image"]
    assert "container_entry.sh install\n" in installer["args"][0]
    assert on_rdma(found).keys() == {"train-job-set"}
    assert_on_gib(found)
    # Beside the plug-in's own script nothing is set before it runs.
    assert "env" not in pod_of(found)["initContainers"][0]


def test_the_driver_of_domains_leaves_gpus_to_gkes_device_plugin() -> None:
    values = made().named("nvlink-release").inputs["values"]
    assert values["resources"] == {
        "gpus": {"enabled": False},
        "computeDomains": {"enabled": True},
    }
    assert "gpuResourcesEnabledOverride" not in values


def test_two_jobs_have_a_domain_each() -> None:
    other = {**NVLINK["jobs"]["train"], "nodes": 1}
    domains = made(pools__gb200__nodes=3, jobs__other=other).of_type(":ComputeDomain")
    assert {it.name: it.inputs["spec"]["numNodes"] for it in domains if "spec" in it.inputs} == {
        "train-nvlink-domain": 2,
        "other-nvlink-domain": 1,
    }
