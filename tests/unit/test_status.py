"""What `status` says is missing of a stack, what it costs, and who uses it: over small samples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pytest

from aistack.status.holdings import Use, Waiting, holdings, uses, waiting
from aistack.status.pools import pools
from aistack.status.queues import queues
from aistack.status.readiness import Readiness, State, readiness
from aistack.status.report import report
from aistack.status.show import show_report
from aistack.status.snapshot import Snapshot, records
from aistack.status.spending import spending
from aistack.status.teams import notes_of_teams
from catalog import Catalog
from kube.kinds import (
    CLUSTER_QUEUE,
    CSI_DRIVER,
    DAEMON_SET,
    DEPLOYMENT,
    NETWORK,
    NODE,
    RESOURCE_SLICE,
)
from stacks.refusal import CLUSTER
from tests.unit.status_samples import (
    MACHINE,
    NOW,
    POOL,
    conditions,
    made,
    node,
    obj,
    pool,
    record,
    snapshot,
)

_RDMA = "networking.gke.io.networks/rdma-0"
_DRANET = {"cloud.google.com/gke-networking-dra-driver": "true"}
_AWAY = 'failed calling webhook "hook": failed to call webhook: Post "https://x": refused'
_CLAIM = made("core/v1:PersistentVolumeClaim", "data")
_VOLUME = made("core/v1:PersistentVolume", "data", csi={"driver": "lustre"})
_INSTALLER = made("apps/v1:DaemonSet", "gib", "kube-system")
_NETWORK = made("networking.gke.io/v1:Network", "rdma-0")
_UP = obj("rdma-0", status=conditions(Ready=("True", "")))
_KUEUE = {"containers": [{"image": "some.registry/mirror/kueue/kueue:v0.19.2@sha256:1"}]}


def _dranet(count: int) -> Snapshot:
    own = pool(networks=2, labels=_DRANET)
    devices = [{"name": str(number)} for number in range(count)]
    given = obj("slice", spec={"driver": "dra.net", "nodeName": "a", "devices": devices})
    return snapshot(own, seen={NODE: [node()], RESOURCE_SLICE: [given]})


def _installed(ready: int) -> dict[str, Any]:
    status = {"desiredNumberScheduled": 2, "numberReady": ready}
    return obj("gib", "kube-system", status=status)


def _operator(ready: int) -> Snapshot:
    controller = obj(
        "manager",
        "kueue-system",
        spec={"template": {"spec": _KUEUE}},
        status={"readyReplicas": ready},
    )
    return snapshot(seen={DEPLOYMENT: [controller]}, outputs={"operators": ["kueue"]})


def _queue(state: str) -> dict[str, Any]:
    return obj("lab", status=conditions(Active=(state, "a flavor is missing")))


MISSING: dict[str, tuple[str, Snapshot, str]] = {
    "too few nodes": (
        "nodes",
        snapshot(pool(2), seen={NODE: [node()]}),
        "has 1 of the 2 nodes that it wants",
    ),
    "a sick node": (
        "nodes",
        snapshot(pool(), seen={NODE: [node(ready="False")]}),
        "node a is not ready: the runtime is down.",
    ),
    "a cordoned node": (
        "nodes",
        snapshot(pool(), seen={NODE: [node(unschedulable=True)]}),
        "is cordoned",
    ),
    "a node without devices": (
        "devices",
        snapshot(pool(), seen={NODE: [node("a", {"nvidia.com/gpu": "0"})]}),
        "offers none of its accelerators",
    ),
    "no installer": ("drivers", snapshot(_INSTALLER), "kube-system/gib is not there"),
    "an installer that is not done": (
        "drivers",
        snapshot(_INSTALLER, seen={DAEMON_SET: [_installed(1)]}),
        "gib is installed on 1 of 2 nodes",
    ),
    "no driver of volumes": ("drivers", snapshot(_VOLUME), "driver lustre"),
    "no network": ("interfaces", snapshot(_NETWORK), "network rdma-0 is not there"),
    "a network that is not ready": (
        "interfaces",
        snapshot(
            _NETWORK,
            seen={NETWORK: [obj("rdma-0", status=conditions(Ready=("False", "no subnetwork")))]},
        ),
        "network rdma-0 is not ready: no subnetwork.",
    ),
    "a network of which nothing is said": (
        "interfaces",
        snapshot(_NETWORK, seen={NETWORK: [obj("rdma-0")]}),
        "its controller has said nothing of it",
    ),
    "an interface too few": (
        "interfaces",
        snapshot(
            pool(networks=2),
            _NETWORK,
            seen={NODE: [node("a", {_RDMA: "1", f"{_RDMA}.IP": "1"})], NETWORK: [_UP]},
        ),
        "node a offers 1 of its 2 interfaces",
    ),
    "a device of DRANET too few": ("interfaces", _dranet(1), "offers 1 of its 2 interfaces"),
    "no controller": ("controllers", snapshot(outputs={"operators": ["kueue"]}), "is not there"),
    "a controller without pods": ("controllers", _operator(0), "kueue-system/manager, has no pod"),
    "a webhook that is away": (
        "webhooks",
        snapshot(refusals={"Pod": "", "Job": _AWAY, "JobSet": _AWAY}),
        "The webhook hook does not answer (refused): no Job, JobSet can be made.",
    ),
    "a queue that is inactive": (
        "queues",
        snapshot(seen={CLUSTER_QUEUE: [_queue("False")]}),
        "cluster queue lab admits nothing: a flavor is missing.",
    ),
    "a door that is closed": (
        "queues",
        snapshot(local_queues=[_queue("False")]),
        "queue default/lab lets nothing in",
    ),
    "no claim": ("storage", snapshot(_CLAIM), "claim default/data is not there"),
    "a claim without a volume": (
        "storage",
        snapshot(_CLAIM, claims=[obj("data", status={"phase": "Pending"})]),
        "has no volume: it is Pending",
    ),
}
READY = snapshot(
    pool(networks=2),
    _INSTALLER,
    _VOLUME,
    _NETWORK,
    _CLAIM,
    seen={
        NODE: [node("a", {_RDMA: "1", "networking.gke.io.networks/rdma-1": "1"})],
        NETWORK: [_UP],
        DAEMON_SET: [_installed(2)],
        CSI_DRIVER: [obj("lustre")],
        DEPLOYMENT: _operator(1).seen(DEPLOYMENT),
        CLUSTER_QUEUE: [_queue("True")],
    },
    outputs={"operators": ["kueue"], "bucket_url": {"a": "gs://a", "b": "gs://b"}},
    claims=[obj("data", status={"phase": "Bound"})],
    local_queues=[_queue("True")],
    refusals={"Pod": 'jobs "x" is forbidden: exceeded quota'},
)


def _of(area: str, it: Snapshot) -> Readiness:
    (found,) = (one for one in readiness(it) if one.area == area)
    return found


@pytest.mark.parametrize(("area", "it", "words"), MISSING.values(), ids=MISSING)
def test_what_is_missing_is_said_in_a_sentence(area: str, it: Snapshot, words: str) -> None:
    found = _of(area, it)
    assert found.state is State.NOT_READY
    (sentence,) = found.missing
    assert words in sentence
    assert sentence.endswith(".")
    assert not report(it).is_ready


def test_a_stack_with_all_that_it_has_is_ready_in_every_area() -> None:
    found = report(READY)
    assert {it.state for it in found.readiness} == {State.READY}
    assert {it.area for it in found.readiness} == {area for area, _, _ in MISSING.values()}
    assert found.is_ready
    assert found.storage == {"bucket": ["gs://a", "gs://b"]}
    assert found.versions == {"kubernetes": "v1.35.4", "kueue": "v0.19.2"}


def test_the_ray_operator_may_be_gkes_own() -> None:
    def shown(*, enabled: bool) -> Mapping[str, str]:
        addons = {"rayOperatorConfigs": [{"enabled": enabled}]}
        return report(snapshot(record(CLUSTER, {"addonsConfig": addons}))).versions

    assert shown(enabled=True)["kuberay"] == "GKE's add-on"
    assert "kuberay" not in shown(enabled=False)


def test_of_what_the_user_may_not_see_nothing_is_said() -> None:
    unseen = snapshot(pool(2), _INSTALLER, seen={NODE: None, DAEMON_SET: None}, refusals=None)
    for area in ("nodes", "devices", "drivers", "webhooks"):
        assert _of(area, unseen) == Readiness(area, State.HIDDEN, ())
    (own,) = pools(unseen, Catalog.load())
    assert (own.least, own.there, own.healthy) == (2, None, None)
    assert report(unseen).is_ready


def test_a_dranet_node_with_all_its_devices_is_ready() -> None:
    assert _of("interfaces", _dranet(2)).state is State.READY


def test_nodes_of_others_have_a_row_of_their_own() -> None:
    other = node("b")
    other["metadata"]["labels"] = {}
    own, theirs = pools(snapshot(pool(), seen={NODE: [node(), other]}), Catalog.load())
    assert (own.name, own.machine, own.least, own.there) == (POOL, MACHINE, 1, 1)
    assert (theirs.name, theirs.least, theirs.most, theirs.there) == ("", None, None, 1)


def _pod(job: str, node_name: str, gpus: int, **labels: str) -> dict[str, Any]:
    container = {"resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}
    found = obj(f"{job}-hash-1", spec={"nodeName": node_name, "containers": [container]})
    found["metadata"]["labels"] = {key.replace("_", "-"): it for key, it in labels.items()}
    found["metadata"]["ownerReferences"] = [{"name": f"{job}-hash", "controller": True}]
    return found


def test_accelerators_are_counted_by_the_job_that_has_them() -> None:
    train = _pod("x", "a", 2)
    train["metadata"]["labels"] = {"batch.kubernetes.io/job-name": "train"}
    other = {**train, "spec": {**train["spec"], "nodeName": "b"}}
    found = holdings(
        [train, other, _pod("chat", "a", 1, pod_template_hash="hash"), _pod("y", "a", 0)]
    )
    assert uses(found) == [
        Use(namespace="default", job="train", accelerators=4, nodes=2),
        Use(namespace="default", job="chat", accelerators=1, nodes=1),
    ]
    (own,) = pools(snapshot(pool(), seen={NODE: [node()]}, holdings=found), Catalog.load())
    assert (own.accelerators, own.in_use) == (2, 3)


def test_pods_without_a_node_are_told_with_what_they_wait_for_and_gated_ones_are_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    workers = [_pod("ray", "", 8) for _ in range(2)]
    for it in workers:
        it["metadata"]["labels"] = {"ray.io/cluster": "train"}
    gated = _pod("held", "", 4)
    gated["spec"]["schedulingGates"] = [{"name": "kueue.x-k8s.io/topology"}]
    pods = [*workers, gated, _pod("runs", "a", 1)]
    found = waiting(pods)
    assert found == [Waiting(namespace="default", job="train", pods=2, accelerators=16)]
    assert [it.job for it in holdings(pods)] == ["runs-hash"]
    show_report(report(snapshot(pool(), seen={NODE: [node()]}, waiting=found)), NOW)
    said = " ".join(capsys.readouterr().out.split())
    assert "waits for nodes: default/train with 2 pods for 16 accelerators; `aistack why`" in said


def test_cost_is_of_the_nodes_that_are_there_for_as_long_as_they_are() -> None:
    def cost(*nodes: dict[str, Any], most: int = 9) -> tuple[float, float]:
        found = spending(snapshot(pool(most=most), seen={NODE: nodes}), Catalog.load())
        return found.hourly.low, found.spent.low

    hourly, spent = cost(node(hours=3))
    assert spent == pytest.approx(3 * hourly)
    assert cost(node(hours=3), node("b", hours=1)) == pytest.approx((2 * hourly, 4 * hourly))
    assert cost() == (0, 0)


def test_cost_is_by_the_bounds_of_pools_for_who_sees_no_nodes() -> None:
    found = spending(snapshot(pool(1, most=3), seen={NODE: None}), Catalog.load())
    assert found.by_bounds
    assert found.hourly.high == pytest.approx(3 * found.hourly.low)
    assert found.spent.low == pytest.approx(10 * found.hourly.low)


def test_accelerators_without_a_price_stand_beside_what_is_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    flex = pool(most=2, machineType="a3-ultragpu-8g", flexStart=True)
    found = report(snapshot(flex, seen={NODE: [node(hours=3)]}))
    assert found.spending.unpriced == ["1 x a3-ultragpu-8g (8 H200)"]
    json.dumps(asdict(found.spending), default=str)
    show_report(found, NOW)
    said = " ".join(capsys.readouterr().out.split())
    assert "USD an hour, and 1 x a3-ultragpu-8g (8 H200) of unknown price, and has cost at" in said
    assert "one a3-ultragpu-8g costs 50.87 USD an hour on spot, 59.36 in calendar mode, " in said
    assert "84.81 on demand; not in it" in said


def test_machines_that_stay_after_their_jobs_are_told_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stays = "2 x ct6e-standard-4t stay after job train, at 21.60 USD an hour"
    show_report(report(snapshot(outputs={"machines_after_jobs": [stays]})), NOW)
    assert stays in " ".join(capsys.readouterr().out.split())
    show_report(report(snapshot()), NOW)
    assert "stay after" not in capsys.readouterr().out


def test_what_has_no_price_is_named_and_counts_for_nothing() -> None:
    bucket = record("gcp:storage/bucket:Bucket", {}, "data")
    found = spending(snapshot(bucket), Catalog.load())
    assert (found.hourly.high, found.spent.high) == (0, 0)
    assert found.unknown
    assert all(it.startswith("data: ") for it in found.unknown)


def test_what_a_stack_has_cost_says_how_old_its_prices_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    spot = pool(most=2, machineType="g2-standard-8", spot=True)
    found = report(snapshot(spot, seen={NODE: [node(hours=3)]}))
    show_report(found, NOW)
    said = " ".join(capsys.readouterr().out.split())
    assert f"at {found.spending.prices}; of the nodes that are there" in said
    assert "spot prices may change any day" in found.spending.prices


def test_a_queue_shows_what_is_had_of_what_it_may_give_and_who_waits() -> None:
    resources = [{"name": "nvidia.com/gpu", "nominalQuota": "8"}]
    flavors = [{"name": "l4", "resources": resources}]
    usage = [{"name": "nvidia.com/gpu", "total": "10", "borrowed": "2"}]
    status = {
        **conditions(Active=("True", "")),
        "pendingWorkloads": 3,
        "flavorsReservation": [{"name": "l4", "resources": usage}],
    }
    whole = obj("lab", spec={"resourceGroups": [{"flavors": flavors}]}, status=status)
    (queue,) = queues(snapshot(seen={CLUSTER_QUEUE: [whole]}))
    (quota,) = queue.quotas
    assert (queue.name, queue.active, queue.waiting) == ("lab", True, 3)
    assert (quota.most, quota.used, quota.borrowed) == ("8", "10", "2")
    assert quota.may_borrow == "0"
    (door,) = queues(snapshot(seen={CLUSTER_QUEUE: None}, local_queues=[obj("own", status=status)]))
    (had,) = door.quotas
    assert (door.name, had.most, had.used) == ("default/own", "", "10")


@pytest.mark.parametrize(("limit", "shown"), [({}, "no limit"), ({"borrowingLimit": "4"}, "4")])
def test_a_queue_of_a_cohort_shows_how_much_it_may_borrow(
    capsys: pytest.CaptureFixture[str], limit: dict[str, str], shown: str
) -> None:
    resources = [{"name": "nvidia.com/gpu", "nominalQuota": "8", **limit}]
    groups = [{"flavors": [{"name": "l4", "resources": resources}]}]
    queue = obj(
        "lab",
        spec={"cohortName": "all", "resourceGroups": groups},
        status=conditions(Active=("True", "")),
    )
    show_report(report(snapshot(seen={CLUSTER_QUEUE: [queue]})), NOW)
    assert f"8 {shown} 0" in " ".join(capsys.readouterr().out.split())


def test_a_team_shows_what_its_config_gives_it_and_what_it_has_of_its_quotas(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = "edit ada@example.com; pods as baseline; 5 GiB of volumes"
    made_quotas = [
        made("core/v1:ResourceQuota", "team", "vision", hard={"requests.nvidia.com/gpu": "4"}),
        made("core/v1:ResourceQuota", "storage", "vision", hard={"requests.storage": "5Gi"}),
        made("core/v1:ResourceQuota", "team", "audio", hard={"pods": "3"}),
    ]
    seen = [
        obj("team", "vision", status={"used": {"requests.nvidia.com/gpu": "2"}}),
        obj("gke-resource-quotas", "vision", status={"used": {"pods": "9"}}),
    ]
    outputs = {"teams": {"vision": given, "audio": "nobody"}}
    found = report(snapshot(*made_quotas, outputs=outputs, quotas=seen))
    vision, audio = found.teams
    assert (vision.name, vision.given) == ("vision", given)
    assert [(it.resource, it.most, it.used) for it in vision.bounds] == [
        ("requests.nvidia.com/gpu", "4", "2"),
        ("requests.storage", "5Gi", ""),
    ]
    assert [(it.resource, it.most, it.used) for it in audio.bounds] == [("pods", "3", "")]
    show_report(found, NOW)
    said = " ".join(capsys.readouterr().out.split())
    assert "requests.nvidia.com/gpu 4 2" in said
    assert "5 GiB of volumes" in said


@pytest.mark.parametrize("told", [5, True, "vision", ["vision"], None])
def test_a_state_that_has_no_teams_where_they_belong_shows_none(told: Any) -> None:
    assert notes_of_teams({"teams": told}) == {}
    assert report(snapshot(outputs={"teams": told})).teams == []


@pytest.mark.parametrize("hard", [5, "pods", ["pods"], None])
def test_a_quota_that_says_nothing_of_resources_bounds_none(hard: Any) -> None:
    quota = made("core/v1:ResourceQuota", "team", "vision", hard=hard)
    (team,) = report(snapshot(quota, outputs={"teams": {"vision": "nobody"}})).teams
    assert team.bounds == []


def test_resources_of_others_and_those_on_their_way_out_are_not_the_stacks() -> None:
    urn = record("gcp:storage/bucket:Bucket", {}, "data").urn
    own = {"urn": urn, "custom": True, "inputs": {"name": "a"}}
    others = [{**own, "external": True}, {**own, "delete": True}, {**own, "custom": False}]
    (found,) = records([own, *others])
    assert found.inputs == {"name": "a"}
    assert found.created is None
