"""`aistack sandbox kube`, with programs that only say that they are ready."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox import kube_command as command
from sandbox.__main__ import main
from sandbox.control_plane import ControlPlane, binaries
from tests.unit.control_plane_programs import CORE, crash, write_programs

Kube = Callable[[str], tuple[int, str]]


@pytest.fixture
def plane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ControlPlane:
    """Of the only cluster that the stack has."""
    write_programs(tmp_path / "bin")
    monkeypatch.setattr(binaries, "BINARIES", tmp_path / "bin")
    plane = ControlPlane(tmp_path / "plane")
    monkeypatch.setattr(command, "_control_planes", lambda workspace: {"cluster": plane})
    return plane


@pytest.fixture
def kube(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Kube:
    def run(verb: str) -> tuple[int, str]:
        """Its exit code, and what it prints."""
        words = ["sandbox", "kube", verb, "--stack", "dev", "--folder", str(tmp_path / "sandbox")]
        monkeypatch.setattr(sys, "argv", words)
        code = main()
        return code, "".join(capsys.readouterr())

    return run


@pytest.mark.parametrize("verb", ["start", "stop", "status", "kubeconfig"])
def test_a_stack_without_a_real_control_plane_is_told_how_to_get_one(kube: Kube, verb: str) -> None:
    code, printed = kube(verb)
    assert code == 1
    assert "aistack sandbox up --stack dev --kube real --folder " in printed.split("nearest: ")[1]


def test_a_control_plane_is_started_shown_and_stopped(kube: Kube, plane: ControlPlane) -> None:
    code, printed = kube("start")
    assert code == 0
    assert str(plane.kubeconfig) in printed
    assert kube("kubeconfig") == (0, f"{plane.kubeconfig}\n")
    _, printed = kube("status")
    for each in plane.status():
        assert f"{each.name} " in printed
        assert str(each.pid) in printed
    assert len(plane.status()) == len(CORE)
    assert kube("stop")[0] == 0
    assert not any(each.running for each in plane.status())
    _, printed = kube("status")
    assert printed.count("does not run") == len(CORE)


def test_there_is_no_kubeconfig_before_the_first_start(kube: Kube, plane: ControlPlane) -> None:
    del plane
    code, printed = kube("kubeconfig")
    assert code == 1
    assert "aistack sandbox kube start --stack dev --folder " in printed.split("nearest: ")[1]


def test_a_program_that_ends_is_one_line(kube: Kube, plane: ControlPlane, tmp_path: Path) -> None:
    crash(tmp_path / "bin", "etcd", "no space left on device")
    code, printed = kube("start")
    plane.stop()
    assert code == 1
    assert printed == "error: cluster: UNAVAILABLE: etcd ended: no space left on device\n"
