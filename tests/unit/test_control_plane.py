"""Starting, ending and restarting a control plane, with programs that only say that they are ready:
nothing here shows that the real ones take their flags."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.control_plane import ControlPlane, binaries
from sandbox.control_plane.layout import Layout
from sandbox.errors import CloudError, UserError
from tests.unit.control_plane_programs import CORE, crash, mend, write_programs

KUEUE: dict[str, Any] = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the programs."""
    folder = tmp_path / "bin"
    write_programs(folder)
    monkeypatch.setattr(binaries, "BINARIES", folder)
    return folder


@pytest.fixture
def plane(tmp_path: Path, built: Path) -> Iterator[ControlPlane]:
    del built
    plane = ControlPlane(tmp_path / "plane")
    yield plane
    plane.stop()


def pids(plane: ControlPlane) -> dict[str, int | None]:
    return {each.name: each.pid for each in plane.status()}


def kill(plane: ControlPlane, name: str) -> None:
    """Without waiting for its end."""
    pid = pids(plane)[name]
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def test_start_brings_up_every_program_and_waits_until_it_is_ready(plane: ControlPlane) -> None:
    plane.start()
    assert [each.name for each in plane.status()] == CORE
    for each in plane.status():
        assert each.running
        assert each.rss_mib > 1
        socket.create_connection(("127.0.0.1", next(iter(each.ports.values())))).close()


def test_a_second_start_leaves_all_as_it_is(plane: ControlPlane) -> None:
    plane.start()
    before = pids(plane)
    plane.start()
    assert pids(plane) == before


def test_start_restarts_only_what_was_killed(plane: ControlPlane) -> None:
    plane.start()
    for name in CORE:
        before = pids(plane)
        kill(plane, name)
        plane.start()
        after = pids(plane)
        assert {each for each in CORE if after[each] != before[each]} == {name}
        assert after[name] is not None


def test_two_commands_at_once_start_each_program_once(plane: ControlPlane, tmp_path: Path) -> None:
    other = ControlPlane(tmp_path / "plane")
    threads = [threading.Thread(target=each.start) for each in (plane, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pids(plane) == pids(other)
    assert not list((tmp_path / "plane" / "logs").glob("*.previous.log"))


def test_stop_leaves_no_process_and_start_finds_the_same_ports(plane: ControlPlane) -> None:
    plane.start()
    before = plane.status()
    plane.stop()
    for each in before:
        assert each.pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(each.pid, 0)
    assert not any(each.running for each in plane.status())
    plane.start()
    assert [each.ports for each in plane.status()] == [each.ports for each in before]


def test_remove_leaves_neither_process_nor_file(plane: ControlPlane, tmp_path: Path) -> None:
    plane.start()
    plane.remove()
    assert not (tmp_path / "plane").exists()
    assert not any(each.running for each in plane.status())
    plane.remove()


def test_what_was_never_started_can_be_asked_and_stopped_and_leaves_no_folder(
    plane: ControlPlane, tmp_path: Path
) -> None:
    assert not any(each.running for each in plane.status())
    plane.stop()
    assert not (tmp_path / "plane").exists()


def test_a_port_that_somebody_has_taken_is_chosen_anew_and_told_to_all_who_ask_there(
    plane: ControlPlane,
) -> None:
    plane.start()
    (taken,) = [each.ports["api"] for each in plane.status() if each.name == "kube-apiserver"]
    plane.stop()
    with socket.create_server(("127.0.0.1", taken)):
        plane.start()
        (chosen,) = [each.ports["api"] for each in plane.status() if each.name == "kube-apiserver"]
        assert chosen != taken
        document = yaml.safe_load(plane.kubeconfig.read_text())
        assert document["clusters"][0]["cluster"]["server"] == f"https://127.0.0.1:{chosen}"


def test_programs_restart_when_what_they_read_has_changed(
    plane: ControlPlane, tmp_path: Path
) -> None:
    plane.start()
    before = pids(plane)
    Layout(tmp_path / "plane").tokens.unlink()
    plane.start()
    after = pids(plane)
    changed = {name for name in CORE if after[name] != before[name]}
    assert changed == {"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"}


def test_a_program_that_ends_is_an_error_with_its_last_words(
    plane: ControlPlane, built: Path
) -> None:
    crash(built, "kube-scheduler", "first line\nno such flag: --config\n")
    with pytest.raises(CloudError, match=r"UNAVAILABLE: kube-scheduler ended: no such flag"):
        plane.start()
    mend(built, "kube-scheduler")
    plane.start()
    assert all(each.running for each in plane.status())


def test_programs_that_were_not_built_are_the_users_to_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "BINARIES", binaries.PROJECT_FOLDER / "no-such-folder")
    with pytest.raises(UserError, match=r"etcd: not in no-such-folder.*run `make kube-tools`"):
        ControlPlane(tmp_path / "plane").start()


def test_programs_get_nothing_of_the_users_environment(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "a-credential")
    plane.start()
    for pid in pids(plane).values():
        assert b"a-credential" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_only_the_owner_may_read_the_folder(plane: ControlPlane, tmp_path: Path) -> None:
    plane.start()
    assert (tmp_path / "plane").stat().st_mode & 0o77 == 0
    written = [tmp_path / "plane" / name for name in ("tokens.csv", "encryption.yaml")]
    keys = list((tmp_path / "plane" / "certificates").rglob("*.key"))
    assert len(keys) > 5
    for file in [*written, *keys, plane.kubeconfig]:
        assert file.stat().st_mode & 0o77 == 0, file


def test_an_operator_runs_until_it_is_ended(plane: ControlPlane) -> None:
    plane.run_ray_operator()
    assert pids(plane)["ray-operator"] is not None
    kill(plane, "ray-operator")
    plane.start()
    assert pids(plane)["ray-operator"] is not None
    plane.end_operator("ray-operator")
    plane.start()
    assert "ray-operator" not in pids(plane)


def test_kueue_restarts_when_its_configuration_changed_and_only_then(plane: ControlPlane) -> None:
    plane.run_kueue(KUEUE)
    first = pids(plane)
    plane.run_kueue(KUEUE)
    assert pids(plane) == first
    plane.run_kueue({**KUEUE, "manageJobsWithoutQueueName": True})
    second = pids(plane)
    assert {name for name in second if second[name] != first[name]} == {"kueue"}


def test_kueue_listens_where_its_webhooks_are_called(plane: ControlPlane, tmp_path: Path) -> None:
    plane.run_kueue({**KUEUE, "webhook": {"port": 9443}})
    written = yaml.safe_load(Layout(tmp_path / "plane").configuration("kueue").read_text())
    assert plane.webhook_url("kueue") == f"https://127.0.0.1:{written['webhook']['port']}"
    assert (Path(written["webhook"]["certDir"]) / "tls.crt").exists()


def test_jobset_listens_where_its_webhooks_are_called(plane: ControlPlane, tmp_path: Path) -> None:
    plane.run_job_set("jobs", {"kind": "Configuration"})
    assert pids(plane)["jobset"] is not None
    written = yaml.safe_load(Layout(tmp_path / "plane").configuration("jobset").read_text())
    assert plane.webhook_url("jobset") == f"https://127.0.0.1:{written['webhook']['port']}"
    assert (Path(written["webhook"]["certDir"]) / "tls.crt").exists()
    assert written["kind"] == "Configuration"
    plane.end_operator("jobset")
    assert "jobset" not in pids(plane)


def test_an_operator_asks_as_the_account_of_its_release(
    plane: ControlPlane, tmp_path: Path
) -> None:
    plane.run_ray_operator("rays")
    document = yaml.safe_load(Layout(tmp_path / "plane").kubeconfig("ray-operator").read_text())
    assert document["users"][0]["user"]["as"] == "system:serviceaccount:rays:kuberay-operator"


def test_an_operator_that_crashes_fails_its_own_command_and_no_other(
    plane: ControlPlane, built: Path
) -> None:
    crash(built, "kueue", "unknown field spec.frameworks")
    with pytest.raises(CloudError, match=r"kueue ended: unknown field spec\.frameworks"):
        plane.run_kueue(KUEUE)
    plane.start()
    assert [each.name for each in plane.status() if not each.running] == ["kueue"]
    mend(built, "kueue")
    plane.start()
    assert all(each.running for each in plane.status())
