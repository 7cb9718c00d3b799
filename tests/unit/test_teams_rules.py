"""What a config may say of the teams of a stack, and what is said where it may not."""

from typing import Any

import pytest

from tests.unit.team_stack import planned, refused

REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "a namespace of Kubernetes": (
        {"teams__kube-x": {}},
        'stack.teams.kube-x: "kube-x" is a namespace that Kubernetes, GKE or an operator has for '
        "itself; nearest: my-kube-x",
    ),
    "the namespace of every cluster": (
        {"teams__default": {}},
        "stack.teams.default: the namespace that every cluster has, which a team cannot have to "
        "itself; nearest: default-team",
    ),
    "the stack's namespace": (
        {"teams__platform": {}},
        "stack.teams.platform: the namespace of the stack itself, which a team cannot have to "
        "itself; nearest: platform-team",
    ),
    "a namespace that is made twice": (
        {"queues__namespaces": ["vision"]},
        'stack.queues.namespaces[0]: "vision" is made for the team of this name already; '
        "nearest: leave it out",
    ),
    "an account that is there": (
        {"teams__audio__service_account": "default"},
        'stack.teams.audio.service_account: "default": Kubernetes makes one of this name in every '
        "namespace, for pods that name none; nearest: pods",
    ),
    "groups that the cluster does not know": (
        {"cluster": {}},
        "stack.teams.vision.groups: the cluster knows no groups; nearest: "
        "cluster.security_group: gke-security-groups@example.com",
    ),
    "no e-mail": (
        {"teams__vision__users": {"view": ["Ada@Example.com"]}},
        'stack.teams.vision.users.view[0]: "Ada@Example.com" is not an e-mail in lower case; '
        "nearest: ada@example.com",
    ),
    "no role": (
        {"teams__vision__users": {"owner": ["ada@example.com"]}},
        "stack.teams.vision.users.owner: there is no such key; nearest: edit, view",
    ),
    "no bucket": (
        {"teams__vision__buckets": {"dat": "objectUser"}},
        "stack.teams.vision.buckets.dat: the stack has no bucket of this name; nearest: the key "
        "data",
    ),
    "no buckets at all": (
        {"buckets": None, "teams__vision__buckets": {"data": "objectUser"}},
        "stack.teams.vision.buckets.data: the stack has no bucket of this name; nearest: leave it "
        "out",
    ),
    "no role on a bucket": (
        {"teams__vision__buckets": {"data": "owner"}},
        'stack.teams.vision.buckets.data: "owner": not one of them; nearest: objectAdmin, '
        "objectUser, objectViewer",
    ),
    "what names no Secret": (
        {"teams__vision__secrets": ["My_Tokens"]},
        'stack.teams.vision.secrets[0]: "My_Tokens" is not the name of a Secret, NAME=KEY, or '
        "NAME=KEY:VARIABLE where the key is no variable's name; nearest: one like "
        "my-tokens=HF_TOKEN",
    ),
    "a variable that each pod has of its own": (
        {"teams__vision__secrets": ["hub=HF_TOKEN", "hub=NODE_RANK"]},
        "stack.teams.vision.secrets[1]: hub would give the variable NODE_RANK, which the pods have "
        "already; nearest: hub=NODE_RANK:VARIABLE with another one",
    ),
    "a variable of two Secrets": (
        {"teams__vision__secrets": ["hub=HF_TOKEN", "hub", "old=HF_TOKEN"]},
        "stack.teams.vision.secrets[2]: old would give the variable HF_TOKEN, which hub gives; "
        "nearest: old=HF_TOKEN:VARIABLE with another one",
    ),
    "no priority of this name": (
        {
            "queues__workload_priorities": [{"name": "soon", "value": 5}],
            "teams__vision__priorities": ["soon", "son"],
        },
        'stack.teams.vision.priorities[1]: "son" is in neither queues.priorities nor '
        "queues.workload_priorities; nearest: soon",
    ),
    "no priorities at all": (
        {"teams__audio__priorities": ["high"]},
        'stack.teams.audio.priorities[0]: "high" is in neither queues.priorities nor '
        "queues.workload_priorities; nearest: leave it out",
    ),
    "no queue": (
        {"teams__vision__queue": "gpu"},
        'stack.teams.vision.queue: "gpu" is no cluster queue of this stack; nearest: gpus',
    ),
    "no queues at all": (
        {"queues": None},
        'stack.teams.vision.queue: "gpus": the stack has no queues; nearest: leave it out',
    ),
    "a queue that takes nothing of the team": (
        {"queues__cluster_queues__gpus__namespaces": ["audio"]},
        "stack.teams.vision.queue: gpus takes nothing of the namespace vision, so all would wait "
        "for ever; nearest: vision in queues.cluster_queues.gpus.namespaces",
    ),
    "a queue that is made twice": (
        {
            "queues__local_queues": [
                {"name": "vision", "namespace": "vision", "cluster_queue": "gpus"}
            ]
        },
        "stack.queues.local_queues[0]: teams.vision.queue makes this one already; nearest: leave "
        "it out",
    ),
    "another queue for work without a label": (
        {
            "queues__local_queues": [
                {"name": "default", "namespace": "vision", "cluster_queue": "gpus"}
            ]
        },
        "stack.queues.local_queues[0]: teams.vision.queue makes this one already; nearest: leave "
        "it out",
    ),
    "pods that start past the queue": (
        {"queues__frameworks": ["batch/job"]},
        "stack.queues.frameworks: without pod single pods and Deployments of vision would start "
        "past the queue gpus; nearest: [batch/job, pod]",
    ),
    "queues that nobody can wait in": (
        {"teams__vision__queue": None},
        "stack.queues.local_queues: none: no namespace has a queue that workloads could wait in; "
        "nearest: one with the name lq and the cluster_queue gpus",
    ),
    "a queue and a quota": (
        {"teams__audio__queue": "gpus"},
        "stack.teams.audio.quota: Kueue knows of no quota but that of the queue gpus, and would "
        "start what Kubernetes then refuses; nearest: leave it out",
    ),
    "a quota of nothing": (
        {"teams__audio__quota": {}},
        "stack.teams.audio.quota: it names no resource, and limits nothing; nearest: pods: 100",
    ),
    "more CPUs than there can be": (
        {"teams__audio__quota": {"cpu": 5000}},
        "stack.teams.audio.quota.cpu: 5000 CPUs are more than the 18 that all nodes can ever leave "
        "to pods; nearest: 18",
    ),
    "more memory than there can be": (
        {"teams__audio__quota": {"memory_gib": 5000}},
        "stack.teams.audio.quota.memory_gib: 5000 GiB of memory are more than the 65 that all "
        "nodes can ever leave to pods; nearest: 65",
    ),
    "more GPUs than there can be": (
        {"teams__audio__quota": {"gpus": 3}, "queues": None, "teams__vision__queue": None},
        "stack.teams.audio.quota.gpus: 3 GPUs are more than the 2 that all nodes can ever leave to "
        "pods; nearest: 2",
    ),
    "GPUs that a queue gives out": (
        {"teams__audio__quota": {"gpus": 2}},
        "stack.teams.audio.quota.gpus: 2 GPUs are more than the 1 that queues leave of all nodes; "
        "nearest: 1, or less in queues",
    ),
    "TPUs where there are none": (
        {"teams__audio__quota": {"chips": 8}},
        "stack.teams.audio.quota.chips: 8 TPU chips are more than the 0 that all nodes can ever "
        "leave to pods; nearest: 0",
    ),
    "more pods than there can be": (
        {"teams__audio__quota": {"pods": 331}},
        "stack.teams.audio.quota.pods: 331 pods are more than the 330 that all nodes can ever "
        "leave to pods; nearest: 330",
    ),
}


@pytest.mark.parametrize(("values", "line"), REFUSALS.values(), ids=REFUSALS)
def test_what_a_team_cannot_have_is_refused_with_the_nearest_that_it_can(
    values: dict[str, Any], line: str
) -> None:
    assert line in refused(**values)


def test_every_refusal_is_the_only_one() -> None:
    more = {name: lines for name, (it, _) in REFUSALS.items() if len(lines := refused(**it)) > 1}
    assert not more


@pytest.mark.parametrize("part", ["gpus", "pods"])
def test_a_quota_of_all_that_there_can_be_is_taken(part: str) -> None:
    """Of two GPUs a queue gives out one."""
    most = {"gpus": 1, "pods": 330}[part]
    assert planned(teams__audio__quota={part: most}).teams["audio"].quota


def test_a_quota_of_chips_counts_what_slices_have() -> None:
    pools = {
        "tpu": {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": 2},
    }
    values = {"pools": pools, "queues": None, "teams": {"audio": {"quota": {"chips": 32}}}}
    zone = {"region": "us-east5", "zone": "us-east5-b"}
    quota = planned(**values, **zone).teams["audio"].quota
    assert quota is not None
    assert quota.devices == {"google.com/tpu": 32}
    values["teams"]["audio"]["quota"]["chips"] = 33
    (line,) = refused(**values, **zone)
    assert line.endswith("nearest: 32")


def test_autopilot_has_nodes_for_whatever_a_quota_lets_in() -> None:
    pools = {"gpu": {"machine_type": "a3-highgpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}}
    assert planned(
        cluster={"mode": "autopilot", "location": "regional"},
        pools=pools,
        queues=None,
        teams={"audio": {"quota": {"cpu": 5000, "gpus": 100}}},
    ).teams


def test_queues_of_other_names_leave_the_stacks_namespace_without_one() -> None:
    queues = planned().stack.queues
    assert queues is not None
    assert queues.local_queues == ()
    alone = {"teams__vision__queue": "cluster-queue", "teams__audio__quota": None}
    by_default = planned(queues={}, **alone).stack.queues
    assert by_default is not None
    assert [it.name for it in by_default.local_queues] == ["lq"]
