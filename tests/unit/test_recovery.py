"""Pending creates become resources with the ids that they must have; what a pending delete or
update may have reached is looked up."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli import pulumi_cli
from recovery import dashboards, report
from recovery.__main__ import main
from recovery.errors import RecoveryError
from recovery.ids import resource_id
from recovery.pending import NOT_LOOKED_UP, RELEASE, adopt_pending
from recovery.state import read

NETWORK = "gcp:compute/network:Network"
PROVIDER = {
    "urn": "urn:pulumi:s::p::pulumi:providers:gcp::google",
    "type": "pulumi:providers:gcp",
    "inputs": {"project": "p1", "region": "us-east1"},
}


def pending(token: str, inputs: dict[str, Any], kind: str = "creating") -> dict[str, Any]:
    urn = f"urn:pulumi:s::p::{token}::it"
    return {"type": kind, "resource": {"urn": urn, "type": token, "inputs": inputs}}


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (NETWORK, {"project": "p", "name": "net"}, "projects/p/global/networks/net"),
        (
            "gcp:container/nodePool:NodePool",
            {"cluster": "projects/p/locations/l/clusters/c", "name": "gpu"},
            "projects/p/locations/l/clusters/c/nodePools/gpu",
        ),
        (
            "gcp:container/nodePool:NodePool",
            {"project": "p", "location": "l", "cluster": "c", "name": "gpu"},
            "projects/p/locations/l/clusters/c/nodePools/gpu",
        ),
        (
            "gcp:serviceaccount/account:Account",
            {"project": "p", "accountId": "nodes"},
            "projects/p/serviceAccounts/nodes@p.iam.gserviceaccount.com",
        ),
        (
            "gcp:servicenetworking/connection:Connection",
            {"network": "projects/p/global/networks/n", "service": "s.googleapis.com"},
            "projects%2Fp%2Fglobal%2Fnetworks%2Fn:s.googleapis.com",
        ),
        (
            "gcp:compute/firewall:Firewall",
            {"project": "p", "name": "internal"},
            "projects/p/global/firewalls/internal",
        ),
        ("gcp:storage/bucket:Bucket", {"project": "p", "name": "runs"}, "runs"),
        (
            "gcp:storage/bucketIAMMember:BucketIAMMember",
            {"bucket": "runs", "role": "roles/storage.objectUser", "member": "allUsers"},
            "b/runs/roles/storage.objectUser/allUsers",
        ),
        ("kubernetes:core/v1:Secret", {"metadata": {"name": "t", "namespace": "d"}}, "d/t"),
        ("kubernetes:core/v1:PersistentVolume", {"metadata": {"name": "pv"}}, "pv"),
        ("kubernetes:helm.sh/v3:Release", {"name": "kueue", "namespace": "k"}, "k/kueue"),
        ("gcp:monitoring/dashboard:Dashboard", {"project": "p", "dashboardJson": "{}"}, None),
        (NETWORK, {"project": "p"}, None),
    ],
)
def test_an_id_is_derived_from_the_inputs_alone(
    token: str, inputs: dict[str, Any], expected: str | None
) -> None:
    assert resource_id(token, inputs) == expected


def test_a_pending_create_is_adopted_with_the_providers_own_project() -> None:
    deployment = {
        "resources": [PROVIDER],
        "pending_operations": [pending(NETWORK, {"name": "net"})],
    }
    adoption = adopt_pending(deployment)
    assert "pending_operations" not in adoption.deployment
    adopted = adoption.deployment["resources"][-1]
    assert adopted["id"] == "projects/p1/global/networks/net"
    assert adoption.adopted == (adopted["urn"],)


BOARD = {"project": "p1", "dashboardJson": json.dumps({"displayName": "dev's board"})}
DASHBOARD = "gcp:monitoring/dashboard:Dashboard"


def test_a_component_whose_registration_was_killed_is_left_to_the_next_command() -> None:
    """No cloud has it: it has no id that anybody could look up."""
    operation = pending("gke-ai-stacks:image_mirror:ImageMirror", {})
    operation["resource"]["custom"] = False
    adoption = adopt_pending({"resources": [PROVIDER], "pending_operations": [operation]})
    assert adoption.deployment == {"resources": [PROVIDER]}
    assert not adoption.orphans
    assert not adoption.adopted


def test_a_create_with_an_id_of_the_clouds_choice_is_adopted_once_it_was_looked_up() -> None:
    operation = pending(DASHBOARD, BOARD)
    deployment = {"resources": [], "pending_operations": [operation]}
    adoption = adopt_pending(deployment)
    urn = operation["resource"]["urn"]
    assert [orphan.urn for orphan in adoption.orphans] == [urn]
    assert adoption.deployment["resources"] == []
    found = adopt_pending(deployment, {urn: "projects/1/dashboards/a1"})
    assert found.deployment["resources"][0]["id"] == "projects/1/dashboards/a1"
    assert found.orphans == ()


def test_the_second_half_of_a_replacement_takes_its_predecessors_place() -> None:
    """The predecessor is deleted, and stands in the state until the replacement is made."""
    operation = pending(NETWORK, {"name": "net", "mtu": 8896})
    predecessor = {**operation["resource"], "id": "old", "pendingReplacement": True}
    dependent = {"urn": "urn:pulumi:s::p::x::later", "type": "x"}
    resources = [PROVIDER, predecessor, dependent]
    adoption = adopt_pending({"resources": resources, "pending_operations": [operation]})
    _, made, last = adoption.deployment["resources"]
    assert made["id"] == "projects/p1/global/networks/net"
    assert made["inputs"]["mtu"] == 8896
    assert "pendingReplacement" not in made
    assert last == dependent


def test_an_adopted_cluster_still_has_the_pool_that_gke_began_it_with() -> None:
    token = "gcp:container/cluster:Cluster"
    inputs = {"project": "p", "location": "l", "name": "c", "removeDefaultNodePool": True}
    adoption = adopt_pending({"pending_operations": [pending(token, inputs)]})
    [cluster] = adoption.deployment["resources"]
    assert cluster["inputs"]["removeDefaultNodePool"] is True
    assert cluster["outputs"]["removeDefaultNodePool"] is False
    assert "  the next `up` takes away the pool that GKE began it with" in report.left(
        "s", adoption, adoption.deployment
    )


@pytest.mark.parametrize(
    ("token", "inputs", "said"),
    [
        (
            "gcp:container/cluster:Cluster",
            {"project": "p", "location": "l", "name": "c"},
            "whether it is sound the record does not say; `gcloud container clusters describe c "
            "--location=l --project=p` does",
        ),
        (
            "gcp:container/nodePool:NodePool",
            {"cluster": "projects/p/locations/l/clusters/c", "name": "gpu"},
            "whether all of its machines came the record does not say; `gcloud container "
            "node-pools describe gpu --cluster=c --location=l --project=p` does, and those that "
            "came are paid for",
        ),
    ],
)
def test_what_a_killed_create_may_have_left_half_made_is_told_with_what_looks(
    token: str, inputs: dict[str, Any], said: str
) -> None:
    adoption = adopt_pending({"pending_operations": [pending(token, inputs)]})
    assert list(report.unsaid(adoption, adoption.deployment)) == [f"it: {said}"]
    assert f"  {said}" in report.left("s", adoption, adoption.deployment)
    # What was deleted has nothing to come.
    deleting = replace(adoption, deleting=frozenset(adoption.adopted))
    assert list(report.unsaid(deleting, adoption.deployment)) == []
    assert f"  {said}" not in report.left("s", deleting, adoption.deployment)


@pytest.mark.parametrize(("owner", "told"), [("theirs", True), ("mine", False), (None, False)])
def test_what_a_killed_create_finds_by_its_name_may_be_another_stacks(
    owner: str | None, told: bool
) -> None:
    mine = {"project": "p", "name": "runs", "labels": {"stack": "mine"}}
    adoption = adopt_pending({"pending_operations": [pending("gcp:storage/bucket:Bucket", mine)]})
    (asked,) = adoption.deployment["resources"]
    found = {**asked, "outputs": {"name": "runs", "labels": {"stack": owner} if owner else {}}}
    said = "\n".join(report.left("mine", adoption, {"resources": [found]}))
    assert (f"`pulumi state delete --stack mine {asked['urn']}`" in said) is told
    assert ("it belongs to the stack theirs, by its labels" in said) is told


LUSTRE = "gcp:lustre/instance:Instance"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


def standing(operation: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The resource of a pending operation, as the state has it."""
    return {**operation["resource"], "id": "the-id", **more}


@pytest.mark.parametrize("kind", ["updating", "deleting"])
@pytest.mark.parametrize("token", [NETWORK, LUSTRE, CONFIG_MAP])
def test_what_a_killed_update_or_delete_may_have_reached_is_looked_up(
    kind: str, token: str
) -> None:
    operation = pending(token, {"name": "n"}, kind)
    one = standing(operation)
    deployment = {"resources": [PROVIDER, one], "pending_operations": [operation]}
    adoption = adopt_pending(deployment)
    assert adoption.adopted == (one["urn"],)
    assert adoption.deployment["resources"][1].pop("initErrors")
    assert adoption.deployment == {"resources": [PROVIDER, one]}


@pytest.mark.parametrize("mark", ["delete", "pendingReplacement"])
def test_the_delete_of_a_predecessor_stays_to_be_done(mark: str) -> None:
    operation = pending(NETWORK, {"name": "n"}, "deleting")
    one = standing(operation, **{mark: True})
    adoption = adopt_pending({"resources": [one], "pending_operations": [operation]})
    assert adoption == type(adoption)({"resources": [one]}, (), ())


def test_the_delete_of_a_predecessor_is_none_of_its_replacement() -> None:
    operation = pending(NETWORK, {"name": "n"}, "deleting")
    old, new = standing(operation, delete=True), standing(operation, id="the-new-id")
    adoption = adopt_pending(
        {"resources": [new, old], "pending_operations": [{**operation, "resource": old}]}
    )
    assert adoption.adopted == ()
    assert adoption.deployment["resources"] == [new, old]


@pytest.mark.parametrize(
    ("token", "told"),
    [
        (LUSTRE, "it: its delete went through; it and its data are gone; an `up` makes an empty "),
        (NETWORK, "it: its delete went through; an `up` makes another"),
    ],
)
def test_a_delete_that_went_through_is_told_also_after_a_recovery_that_was_killed(
    token: str, told: str
) -> None:
    operation = pending(token, {"name": "n"}, "deleting")
    first = adopt_pending({"resources": [standing(operation)], "pending_operations": [operation]})
    for adoption in (first, adopt_pending(first.deployment)):
        gone, last = report.left("s", adoption, {"resources": []})
        assert gone.startswith(told)
        assert last == (
            "now run: pulumi destroy --stack s, where a destroy was killed; or pulumi up --stack s"
        )


@pytest.mark.parametrize("clusters", [0, 1])
def test_a_killed_destroy_that_leaves_the_cluster_may_leave_kueue_in_it(clusters: int) -> None:
    operation = pending(NETWORK, {"name": "n"}, "deleting")
    cluster = {"urn": "urn:pulumi:s::p::c::c", "type": "gcp:container/cluster:Cluster"}
    resources = [standing(operation), *[cluster] * clusters]
    adoption = adopt_pending({"resources": resources, "pending_operations": [operation]})
    lines = list(report.left("s", adoption, {"resources": [cluster] * clusters}))
    assert any("Kueue" in it for it in lines) is bool(clusters)


def test_a_delete_that_may_still_go_on_is_to_be_looked_at_again_before_an_up() -> None:
    operation = pending(LUSTRE, {"name": "n"}, "deleting")
    one = standing(operation)
    adoption = adopt_pending({"resources": [one], "pending_operations": [operation]})
    there, again, _ = report.left("s", adoption, {"resources": [one]})
    assert there == "it is there"
    assert again.endswith(f"pulumi refresh --stack s --target={one['urn']}")


@pytest.mark.parametrize(
    ("kind", "status", "told"),
    [
        ("creating", "deployed", ""),
        ("creating", "pending-install", "it is half installed: helm uninstall kueue"),
        ("updating", "deployed", ""),
        ("updating", "pending-upgrade", "its update was cut off: helm rollback kueue"),
    ],
)
def test_a_release_that_helm_takes_for_one_under_way_is_told_with_what_ends_that(
    kind: str, status: str, told: str
) -> None:
    operation = pending(RELEASE, {"name": "kueue", "namespace": "k"}, kind)
    release = {**operation["resource"], "id": "k/kueue"}
    there = [release] if kind == "updating" else []
    adoption = adopt_pending({"resources": there, "pending_operations": [operation]})
    assert adoption.adopted == (release["urn"],)
    looked_up = {**release, "outputs": {**release["inputs"], "status": {"status": status}}}
    _, *more, _ = report.left("s", adoption, {"resources": [looked_up]})
    assert [it.strip().partition(" --")[0] for it in more] == ([told] if told else [])


@pytest.mark.parametrize("name", ["--kubeconfig=theirs", "-h"])
def test_no_word_of_a_state_is_an_option_of_a_command_that_is_printed(name: str) -> None:
    operation = pending(RELEASE, {"name": name, "namespace": name})
    adoption = adopt_pending({"pending_operations": [operation]})
    (release,) = adoption.deployment["resources"]
    outputs = {**release["inputs"], "status": {"status": "pending-install"}}
    said = report.left("s", adoption, {"resources": [{**release, "outputs": outputs}]})
    assert f"helm uninstall NAME --namespace={name};" in "\n".join(said)


def test_what_was_adopted_and_not_looked_up_is_looked_up_by_the_next_recovery() -> None:
    deployment = {"resources": [PROVIDER], "pending_operations": [pending(NETWORK, {"name": "n"})]}
    first = adopt_pending(deployment)
    assert first.deployment["resources"][-1]["initErrors"] == [NOT_LOOKED_UP]
    again = adopt_pending(first.deployment)
    assert again.adopted == first.adopted
    assert again.deployment == first.deployment


def on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str, script: str) -> None:
    """Have a program of that name, before all others."""
    file = folder / program
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize(
    ("titles", "found"),
    [
        (["dev's board", "another"], "projects/1/dashboards/0"),
        (["another"], None),
        ([], None),
    ],
)
def test_a_dashboard_is_looked_up_by_its_title(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, titles: list[str], found: str | None
) -> None:
    there = [
        {"name": f"projects/1/dashboards/{number}", "displayName": title}
        for number, title in enumerate(titles)
    ]
    on_path(tmp_path, monkeypatch, "gcloud", f"echo {shlex.quote(json.dumps(there))}")
    [orphan] = adopt_pending({"pending_operations": [pending(DASHBOARD, BOARD)]}).orphans
    assert dashboards.look_up(orphan) == found


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'not logged in' >&2; exit 1", "not logged in"),
        ("echo '" + json.dumps([{"name": n, "displayName": "b"} for n in "12"]) + "'", "1, 2"),
    ],
)
def test_a_dashboard_that_cannot_be_told_is_asked_of_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str
) -> None:
    on_path(tmp_path, monkeypatch, "gcloud", script)
    board = {"project": "p1", "dashboardJson": json.dumps({"displayName": "b"})}
    [orphan] = adopt_pending({"pending_operations": [pending(DASHBOARD, board)]}).orphans
    with pytest.raises(RecoveryError, match=rf"(?s){why}.*--id {orphan.urn}=ID"):
        dashboards.look_up(orphan)


@pytest.fixture
def fake_pulumi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The pinned `pulumi`, with the state in a file, and a lock in another; one on the PATH tells
    that it ran."""
    monkeypatch.chdir(tmp_path)
    planted, programs = tmp_path / "planted", tmp_path / "bin"
    planted.mkdir()
    programs.mkdir()
    on_path(planted, monkeypatch, "pulumi", f"touch {shlex.quote(str(tmp_path / 'ran'))}")
    monkeypatch.setattr(pulumi_cli, "BUILT", tmp_path)
    pulumi_cli.binary.cache_clear()
    script = f"""cd {shlex.quote(str(tmp_path))}
echo "$1 $2" >> calls
case "$1 $2" in
"stack export") cat state.json;;
"stack import") if [ -e lock ]; then cat lock >&2; exit 255; fi; cat > state.json;;
"cancel --yes") rm lock;;
"refresh --yes") printf 'refreshing \\033[2K\\n';;
esac"""
    (programs / "pulumi").write_text(f"#!/bin/sh\n{script}\n")
    (programs / "pulumi").chmod(0o755)
    deployment = {"resources": [PROVIDER], "pending_operations": [pending(NETWORK, {"name": "n"})]}
    (tmp_path / "state.json").write_text(json.dumps({"version": 3, "deployment": deployment}))
    yield tmp_path
    pulumi_cli.binary.cache_clear()
    assert not (tmp_path / "ran").exists()


def lock(folder: Path, pid: int | str, host: str) -> None:
    said = (
        f"the stack is currently locked by 1 lock(s).\n  x: created by me@{host} (pid {pid}) at 1"
    )
    (folder / "lock").write_text(said)


def test_the_lock_of_a_dead_process_goes_the_state_is_replaced_and_what_it_was_is_kept(
    fake_pulumi: Path,
) -> None:
    before = (fake_pulumi / "state.json").read_text()
    ended = subprocess.Popen(["true"])
    ended.wait()
    lock(fake_pulumi, ended.pid, os.uname().nodename)
    assert main(["--stack", "s", "--yes"]) == 0
    after = json.loads((fake_pulumi / "state.json").read_text())["deployment"]
    assert after["resources"][-1]["id"] == "projects/p1/global/networks/n"
    assert {file.read_text() for file in fake_pulumi.glob("s-state-*.json")} == {before}
    calls = (fake_pulumi / "calls").read_text().splitlines()
    assert calls[-4:] == ["stack export", "stack import", "refresh --yes", "stack export"]


def test_no_variable_says_which_state_is_exported_or_imported(
    fake_pulumi: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of another day would come in place of the state."""
    script = fake_pulumi / "bin" / "pulumi"
    refuses = 'test -z "$PULUMI_OPTION_FILE" || exit 9\n'
    script.write_text(script.read_text().replace("cd ", f"{refuses}cd ", 1))
    monkeypatch.setenv("PULUMI_OPTION_FILE", "old.json")
    assert main(["--stack", "s", "--yes"]) == 0


@pytest.mark.parametrize("host", [os.uname().nodename, "elsewhere"])
def test_the_lock_of_a_process_that_may_be_alive_stays(
    fake_pulumi: Path, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (fake_pulumi / "state.json").read_text()
    lock(fake_pulumi, os.getpid(), host)
    assert main(["--stack", "s", "--yes"]) == 1
    assert (fake_pulumi / "lock").exists()
    assert (fake_pulumi / "state.json").read_text() == before
    assert "at work on the stack" in capsys.readouterr().err


@pytest.mark.parametrize("answer", ["n", ""])
def test_nothing_is_written_without_a_yes(
    fake_pulumi: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setattr("builtins.input", lambda _: answer)
    assert main(["--stack", "s"]) == 1
    assert (fake_pulumi / "calls").read_text() == "stack export\n"


def test_ctrl_c_is_one_word_and_exit_code_130(
    fake_pulumi: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    assert main(["--stack", "s"]) == 130
    assert capsys.readouterr().err == "interrupted\n"
    assert (fake_pulumi / "calls").read_text() == "stack export\n"


CLUSTER = "gcp:container/cluster:Cluster"
EVIL = "'; touch ran; '\x1b[2K\nnow run: rm"


def test_what_a_state_says_is_text_and_is_quoted_in_commands(
    fake_pulumi: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = pending(RELEASE, {"name": EVIL, "namespace": EVIL}, "updating")
    cluster = pending(CLUSTER, {"project": EVIL, "location": EVIL, "name": EVIL})
    for one in (release, cluster):
        one["resource"]["urn"] += EVIL
    status = {"status": {"status": "pending-upgrade"}}
    outputs = {**release["resource"]["inputs"], **status}
    standing = {**release["resource"], "id": f"{EVIL}/{EVIL}", "outputs": outputs}
    deployment = {"resources": [standing], "pending_operations": [release, cluster]}
    state = json.dumps({"version": 3, "deployment": deployment})
    (fake_pulumi / "state.json").write_text(state)
    assert main(["--stack", "s", "--yes"]) == 0
    said = capsys.readouterr().out
    assert "refreshing \\u001b[2K" in said
    assert "\x1b" not in said
    *_, last = said.splitlines()
    assert [it for it in said.splitlines() if it.startswith("now run: ")] == [last]
    commands = re.findall(r"(?:helm|gcloud|pulumi) [a-z]+ .*?(?=; pulumi|` does|$)", said, re.M)
    assert len(commands) == 4
    quoted = EVIL.replace("\x1b", "\\u001b").replace("\n", "\\n")
    for command in commands[:3]:
        assert any(quoted in word for word in shlex.split(command)), command
        stubs = "helm() { :; }; gcloud() { :; }; pulumi() { :; }"
        subprocess.run(["sh", "-c", f"{stubs}; {command}"], check=True)


def test_a_lock_that_names_no_process_there_can_be_is_no_traceback(fake_pulumi: Path) -> None:
    lock(fake_pulumi, 10**30, os.uname().nodename)
    assert main(["--stack", "s", "--yes"]) == 0
    lock(fake_pulumi, "9" * 5000, os.uname().nodename)
    assert main(["--stack", "s", "--yes"]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "not json",
        "[]",
        "null",
        "3",
        '{"deployment": null}',
        '{"deployment": []}',
        '{"deployment": {"resources": 3}}',
        '{"deployment": {"resources": [3]}}',
        '{"deployment": {"resources": [{"id": "no urn"}]}}',
        '{"deployment": {"pending_operations": [{}]}}',
        '{"deployment": {"pending_operations": [{"resource": {"urn": "u", "type": "t"}}]}}',
    ],
)
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(RecoveryError, match=r"is not a state: "):
        read(text)
