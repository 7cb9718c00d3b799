"""What a message offers in the place of a wrong value: the whole line, as a user reads it.

They prove nothing about what Google would say to what is offered.
"""

from typing import Any

import pytest

from stacks.offers import Suggestion, yaml_text
from stacks.stack_file import value_of
from tests.conftest import changed, stack_config
from tests.programs import WITH_ALL_SECRETS, lines_of

_BARE_SCRIPT = {"type": "script", "command": ["python", "train.py"], "image": "python:3.12"}
_SCRIPT = {**_BARE_SCRIPT, "requests": {"cpu": 1, "memory_gib": 2}}
_JOBS = "not one of them; nearest: fine-tune, image-classifier, maxtext, nemo-rl, script, verl"
_NO_KEY = "there is no such key"
_GRPO = "nemo-rl-grpo-test1"
_REQUESTS = {"cpu": 1, "memory_gib": 1, "ephemeral_storage_gib": 1}
_LETTERS = 'of a-z, 0-9 and "-", a letter first, no hyphen last'


def lines(stack: str, **values: Any) -> tuple[str, ...]:
    return lines_of(changed(stack_config(stack), **values), WITH_ALL_SECRETS)


VALUES: list[tuple[str, dict[str, Any], str]] = [
    # YAML reads 0664 as 436, and 1.30 as 1.3.
    (
        "dev",
        {"buckets__bucket__mount__file_mode": 0o664},
        'stack.buckets.bucket.mount.file_mode: 436 is a number to YAML; nearest: "664", "436", '
        "with quotes",
    ),
    (
        "dev",
        {"cluster__version": 1.35},
        'stack.cluster.version: 1.35 is a number to YAML; nearest: "1.35", with quotes',
    ),
    (
        "dev",
        {"queues__version": 0.19},
        "stack.queues.version: 0.19 is a number to YAML; nearest: 0.19.2, 0.18.6",
    ),
    # Machine types by their spelling, and by what they have.
    (
        "dev",
        {"pools__gpu__machine_type": "G2-standard-24"},
        'stack.pools.gpu.machine_type: "G2-standard-24" is not a machine type; nearest: '
        "g2-standard-24",
    ),
    (
        "dev",
        {"pools__gpu__machine_type": "g2_standard_24"},
        'stack.pools.gpu.machine_type: "g2_standard_24" is not a machine type; nearest: '
        "g2-standard-24",
    ),
    (
        "dev",
        {"pools__gpu__machine_type": "L4"},
        'stack.pools.gpu.machine_type: "L4" is not a machine type; nearest: g2-standard-4, '
        "g2-standard-8, g2-standard-12, g2-standard-16",
    ),
    (
        "dev",
        {"pools__gpu__machine_type": "H100"},
        'stack.pools.gpu.machine_type: "H100" is not a machine type; nearest: a3-megagpu-8g, '
        "a3-highgpu-8g",
    ),
    # Amounts with a unit.
    (
        "dev",
        {"ray__dev__head__requests__cpu": "500m"},
        'stack.ray.dev.head.requests.cpu: "500m" is no number; nearest: 0.5',
    ),
    (
        "dev",
        {"ray__dev__head__requests__memory_gib": "4Gi"},
        'stack.ray.dev.head.requests.memory_gib: "4Gi" is no whole number; nearest: 4',
    ),
    (
        "b200-lustre",
        {"lustre__capacity_gib": "36000GiB"},
        'stack.lustre.capacity_gib: "36000GiB" is no whole number; nearest: 36000',
    ),
    (
        "dev",
        {"pools__gpu__disk__size_gb": "200GB"},
        'stack.pools.gpu.disk.size_gb: "200GB" is no whole number; nearest: 200',
    ),
    (
        "dev",
        {"pools__gpu__capacity": {"mode": "flex-start", "max_run_hours": "240m"}},
        'stack.pools.gpu.capacity.max_run_hours: "240m" is no whole number; nearest: 4',
    ),
    (
        "dev",
        {"jobs": {"j": {**_SCRIPT, "minutes": "2h"}}},
        'stack.jobs.j.minutes: "2h" is no whole number; nearest: 120',
    ),
    # The type of a job, which says what the rest of it is.
    *(
        ("dev", {"jobs": {"j": {**_SCRIPT, "type": value}}}, f"stack.jobs.j.type: {said}")
        for value, said in (([], f"an empty list: {_JOBS}"), ({}, f"an empty block: {_JOBS}"))
    ),
    (
        "dev",
        {"jobs": {"j": {**_SCRIPT, "command": "run.sh"}}},
        'stack.jobs.j.command: "run.sh" is no list; nearest: [run.sh]',
    ),
    # The shape of a block, with what the user wrote in it.
    (
        "dev",
        {"buckets": {"data": "my-bucket-1"}},
        'stack.buckets.data: "my-bucket-1" is no block of keys; nearest: {name: my-bucket-1}',
    ),
    (
        "dev",
        {"buckets": ["data"]},
        "stack.buckets: a list is no block of keys; nearest: {data: {}}",
    ),
    (
        "dev",
        {"teams": ["research"]},
        "stack.teams: a list is no block of keys; nearest: {research: {}}",
    ),
    (
        "dev",
        {"teams": {"research": {"users": ["a@b.c"]}}},
        "stack.teams.research.users: a list is no block of keys; nearest: {view: [a@b.c]}, "
        "{edit: [a@b.c]}",
    ),
    (
        "dev",
        {"cluster__authorized_networks": "10.0.0.0/8"},
        'stack.cluster.authorized_networks: "10.0.0.0/8" is no list; nearest: '
        "[{name: my-name, cidr: 10.0.0.0/8}]",
    ),
    (
        "dev",
        {"cluster__authorized_networks": {}},
        "stack.cluster.authorized_networks: an empty block, where at least one is wanted; "
        "nearest: leave it out",
    ),
    (
        "dev",
        {"pools": [{"name": "gpu", "machine_type": "g2-standard-8"}]},
        "stack.pools: a list is no block of keys; nearest: "
        "{gpu: {machine_type: g2-standard-8, nodes: 1}}",
    ),
    # Labels and taints as other tools have them.
    ("dev", {"labels": ["a=b"]}, "stack.labels: a list is no block of keys; nearest: {a: b}"),
    ("dev", {"labels": [{"a": "b"}]}, "stack.labels: a list is no block of keys; nearest: {a: b}"),
    ("dev", {"labels": "a=b"}, 'stack.labels: "a=b" is no block of keys; nearest: {a: b}'),
    (
        "dev",
        {"jobs": {"j": {**_SCRIPT, "environment": ["EPOCHS=3"]}}},
        'stack.jobs.j.environment: a list is no block of keys; nearest: {EPOCHS: "3"}',
    ),
    (
        "dev",
        {"pools__gpu__taints": ["a=b:NoSchedule"]},
        'stack.pools.gpu.taints[0]: "a=b:NoSchedule" is no block of keys; nearest: '
        "{key: a, value: b, effect: NoSchedule}, {key: a-b-NoSchedule}",
    ),
    (
        "dev",
        {"pools__cpu__autoscaling": {"min": 3, "max": 1}},
        "stack.pools.cpu.autoscaling.min: 3 is more than the max of 1; nearest: 1",
    ),
    # Places.
    (
        "dev",
        {"region": "us-centrl1"},
        'gcp:region: "us-centrl1" is not a region the catalog knows; nearest: us-central1',
    ),
    (
        "dev",
        {"region": "us-central"},
        'gcp:region: "us-central" is not a region; nearest: us-central1',
    ),
    (
        "dev",
        {"zone": "us-central1-z"},
        'gcp:zone: "us-central1-z" is not a zone the catalog knows; nearest: us-central1-a, '
        "us-central1-b, us-central1-c, us-central1-f. A newer one can be added under "
        '"catalog.zones"',
    ),
    (
        "dev",
        {"zone": "US-Central1-A"},
        'gcp:zone: "US-Central1-A" is not a zone; nearest: us-central1-a',
    ),
    # Names, with their whole rule.
    (
        "dev",
        {"name": "My_Stack"},
        f'stack.name: "My_Stack" is not a stack name (2 to 40 {_LETTERS}); nearest: my-stack',
    ),
    (
        "dev",
        {"buckets": {"Data_1": {}}},
        f'stack.buckets.Data_1: "Data_1" is not a short name for a bucket (1 to 30 {_LETTERS}); '
        "nearest: data-1",
    ),
    (
        "dev",
        {"labels": {5: "x"}},
        'stack.labels[5]: 5 is a key that is no text to YAML; nearest: "5", with quotes',
    ),
    (
        "dev",
        {"network__mtu ": 1460},
        "stack.network.mtu : its name: there are blanks at an end of the text; nearest: the text "
        "without them",
    ),
    # Values of another type.
    (
        "dev",
        {"namespace": True},
        'stack.namespace: true is no text to YAML; nearest: "true", with quotes',
    ),
    ("dev", {"namespace": []}, "stack.namespace: an empty list is no text; nearest: leave it out"),
    (
        "dev",
        {"cluster__version": {}},
        "stack.cluster.version: an empty block is no text; nearest: leave it out",
    ),
    (
        "dev",
        {"network__subnet": 1.5},
        "stack.network.subnet: 1.5 is a number to YAML; nearest: one like 172.24.0.0/20",
    ),
    (
        "dev",
        {"pools__cpu__zone": 1},
        "stack.pools.cpu.zone: 1 is a number to YAML; nearest: leave it out",
    ),
    (
        "dev",
        {"cmek": "7"},
        'stack.cmek: "7" is not a Cloud KMS key; nearest: projects/my-project/locations/'
        "us-central1/keyRings/my-ring/cryptoKeys/my-key",
    ),
    (
        "dev",
        {"pools__gpu__capacity": 5},
        "stack.pools.gpu.capacity: 5 is no block of keys; nearest: {mode: on-demand}",
    ),
    (
        "dev",
        {"labels": "word"},
        'stack.labels: "word" is no block of keys; nearest: {word: my-word}',
    ),
    (
        "dev",
        {"queues__topologies": {"racks": {"levels": [[1]]}}},
        "stack.queues.topologies.racks.levels[0]: a list: not one of them; nearest: "
        "cloud.google.com/gce-topology-block, cloud.google.com/gce-topology-host, "
        "cloud.google.com/gce-topology-subblock, kubernetes.io/hostname",
    ),
    (
        "dev",
        {"ray__dev__workers__gpu-worker-group__pools": "gp"},
        'stack.ray.dev.workers.gpu-worker-group.pools[0]: "gp" is no pool of this stack; nearest: '
        "gpu",
    ),
    (
        "dev",
        {"images": "yes"},
        'stack.images: "yes" is no block of keys; nearest: {driver_path: true}',
    ),
    (
        "dev",
        {"labels": 1.5},
        "stack.labels: 1.5 is no block of keys; nearest: {first: my-labels}",
    ),
    (
        "dev",
        {"buckets__bucket": False},
        "stack.buckets.bucket: false is no block of keys; nearest: {role: objectUser}",
    ),
    (
        "dev",
        {"pools": "$(id)"},
        'stack.pools: "$(id)" is no block of keys; nearest: none alone, for '
        "{first: {machine_type: my-machine-type}} is refused, too",
    ),
    (
        "dev",
        {"pools": [{"machine_type": "g2-standard-8", "nodes": 1}]},
        "stack.pools: a list is no block of keys; nearest: "
        "{first: {machine_type: g2-standard-8, nodes: 1}}",
    ),
    (
        "dev",
        {"ray": 1.35},
        "stack.ray: 1.35 is no block of keys; nearest: {first: {head: {requests: {cpu: 1, "
        "memory_gib: 1, ephemeral_storage_gib: 1}}, workers: {first: {min_workers: 0, requests: "
        "{cpu: 1, memory_gib: 1, ephemeral_storage_gib: 1}}}}}",
    ),
    (
        "dev",
        {"cluster__authorized_networks": {"office": "203.0.113.0/24"}},
        "stack.cluster.authorized_networks: a block is no list; nearest: "
        "[{name: office, cidr: 203.0.113.0/24}], [{name: my-name, cidr: 203.0.113.0/24}]",
    ),
    (
        "dev",
        {"buckets__bucket__lifecycle": {"delete": 30}},
        "stack.buckets.bucket.lifecycle: a block is no list; nearest: "
        "[{action: delete, age_days: 30}]",
    ),
    (
        "dev",
        {"queues__topologies": {"racks": {"levels": {"cloud.google.com/gce-topology-block": 1}}}},
        "stack.queues.topologies.racks.levels: a block is no list; nearest: "
        "[cloud.google.com/gce-topology-block]",
    ),
    (
        "dev",
        {"queues__local_queues": False},
        "stack.queues.local_queues: false is no list; nearest: one with the name lq and the "
        "cluster_queue gpus",
    ),
    # Keys that stand somewhere else.
    (
        "b200-lustre",
        {"jobs__retries": 3},
        f"stack.jobs.retries: {_NO_KEY}; nearest: stack.jobs.{_GRPO}.retries",
    ),
    (
        "dev",
        {"pools__topology": "2x2"},
        f"stack.pools.topology: {_NO_KEY}; nearest: stack.pools.NAME.topology",
    ),
    # The only place for it takes none.
    (
        "dev",
        {"pools__gpu__disk__topology": "2x2"},
        f"stack.pools.gpu.disk.topology: {_NO_KEY}; nearest: leave it out",
    ),
    (
        "dev",
        {"buckets__mount_path": "/x"},
        f"stack.buckets.mount_path: {_NO_KEY}; nearest: stack.buckets.bucket.mount_path",
    ),
    (
        "b200-lustre",
        {f"jobs__{_GRPO}__type": None, f"jobs__{_GRPO}__checkpoints__type": "nemo-rl"},
        f"stack.jobs.{_GRPO}.checkpoints.type: {_NO_KEY}; nearest: stack.jobs.{_GRPO}.type",
    ),
    (
        "b200-lustre",
        {f"jobs__{_GRPO}__type": None, f"jobs__{_GRPO}__typ": "nemo-rl"},
        f"stack.jobs.{_GRPO}.typ: {_NO_KEY}; nearest: stack.jobs.{_GRPO}.type",
    ),
    (
        "dev",
        {"pools__gpu__flow_logs": True},
        f"stack.pools.gpu.flow_logs: {_NO_KEY}; nearest: stack.network.flow_logs",
    ),
    (
        "dev",
        {"queues__local_queues": [{"NAME": "lq", "cluster_queue": "gpus"}]},
        f"stack.queues.local_queues[0].NAME: {_NO_KEY}; nearest: name",
    ),
    (
        "dev",
        {"queues__NAMESPACES": ["lab"]},
        f"stack.queues.NAMESPACES: {_NO_KEY}; nearest: namespaces",
    ),
    (
        "dev",
        {"ray__dev__gpu-worker-group": {"requests": _REQUESTS}},
        f"stack.ray.dev.gpu-worker-group: {_NO_KEY}; nearest: stack.ray.dev.workers.NAME",
    ),
    (
        "dev",
        {"cluster": {"existing": {"name": "platform"}, "location": "us-central1"}},
        'stack.cluster.location: "us-central1": not one of them; nearest: '
        "stack.cluster.existing.location: us-central1",
    ),
    (
        "dev",
        {"monitoring": {"dashboard": None}},
        "stack.monitoring.dashboard: null is neither true nor false; nearest: leave it out",
    ),
]


@pytest.mark.parametrize(
    ("stack", "values", "line"),
    VALUES,
    ids=[next(iter(it[1])) + str(at) for at, it in enumerate(VALUES)],
)
def test_a_wrong_value_is_told_in_one_line_with_what_the_user_meant(
    stack: str, values: dict[str, Any], line: str
) -> None:
    assert lines(stack, **values) == (line,)


def test_what_is_wrong_below_a_name_that_is_wrong_is_told_once_by_that_name() -> None:
    pool = {"machine_type": "g2-standard-8", "nodes": 0}
    name, nodes = lines("dev", pools__GPU_1=pool)
    assert name.endswith("nearest: gpu-1")
    assert nodes == "stack.pools.GPU_1.nodes: 0 is less than 1; nearest: 1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("on", "on"),
        (["on"], '["on"]'),
        ("true", '"true"'),
        (".inf", '".inf"'),
        ("@x", '"@x"'),
        ({"a": None}, "{a: null}"),
        ([True, 1.5], "[true, 1.5]"),
    ],
)
def test_a_value_that_is_offered_reads_back_as_it_is(value: Any, text: str) -> None:
    assert yaml_text(value) == text
    assert value_of(text) == value


@pytest.mark.parametrize("text", ["*x", "a sentence, with words", "text"])
def test_what_is_no_value_of_yaml_is_something_to_do(text: str) -> None:
    assert Suggestion.written(text) == Suggestion(rest=text)


KEYS: list[tuple[dict[str, Any], str]] = [
    *(
        ({f"pools__gpu__{word}": 2}, f"stack.pools.gpu.{word}: {_NO_KEY}; nearest: nodes")
        for word in ("count", "replicas", "size", "node_count", "machines", "instances")
    ),
    (
        {"pools__gpu__spot": True},
        f"stack.pools.gpu.spot: {_NO_KEY}; nearest: capacity: {{mode: spot}}",
    ),
    (
        {"pools__gpu__accelerator": "L4"},
        f"stack.pools.gpu.accelerator: {_NO_KEY}; nearest: machine_type",
    ),
    (
        {"spare": {"machine_type": "g2-standard-8", "nodes": 1}, "ray": None},
        f"stack.spare: {_NO_KEY}; nearest: stack.pools.spare",
    ),
    (
        {"nodes": 2},
        f"stack.nodes: {_NO_KEY}; nearest: stack.pools.NAME.nodes, stack.jobs.NAME.nodes",
    ),
    ({"vpc": {}}, f"stack.vpc: {_NO_KEY}; nearest: network"),
    ({"tags": {"a": "b"}}, f"stack.tags: {_NO_KEY}; nearest: labels"),
    (
        {"pools__gpu__capacity": {"mode": "spot", "max_run_hours": 4}},
        f"stack.pools.gpu.capacity.max_run_hours: {_NO_KEY} where mode is spot, only where it is "
        "flex-start or queued; nearest: leave it out",
    ),
    (
        {"jobs": {"j": {**_BARE_SCRIPT, "cpu": 1, "memory_gib": 2}}},
        f"stack.jobs.j.cpu: {_NO_KEY} here, and cpu and memory_gib belong together in a block of "
        "their own; nearest: stack.jobs.j.requests: {cpu: 1, memory_gib: 2}",
    ),
    (
        {"ray__dev__head__requests": {"cpu": 1, "memory_mb": 4096, "ephemeral_storage_gib": 20}},
        f"stack.ray.dev.head.requests.memory_mb: {_NO_KEY}; nearest: memory_gib: 4",
    ),
]


@pytest.mark.parametrize(
    ("values", "line"), KEYS, ids=[next(iter(it[0])) + str(at) for at, it in enumerate(KEYS)]
)
def test_a_key_that_other_tools_have_is_told_in_one_line_with_the_key_that_means_it(
    values: dict[str, Any], line: str
) -> None:
    assert lines("dev", **values) == (line,)


def test_an_amount_under_a_key_of_another_unit_is_converted_and_said_to_be_the_users() -> None:
    config = stack_config("b200-lustre")
    del config["lustre"]["capacity_gib"]
    config["lustre"]["capacity_tib"] = 18
    key, value = lines_of(config, WITH_ALL_SECRETS)
    assert key == f"stack.lustre.capacity_tib: {_NO_KEY}; nearest: capacity_gib: 18432"
    assert value.startswith("stack.lustre.capacity_gib: 18432 GiB is not a capacity")
    assert value.endswith("nearest: 18000, 27000")


SECRETS = [
    ({"environment": {"HF_TOKEN": "private-1"}}, "environment.HF_TOKEN"),
    ({"environment": {"DB_PASSWORD": "private-1"}}, "environment.DB_PASSWORD"),
    ({"environment": {"GREETING": "hf_privateprivateprivate"}}, "environment.GREETING"),
    ({"environment": {"A": "sk-privateprivateprivateprivate"}}, "environment.A"),
    ({"environment": {"A": "AKIA" + "PRIVATE123456789"}}, "environment.A"),
    ({"environment": {"A": "AIza" + "private" * 5}}, "environment.A"),
    ({"environment": {"A": "-----BEGIN RSA " + "PRIVATE KEY----- private"}}, "environment.A"),
    ({"command": ["python", "t.py", "--api-key", "private-1"]}, "command[3]"),
    ({"command": ["bash", "-c", "export A=ghp_privateprivateprivateprivate"]}, "command[2]"),
]


@pytest.mark.parametrize(
    ("values", "place"), SECRETS, ids=[f"{it[1]}{at}" for at, it in enumerate(SECRETS)]
)
def test_a_secret_in_plain_is_refused_at_its_place_and_not_repeated(
    values: dict[str, Any], place: str
) -> None:
    (line,) = lines("dev", jobs={"j": {**_SCRIPT, **values}})
    assert line.startswith(f"stack.jobs.j.{place}: looks like a ")
    assert "pulumi config set --secret" in line
    assert "private" not in line.lower()


def test_a_token_is_refused_wherever_it_stands() -> None:
    (line,) = lines("dev", pools__gpu__labels={"a": "hf_privateprivateprivate"})
    assert line.startswith("stack.pools.gpu.labels.a: looks like a secret")
    assert "private" not in line


PLAIN = [
    {"HF_TOKEN": "$(OTHER)", "EOS_TOKEN": "</s>", "MAX_TOKENS": "128", "SORT_KEY": "name"},
    {"SSH_KEY": "/etc/keys/mine", "NUM_KEY": "5", "TOKENIZER": "gpt2"},
]


@pytest.mark.parametrize("environment", PLAIN)
def test_a_variable_that_only_sounds_like_a_secret_is_taken(environment: dict[str, str]) -> None:
    assert lines("dev", jobs={"j": {**_SCRIPT, "environment": environment}}) == ()


def test_of_a_stack_without_pools_the_offer_is_one_that_its_zone_has() -> None:
    config = stack_config("dev") | {"region": "us-south1", "zone": "us-south1-a"}
    del config["pools"]
    first = lines_of(config, WITH_ALL_SECRETS)[0]
    assert first.startswith("stack.pools: missing")
    assert "g2-standard-8" not in first
    assert "e2-standard-4" in first
