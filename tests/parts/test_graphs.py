"""What stacks of parts register: components as everywhere, each once and under a name of its own.

It shows nothing of what providers or the engine make of it.
"""

from collections import Counter
from typing import Any

import pytest

from stacks.config import validate
from tests.conftest import ENCODED_TOKEN, TOKEN, Recording, Registered, changed
from tests.parts.samples import BARE, DEV, RL, SAMPLES, SERVE, SERVE_ALONE, TPU
from tests.parts.test_plan import TPU_AUTOPILOT
from tests.programs import WITH_TOKEN, registered

ZONES = SAMPLES["zones"]
ZONES_AUTOPILOT = changed(ZONES, cluster={"mode": "autopilot"})
SERVE_AUTOPILOT = changed(
    SERVE_ALONE,
    cluster={"mode": "autopilot", "release_channel": "RAPID"},
    pools={"gpu": {"machine_type": "g2-standard-24", "nodes": 3}},
)
B200 = ["nvidia-b200"]
# Of one zone and with the same interfaces, beside one without.
TWO_TYPES = {
    name: {"machine_type": it, "nodes": 1, "capacity": {"mode": "spot"}}
    for name, it in (("h200", "a3-ultragpu-8g"), ("b200", "a4-highgpu-8g"), ("l4", "g2-standard-8"))
}
STACKS = {**SAMPLES, "tpu-autopilot": TPU_AUTOPILOT, "zones-autopilot": ZONES_AUTOPILOT}
_BUILT: dict[str, Recording] = {}


def built(config: dict[str, Any]) -> Recording:
    return registered(validate(config, secrets_set=WITH_TOKEN))


@pytest.fixture(params=STACKS)
def made(request: pytest.FixtureRequest) -> Recording:
    name = request.param
    if name not in _BUILT:
        _BUILT[name] = built(STACKS[name])
    return _BUILT[name]


def test_children_hang_on_their_component_and_carry_its_name(made: Recording) -> None:
    by_urn = {it.urn: it for it in made.resources}
    for one in made.resources:
        if one.type.startswith("pulumi:providers:gcp"):
            continue
        if one.custom:
            parent = by_urn[one.parent]
            assert not parent.custom, f"{one.name} hangs on {parent.name}"
            assert one.name.startswith(f"{parent.name}-")
        else:
            assert one.parent not in by_urn


def test_every_component_registers_its_outputs_once(made: Recording) -> None:
    components = sorted(it.urn for it in made.resources if not it.custom)
    assert sorted(made.output_registrations) == components


def test_every_resource_has_a_urn_of_its_own(made: Recording) -> None:
    twice = [urn for urn, count in Counter(it.urn for it in made.resources).items() if count > 1]
    assert not twice


def test_no_two_resources_have_one_name_in_the_cloud_or_the_cluster(made: Recording) -> None:
    seen = Counter(known for it in made.resources if (known := _known_as(it)))
    assert not {it for it, count in seen.items() if count > 1}


def test_a_server_of_an_open_model_looks_for_no_token_where_there_is_none() -> None:
    chat = {"model": "Qwen/Qwen3-8B", "gpus": 2, "requests": SERVE["servers"]["gemma"]["requests"]}
    config = changed(BARE, servers={"chat": chat})
    # The key of Weights & Biases has a Secret made.
    made = registered(validate(config, secrets_set=frozenset({"wandb_api_key"})))
    assert made.named("tokens-secret")
    assert "HF_TOKEN" not in str(made.named("chat-deployment").inputs)


def test_a_ray_cluster_whose_image_is_said_stays_what_it_is_when_its_job_goes() -> None:
    ray = validate(RL, secrets_set=WITH_TOKEN).ray["rl"]
    said = changed(RL, ray__rl__image=ray.image, ray__rl__version=ray.version)
    clusters = [
        built(config).one(":RayCluster").inputs
        for config in (RL, said, changed(said, jobs=None), changed(RL, jobs=None))
    ]
    assert clusters[0] == clusters[1] == clusters[2] != clusters[3]


@pytest.mark.parametrize("stack", [it for it in STACKS if STACKS[it].get("jobs")])
def test_a_job_of_another_name_makes_nothing_that_is_there_already(stack: str) -> None:
    """By another URN it would be made before what has its name is gone, and so refused."""
    jobs = {f"{name}-2": it for name, it in STACKS[stack]["jobs"].items()}
    before, after = (
        {_known_as(it): it.urn for it in built(config).resources if _known_as(it)}
        for config in (STACKS[stack], changed(STACKS[stack], jobs=jobs))
    )
    assert [it for it in before.keys() & after.keys() if before[it] != after[it]] == []
    assert before.keys() - after.keys()


def _known_as(one: Registered) -> tuple[str, str, str] | None:
    metadata = one.inputs.get("metadata", {})
    name = metadata.get("name") or one.inputs.get("name")
    if not one.custom or not isinstance(name, str):
        return None
    return one.type, metadata.get("namespace", ""), name


def test_whatever_is_in_the_cluster_has_its_provider(made: Recording) -> None:
    for one in made.resources:
        if one.custom and one.type.startswith("kubernetes:"):
            assert "$pulumi:providers:kubernetes::" in one.provider, one.name


def test_the_token_stands_in_no_input_that_is_not_a_secret(made: Recording) -> None:
    for one in made.resources:
        plain = {key: it for key, it in one.inputs.items() if key not in one.secret_inputs}
        assert not any(it in str(plain) for it in (TOKEN, ENCODED_TOKEN)), one.name


def test_nothing_is_protected_that_may_be_destroyed(made: Recording) -> None:
    assert not [it.name for it in made.resources if it.protect]


@pytest.mark.parametrize(
    ("sample", "costly"),
    [
        (
            "rl",
            {"container/cluster:Cluster", "lustre/instance:Instance", "compute/network:Network"},
        ),
        ("kept", {"container/cluster:Cluster", "redis/instance:Instance"}),
    ],
)
def test_what_is_costly_to_lose_is_protected_where_nothing_else_is_said(
    sample: str, costly: set[str]
) -> None:
    config = {key: it for key, it in SAMPLES[sample].items() if key != "deletion_protection"}
    protected = {it.type for it in built(config).resources if it.protect}
    assert {f"gcp:{it}" for it in costly} <= protected


@pytest.mark.parametrize("name", ["autopilot", "tpu-autopilot"])
def test_autopilot_has_no_pools(name: str) -> None:
    assert not built(STACKS[name]).of_type(":NodePool")


def test_pools_in_two_zones_have_networks_of_their_own_zones() -> None:
    made = built(SAMPLES["zones"])
    zones = {tuple(it.inputs["nodeLocations"]) for it in made.of_type(":NodePool")}
    assert {("us-west3-b",), ("us-west3-c",)} <= zones
    profiles = [
        it.inputs["networkProfile"]
        for it in made.of_type(":Network")
        if "networkProfile" in it.inputs
    ]
    assert len({it.rpartition("/")[2] for it in profiles}) == 2


def test_nodes_with_rdma_of_each_type_get_nccls_plugin_and_in_each_zone_but_once() -> None:
    of_types = changed(BARE, zone="us-central1-b", pools=TWO_TYPES)
    for config, types in ((of_types, [["nvidia-h200-141gb"], B200]), (ZONES, [B200])):
        made = built(config)
        pod = made.one(":DaemonSet").inputs["spec"]["template"]["spec"]
        (rule,) = pod["affinity"]["nodeAffinity"].values()
        picked = [it["matchExpressions"][0]["values"] for it in rule["nodeSelectorTerms"]]
        assert picked == types


@pytest.mark.parametrize("queue", ["lq", None])
def test_a_raycluster_waits_for_kueue_which_looks_at_all_of_them(queue: str | None) -> None:
    made = built(changed(DEV, ray__dev__queue=queue))
    cluster = next(it for it in made.resources if not it.custom and it.name == "dev")
    assert "queues-local-queue-default-lq" in _dependencies(cluster)


def test_claims_have_one_name_whoever_makes_the_networks() -> None:
    own = changed(TPU, pools__tpu__interfaces="own")
    claims = [
        {it.name for it in built(config).of_type(":ResourceClaimTemplate")}
        for config in (own, TPU, TPU_AUTOPILOT)
    ]
    assert claims == [{"claims-2-template"}] * 3


def _dependencies(one: Registered) -> set[str]:
    return {urn.rpartition("::")[2] for urn in one.dependencies}


def _gpu_selectors(value: Any) -> list[dict[str, str]]:
    """Node selectors of all pods in a resource's inputs that ask for GPUs."""
    if isinstance(value, list):
        return [it for one in value for it in _gpu_selectors(one)]
    if not isinstance(value, dict):
        return []
    below = [it for one in value.values() for it in _gpu_selectors(one)]
    asks = any("nvidia.com/gpu" in str(it.get("resources")) for it in value.get("containers", ()))
    return [*below, value["nodeSelector"]] if asks and "nodeSelector" in value else below


@pytest.mark.parametrize("driver", ["latest", "default"])
@pytest.mark.parametrize(
    "config",
    [
        SAMPLES["autopilot"],
        changed(SAMPLES["autopilot"], pools__gpu__interfaces="managed"),
        SERVE_AUTOPILOT,
    ],
    ids=["own", "managed", "serve"],
)
def test_pods_with_gpus_ask_autopilot_for_the_driver_of_their_pool(
    config: dict[str, Any], driver: str
) -> None:
    said = {f"pools__{it}__driver_version": driver for it in config["pools"]}
    made = built(config if driver == "latest" else changed(config, **said))
    classes = {
        one.inputs["metadata"]["name"]: one.inputs["spec"]["priorities"][0]["gpu"]["driverVersion"]
        for one in made.of_type(":ComputeClass")
    }
    selectors = [it for one in made.resources for it in _gpu_selectors(one.inputs)]
    assert selectors
    for it in selectors:
        of_class = classes.get(it["cloud.google.com/compute-class"])
        assert (of_class or it["cloud.google.com/gke-gpu-driver-version"]) == driver, it
