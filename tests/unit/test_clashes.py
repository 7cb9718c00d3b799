"""Names that two stacks would both take in the cloud are told before either is up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from stacks.cluster_names import all_names
from stacks.config import ConfigError, validate
from stacks.names_beside import NOBODY, Beside, names_beside
from stacks.plan import Plan
from tests.conftest import Register, stack_config
from tests.unit.stack_graphs import built

KEY = "gke-ai-stacks:stack"
PLACE = {"project": "sample-project", "region": "us-central1", "zone": "us-central1-b"}
CPU = {"machine_type": "e2-standard-8", "nodes": 1}
RDMA = {
    "interfaces": "own",
    "machine_type": "a3-ultragpu-8g",
    "nodes": 1,
    "capacity": {"mode": "spot"},
}
ON = {"stack": "organization/gke-ai-stacks/platform"}
LUSTRE = {"name": "fast", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000}
GROUP = {"requests": {"cpu": 1, "memory_gib": 1}}
RAY = {"head": GROUP, "workers": {"cpu": GROUP}}
KEPT = {"head": {**GROUP, "redis": True}, "workers": {"cpu": GROUP}}
SECRETS = frozenset({"hugging_face_token", "wandb_api_key"})


def stack(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "pools": {"cpu": CPU}, **more}


def _queues(name: str = "own", **more: Any) -> dict[str, Any]:
    """Each object with this name, which no default has."""
    local = [{"name": name, "cluster_queue": name}]
    own = {"flavors": {name: {}}, "cluster_queues": {name: {}}, "local_queues": local}
    return {**own, **more}


def _between_slices(name: str) -> dict[str, Any]:
    """Two networks of the stack's own, of which one is called so."""
    named = [{"name": it, "range": f"10.{at}0.0.0/16"} for at, it in ((6, name), (7, "other"))]
    tpu = {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": 2}
    return {
        "pools": {"cpu": CPU, "tpu": {**tpu, "interfaces": "own"}},
        "network": {"dcn": named},
    }


def beside(folder: Path, own: dict[str, Any], *others: dict[str, Any]) -> Beside:
    """Files of these stacks, each called as it calls itself."""
    for one in (own, *others):
        config = {f"gcp:{key}": value for key, value in PLACE.items()}
        file = folder / f"Pulumi.{one['name']}.yaml"
        file.write_text(yaml.safe_dump({"config": {**config, KEY: one}}))
    return names_beside(folder, own["name"], KEY, PLACE["project"])


def told(folder: Path, own: dict[str, Any], *others: dict[str, Any]) -> tuple[str, ...]:
    around = beside(folder, own, *others)
    try:
        validate({**own, **PLACE}, beside=around)
    except ConfigError as error:
        return error.lines
    return ()


@pytest.mark.parametrize(
    ("own", "other", "line", "mended"),
    [
        (
            stack("aa", buckets={"b-c": {}}),
            stack("aa-b", buckets={"c": {}}),
            'stack.buckets.b-c.name: "aa-b-c-sample-project" is the name of a bucket of '
            "Pulumi.aa-b.yaml, too (stack.buckets.c.name), and there is one of a name; "
            "nearest: aa-b-c-sample-project-2",
            {"buckets": {"b-c": {"name": "aa-b-c-sample-project-2"}}},
        ),
        (
            stack("mine", cluster={"name": "theirs"}),
            stack("theirs"),
            'stack.cluster.name: "theirs" is the name of a cluster of Pulumi.theirs.yaml, too '
            "(stack.cluster.name), and there is one of a name; nearest: theirs-2",
            {"cluster": {"name": "theirs-2"}},
        ),
        (
            stack("mine", lustre=LUSTRE),
            stack("theirs", lustre=LUSTRE),
            'stack.lustre.name: "fast" is the name of a Lustre instance of Pulumi.theirs.yaml, too '
            "(stack.lustre.name), and there is one of a name; nearest: fast-2",
            {"lustre": {**LUSTRE, "name": "fast-2"}},
        ),
        (
            stack("mine-rdma"),
            stack("mine", pools={"cpu": CPU, "gpu": RDMA}),
            'stack.name: "mine-rdma-net" is the name of a network of Pulumi.mine.yaml, too '
            "(stack.name), and there is one of a name; nearest: mine-rdma-2",
            {"name": "mine-rdma-2"},
        ),
        (
            stack("aa", cluster=ON, pools={"cpu": CPU, "b-c": CPU}),
            stack("aa-b", cluster=ON, pools={"cpu": CPU, "c": CPU}),
            'stack.name: "aa-b-c-pool" is the name of a node pool of Pulumi.aa-b.yaml, too '
            "(stack.name), and there is one of a name; nearest: aa-2",
            {"name": "aa-2"},
        ),
        (
            stack("platform", pools={"aa-cpu": CPU}),
            stack("aa", cluster=ON),
            'stack.pools.aa-cpu: "aa-cpu-pool" is the name of a node pool of Pulumi.aa.yaml, too '
            "(stack.name), and there is one of a name; nearest: a key such as aa-cpu-2",
            {"pools": {"aa-cpu-2": CPU}},
        ),
        (
            stack("aa", cluster=ON, queues=_queues(flavors={"b": {}})),
            stack("bb", cluster=ON, queues=_queues("all", flavors={"b": {}})),
            'stack.queues.flavors.b: "b" is the name of a ResourceFlavor of Pulumi.bb.yaml, too '
            "(stack.queues.flavors.b), and there is one of a name; nearest: a key such as b-2",
            {"queues": _queues(flavors={"b-2": {}})},
        ),
        (
            stack("platform", queues={"priorities": [{"name": "low", "value": 1}]}),
            stack("bb", cluster=ON, queues=_queues(priorities=[{"name": "low", "value": 2}])),
            'stack.queues.priorities[0].name: "low" is the name of a PriorityClass of '
            "Pulumi.bb.yaml, too (stack.queues.priorities[0].name), and there is one of a name; "
            "nearest: low-2",
            {"queues": {"priorities": [{"name": "low-2", "value": 1}]}},
        ),
        (
            stack("aa", cluster=ON, ray={"main": RAY}),
            stack("bb", cluster=ON, ray={"main": RAY}),
            'stack.ray.main: "main" is the name of a RayCluster of Pulumi.bb.yaml, too '
            "(stack.ray.main), and there is one of a name; nearest: a key such as main-2",
            {"ray": {"main-2": RAY}},
        ),
        (
            stack("aa", cluster=ON, namespace="lab"),
            stack("platform", teams={"lab": {}}),
            'stack.namespace: "lab" is the name of a namespace of Pulumi.platform.yaml, too '
            "(stack.teams.lab), and there is one of a name; nearest: lab-2",
            {"namespace": "lab-2"},
        ),
        (
            stack("aa", cluster=ON, queues=_queues(namespaces=["lab"])),
            stack("platform", teams={"lab": {}}),
            'stack.queues.namespaces[0]: "lab" is the name of a namespace of Pulumi.platform.yaml, '
            "too (stack.teams.lab), and there is one of a name; nearest: lab-2",
            {"queues": _queues(namespaces=["lab-2"])},
        ),
        (
            stack("aa", **_between_slices("b-c")),
            stack("aa-b", **_between_slices("c")),
            'stack.name: "aa-b-c-net" is the name of a network of Pulumi.aa-b.yaml, too '
            "(stack.name), and there is one of a name; nearest: aa-2",
            {"name": "aa-2"},
        ),
        (
            stack("aa", redis={"name": "state"}, ray={"main": KEPT}),
            stack("bb", redis={"name": "state"}, ray={"main": KEPT}),
            'stack.redis.name: "state" is the name of a Redis instance of Pulumi.bb.yaml, too '
            "(stack.redis.name), and there is one of a name; nearest: state-2",
            {"redis": {"name": "state-2"}},
        ),
    ],
)
def test_a_name_that_both_would_take_is_told_with_one_that_is_free(
    tmp_path: Path, own: dict[str, Any], other: dict[str, Any], line: str, mended: dict[str, Any]
) -> None:
    assert told(tmp_path, own, other) == (line,)
    again = tmp_path / "again"
    again.mkdir()
    assert told(again, {**own, **mended}, other) == ()


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (stack("aa", buckets={"b-c": {}}), stack("aa-b", buckets={"d": {}})),
        (
            stack("aa", buckets={"b": {"existing": "ours", "hierarchical_namespace": False}}),
            stack("bb", buckets={"b": {"existing": "ours", "hierarchical_namespace": False}}),
        ),
        (
            stack("mine", cluster={"name": "theirs", "location": "zonal"}),
            stack("theirs", cluster={"location": "regional"}),
        ),
        # Pools of clusters of their own, and of one cluster with names that differ.
        (stack("aa", pools={"b-c": CPU}), stack("aa-b", pools={"c": CPU})),
        (stack("aa", cluster=ON), stack("bb", cluster=ON)),
        # Objects of one name in clusters of their own, and in namespaces of their own.
        (stack("aa", queues={}, ray={"main": RAY}), stack("bb", queues={}, ray={"main": RAY})),
        (
            stack("aa", cluster=ON, ray={"main": RAY}),
            stack("bb", cluster=ON, namespace="lab", ray={"main": RAY}),
        ),
        # What is wrong with the other file is told there.
        (stack("aa", buckets={"b-c": {}}), stack("aa-b", buckets={"c": {}}, kind="x")),
        (
            stack("aa", buckets={"b-c": {}}),
            stack("aa-b", buckets={"c": {}}, jobs={"j": {"type": "maxtext", "ray": "none"}}),
        ),
        (
            stack("aa", buckets={"b-c": {}}),
            {
                "name": "aa-b",
                "pools": {"x": {**CPU, "machine_type": "none-1"}},
                "buckets": {"c": {}},
            },
        ),
    ],
)
def test_what_differs_or_cannot_be_read_is_no_clash(
    tmp_path: Path, own: dict[str, Any], other: dict[str, Any]
) -> None:
    assert told(tmp_path, own, other) == ()


THERE = {"existing": {"name": "theirs", "location": "us-central1"}}
HELM = {"ray_operator": "helm"}


@pytest.mark.parametrize(
    ("own", "others", "line"),
    [
        (
            stack("aa", cluster=ON, queues=_queues("a")),
            [stack("bb", cluster=ON, queues=_queues("b")), stack("platform")],
            "stack.queues: kueue is in the cluster once, and Pulumi.bb.yaml would install it, too; "
            "nearest: queues in the file of the platform, which installs it",
        ),
        (
            stack("aa", cluster=THERE, queues=_queues("a")),
            [stack("bb", cluster=THERE, queues=_queues("b"))],
            "stack.queues: kueue is in the cluster once, and Pulumi.bb.yaml would install it, too; "
            "nearest: cluster.existing.operators: [kueue], once its owner has installed it",
        ),
        (
            stack("aa", cluster={**ON, **HELM}, ray={"a": RAY}),
            [stack("bb", cluster={**ON, **HELM}, ray={"b": RAY}), stack("platform")],
            "stack.cluster.ray_operator: kuberay is in the cluster once, and Pulumi.bb.yaml would "
            "install it, too; nearest: cluster.ray_operator: helm in the file of the platform, "
            "which installs it",
        ),
    ],
)
def test_what_two_stacks_would_install_in_one_cluster_is_told(
    tmp_path: Path, own: dict[str, Any], others: list[dict[str, Any]], line: str
) -> None:
    assert told(tmp_path, own, *others) == (line,)


@pytest.mark.parametrize(
    "others",
    [
        # It has what both use.
        [stack("bb", cluster=ON, queues=_queues("b")), stack("platform", queues=_queues("p"))],
        # Of one whose file is not here nothing is known.
        [stack("bb", cluster=ON, queues=_queues("b"))],
        [stack("bb", cluster=ON), stack("platform")],
        [stack("bb", queues=_queues("b")), stack("platform")],
    ],
)
def test_an_operator_that_one_stack_installs_is_told_to_none(
    tmp_path: Path, others: list[dict[str, Any]]
) -> None:
    assert told(tmp_path, stack("aa", cluster=ON, queues=_queues("a")), *others) == ()


def test_a_name_that_is_wholly_taken_is_told_once(tmp_path: Path) -> None:
    around = beside(tmp_path, stack("mine"), {**stack("theirs"), "name": "mine-2"})
    taken = Beside("mine", tuple(around.others))
    with pytest.raises(ConfigError) as found:
        validate({**stack("mine-2"), **PLACE}, beside=taken)
    assert len(found.value.lines) == 1


OF_GRAPHS = {
    "bucket": ("storage/bucket:Bucket", "name"),
    "cluster": ("container/cluster:Cluster", "name"),
    "Lustre instance": ("lustre/instance:Instance", "instanceId"),
    "network": ("compute/network:Network", "name"),
    "node pool": ("container/nodePool:NodePool", "name"),
    **{
        kind: (f":{kind}", "metadata")
        for kind in ("ClusterQueue", "LocalQueue", "PriorityClass", "RayCluster", "ResourceFlavor")
    },
}


@pytest.mark.parametrize("preset", ["b200-lustre", "tpu-multislice", "dev", "lab", "kueue-mixed"])
def test_the_names_are_those_of_the_graph(register: Register, preset: str) -> None:
    plan: Plan = validate(stack_config(preset), secrets_set=SECRETS)
    made = built(register, preset, keys=tuple(sorted(SECRETS)))
    for kind, (suffix, name) in OF_GRAPHS.items():
        inputs = [it.inputs[name] for it in made.of_type(suffix)]
        registered = sorted(it["name"] if name == "metadata" else it for it in inputs)
        assert sorted(it.name for it in all_names(plan, preset) if it.kind == kind) == registered


def test_the_presets_take_no_names_of_each_other() -> None:
    root = Path(__file__).parents[2]
    for file in sorted(root.glob("Pulumi.*.yaml")):
        called = file.name.removeprefix("Pulumi.").removesuffix(".yaml")
        config = stack_config(called)
        around = names_beside(root, called, KEY, config["project"], config["project"])
        assert around != NOBODY
        validate(config, secrets_set=SECRETS, beside=around)
