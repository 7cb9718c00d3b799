"""The real programs as processes: they come up, come back with their data, and go."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.project import PROJECT_FOLDER
from kube.objects import JsonObject, Ref, dig
from sandbox.control_plane import ControlPlane
from sandbox.control_plane.programs import WAVES
from sandbox.live_kube.api_server import ApiServer
from tests.kube.conftest import eventually

pytestmark = pytest.mark.kube
CORE = [name for wave in WAVES for name in wave][:5]
CANARY = "canary-7f1e-of-a-secret"
NODE: JsonObject = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node", "annotations": {"kwok.x-k8s.io/node": "fake"}},
    "status": {
        "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
        "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
    },
}
SECRET: JsonObject = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "planted", "namespace": "default"},
    "stringData": {"token": CANARY},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("control-plane") / "plane"


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[ControlPlane]:
    """One control plane for the module; what a test breaks, `plane` mends."""
    plane = ControlPlane(folder)
    plane.start()
    server = ApiServer(plane.kubeconfig)
    server.apply(SECRET)
    server.apply(NODE)
    yield plane
    plane.remove()


@pytest.fixture
def plane(running: ControlPlane) -> ControlPlane:
    running.start()
    return running


@pytest.fixture
def server(plane: ControlPlane) -> ApiServer:
    return ApiServer(plane.kubeconfig)


def pids(plane: ControlPlane) -> dict[str, int]:
    return {each.name: each.pid for each in plane.status() if each.pid is not None}


def pod(name: str, **metadata: object) -> JsonObject:
    containers = [{"name": "main", "image": "example.com/none"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": {"restartPolicy": "Never", "containers": containers},
    }


def phase_of(server: ApiServer, name: str) -> object:
    return dig(server.get(Ref.of(pod(name))) or {}, "status", "phase")


def test_all_programs_run_and_a_second_start_changes_nothing(plane: ControlPlane) -> None:
    before = pids(plane)
    assert list(before) == CORE
    plane.start()
    assert pids(plane) == before


@pytest.mark.parametrize("name", CORE)
def test_a_killed_program_comes_back_alone_and_the_data_is_there(
    plane: ControlPlane, name: str
) -> None:
    before = pids(plane)
    os.kill(before[name], signal.SIGKILL)
    plane.start()
    after = pids(plane)
    assert {each for each in CORE if after[each] != before[each]} == {name}
    assert ApiServer(plane.kubeconfig).get(Ref.of(SECRET))


def test_what_was_kept_is_there_after_a_stop(plane: ControlPlane) -> None:
    before = pids(plane)
    plane.stop()
    assert pids(plane) == {}
    assert not [pid for pid in before.values() if Path(f"/proc/{pid}").exists()]
    plane.start()
    assert ApiServer(plane.kubeconfig).get(Ref.of(SECRET))


def test_a_start_that_was_killed_is_taken_up_again(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    code = "import sys; from pathlib import Path; from sandbox.control_plane import ControlPlane; "
    command = [sys.executable, "-c", f"{code}ControlPlane(Path(sys.argv[1])).start()", str(folder)]
    plane = ControlPlane(folder)
    for name in ("etcd", "kube-apiserver"):
        with subprocess.Popen(command, cwd=PROJECT_FOLDER) as starter:
            # The one before may have come as far as the API server before it was killed.
            running = eventually(lambda: pids(plane), {"etcd", name}.issubset)
            starter.kill()
        os.kill(running["etcd"], signal.SIGKILL)
    plane.start()
    assert list(pids(plane)) == CORE
    assert ApiServer(plane.kubeconfig).list("v1", "Namespace")
    plane.remove()


def test_another_control_plane_is_left_alone(plane: ControlPlane, tmp_path: Path) -> None:
    before = pids(plane)
    other = ControlPlane(tmp_path / "other")
    other.start()
    assert not set(pids(other).values()) & set(before.values())
    other.remove()
    assert pids(plane) == before


def test_every_listener_is_on_loopback(plane: ControlPlane) -> None:
    table = subprocess.run(
        ["ss", "--listening", "--tcp", "--udp", "--numeric", "--processes", "--no-header"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    ours = [
        line.split()[4]
        for line in table.splitlines()
        if any(f"pid={pid}," in line for pid in pids(plane).values())
    ]
    ports = {port for each in plane.status() for port in each.ports.values()}
    assert {f"127.0.0.1:{port}" for port in ports} == set(ours)


def test_a_planted_secret_is_in_no_file(plane: ControlPlane, folder: Path) -> None:
    plane.stop()
    files = [file for file in folder.rglob("*") if stat.S_ISREG(file.stat().st_mode)]
    assert any("etcd" in file.parts for file in files)
    assert [file for file in files if CANARY.encode() in file.read_bytes()] == []


def test_etcd_answers_nobody_but_the_api_server(plane: ControlPlane) -> None:
    (port,) = [each.ports["client"] for each in plane.status() if each.name == "etcd"]
    asked = subprocess.run(
        ["curl", "--insecure", "--silent", f"https://127.0.0.1:{port}/health"],
        capture_output=True,
    )
    assert asked.returncode != 0


def test_a_pod_runs_and_ends_when_its_annotation_says(server: ApiServer) -> None:
    end = {"pod-complete.stage.kwok.x-k8s.io/delay": "100ms"}
    server.apply(pod("short", annotations=end))
    server.apply(pod("endless"))
    eventually(lambda: phase_of(server, "short"), lambda phase: phase == "Succeeded")
    assert phase_of(server, "endless") == "Running"


def test_a_deleted_pod_fails_and_waits_for_its_finalizers(server: ApiServer) -> None:
    server.apply(pod("held", finalizers=["example.com/held"]))
    eventually(lambda: phase_of(server, "held"), lambda phase: phase == "Running")
    server.delete(Ref.of(pod("held")))
    eventually(lambda: phase_of(server, "held"), lambda phase: phase == "Failed")
    server.apply(pod("held", finalizers=[]), force=True)
    eventually(lambda: server.get(Ref.of(pod("held"))), lambda found: not found)
