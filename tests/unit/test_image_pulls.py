"""What pods wait for images in the simulation: since when a pull goes on, and by which way. Cannot
prove how long any of it takes on Google Cloud."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.durations import RAY_CLUSTER, Durations
from sandbox.clock import Span
from sandbox.image_pulls import (
    DAEMON_SET,
    POOL,
    PULL,
    REPOSITORY,
    Pulls,
    disk_urn,
    pull_urn,
)
from sandbox.planned_pulls import with_pulls, without_pulls
from sandbox.schedule import TimedStep, critical_path

RAY = RAY_CLUSTER
NEAR = "us-east1-docker.pkg.dev/p/hub/a:1"
SECONDS = Durations.load()
PULLED, STREAMED, DISK = (
    SECONDS.seconds(PULL, "create", {"way": it}) for it in ("pulled", "streamed", "disk")
)


def urn(token: str, name: str) -> str:
    return f"urn:pulumi:s::p::{token}::{name}"


def pool(name: str = "gpu", *, streams: bool = True) -> dict[str, Any]:
    return {"name": name, "nodeConfig": {"gcfsConfig": {"enabled": streams}}}


def with_disk(name: str = "gpu") -> dict[str, Any]:
    made = pool(name)
    disk = {"diskImage": "projects/p/global/images/i", "mode": "CONTAINER_IMAGE_CACHE"}
    accelerators = [{"type": "nvidia-b200", "count": 8}] if name == "gpu" else []
    made["nodeConfig"] |= {"secondaryBootDisks": [disk], "guestAccelerators": accelerators}
    return made


def preload(image: str = NEAR) -> dict[str, Any]:
    names = ["cpu", "gpu"]
    chosen = {"key": "cloud.google.com/gke-nodepool", "operator": "In", "values": names}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [chosen]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    pods = {
        "affinity": {"nodeAffinity": required},
        "initContainers": [{"image": image}],
        "containers": [{"image": "gke.gcr.io/pause:3.8"}],
    }
    note = {"annotations": {"pulumi.com/skipAwait": "true"}}
    return {"metadata": note, "spec": {"template": {"spec": pods}}}


def ray(image: str = NEAR) -> dict[str, Any]:
    return {"spec": {"headGroupSpec": {"template": {"containers": [{"image": image}]}}}}


def ray_on_both() -> dict[str, Any]:
    """The head on the CPU pool, workers on that with GPUs."""
    worker = {
        "nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-b200"},
        "containers": [{"image": NEAR}],
    }
    head = {
        "nodeSelector": {"cloud.google.com/gke-nodepool": "cpu"},
        "containers": [{"image": NEAR}],
    }
    return {"spec": {"headGroupSpec": {"template": head}, "workerGroupSpecs": [worker]}}


def mirror() -> dict[str, Any]:
    return {"project": "p", "location": "us-east1", "repositoryId": "hub"}


CPU, GPU = urn(POOL, "cpu"), urn(POOL, "gpu")
BEFORE, CLUSTER = urn(DAEMON_SET, "images"), urn(RAY, "ray")
HUB, LUSTRE = urn(REPOSITORY, "hub"), urn("gcp:lustre/instance:Instance", "lustre")


def at_once(_: str) -> float:
    return 1.0


def test_a_pull_begins_when_the_machines_stand() -> None:
    pulls = Pulls(SECONDS)
    pulls.came(HUB, mirror(), 10)
    pulls.came(BEFORE, preload(), 100)
    pulls.came(GPU, pool(), 200)
    assert pulls.wanted(CLUSTER, ray(), 300, at_once) == [(pull_urn(GPU), Span(200, 200 + PULLED))]


def test_slices_pull_what_is_preloaded_onto_their_topology() -> None:
    daemon_set = preload()
    (term,) = daemon_set["spec"]["template"]["spec"]["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]
    term["matchExpressions"] = [
        {"key": "cloud.google.com/gke-tpu-accelerator", "operator": "In", "values": ["tpu-v6e"]},
        {"key": "cloud.google.com/gke-tpu-topology", "operator": "In", "values": ["4x4"]},
    ]
    pulls = Pulls(SECONDS)
    pulls.came(BEFORE, daemon_set, 100)
    pulls.came(CPU, {**pool("cpu"), "placementPolicy": {"tpuTopology": "2x4"}}, 150)
    pulls.came(GPU, {**pool(), "placementPolicy": {"tpuTopology": "4x4"}}, 200)
    assert [urn for urn, _ in pulls.wanted(CLUSTER, ray(), 300, at_once)] == [pull_urn(GPU)]


def test_without_a_preload_it_begins_when_the_pods_come() -> None:
    pulls = Pulls(SECONDS)
    pulls.came(GPU, pool(), 200)
    image = "nvcr.io/a:1"
    assert pulls.wanted(CLUSTER, ray(image), 300, at_once) == [
        (pull_urn(CLUSTER), Span(300, 300 + PULLED))
    ]


def test_what_a_mirror_has_streams_and_what_a_new_one_has_not_does_not() -> None:
    pulls = Pulls(SECONDS)
    pulls.stand([{"urn": HUB, "inputs": mirror()}])
    pulls.came(GPU, pool(), 200)
    (found,) = pulls.wanted(CLUSTER, ray(), 300, at_once)
    assert found == (pull_urn(CLUSTER), Span(300, 300 + STREAMED))
    pulls.came(HUB, mirror(), 300)
    (found,) = pulls.wanted(CLUSTER, ray(), 300, at_once)
    assert found == (pull_urn(CLUSTER), Span(300, 300 + PULLED))


def test_images_are_on_nodes_that_stood_before_until_these_are_others() -> None:
    pulls = Pulls(SECONDS)
    pulls.stand([{"urn": HUB, "inputs": mirror()}])
    pulls.stand([{"urn": BEFORE, "inputs": preload()}])
    pulls.stand([{"urn": GPU, "inputs": pool(streams=False)}])
    assert pulls.wanted(CLUSTER, ray(), 5, at_once) == []
    pulls.came(GPU, pool(streams=False), 10)
    assert pulls.wanted(CLUSTER, ray(), 20, at_once) == [(pull_urn(GPU), Span(10, 10 + PULLED))]


def test_what_nodes_pulled_through_a_new_mirror_streams_onto_those_that_come_after() -> None:
    pulls = Pulls(SECONDS)
    pulls.came(HUB, mirror(), 10)
    pulls.came(BEFORE, preload(), 100)
    pulls.came(CPU, pool("cpu"), 200)
    pulls.came(GPU, pool(), 200 + PULLED)
    assert dict(pulls.wanted(CLUSTER, ray(), 1000, at_once)) == {
        pull_urn(CPU): Span(200, 200 + PULLED),
        pull_urn(GPU): Span(200 + PULLED, 200 + PULLED + STREAMED),
    }


@pytest.mark.parametrize("first", [{"streams": False}, {}])
def test_nothing_streams_while_others_still_pull_nor_from_what_does_not_stream(
    first: dict[str, bool],
) -> None:
    pulls = Pulls(SECONDS)
    pulls.came(HUB, mirror(), 10)
    pulls.came(BEFORE, preload(), 100)
    pulls.came(CPU, pool("cpu", **first), 200)
    comes = 200 + PULLED - (0 if first else 1)
    pulls.came(GPU, pool(), comes)
    found = dict(pulls.wanted(CLUSTER, ray(), 1000, at_once))
    assert found[pull_urn(GPU)] == Span(comes, comes + PULLED)


def test_what_is_on_a_disk_is_read_when_the_pods_come_and_nothing_is_pulled() -> None:
    pulls = Pulls(SECONDS)
    pulls.came(HUB, mirror(), 10)
    pulls.came(CPU, with_disk("cpu"), 200)
    pulls.came(GPU, with_disk(), 200)
    # Of another pool, which none of these pods is on.
    pulls.came(urn(POOL, "more"), pool("more", streams=False), 200)
    assert pulls.wanted(CLUSTER, ray_on_both(), 900, at_once) == [
        (disk_urn(CLUSTER), Span(900, 900 + DISK))
    ]


def test_the_pods_of_other_pools_still_wait_for_their_own_pull() -> None:
    pulls = Pulls(SECONDS)
    pulls.came(HUB, mirror(), 10)
    pulls.came(BEFORE, preload(), 100)
    pulls.came(CPU, pool("cpu"), 200)
    only_head = dict(pulls.wanted(CLUSTER, ray_on_both(), 900, at_once))
    assert only_head == {pull_urn(CPU): Span(200, 200 + PULLED)}
    pulls = Pulls(SECONDS)
    pulls.came(HUB, mirror(), 10)
    pulls.came(CPU, pool("cpu"), 200)
    pulls.came(GPU, with_disk(), 200)
    assert dict(pulls.wanted(CLUSTER, ray_on_both(), 900, at_once)) == {
        disk_urn(CLUSTER): Span(900, 900 + DISK),
        pull_urn(CLUSTER): Span(900, 900 + PULLED),
    }


def test_what_begins_with_the_pods_comes_after_what_they_wait_for() -> None:
    pulls = Pulls(SECONDS)
    pulls.came(GPU, with_disk(), 200)
    pulls.wanted(CLUSTER, ray(), 900, at_once)
    found = pulls.beside({CLUSTER: {GPU, LUSTRE}})
    assert found[disk_urn(CLUSTER)] == {GPU, LUSTRE}
    assert found[CLUSTER] == {GPU, LUSTRE, disk_urn(CLUSTER)}


def test_pods_whose_selector_is_not_known_yet_are_where_their_values_are_from() -> None:
    steps = [TimedStep(it, "create", 200) for it in (CPU, GPU)]
    steps.append(TimedStep(CLUSTER, "create", 55))
    unknown = ray()
    unknown["spec"]["headGroupSpec"]["template"]["nodeSelector"] = "unknown"
    inputs = {CPU: pool("cpu"), GPU: with_disk(), CLUSTER: unknown}
    waits = {CLUSTER: {CPU, GPU}}
    _, _, known = with_pulls(steps, waits, inputs, SECONDS, {CLUSTER: {GPU, LUSTRE}})
    assert disk_urn(CLUSTER) in known
    assert pull_urn(CLUSTER) not in known
    _, _, known = with_pulls(steps, waits, inputs, SECONDS, {CLUSTER: {CPU, GPU}})
    assert {disk_urn(CLUSTER), pull_urn(CLUSTER)} <= known.keys()


def test_a_preview_counts_a_disk_as_a_run_does() -> None:
    steps = [TimedStep(it, "create", 200) for it in (HUB, CPU, GPU)]
    steps.append(TimedStep(CLUSTER, "create", 55))
    inputs = {
        HUB: mirror(),
        CPU: with_disk("cpu"),
        GPU: with_disk(),
        CLUSTER: ray_on_both(),
    }
    found, waits, known = with_pulls(steps, {CLUSTER: {GPU, CPU}}, inputs, SECONDS)
    assert critical_path(found, waits).seconds == 200 + DISK + 55
    assert known[disk_urn(CLUSTER)] == {"way": "disk"}
    assert pull_urn(CLUSTER) not in known


def test_a_preview_counts_what_a_run_takes() -> None:
    steps = [
        TimedStep(HUB, "create", 10),
        TimedStep(BEFORE, "create", 1),
        TimedStep(GPU, "create", 200),
        TimedStep(CLUSTER, "create", 55),
    ]
    inputs = {HUB: mirror(), BEFORE: preload(), GPU: pool(), CLUSTER: ray()}
    found, waits, known = with_pulls(steps, {CLUSTER: {GPU}}, inputs, SECONDS)
    assert critical_path(found, waits).seconds == 200 + PULLED + 55
    assert known[pull_urn(GPU)] == {"way": "pulled", "first": [NEAR]}
    own, waits, _ = with_pulls(steps[2:], {CLUSTER: {GPU}}, {GPU: pool(), CLUSTER: ray()}, SECONDS)
    assert critical_path(own, waits).seconds == 200 + STREAMED + 55


def test_a_preview_knows_what_streams_by_then() -> None:
    steps = [
        TimedStep(HUB, "create", 10),
        TimedStep(BEFORE, "create", 1),
        TimedStep(CPU, "create", 150),
        TimedStep(LUSTRE, "create", 150 + PULLED),
        TimedStep(GPU, "create", 150),
        TimedStep(CLUSTER, "create", 55),
    ]
    inputs = {HUB: mirror(), BEFORE: preload(), CPU: pool("cpu"), GPU: pool(), CLUSTER: ray()}
    late = {CLUSTER: {CPU, GPU}, GPU: {LUSTRE}}
    found, waits, known = with_pulls(steps, late, inputs, SECONDS)
    assert critical_path(found, waits).seconds == 300 + PULLED + STREAMED + 55
    assert known[pull_urn(GPU)] == {"way": "streamed"}
    early, _, known = with_pulls(steps, {CLUSTER: {CPU, GPU}}, inputs, SECONDS)
    assert known[pull_urn(GPU)]["way"] == "pulled"
    planned = without_pulls(found, waits)
    assert planned[0] == without_pulls(early, {})[0] == steps
    assert planned[1][CLUSTER] == {CPU, GPU}
