"""`checkpoints` on a real API server, with kwok's server in place of a kubelet: the program that
lists and copies runs on this machine, where a folder stands for each mount."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from aistack.exit_codes import ExitCode
from components.base.pod_manifest import bucket_volume
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api_server import ApiServer
from tests.kube.command_line import aistack, running_pods
from tests.kube.kubelet import kubelet
from tests.kube.person import NODE, administrator
from tests.kube.planted_causes import ENDLESS, job

NAME = "tune"


@dataclass(frozen=True)
class Training:
    """A fine-tuning whose storage is `run`, beside a bucket `kept`."""

    folder: Path
    environment: Mapping[str, str]

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def kept(self) -> Path:
        return self.folder / "kept"


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    folder = tmp_path_factory.mktemp("storage")
    plane = ControlPlane(folder / "plane")
    plane.start()
    server = ApiServer(plane.kubeconfig)
    server.apply(NODE)
    made = Training(folder, administrator(plane, folder / "me", ["default"]))
    _train(server, made)
    (folder / "kubelet").mkdir()
    with kubelet(plane.kubeconfig, folder / "kubelet", running_pods(server, NAME)):
        yield made
    plane.remove()


def _train(server: ApiServer, training: Training) -> None:
    """As the stack's own would be, with one checkpoint that is whole and one that is not."""
    for name, files in (("10", ("optimizer.bin", "trainer_state.json")), ("20", ("rng.pth",))):
        for file in files:
            path = training.run / f"checkpoint-{name}" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name} {file}")
    training.kept.mkdir()
    mounts = {"run": training.run, "kept": training.kept}
    volumes = [bucket_volume(it, f"{it}-bucket", ["only-dir=mine"]) for it in mounts]
    made = job(NAME, annotations=ENDLESS, volumes=volumes)
    (container,) = made["spec"]["template"]["spec"]["containers"]
    container |= {
        "command": ["bash", "/etc/script/launch-0123abcd.sh"],
        "env": [{"name": "MODEL_PATH", "value": str(training.run)}],
        "volumeMounts": [{"name": key, "mountPath": str(it)} for key, it in mounts.items()],
    }
    server.acting_as("kubectl").apply(made, force=True)


def test_they_are_listed_with_the_one_that_a_restart_takes(training: Training) -> None:
    done = aistack("checkpoints", NAME, **training.environment)
    assert done.returncode == ExitCode.FINE, done.stderr
    assert "not whole: it has no trainer_state.json" in done.stdout
    assert done.stdout.splitlines()[-1] == f"in {training.run}: a restart takes step 10"
    found = json.loads(aistack("checkpoints", NAME, "--json", **training.environment).stdout)
    assert [(it["step"], it["missing"] == "") for it in found["checkpoints"]] == [
        (10, True),
        (20, False),
    ]
    assert found["restart"] == 10


def test_one_is_copied_into_a_bucket_and_never_over_another(training: Training) -> None:
    words = ("checkpoints", NAME, "--copy", "10", "--to", "gs://kept-bucket/mine/best")
    done = aistack(*words, **training.environment)
    assert done.returncode == ExitCode.FINE, done.stderr
    assert "checkpoint-10 is in gs://kept-bucket/mine/best: 2 files" in done.stdout
    copy = training.kept / "best" / "checkpoint-10"
    source = training.run / "checkpoint-10"
    assert {it.name: it.read_text() for it in copy.iterdir()} == {
        it.name: it.read_text() for it in source.iterdir()
    }
    again = aistack(*words, **training.environment)
    assert again.returncode == ExitCode.REFUSED
    assert f"{copy} is there already" in again.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--copy", "20", "--to", "gs://kept-bucket/mine"), "checkpoint-20 is not whole"),
        (("--copy", "10", "--to", "gs://kept-bucket/yours"), "nearest: gs://run-bucket/mine"),
        (("--copy", "10"), "--copy and --to go together"),
    ],
)
def test_what_cannot_be_copied_is_told(
    training: Training, words: tuple[str, ...], said: str
) -> None:
    done = aistack("checkpoints", NAME, *words, **training.environment)
    assert done.returncode in (ExitCode.REFUSED, ExitCode.USAGE)
    assert said in done.stderr


def test_they_may_be_elsewhere(training: Training) -> None:
    folder = training.folder / "elsewhere"
    (folder / "checkpoint-7").mkdir(parents=True)
    done = aistack("checkpoints", NAME, "--folder", str(folder), **training.environment)
    assert "not whole: it has no trainer_state.json" in done.stdout
    assert f"in {folder}: a restart begins anew" in done.stdout
