"""A stack goes, or a part of it, while people's work is in its cluster: every kind of work, in a
team's namespace, in the stack's own, in a person's own and in `default`.

It shows what Kueue, KubeRay, JobSet and Kubernetes make of it. Of GKE's load balancers, gateways
and disks it shows the objects, and not what Google has behind them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import pytest

from cli.errors import UserError
from kube.errors import KubeError
from kube.kinds import CONFIG_MAP, JOB
from kube.objects import Ref, dig
from kube.people.work import READ, Work
from sandbox.of_stacks.people_runs import work_beside
from tests.kube.command_line import answered, asked
from tests.kube.conftest import LiveSandbox, eventually
from tests.parts.people_samples import (
    SAMPLES,
    cluster_queue,
    definitions,
    held_config_map,
    job,
    ray_cluster_on_redis,
    volume,
)
from tests.parts.plain_engine import alone, on_record, plain_destroy

STACK, SMALL = "lab", "dev"
TEAM, OWN, ADAS, DEFAULT = "serving", "elsewhere", "adas", "default"
IN_OWN = f"namespace={OWN}"
# The team has what people's work takes: a disk, and an address of its own.
GIVEN = (IN_OWN, f"teams.{TEAM}.storage_gib=100", f"teams.{TEAM}.load_balancers=true")
# By namespace the queue of the work in it; in `default` one that an administrator made.
QUEUES = {TEAM: "serving", OWN: "research", ADAS: "door", DEFAULT: "door"}
# The ClusterQueue of the small stack, on the engine's record.
QUEUE = "queues-cluster-queue-gpus"
GO_ALONG, STAY = (TEAM, OWN), (ADAS, DEFAULT)
EVERY_KIND = {SAMPLES[it]("", "")["kind"] for it in SAMPLES}
# The namespace is empty for a kind without namespaces.
_COMMAND = re.compile(
    r"^ *kubectl delete ([a-z0-9.-]+)/(\S+)(?: --namespace (\S+))?$", re.MULTILINE
)


def brought_up(live_sandbox: Callable[[str], LiveSandbox], *overrides: str) -> LiveSandbox:
    """The stack, with a namespace of a person's and doors to its queue from there."""
    live = live_sandbox(STACK)
    live.succeed("up", *overrides)
    server = live.server.acting_as("kubectl")
    server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ADAS}}, force=True)
    for definition in definitions():
        server.apply(definition, force=True)
    for namespace in STAY:
        server.apply(door(namespace), force=True)
    eventually(
        lambda: live.server.get(
            Ref(api_version="v1", kind="ServiceAccount", namespace=ADAS, name="default")
        ),
        bool,
    )
    eventually(lambda: _is_served(live), bool)
    return live


def _is_served(live: LiveSandbox) -> bool:
    """Of a kind the API server hears a moment after its definition."""
    try:
        for name in ("gateway", "snapshot"):
            live.server.apply(SAMPLES[name](ADAS, ""), dry_run=True)
    except KubeError:
        return False
    return True


def door(namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "door", "namespace": namespace},
        "spec": {"clusterQueue": "research"},
    }


def planted(live: LiveSandbox, namespaces: Iterable[str]) -> list[tuple[str, str]]:
    """Every kind of work in each of them: namespaces and names."""
    made: list[tuple[str, str]] = []
    for namespace in namespaces:
        for name, sample in SAMPLES.items():
            live.server.acting_as("kubectl").apply(sample(namespace, QUEUES[namespace]), force=True)
            made.append((namespace, name))
    return made


def runs(live: LiveSandbox, namespace: str) -> bool:
    """Whether some of the work in it holds a place in a queue, and pods have nodes."""
    workloads = [
        it
        for it in live.server.list("kueue.x-k8s.io/v1beta2", "Workload")
        if it["metadata"]["namespace"] == namespace
    ]
    return any(dig(it, "status", "admission") for it in workloads)


def stop(live: LiveSandbox, said: str) -> list[tuple[str, str]]:
    """Run the commands that a refusal says, as kubectl does, until all is gone."""
    read = (*READ, CONFIG_MAP)
    kinds = {f"{it.name.lower()}.{_group(it.api_version)}".rstrip("."): it for it in read}
    refs = [
        Ref(
            api_version=kinds[kind].api_version,
            kind=kinds[kind].name,
            namespace=namespace,
            name=name,
        )
        for kind, name, namespace in _COMMAND.findall(said)
    ]
    for ref in refs:
        live.server.delete(ref)
    eventually(lambda: [str(it) for it in refs if live.server.get(it)], lambda left: not left)
    return [(it.namespace, it.name) for it in refs]


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]


def places(works: Iterable[Work]) -> set[tuple[str, str]]:
    return {(it.namespace, it.name) for it in works}


def refused_destroy(live: LiveSandbox) -> str:
    """What it says, with nothing deleted."""
    before = live.state(), live.describe_everything()
    with pytest.raises(UserError) as caught:
        live.run("destroy")
    after = live.describe_everything()
    assert live.state() == before[0]
    assert after == before[1]
    return str(caught.value)


@pytest.fixture(scope="module")
def shared(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    """For tests that change the stack and leave it up."""
    return brought_up(live_sandbox, *GIVEN)


@pytest.fixture
def works(shared: LiveSandbox) -> Iterator[Callable[..., None]]:
    """Puts work into the cluster for one test."""
    made: list[Ref] = []

    def plant(*objects: dict[str, Any]) -> None:
        for it in objects:
            shared.server.acting_as("kubectl").apply(it, force=True)
            made.append(Ref.of(it))

    yield plant
    for it in made:
        shared.server.delete(it)
    eventually(lambda: [it for it in made if shared.server.get(it)], lambda left: not left)


def refused_change(live: LiveSandbox, *overrides: str) -> str:
    """What `up` says, as its preview does, with nothing changed."""
    before = live.state()
    shown, done = live.run("preview", *overrides), live.run("up", *overrides)
    assert not shown.ok
    assert not done.ok
    assert live.state() == before
    (said,) = done.report.diagnostics
    assert said in shown.report.diagnostics
    return said


def told_of(
    live: LiveSandbox, capsys: pytest.CaptureFixture[str], verb: Any, overrides: Collection[str]
) -> list[str]:
    """What is said of people's work."""
    capsys.readouterr()
    live.succeed(verb, *overrides)
    lines = capsys.readouterr().out.splitlines()
    begins = [place for place, it in enumerate(lines) if it.startswith("what people have")]
    return [it for place in begins for it in _indented(lines[place + 1 :])]


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for it in lines:
        if not it.startswith("  "):
            return
        yield it.strip()


def test_a_queue_that_people_are_in_is_not_taken_away(
    shared: LiveSandbox, works: Callable[..., None]
) -> None:
    works(job(ADAS, "door"))
    eventually(lambda: runs(shared, ADAS), bool)
    other = "queues.cluster_queues.research.flavors={h200: {}, l4: {gpus: 1}, cpu: {}}"
    shared.succeed("preview", *GIVEN, other, "queues.cluster_queues.research.order=[cpu, l4, h200]")
    without = (
        "queues.local_queues=[{name: research, cluster_queue: serving}, "
        "{name: serving, cluster_queue: serving}]",
        "queues.cluster_queues={serving: {flavors: {l4: {}, cpu: {}, h200: {}}}}",
        "teams.research.queue=serving",
    )
    said = refused_change(shared, *GIVEN, *without)
    assert f"Job {ADAS}/job, with 1 accelerator: is in the ClusterQueue research" in said
    assert f"kubectl delete job.batch/job --namespace {ADAS}" in said


def test_a_team_goes_with_its_work_and_says_whose(
    shared: LiveSandbox, works: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    mine = job(TEAM, "serving")
    works(mine, SAMPLES["claim"](TEAM, ""))
    eventually(lambda: runs(shared, TEAM), bool)
    gone = (IN_OWN, f"teams.{TEAM}=")
    expected = [
        f"PersistentVolumeClaim {TEAM}/claim, of the team {TEAM}: goes with the namespace {TEAM}",
        f"Job {TEAM}/job, of the team {TEAM}, with 1 accelerator: goes with the namespace {TEAM}",
    ]
    assert told_of(shared, capsys, "preview", gone) == expected
    assert told_of(shared, capsys, "up", gone) == expected
    assert shared.server.get(Ref.of(mine)) is None
    shared.succeed("up", *GIVEN)


def test_work_on_a_pool_that_is_made_anew_is_named_and_goes_on(
    shared: LiveSandbox, works: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    works(SAMPLES["deployment"](ADAS, ""))
    other = (*GIVEN, "pools.cpu.max_pods_per_node=64")

    def lines() -> list[str]:
        return told_of(shared, capsys, "preview", other)

    eventually(
        lines, lambda it: it == [f"Deployment {ADAS}/deployment: loses the nodes of cpu-pool"]
    )


def test_a_job_that_was_submitted_says_by_whom(
    shared: LiveSandbox, works: Callable[..., None], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "Ada.L")
    file = tmp_path / "train.py"
    file.write_text("print('step 1')\n")
    found = answered(
        shared,
        "submit",
        str(file),
        "--name",
        "train",
        "--team",
        TEAM,
        "--image",
        "python:3.12-slim",
        "--cpu",
        "1",
        "--memory",
        "2",
        "--pool",
        "l4",
        "--gpus",
        "1",
    )
    assert found["job"]["submitter"] == "ada-l"
    (shown,) = answered(shared, "work")["work"]
    assert (shown["namespace"], shown["team"], shown["submitter"]) == (TEAM, TEAM, "ada-l")
    assert (shown["accelerators"], shown["stop_first"]) == (1, False)
    assert shown["destroy"] == f"goes with the namespace {TEAM}"
    done = asked(shared, "work")
    assert "ada-l" in done.stdout
    assert asked(shared, "cancel", "train").returncode == 0
    eventually(lambda: work_beside(shared.workspace), lambda it: not it)


def test_an_engine_that_nobody_asks_first_ends_with_the_cluster_what_others_have_in_its_queues(
    live_sandbox: Callable[[str], LiveSandbox],
) -> None:
    """And where the cluster stays, it leaves their work and the queue alone."""
    live = live_sandbox(SMALL)
    live.succeed("up")
    server = live.server.acting_as("kubectl")
    server.apply(job(DEFAULT, "lq"), force=True)
    server.apply(cluster_queue("l4"), force=True)
    eventually(lambda: runs(live, DEFAULT), bool)

    result = plain_destroy(live, alone(live, QUEUE))
    assert not result.ok
    assert "ClusterQueue gpus is not gone" in " ".join(result.report.diagnostics)
    assert runs(live, DEFAULT)
    assert QUEUE in on_record(live)

    said = refused_destroy(live)
    assert f"Job {DEFAULT}/job, with 1 accelerator: is in the ClusterQueue gpus" in said
    assert "ClusterQueue theirs: uses the ResourceFlavor l4, which cannot go while" in said
    assert "kubectl delete clusterqueue.kueue.x-k8s.io/theirs\n" in f"{said}\n"

    result = plain_destroy(live)
    assert result.ok, result.report.diagnostics
    assert result.cloud == {}


def test_somebodys_queue_keeps_a_flavor_that_a_change_takes_away(
    shared: LiveSandbox, works: Callable[..., None]
) -> None:
    works(cluster_queue("cpu"))
    renamed = (
        "queues.flavors={h200: {pool: h200}, l4: {pool: l4}, processors: {pool: cpu}}",
        "queues.cluster_queues.research.flavors={h200: {}, l4: {gpus: 2}, processors: {}}",
        "queues.cluster_queues.research.order=[processors, l4, h200]",
        "queues.cluster_queues.serving.flavors={l4: {gpus: 2}, processors: {}}",
        "queues.cluster_queues.serving.order=[processors, l4]",
    )
    said = refused_change(shared, *GIVEN, *renamed)
    assert "ClusterQueue theirs: uses the ResourceFlavor cpu, which cannot go while" in said
    assert "kubectl delete clusterqueue.kueue.x-k8s.io/theirs" in said


def test_an_object_of_any_kind_that_a_namespace_would_wait_for_is_named_and_let_go(
    shared: LiveSandbox, works: Callable[..., None]
) -> None:
    held = held_config_map(TEAM)
    works(held)
    said = refused_change(shared, IN_OWN, f"teams.{TEAM}=")
    assert f"ConfigMap {TEAM}/held, of the team {TEAM}: nobody takes its finalizer" in said
    assert f"kubectl delete configmap/held --namespace {TEAM}" in said
    shared.server.delete(Ref.of(held))
    said = refused_change(shared, IN_OWN, f"teams.{TEAM}=")
    assert f"kubectl patch configmap/held --namespace {TEAM} --type merge" in said
    held["metadata"]["finalizers"] = []
    shared.server.acting_as("kubectl").apply(held, force=True)
    eventually(lambda: work_beside(shared.workspace), lambda it: not it)


def test_a_claim_says_that_its_disk_stays(shared: LiveSandbox, works: Callable[..., None]) -> None:
    works(bound(SAMPLES["claim"](ADAS, "")), volume(ADAS, "claim"))
    (shown,) = eventually(
        lambda: answered(shared, "work")["work"], lambda it: any(one["leftover"] for one in it)
    )
    assert (shown["kind"], shown["stop_first"]) == ("PersistentVolumeClaim", True)
    assert shown["destroy"].endswith("; its disk pvc-of-claim stays in Google Cloud")


def bound(claim: dict[str, Any]) -> dict[str, Any]:
    """To the volume that a driver made for it."""
    claim["spec"] |= {"storageClassName": "", "volumeName": f"pvc-of-{claim['metadata']['name']}"}
    return claim


def test_the_samples_are_of_every_kind_that_people_put_into_a_cluster() -> None:
    wanted = {
        "JobSet",
        "Job",
        "Pod",
        "RayJob",
        "RayCluster",
        "Deployment",
        "Service",
        "PersistentVolumeClaim",
        "Gateway",
    }
    assert wanted <= EVERY_KIND
    assert JOB.name in EVERY_KIND


def test_a_destroy_stops_for_every_kind_of_work_that_it_does_not_end_and_ends_every_other(
    shared: LiveSandbox,
    capsys: pytest.CaptureFixture[str],
    record_property: Callable[[str, object], None],
) -> None:
    """The last one of those that share the stack. The destroy that ends the work is the engine's
    own, as on Google Cloud, where no program runs and nobody looks first."""
    live, made = shared, planted(shared, QUEUES)
    # In a team's namespace it would be in the default queue, and stay (docs/gotchas.md).
    for it in (ray_cluster_on_redis(OWN), cluster_queue("l4")):
        live.server.acting_as("kubectl").apply(it, force=True)
    eventually(lambda: places(work_beside(live.workspace)) >= set(made), bool)
    for namespace in QUEUES:
        eventually(lambda it=namespace: runs(live, it), bool)
    on_redis = Ref(api_version="ray.io/v1", kind="RayCluster", namespace=OWN, name="on-redis")
    eventually(lambda: dig(live.server.get(on_redis), "metadata", "finalizers"), bool)

    for namespace in QUEUES:
        place = Ref(api_version="v1", kind="Service", namespace=namespace, name="service")
        eventually(
            lambda it=place: dig(live.server.get(it), "status", "loadBalancer", "ingress"), bool
        )

    said = refused_destroy(live)
    stopped = {(namespace, name) for _, name, namespace in _COMMAND.findall(said)}
    alone = {(OWN, "on-redis"), ("", "theirs")}
    assert stopped == {*((it, name) for it in STAY for name in SAMPLES), *alone}
    told = capsys.readouterr().out
    for namespace in GO_ALONG:
        for name in SAMPLES:
            assert f" {namespace}/{name}" in told, (namespace, name)
    assert f"Job {TEAM}/job, of the team {TEAM}, with 1 accelerator: " in told

    stop(live, said)
    result = plain_destroy(live)
    assert result.ok, result.report.diagnostics
    assert result.cloud == {}
    for namespace, name in made:
        how = "stopped before the first deletion" if (namespace, name) in stopped else "ended"
        record_property("work", f"{SAMPLES[name](namespace, '')['kind']} in {namespace}: {how}")
