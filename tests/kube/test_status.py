"""`status` on a real control plane: a stack that is up can be used, what is taken away is named.

It cannot show what a real node offers: kwok's have what the machine's table says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from kubernetes import config

from aistack.cluster import Cluster
from aistack.exit_codes import ExitCode
from aistack.sandbox_stack import sandbox_stack
from aistack.status.look import look
from aistack.status.readiness import State
from aistack.status.report import Report, report
from catalog import Catalog
from cli.project import PROJECT_FOLDER
from kube.objects import JsonObject, Ref
from sandbox.faults import Faults, Preempt
from tests.kube.conftest import PATIENCE_SECONDS, LiveSandbox, eventually
from tests.kube.planted_causes import WEBHOOK, queue

STACK, MEMBER = "lab", "ada@example.com"


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    made = live_sandbox(STACK)
    made.succeed("up", f"teams.research.users={{edit: [{MEMBER}]}}")
    return made


def seen(live: LiveSandbox, user: str = "") -> Report:
    stack = sandbox_stack(live.workspace.root, STACK)
    client = config.new_client_from_config(str(stack.kubeconfig_file))
    if user:
        client.set_default_header("Impersonate-User", user)
    return report(look(stack, Cluster(client, STACK)))


def states(found: Report) -> Mapping[str, State]:
    return {it.area: it.state for it in found.readiness}


def missing(found: Report) -> Mapping[str, Sequence[str]]:
    return {it.area: it.missing for it in found.readiness if it.missing}


def said(live: LiveSandbox) -> tuple[int, Any]:
    """What the command exits with, and prints."""
    command = [sys.executable, "-m", "aistack", "status", "--json", "--stack", STACK]
    done = subprocess.run(
        [*command, "--sandbox", str(live.workspace.root)],
        cwd=PROJECT_FOLDER,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    return done.returncode, json.loads(done.stdout)


def test_a_stack_that_is_up_can_be_used_and_says_by_whom_it_is(live: LiveSandbox) -> None:
    found = eventually(lambda: seen(live), lambda it: it.is_ready and len(it.uses) == 2)
    assert set(states(found).values()) == {State.READY}
    assert not found.hidden
    pools = {it.name: (it.there, it.healthy, it.in_use) for it in found.pools}
    assert pools["h200-pool"] == (1, 1, 8)
    # The server is on one of its spot machines; the other comes when work waits for it.
    assert pools["l4-pool"] == (1, 1, 2)
    assert {(it.job, it.accelerators) for it in found.uses} == {("lab", 8), ("chat", 2)}
    had = {(it.name, one.resource): one.used for it in found.queues for one in it.quotas}
    assert had["serving", "nvidia.com/gpu"] == "2"
    components = Catalog.load().versions.components
    for operator in ("kueue", "jobset"):
        assert found.versions[operator] == f"v{components[operator].version}"
    assert 0 < found.spending.spent.low < found.spending.hourly.low


def test_the_command_ends_well_where_all_is_ready(live: LiveSandbox) -> None:
    code, printed = said(live)
    assert code == ExitCode.FINE
    assert [it["name"] for it in printed["queues"]] == ["research", "serving"]


def test_a_member_of_a_team_sees_what_is_the_teams_and_what_is_hidden(live: LiveSandbox) -> None:
    found = seen(live, MEMBER)
    assert {"nodes", "cluster queues", "what runs in serving"} <= set(found.hidden)
    assert "webhooks" not in found.hidden
    assert [it.name for it in found.queues] == ["research/default", "research/research"]
    used = {it.name: {one.used for one in it.bounds} for it in found.teams}
    assert used["research"]
    assert "" not in used["research"]
    assert used["serving"] == {""}
    assert found.spending.by_bounds
    assert states(found)["nodes"] is State.HIDDEN
    assert states(found)["webhooks"] is State.READY


def test_a_token_that_changed_names_the_pods_that_started_before(
    live: LiveSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not seen(live).old_values
    monkeypatch.setenv("HUGGING_FACE_TOKEN", "hf_other_5d41402abc4b2a76b9719d911017c592")
    live.succeed("up", f"teams.research.users={{edit: [{MEMBER}]}}")
    found = {it.workload: it for it in seen(live).old_values}
    assert found["chat"].keys == ["HF_TOKEN"]
    assert found["chat"].restart.endswith(" --namespace=default rollout restart deployment/chat`")


@dataclass(frozen=True, kw_only=True)
class Away:
    """Something that is taken away, what is said of it, and how it comes back."""

    area: str
    sentence: str
    take: Callable[[LiveSandbox], None]
    give: Callable[[LiveSandbox], None]


def _webhook() -> JsonObject:
    """Which is asked of every JobSet."""
    rule = {**WEBHOOK["webhooks"][0]["rules"][0], "resources": ["jobsets"]}
    hook = {**WEBHOOK["webhooks"][0], "objectSelector": {}}
    groups = {"apiGroups": ["jobset.x-k8s.io"], "apiVersions": ["v1alpha2"]}
    return {**WEBHOOK, "webhooks": [{**hook, "rules": [{**rule, **groups}]}]}


def _apply(*objects: JsonObject) -> Callable[[LiveSandbox], None]:
    def apply(live: LiveSandbox) -> None:
        for it in objects:
            live.server.acting_as("kubectl").apply(it, force=True)

    return apply


def _delete(*objects: JsonObject) -> Callable[[LiveSandbox], None]:
    def delete(live: LiveSandbox) -> None:
        for it in objects:
            live.server.delete(Ref.of(it))

    return delete


def _controller(replicas: int) -> Callable[[LiveSandbox], None]:
    name = {"namespace": "jobset-system", "name": "jobset-controller"}
    ref = Ref(api_version="apps/v1", kind="Deployment", **name)
    return lambda live: live.server.scale(ref, replicas)


def _preempted(*faults: Preempt) -> Callable[[LiveSandbox], None]:
    def refresh(live: LiveSandbox) -> None:
        assert live.run("refresh", faults=Faults(rules=faults)).ok

    return refresh


# Without kwok's annotation no kubelet says anything else of it.
_SICK_NODE: JsonObject = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "sick"},
    "status": {
        "conditions": [{"type": "Ready", "status": "False", "message": "container runtime is down"}]
    },
}
_FLAVORLESS = queue("flavorless", flavor="none-such")
AWAY = {
    "a webhook": Away(
        area="webhooks",
        sentence="The webhook away.example.com does not answer (connection refused): no "
        "JobSet can be made.",
        take=_apply(_webhook()),
        give=_delete(_webhook()),
    ),
    "a queue's flavor": Away(
        area="queues",
        sentence="The cluster queue flavorless admits nothing: Can't admit new workloads: "
        "references missing ResourceFlavor(s): none-such.",
        take=_apply(*_FLAVORLESS),
        give=_delete(*_FLAVORLESS),
    ),
    "a node": Away(
        area="nodes",
        sentence="The node sick is not ready: container runtime is down.",
        take=_apply(_SICK_NODE),
        give=_delete(_SICK_NODE),
    ),
    "a controller": Away(
        area="controllers",
        sentence="The controller of jobset, jobset-system/jobset-controller, has no pod that is "
        "ready.",
        take=_controller(0),
        give=_controller(1),
    ),
}


@pytest.mark.parametrize("away", AWAY.values(), ids=AWAY)
def test_what_is_taken_away_is_named_until_it_is_back(live: LiveSandbox, away: Away) -> None:
    eventually(lambda: missing(seen(live)), lambda it: not it)
    away.take(live)
    found = eventually(lambda: missing(seen(live)), lambda it: away.area in it)
    assert away.sentence in found[away.area]
    away.give(live)
    eventually(lambda: missing(seen(live)), lambda it: not it)


def test_a_spot_pool_whose_machines_are_taken_away_is_waited_for(live: LiveSandbox) -> None:
    """No node is missing, for such a pool may have none; the server cannot be used meanwhile."""
    eventually(lambda: missing(seen(live)), lambda it: not it)
    _preempted(Preempt(kind="preempt", pool="l4-pool"))(live)
    found = eventually(lambda: seen(live), lambda it: bool(it.waiting))
    (waiting,) = found.waiting
    assert (waiting.job, waiting.pods, waiting.accelerators) == ("chat", 1, 2)
    assert missing(found).keys() == {"servers"}
    _preempted()(live)
    eventually(lambda: seen(live), lambda it: not it.waiting)
    eventually(lambda: missing(seen(live)), lambda it: not it)


def test_the_command_ends_with_a_code_of_its_own_where_something_is_away(
    live: LiveSandbox,
) -> None:
    _apply(_webhook())(live)
    eventually(lambda: missing(seen(live)), bool)
    code, printed = said(live)
    assert code == ExitCode.NOT_READY
    assert [it["area"] for it in printed["readiness"] if it["missing"]] == ["webhooks"]
