"""A protected stack loses nothing that its config does not agree to, and each agreement is good for
one change: it cannot be stale, double, half or in another's name.

All of it is run with ALL_COMBINATIONS=1; each commit has a sample.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi.automation import Stack

from catalog import Catalog
from cli.urns import name_of
from sandbox.engine import RunResult
from sandbox.faults import Faults
from sandbox.workspace import Workspace
from stacks.agreements import VOID
from stacks.on_record import Record
from stacks.refusal import CLUSTER, RELEASE, is_guarded, off_first
from stacks.stands_on import going_with
from tests.parts.sampling import a_sample
from tests.stacks.agreed import CONFIG, STALE, TIER, TO_500, TO_1000, brought
from tests.stacks.by_hand import edited, follow, said, taint, untaint, urn_of
from tests.stacks.config_sandbox import ZONE
from tests.stacks.conftest import Sandbox, changed, replaced
from tests.stacks.kills import CALLS, PATIENCE_SECONDS, kill_in_each, recorded

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(PATIENCE_SECONDS)]

REPLACEABLE = (
    "gpu-pool",
    "lustre-instance",
    "redis-instance",
    "data-bucket",
    "kube-namespace",
)
WAYS = ("taint", "replace", "target-replace")
# Made anew by no single run, with what the refusal says.
_TWO_RUNS = "and no single run does that"
BY_COMMANDS = {
    "gke-cluster": _TWO_RUNS,
    "network-subnet": _TWO_RUNS,
    "network-vpc": _TWO_RUNS,
    "kueue-release": _TWO_RUNS,
    "kueue-namespace": _TWO_RUNS,
    "queues-flavor-default-flavor": _TWO_RUNS,
    "queues-cluster-queue-cluster-queue": _TWO_RUNS,
    "services-range": _TWO_RUNS,
    "volume-claim": "would be replaced without volume-volume",
}
WITH_ALL_DATA = ("network-vpc", "services-range")
# Work and machines that the stack has beside that.
WORKING: dict[str, Any] = {
    "pools": {
        **CONFIG["pools"],
        "tpu": {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4", "slices": 1},
    },
    "ray": {
        "main": {
            **CONFIG["ray"]["main"],
            "workers": {"cpu": {**CONFIG["ray"]["main"]["workers"]["cpu"], "pools": ["gpu"]}},
        }
    },
    "jobs": {"tune": {"type": "script", "command": ["python3", "-c", "print(1)"], "ray": "main"}},
}
WORKING_NAMES = ("tune-job", "tpu-0-pool")
# An API that is enabled again is another one to nobody.
SERVICE = "gcp:projects/service:Service"
NO_CLAIMS = {
    "kind": "fail",
    "type": "kubernetes:core/v1:PersistentVolumeClaim",
    "operation": "create",
    "nth": 1,
    "message": "quota",
}
NO_STOCK = {"kind": "stockout", "machine_type": "g2-standard-8", "zone": ZONE}


@pytest.fixture
def up(tmp_path: Path, saved_at_the_end: None) -> Callable[..., Sandbox]:
    """The stack, which is up, with another config for what comes next."""
    brought(tmp_path).succeed("up")
    return lambda **values: brought(tmp_path, **values)


def to_agree(result: RunResult) -> list[dict[str, Any]]:
    """The YAML that a refusal offers, pasted."""
    assert not result.ok
    text = said(result)
    block = re.search(r"^ *acknowledge:\n(?: +- \{.*\}\n?)+", text, re.MULTILINE)
    assert block is not None, text
    lines = block[0].splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return yaml.safe_load("\n".join(line[indent:] for line in lines))["acknowledge"]


def faults_of(folder: Path, rule: dict[str, Any]) -> Faults:
    file = folder / "fault.yaml"
    file.write_text(yaml.safe_dump({"rules": [rule]}))
    return Faults.load(file)


def on_record(sandbox: Sandbox, name: str) -> Any:
    urn = urn_of(sandbox, name)
    resources = sandbox.state()["resources"]
    return [(it["id"], it["created"]) for it in resources if it["urn"] == urn]


def asked(sandbox: Sandbox, name: str, way: str) -> dict[str, Any]:
    """Ask for its replacement: the options of the command."""
    urn = urn_of(sandbox, name)
    match way:
        case "taint":
            taint(sandbox, name)
            return {}
        case "replace":
            return {"replace": [urn]}
        case _:
            return {"replace": [urn], "target": [urn], "target_dependents": True}


def test_a_refusal_says_once_what_is_lost_and_the_yaml_that_agrees_can_be_pasted(
    up: Callable[..., Sandbox],
) -> None:
    refused = up(**TIER).run("preview")
    (line,) = [it for it in said(refused).splitlines() if "would be replaced" in it]
    assert line.strip() == (
        "lustre-instance would be replaced (perUnitStorageThroughput: 1000 -> 500): "
        "all data on 9000 GiB lost"
    )
    assert to_agree(refused) == [TO_500]
    assert "destroy" not in said(refused)
    assert up(**TIER, acknowledge=[TO_500]).succeed("preview").ok


def test_an_agreement_is_good_for_one_change_alone(up: Callable[..., Sandbox]) -> None:
    """The instance goes to the lower tier and back, with the entry forgotten in the file."""
    up(**TIER, acknowledge=[TO_500]).succeed("up")
    spent = up(**TIER, acknowledge=[TO_500]).succeed("preview")
    assert "what this agrees to is done; delete - {resource: lustre-instance" in said(spent)
    back = up(acknowledge=[TO_500]).run("preview")
    assert not back.ok
    assert "perUnitStorageThroughput of lustre-instance becomes 1000, not 500" in said(back)
    both = up(acknowledge=[TO_500, TO_1000]).run("preview")
    assert "stands in acknowledge[0], too" in said(both)
    up(acknowledge=[TO_1000]).succeed("up")
    assert to_agree(up(**TIER).run("preview")) == [TO_500]


@pytest.mark.parametrize("name", a_sample(list(STALE), 4))
def test_an_entry_that_matches_nothing_is_refused_by_preview_and_up(
    up: Callable[..., Sandbox], name: str
) -> None:
    values, entries, message = STALE[name]
    sandbox = up(**values, labels={"team": "x"}, acknowledge=entries)
    before = recorded(sandbox)
    for verb in ("preview", "up"):
        result = sandbox.run(verb)
        assert not result.ok
        assert message in said(result)
        assert "Traceback" not in said(result)
    assert recorded(sandbox) == before


def test_an_entry_is_judged_where_protection_is_off_too(up: Callable[..., Sandbox]) -> None:
    off: dict[str, Any] = {"deletion_protection": False}
    up(**off).succeed("up")
    refused = up(**off, acknowledge=[TO_500]).run("preview")
    assert "becomes 1000, not 500" in said(refused)
    assert up(**off, **TIER, acknowledge=[TO_500]).succeed("up").ok


def test_what_the_program_no_longer_has_is_refused_together_and_before_anything_is_touched(
    up: Callable[..., Sandbox],
) -> None:
    less = up(lustre=None, buckets={})
    before = recorded(less)
    wanted = [
        {"resource": "data-bucket", "to": "removed"},
        {"resource": "lustre-instance", "to": "removed"},
    ]
    for verb in ("preview", "up"):
        assert sorted(to_agree(less.run(verb)), key=str) == wanted
    assert recorded(less) == before
    up(lustre=None, buckets={}, acknowledge=wanted).succeed("up")
    done = up(lustre=None, buckets={}, acknowledge=wanted).succeed("preview")
    assert "what this agrees to is done" in said(done)
    # Nothing else is left of it once the entry is gone.
    up(lustre=None, buckets={}).succeed("up")
    late = up(lustre=None, buckets={}, acknowledge=wanted).run("preview")
    assert "neither the program nor the state has data-bucket" in said(late)
    again = up(lustre=None, acknowledge=wanted).run("preview")
    assert "the program has data-bucket, so it is not removed" in said(again)


@pytest.mark.parametrize(
    ("name", "way"),
    a_sample([(name, way) for name in (*REPLACEABLE, *WORKING_NAMES) for way in WAYS], 3),
)
def test_what_is_replaced_with_nothing_changed_has_a_way_that_the_refusal_names(
    up: Callable[..., Sandbox], name: str, way: str
) -> None:
    values = WORKING if name in WORKING_NAMES else {}
    sandbox = up(**values)
    if values:
        sandbox.succeed("up")
    only = asked(sandbox, name, way)
    record = on_record(sandbox, name)
    refused = sandbox.run("up", only=only) if only else sandbox.run("preview")
    entries = to_agree(refused)
    assert name in {it["resource"] for it in entries}
    assert on_record(sandbox, name) == record
    agreed = up(**values, acknowledge=entries)
    done = agreed.run("up", only=only)
    assert done.ok, said(done)
    assert name in replaced(done)
    # The instance that the entry names is gone, so that it agrees to no other.
    assert VOID not in said(done)
    assert VOID in said(agreed.succeed("preview"))
    if way == "taint":
        taint(agreed, name)
        assert set(map(str, to_agree(agreed.run("preview")))).isdisjoint(map(str, entries))


@pytest.mark.parametrize(
    ("name", "way"),
    a_sample([(name, way) for name in BY_COMMANDS for way in WAYS], 3),
)
def test_what_no_run_replaces_is_refused_with_the_commands_that_do_it(
    up: Callable[..., Sandbox], name: str, way: str
) -> None:
    sandbox = up()
    before = on_record(sandbox, name)
    refused = sandbox.run("preview", only=asked(sandbox, name, way))
    assert not refused.ok
    text = said(refused)
    assert BY_COMMANDS[name] in text
    # What the cluster takes along keeps its data, and what the network does not.
    assert ("9000 GiB" in text) is (name in WITH_ALL_DATA)
    protected = off_first(sandbox.workspace.stack) in text
    untaint(sandbox)
    if protected:
        sandbox = up(deletion_protection=False)
        sandbox.succeed("up")
    assert follow(sandbox, text) == ""
    assert on_record(sandbox, name) != before
    assert changed(sandbox.succeed("preview")) == {}
    up().succeed("up")
    assert changed(up().succeed("preview")) == {}


def test_a_tainted_resource_does_not_keep_protection_from_being_turned_off(
    up: Callable[..., Sandbox],
) -> None:
    sandbox = up()
    taint(sandbox, "gpu-pool")
    off: dict[str, Any] = {"deletion_protection": False}
    refused = up(**off).run("up")
    assert "this run would turn it off" in said(refused)
    up(**off, acknowledge=to_agree(refused)).succeed("up")
    assert up(**off).succeed("destroy").ok


def test_an_agreement_to_an_instance_that_stays_is_refused(up: Callable[..., Sandbox]) -> None:
    sandbox = up()
    taint(sandbox, "gpu-pool")
    entries = to_agree(sandbox.run("preview"))
    untaint(sandbox)
    refused = up(acknowledge=entries).run("preview")
    assert not refused.ok
    assert "gpu-pool stays as it is, so this agrees to nothing" in said(refused)


AGREED: dict[str, tuple[dict[str, Any], Sequence[dict[str, Any]]]] = {
    "another tier": (TIER, [TO_500]),
    "a bucket taken out": ({"buckets": {}}, [{"resource": "data-bucket", "to": "removed"}]),
    "Lustre and a bucket taken out": (
        {"buckets": {}, "lustre": None},
        [
            {"resource": "data-bucket", "to": "removed"},
            {"resource": "lustre-instance", "to": "removed"},
        ],
    ),
}


@pytest.mark.parametrize(
    ("name", "call"),
    a_sample([(name, call) for name in AGREED for call in CALLS], 1),
)
def test_what_was_agreed_to_goes_on_after_a_kill_between_each_pair_of_steps(
    tmp_path: Path, name: str, call: Any
) -> None:
    values, entries = AGREED[name]
    brought(tmp_path).succeed("up")
    sandbox = brought(tmp_path, **values, acknowledge=list(entries))
    done, kills = kill_in_each(sandbox, "up", call)
    assert kills
    after = sandbox.succeed("preview")
    assert "what this agrees to is done" in said(after)
    assert brought(tmp_path, **values).succeed("preview").ok
    assert done.ok


@pytest.mark.parametrize("name", a_sample(list(REPLACEABLE), 1))
def test_what_was_tainted_goes_on_after_a_kill_between_each_pair_of_steps(
    tmp_path: Path, name: str
) -> None:
    sandbox = brought(tmp_path)
    sandbox.succeed("up")
    taint(sandbox, name)
    agreed = brought(tmp_path, acknowledge=to_agree(sandbox.run("preview")))
    _, kills = kill_in_each(agreed, "up", "taken")
    assert kills
    assert agreed.succeed("preview").ok


@pytest.mark.parametrize("call", CALLS)
def test_a_job_whose_pools_get_other_nodes_is_agreed_to_once_and_goes_on_after_a_kill(
    tmp_path: Path, call: Any
) -> None:
    """The job stays as an object, and is on two pools."""

    def sandbox(size: int, *entries: dict[str, Any]) -> Sandbox:
        disk = {"disk": {"size_gb": size}}
        pools = {name: {**it, **disk} for name, it in CONFIG["pools"].items()}
        values = {**WORKING, "pools": pools, "acknowledge": list(entries)}
        return brought(tmp_path, **values)

    sandbox(100).succeed("up")
    (entry,) = to_agree(sandbox(200).run("preview"))
    assert entry["resource"] == "tune-job"
    _, kills = kill_in_each(sandbox(200, entry), "up", call)
    assert kills
    assert f"delete - {{resource: tune-job, to: {entry['to']}}}" in said(
        sandbox(200, entry).succeed("preview")
    )
    (second,) = to_agree(sandbox(300, entry).run("preview"))
    assert second["to"] != entry["to"]
    assert sandbox(300, second).succeed("preview").ok


def test_a_removal_in_a_run_with_targets_is_spent(tmp_path: Path) -> None:
    """Where protection is on the engine deletes nothing with targets: the seal stands on it."""
    alone: dict[str, Any] = {"ray": {}, "redis": None, "queues": None}
    off: dict[str, Any] = {**alone, "deletion_protection": False}
    entries = [{"resource": "data-bucket", "to": "removed"}]
    sandbox = brought(tmp_path, **off)
    sandbox.succeed("up")
    only = {"target": [urn_of(sandbox, "data-bucket")], "target_dependents": True}
    assert brought(tmp_path, **off, buckets={}, acknowledge=entries).run("up", only=only).ok
    other = [{"resource": "date-bucket", "to": "removed"}]
    refused = brought(tmp_path, **off, buckets={}, acknowledge=other).run("preview")
    assert "nearest: delete {resource: date-bucket, to: removed}" in said(refused)
    for protected in ({}, {"deletion_protection": False}):
        agreed = brought(tmp_path, **{**alone, **protected}, buckets={}, acknowledge=entries)
        assert "delete - {resource: data-bucket, to: removed}" in said(agreed.succeed("preview"))
    assert "delete - {resource: data-bucket, to: removed}" in said(agreed.succeed("up"))
    assert "delete - {resource: data-bucket, to: removed}" in said(agreed.succeed("preview"))


def test_an_update_that_has_objects_deleted_is_agreed_to(up: Callable[..., Sandbox]) -> None:
    rule = {"action": "delete", "age_days": 3, "prefixes": ["old/"]}
    change = {"buckets": {"data": {"soft_delete_days": 0, "lifecycle": [rule]}}}
    refused = up(**change).run("preview")
    assert said(refused).count("deletes the objects that a new rule is for (age 3, match") == 1
    assert "soft delete keeps deleted objects for 0 days, 7 before" in said(refused)
    agreed = up(**change, acknowledge=to_agree(refused))
    agreed.succeed("up")
    assert "what this agrees to is done" in said(agreed.succeed("preview"))
    assert "soft delete" not in said(up(**change).succeed("preview"))


def test_an_agreement_to_a_rule_is_none_to_the_loss_of_the_bucket(
    up: Callable[..., Sandbox],
) -> None:
    """Of another word, and of another rule: each is asked for alone."""
    rule = {"action": "delete", "age_days": 3, "prefixes": ["old/"]}
    change = {"buckets": {"data": {"lifecycle": [rule]}}}
    agreed = {"acknowledge": to_agree(up(**change).run("preview"))}
    assert agreed["acknowledge"][0]["property"] == "lifecycleRules"
    other = {"buckets": {"data": {"lifecycle": [{**rule, "age_days": 4}]}}}
    refused = up(**other, **agreed).run("preview")
    assert re.search(r"lifecycleRules of data-bucket becomes rules \w+, not rules", said(refused))
    before = in_the_cloud(up())
    taint(up(), "data-bucket")
    for verb in ("preview", "up"):
        refused = up(**change, **agreed).run(verb)
        assert "data-bucket would be replaced" in said(refused)
    both = to_agree(refused)
    assert both[0] in agreed["acknowledge"]
    assert in_the_cloud(up()) == before
    done = up(**change, acknowledge=both).succeed("up")
    assert "data-bucket" in replaced(done)


def test_rules_that_went_by_hand_are_agreed_to_again(up: Callable[..., Sandbox]) -> None:
    """The config was reached, and the record has lost what it says."""
    change = {"buckets": {"data": {"lifecycle": [{"action": "delete", "age_days": 3}]}}}
    up(**change, acknowledge=to_agree(up(**change).run("preview"))).succeed("up")
    for resource in edited(up()):
        if name_of(resource["urn"]) == "data-bucket" and resource.get("custom"):
            for side in ("inputs", "outputs"):
                resource[side].pop("lifecycleRules")
    entries = to_agree(up(**change).run("preview"))
    assert up(**change, acknowledge=entries).succeed("preview").ok
    done = up(**change, acknowledge=entries).succeed("up")
    assert "deletes the objects that a new rule is for" in said(done)


def test_protection_that_is_turned_on_protects_in_that_very_run(up: Callable[..., Sandbox]) -> None:
    up(deletion_protection=False).succeed("up")
    before = recorded(up())
    for verb in ("preview", "up"):
        assert to_agree(up(**TIER).run(verb)) == [TO_500]
    assert recorded(up()) == before
    assert up().succeed("up").ok
    assert to_agree(up(**TIER).run("preview")) == [TO_500]


def _done(result: RunResult) -> None:
    assert result.ok, said(result)


def hooks_of(sandbox: Sandbox, name: str) -> set[str]:
    urn = urn_of(sandbox, name)
    (found,) = (it for it in sandbox.state()["resources"] if it["urn"] == urn)
    return set(found.get("resourceHooks") or {})


def in_the_cloud(sandbox: Sandbox) -> list[str]:
    return sorted(json.loads(sandbox.workspace.cloud_file.read_text())["resources"])


@pytest.mark.parametrize(
    ("halfway", "protected"), [(True, True), (True, False), (False, True)], ids=str
)
def test_what_lost_its_hooks_is_kept_by_an_up_without_a_preview(
    up: Callable[..., Sandbox], *, halfway: bool, protected: bool
) -> None:
    """By a change of its own, by a taint and by `--replace`, with what hangs on it. Protection was
    turned off, or is on record still, for the run that turns it off ended halfway."""
    off, more = up(deletion_protection=False), {"deletion_protection": protected}
    lustre = urn_of(off, "lustre-instance")
    # The engine ends such a run where it comes to the seal.
    ended = off.run("up", only={"target": [lustre]} if halfway else {})
    assert ended.ok is not halfway
    assert "BeforeDelete" not in hooks_of(off, "lustre-instance")
    names = {name_of(it["urn"]) for it in off.state()["resources"]}
    assert ("deletion-guard" in names) is halfway
    before = in_the_cloud(off)
    for verb in ("preview", "up"):
        assert to_agree(up(**TIER, **more).run(verb)) == [TO_500]
    in_place = {"resource": "lustre-instance", "property": "capacityGib", "to": 18000}
    assert TO_500 in to_agree(up(**TIER, **more, acknowledge=[in_place]).run("up"))
    refused = up(**more).run("up", only={"replace": [lustre]})
    (entry,) = to_agree(refused)
    assert "lustre-instance would be replaced (nothing of its own changes)" in said(refused)
    assert "nothing of it was touched" not in said(refused)
    taint(off, "lustre-instance")
    for verb in ("preview", "up"):
        assert to_agree(up(**more).run(verb)) == [entry]
    larger = {"lustre": {**CONFIG["lustre"], "capacity_gib": 18000}}
    for verb in ("preview", "up"):
        assert entry in to_agree(up(**larger, **more, acknowledge=[in_place]).run(verb))
    assert in_the_cloud(off) == before
    agreed = up(**more, acknowledge=[entry]).run("up")
    assert "lustre-instance goes, as stack.acknowledge agrees to" in said(agreed)
    assert "lustre-instance" in replaced(agreed)
    _done(agreed)


STANDS_ON = {
    "services-peering": {"lustre-instance", "redis-instance"},
    "gpu-nodes-account": {"gpu-pool"},
}


@pytest.mark.parametrize(
    ("halfway", "protected"), [(True, True), (True, False), (False, True)], ids=str
)
def test_what_lost_its_hooks_is_kept_where_what_it_stands_on_is_replaced(
    up: Callable[..., Sandbox], *, halfway: bool, protected: bool
) -> None:
    """Without a preview, too, in which the engine would delete it first."""
    off, more = up(deletion_protection=False), {"deletion_protection": protected}
    lustre = urn_of(off, "lustre-instance")
    off.run("up", only={"target": [lustre]} if halfway else {})
    before = in_the_cloud(off)
    *_, (root, going) = STANDS_ON.items()
    entries: list[dict[str, str]] = []
    for root, going in STANDS_ON.items():
        refused = up(**more).run("up", only={"replace": [urn_of(off, root)]})
        assert {it["resource"] for it in to_agree(refused)} == going
        assert f"({root}, which it stands on, is replaced)" in said(refused)
        taint(off, root)
        entries = to_agree(up(**more).run("up"))
        assert {it["resource"] for it in entries} == going
        preview = said(up(**more).run("preview"))
        assert all(str(it["to"]) in preview for it in entries)
        untaint(off)
    assert in_the_cloud(off) == before
    taint(off, "gpu-nodes-account")
    agreed = to_agree(up(**more).run("preview"))
    done = up(**more, acknowledge=agreed).run("up")
    _done(done)
    assert {"gpu-nodes-account", "gpu-pool"} <= {*replaced(done)}


def test_what_lost_its_hooks_is_kept_where_its_range_moves(up: Callable[..., Sandbox]) -> None:
    up(deletion_protection=False).succeed("up")
    before = in_the_cloud(up())
    for verb in ("preview", "up"):
        refused = said(up(network={"peering": "10.96.0.0/16"}).run(verb))
        # The engine may stop at the first of them.
        going = STANDS_ON["services-peering"]
        assert any(f"{it} would be replaced" in refused for it in going)
    assert set(before) <= set(in_the_cloud(up()))


def test_every_source_of_a_property_that_replaces_what_is_guarded_is_known(
    templates: Callable[[str], Path], up: Callable[..., Sandbox]
) -> None:
    """By the dependencies that the engine has on record."""
    catalog = Catalog.load()
    stacks = [Sandbox(Workspace(templates(it), it)) for it in ("b200-lustre", "tpu-elastic")]
    found: set[str] = set()
    for sandbox in (up(), *stacks):
        resources = {it["urn"]: it for it in sandbox.state()["resources"] if it.get("custom")}
        record = Record(resources)
        for it in record.resources:
            if not is_guarded(it.type, it.outputs, catalog) or it.type in (CLUSTER, RELEASE):
                continue
            for path, urns in (resources[it.urn].get("propertyDependencies") or {}).items():
                sources = [one for one in record.resources if one.urn in urns]
                for source in (one for one in sources if one.type not in (CLUSTER, SERVICE)):
                    assert it in going_with(source, record), (path, source.urn)
                    found.add(source.type)
    assert len(found) > 2


def test_an_agreement_by_the_config_is_good_for_the_instance_that_there_was(
    up: Callable[..., Sandbox], tmp_path: Path
) -> None:
    """The `up` fails each time, so that the config is never reached."""
    changed: dict[str, Any] = {"labels": {"team": "x"}}
    asked = up(**changed, acknowledge=[{"resource": "lustre-instance", "to": "config 00000000"}])
    (config,) = re.findall(r"this one is ([0-9a-f]{8})", said(asked.run("preview")))
    agreed = up(**changed, acknowledge=[{"resource": "lustre-instance", "to": f"config {config}"}])
    only = {"replace": [urn_of(agreed, "lustre-instance")]}
    first = agreed.run("up", faults=faults_of(tmp_path, NO_CLAIMS), only=only)
    assert not first.ok
    assert "lustre-instance goes, as stack.acknowledge agrees to" in said(first)
    second = agreed.run("up", faults=faults_of(tmp_path, NO_CLAIMS), only=only)
    assert "to: replaced" in said(second)
    assert "lustre-instance goes" not in said(second)


def test_an_agreement_by_the_config_is_spent_though_protection_goes_and_comes(
    up: Callable[..., Sandbox],
) -> None:
    """The config was reached before protection went, and with it what says so."""
    asked = up(acknowledge=[{"resource": "data-bucket", "to": "config 00000000"}])
    (config,) = re.findall(r"this one is ([0-9a-f]{8})", said(asked.run("preview")))
    entry = {"resource": "data-bucket", "to": f"config {config}"}
    kept = {"acknowledge": [entry]}
    assert "what this agrees to is done" in said(up(**kept).succeed("preview"))
    up(**kept, deletion_protection=False).succeed("up")
    taint(up(), "data-bucket")
    before = in_the_cloud(up())
    for verb in ("preview", "up"):
        refused = up(**kept).run(verb)
        assert "data-bucket would be replaced" in said(refused)
        (needed,) = to_agree(refused)
        assert needed["to"].startswith("replaced ")
    assert in_the_cloud(up()) == before
    assert "data-bucket" in replaced(up(acknowledge=[needed]).succeed("up"))


def test_a_stack_whose_up_cannot_end_is_destroyed_with_its_program(
    up: Callable[..., Sandbox], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = {"machine_type": "g2-standard-8", "nodes": 1, "max_pods_per_node": 32}
    pools = {**CONFIG["pools"], "gpu": gpu}
    entries = to_agree(up(pools=pools).run("preview"))
    for more in ({"acknowledge": entries}, {"deletion_protection": False}):
        sandbox = up(pools=pools, **more)
        assert not sandbox.run("up", faults=faults_of(tmp_path, NO_STOCK)).ok
    refused = sandbox.run("destroy")
    assert "`pulumi destroy --run-program --stack held` with it false" in said(refused)
    destroy = Stack.destroy
    monkeypatch.setattr(
        Stack, "destroy", lambda stack, **more: destroy(stack, run_program=True, **more)
    )
    done = sandbox.run("destroy")
    assert done.ok, said(done)
    assert not any(sandbox.cloud.inventory("held").values())


def test_a_job_that_becomes_another_kind_of_job_is_agreed_to(tmp_path: Path) -> None:
    script = {"type": "script", "image": "python:3.12", "command": ["python3", "-c", "print(1)"]}
    on_ray = {**{key: script[key] for key in ("type", "command")}, "ray": "main"}
    alone = {**script, "requests": {"cpu": 1, "memory_gib": 1, "ephemeral_storage_gib": 8}}
    brought(tmp_path, jobs={"tune": on_ray}).succeed("up")
    refused = brought(tmp_path, jobs={"tune": alone}).run("preview")
    entries = to_agree(refused)
    assert brought(tmp_path, jobs={"tune": alone}, acknowledge=entries).succeed("preview").ok


def test_a_bucket_that_the_state_has_under_another_urn_is_told_with_that_urn(
    up: Callable[..., Sandbox],
) -> None:
    """As `pulumi state move` without its parent leaves it."""
    sandbox = up()
    urn = urn_of(sandbox, "data-bucket")
    alone = f"urn:pulumi:held::gke-ai-stacks::{urn.split('$')[-1]}"
    file = next(sandbox.workspace.state_files())
    file.write_text(file.read_text().replace(urn, alone))
    for resource in edited(sandbox):
        if resource["urn"] == alone:
            resource["parent"] = sandbox.state()["resources"][0]["urn"]
    refused = sandbox.run("preview")
    assert f"would be replaced (the state has it under another URN, {alone})" in said(refused)
    assert "this run turns protection on" not in said(refused)
