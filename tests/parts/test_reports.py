"""Several mistakes in one report, and none that is only another one's echo; what a newcomer gets to
read who has misspelt, left out or misplaced something."""

from typing import Any

import pytest

from stacks.config import validate
from tests.conftest import changed
from tests.parts.samples import BARE, DEV, RL, SERVE, TPU, VERL
from tests.programs import mistakes

_OVERLAP = {"subnet": "10.8.0.0/20"}
# What is wrong in DEV beside whatever a test adds, and how it is told.
_BESIDE: dict[str, Any] = {
    "network": _OVERLAP,
    "cluster__authorized_networks": [{"name": n, "cidr": "203.0.113.0/24"} for n in "ab"],
    "buckets__bucket__mount_path": "/etc/x",
    "queues__local_queues__0__cluster_queue": "gpux",
    "ray__dev__head__requests__cpu": 64,
}
_TOLD_BESIDE = {
    "stack.network.pods",
    "stack.cluster.authorized_networks[1]",
    "stack.buckets.bucket.mount_path",
    "stack.queues.local_queues[0].cluster_queue",
    "stack.ray.dev.head.requests.cpu",
}


def _nested(depth: int) -> Any:
    return {"a": _nested(depth - 1)} if depth else {}


def fields(lines: tuple[str, ...]) -> set[str]:
    return {it.partition(": ")[0] for it in lines}


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"pools__gpu__machine_type": "g2-standard-9"}, "pools.gpu.machine_type"),
        ({"pools__gpu__machine_type": "foo-bar"}, "pools.gpu.machine_type"),
        ({"pools__gpu__machine_type": "H100"}, "pools.gpu.machine_type"),
        ({"pools__gpu__machine_type": None}, "pools.gpu.machine_type"),
        ({"pools__gpu__nodes": None}, "pools.gpu.nodes"),
        ({"pools__gpu__topology": "4x4"}, "pools.gpu.topology"),
        ({"pools__gpu": "g2-standard-8"}, "pools.gpu"),
        ({"pools__gpu__capacity": {"mode": "sport"}}, "pools.gpu.capacity.mode"),
        ({"ray__dev__workers__gpu__pools": "gpx"}, "ray.dev.workers.gpu.pools[0]"),
        ({"ray__dev__mounts": ["bukket"]}, "ray.dev.mounts[0]"),
        ({"jobs": {"grpo": {"type": "verl", "ray": "dve"}}}, "jobs.grpo.ray"),
    ],
)
def test_what_cannot_be_read_hides_nothing_that_is_wrong_elsewhere(
    values: dict[str, Any], field: str
) -> None:
    assert _TOLD_BESIDE | {f"stack.{field}"} <= fields(mistakes(changed(DEV, **_BESIDE, **values)))


# A part that cannot be read, and what would be said of others if it were not there.
@pytest.mark.parametrize(
    ("config", "values", "told"),
    [
        (DEV, {"pools__gpu__machine_type": "g2-standard-9"}, {"pools.gpu.machine_type"}),
        (DEV, {"pools__cpu__machine_type": "foo-bar"}, {"pools.cpu.machine_type"}),
        (VERL, {"pools__gpu__machine_type": "a4-highgpu-9g"}, {"pools.gpu.machine_type"}),
        (TPU, {"pools__tpu__machine_type": "ct6e-standard-5t"}, {"pools.tpu.machine_type"}),
        (TPU, {"pools__tpu__machine_type": "foo-bar"}, {"pools.tpu.machine_type"}),
        (SERVE, {"pools__gpu__machine_type": "L4"}, {"pools.gpu.machine_type"}),
        (SERVE, {"pools__gpu__machine_type": None}, {"pools.gpu.machine_type"}),
        (
            DEV,
            {"pools__gpu": {"machine_typ": "g2-standard-8", "nodes": 1}},
            {"pools.gpu.machine_typ"},
        ),
        (RL, {"lustre__name": None}, {"lustre.name"}),
        (RL, {"lustre": "mine"}, {"lustre"}),
        (VERL, {"buckets__data": "mine"}, {"buckets.data"}),
        (VERL, {"ray__verl__head": None}, {"ray.verl.head"}),
        (VERL, {"jobs__grpo__ray": "x"}, {"jobs.grpo.ray"}),
        (SERVE, {"queues__flavors__l4__pool": "gpx"}, {"queues.flavors.l4.pool"}),
        (DEV, {"queues__flavors__cpu__pool": "cpux"}, {"queues.flavors.cpu.pool"}),
        (
            SERVE,
            {"queues__local_queues__0__cluster_queue": "gpux"},
            {"queues.local_queues[0].cluster_queue"},
        ),
    ],
)
def test_what_names_a_part_that_cannot_be_read_is_not_told_beside_it(
    config: dict[str, Any], values: dict[str, Any], told: set[str]
) -> None:
    assert fields(mistakes(changed(config, **values))) == {f"stack.{it}" for it in told}


@pytest.mark.parametrize(
    ("config", "values", "line"),
    [
        (BARE, {"pool": {}}, "stack.pool: there is no such key; nearest: pools"),
        (BARE, {"gpu_pool": {}}, "stack.gpu_pool: there is no such key; nearest: pools"),
        (
            BARE,
            {"pools__gpu__machine_typ": "x"},
            "stack.pools.gpu.machine_typ: there is no such key; nearest: machine_type",
        ),
        (
            DEV,
            {"ray__dev__workers__gpu__pool": "gpu"},
            "stack.ray.dev.workers.gpu.pool: there is no such key; nearest: pools",
        ),
        (
            VERL,
            {"jobs__grpo__type": "verll"},
            'stack.jobs.grpo.type: "verll": not one of them; nearest: verl, nemo-rl',
        ),
        (
            VERL,
            {"jobs__grpo": {}},
            "stack.jobs.grpo.type: missing; nearest: fine-tune, image-classifier, maxtext, "
            "nemo-rl, script, verl",
        ),
        (
            {**VERL, "jobs": {"verl": {"type": "verl", "actor": {"learning_rat": 1e-5}}}},
            {},
            "stack.jobs.verl.actor.learning_rat: there is no such key; nearest: learning_rate",
        ),
        (
            {**BARE, "pools": {"disk": {**BARE["pools"]["gpu"], "disk": {"size_gb": 1}}}},
            {},
            "stack.pools.disk.disk.size_gb: 1 is less than 20; nearest: 20",
        ),
        (
            {**BARE, "pools": {"capacity": {**BARE["pools"]["gpu"], "capacity": {"mode": "sp"}}}},
            {},
            'stack.pools.capacity.capacity.mode: "sp": not one of them; nearest: spot',
        ),
        (
            {**BARE, "pools": {"Big": BARE["pools"]["gpu"]}},
            {},
            'stack.pools.Big: "Big" is not a short name for a pool (1 to 30 of a-z, 0-9 and "-", '
            "a letter first, no hyphen last); nearest: big",
        ),
        (
            DEV,
            {"ray__dev__head": None},
            "stack.ray.dev.head: missing; nearest: {requests: {cpu: 1, memory_gib: 1, "
            "ephemeral_storage_gib: 1}}",
        ),
    ],
)
def test_a_word_that_is_not_known_is_told_with_those_that_are(
    config: dict[str, Any], values: dict[str, Any], line: str
) -> None:
    assert mistakes(changed(config, **values)) == (line,)


@pytest.mark.parametrize("name", ["verl", "maxtext", "type", "jobs", "storage"])
def test_a_job_may_be_called_like_a_type_or_a_field(name: str) -> None:
    assert validate({**VERL, "jobs": {name: {"type": "verl"}}})


@pytest.mark.parametrize("name", ["disk", "capacity", "pools", "spot", "lustre"])
def test_a_pool_may_be_called_like_a_field(name: str) -> None:
    assert validate({**BARE, "pools": {name: BARE["pools"]["gpu"]}})


@pytest.mark.parametrize("pools", [None, {}, "absent"])
def test_a_stack_without_nodes_says_what_is_wanted(pools: Any) -> None:
    config = {key: value for key, value in BARE.items() if key != "pools"}
    (line,) = mistakes(config if pools == "absent" else {**config, "pools": pools})
    assert line == (
        "stack.pools: missing; it has the machines that everything runs on, each kind of them "
        "under a name of yours; nearest: {gpu: {machine_type: g2-standard-8, nodes: 1}}"
    )


def test_what_it_offers_to_a_stack_without_nodes_is_right() -> None:
    pools = {"gpu": {"machine_type": "g2-standard-8", "nodes": 1}}
    assert validate({**BARE, "pools": pools})


def test_the_other_mistakes_of_a_stack_without_nodes_are_told_with_it() -> None:
    lines = mistakes({"name": "X y", "network": {"mtu": 9000}})
    assert fields(lines) == {
        *("gcp:project", "gcp:region", "gcp:zone"),
        *("stack.pools", "stack.name", "stack.network.mtu"),
    }


@pytest.mark.parametrize("config", [RL, SERVE, {**SERVE, "servers": {}}, {**SERVE, "jobs": {}}])
def test_what_loads_a_model_under_a_licence_needs_a_token(config: dict[str, Any]) -> None:
    (line,) = mistakes(config, frozenset())
    assert line.startswith("hugging_face_token: missing, for ")
    assert line.endswith("; set it with: pulumi config set --secret hugging_face_token")


@pytest.mark.parametrize("config", [DEV, VERL, TPU])
def test_nothing_else_does(config: dict[str, Any]) -> None:
    assert validate(config, secrets_set=frozenset())


def test_a_missing_token_hides_nothing() -> None:
    lines = mistakes(changed(SERVE, network=_OVERLAP), frozenset())
    assert fields(lines) == {"hugging_face_token", "stack.network.pods"}


def test_values_that_may_be_secret_are_in_no_line() -> None:
    config = changed(DEV, pools__gpu__machine_type="g2-mine-8")
    assert "mine" not in "\n".join(mistakes(config, hide_values=True))


# Of the values beside the one that is offered the last may be no pool that rules could hold.
@pytest.mark.parametrize("machine", ["a4-highgpu-8", "a4-highgpu-9g", "a4-highgpu"])
def test_what_a_guess_gets_wrong_itself_hides_no_other_mistake(machine: str) -> None:
    values = {"pools__gpu__machine_type": machine, "lustre__capacity_gib": 10000}
    told = fields(mistakes(changed(RL, **values)))
    assert told == {"stack.pools.gpu.machine_type", "stack.lustre.capacity_gib"}


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"labels": {f"k{it}": "x" for it in range(300)}}, "300 entries are more than any block"),
        ({"labels": _nested(20)}, "16 blocks in each other are more than any key has"),
        ({"labels": {5: "x"}}, '5 is a key that is no text to YAML; nearest: "5", with quotes'),
        ({"labels": {" team": "x"}}, "its name: there are blanks at an end of the text"),
    ],
)
def test_what_no_config_can_hold_is_told_before_all_else(values: dict[str, Any], line: str) -> None:
    assert any(line in it for it in mistakes({**DEV, **values}))
