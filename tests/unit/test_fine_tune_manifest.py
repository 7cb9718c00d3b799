"""The Job's pods as plain data, and its launcher, run for real with no training."""

import os
import shlex
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from components.jobs.fine_tune import FineTunePods, fine_tune_spec
from components.ray.manifest import BucketMount, Quantity
from tests.conftest import ROOT

LAUNCHER = ROOT / "workloads" / "fine_tune" / "launch.sh"
BUCKET = BucketMount(
    bucket_name="models",
    options=("implicit-dirs", "uid=1000"),
    skip_access_check=True,
    prefetch_metadata=False,
)
PODS = FineTunePods(
    job_name="tune",
    subdomain="names",
    image="fine-tune:1",
    pods=2,
    gpus=2,
    size=Quantity(millicores=20000, memory_gib=50, ephemeral_storage_gib=40),
    shm_gib=8,
    environment={"MODEL_NAME": "google/gemma-2-2b", "MODEL_PATH": "/model-data/run"},
    bucket=BUCKET,
    mount_path="/model-data",
    annotations={"gke-gcsfuse/volumes": "true"},
    secret_name="tokens",
    secret_key="HF_TOKEN",
    service_account="tuner",
    priority_class="low",
    node_selector={"cloud.google.com/gke-accelerator": "nvidia-l4"},
    backoff_limit=4,
    grace_seconds=60,
)


def spec(**values: Any) -> dict[str, Any]:
    return fine_tune_spec(replace(PODS, **values), file_name="launch-1.sh", config_map="script")


def pod(**values: Any) -> dict[str, Any]:
    return spec(**values)["template"]["spec"]


def variables(**values: Any) -> dict[str, str]:
    given = pod(**values)["containers"][0]["env"]
    return {it["name"]: it["value"] for it in given if "value" in it}


def test_the_token_comes_from_the_secret() -> None:
    (token,) = [it for it in pod()["containers"][0]["env"] if "valueFrom" in it]
    assert token["name"] == "HF_TOKEN"
    assert token["valueFrom"] == {"secretKeyRef": {"name": "tokens", "key": "HF_TOKEN"}}


def test_the_config_cannot_change_where_a_pod_stands() -> None:
    assert variables(environment={"PODS": "9", "MODEL_PATH": "/m"})["PODS"] == "2"


def launch(
    tmp_path: Path, index: int = 0, tools: dict[str, str] | None = None, **values: Any
) -> subprocess.CompletedProcess[str]:
    """The launcher in an image whose `accelerate` says what it is given, and which finds every
    name at once, unless other `tools` are given."""
    usual = {
        "accelerate": 'printf "%s\\n" "$@"',
        "getent": 'echo "asked for $2" >&2; echo "10.0.0.1 $2"',
    }
    for tool, body in {**usual, **(tools or {})}.items():
        path = tmp_path / "bin" / tool
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
    given = variables(environment={"MODEL_PATH": str(tmp_path / "run")}) | values
    return subprocess.run(
        ["bash", str(LAUNCHER)],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "JOB_COMPLETION_INDEX": str(index),
            **given,
        },
    )


def option(arguments: list[str], name: str) -> str:
    return arguments[arguments.index(name) + 1]


@pytest.mark.parametrize("index", [0, 1])
def test_every_pod_runs_its_part_of_all_processes(tmp_path: Path, index: int) -> None:
    done = launch(tmp_path, index)
    assert done.returncode == 0, done.stderr
    arguments = done.stdout.splitlines()
    assert option(arguments, "--machine_rank") == str(index)
    assert option(arguments, "--num_machines") == "2"
    assert option(arguments, "--num_processes") == "4"
    assert option(arguments, "--main_process_ip") == "tune-0.names"
    assert option(arguments, "--main_process_port") == "29500"
    assert arguments[-1] == "fine_tune.py"


def test_it_starts_once_every_pod_has_a_name(tmp_path: Path) -> None:
    asked = launch(tmp_path, 1).stderr
    assert "asked for tune-0.names" in asked
    assert "asked for tune-1.names" in asked


FAILS = "exit 3"
# A name has its second address once the training has been tried.
CHANGES = """touch "$TRIED"; exit 3"""
MOVED = 'if [[ "$2" == tune-1.names && -e "$TRIED" ]]; then {}; fi; echo "10.0.0.1 $2"'


def ended(tmp_path: Path, index: int = 0, **tools: str) -> subprocess.CompletedProcess[str]:
    tried = str(tmp_path / "tried")
    return launch(tmp_path, index, tools=tools, LOST_PEER_SECONDS="0", TRIED=tried)


def ignored(code: int) -> bool:
    """Whether the Job counts an end with this code for nothing."""
    rules = spec()["podFailurePolicy"]["rules"]
    codes = [it["onExitCodes"] for it in rules if it["action"] == "Ignore" and "onExitCodes" in it]
    (container,) = pod()["containers"]
    return any(it["containerName"] == container["name"] and code in it["values"] for it in codes)


@pytest.mark.parametrize("moved", ["exit 2", 'echo "10.0.0.9 $2"; exit'])
def test_a_pod_that_fails_with_a_lost_peer_ends_with_a_code_that_counts_for_nothing(
    tmp_path: Path, moved: str
) -> None:
    """The peer is gone, or another pod has its name."""
    done = ended(tmp_path, accelerate=CHANGES, getent=MOVED.format(moved))
    assert "a peer is gone" in done.stdout
    assert ignored(done.returncode)


def test_a_pod_that_fails_while_its_peers_stay_ends_with_its_own_code_which_counts(
    tmp_path: Path,
) -> None:
    done = ended(tmp_path, accelerate=FAILS, getent='echo "10.0.0.1 $2"')
    assert done.returncode == 3
    assert not ignored(3)


def test_a_pod_that_works_alone_looks_for_no_peer(tmp_path: Path) -> None:
    tools = {"accelerate": FAILS, "getent": 'echo "10.0.0.1 $2"'}
    done = launch(tmp_path, 0, tools=tools, PODS="1", LOST_PEER_SECONDS="3600")
    assert done.returncode == 3


def test_a_lost_machine_counts_for_no_failure() -> None:
    (gone, _) = spec()["podFailurePolicy"]["rules"]
    assert gone == {
        "action": "Ignore",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }
    # Kubernetes refuses such a policy beside any other.
    assert pod()["restartPolicy"] == "Never"


def test_a_stopped_pod_hands_the_signal_to_its_training_and_takes_no_time_of_its_own(
    tmp_path: Path,
) -> None:
    """`accelerate` stops the launcher as the kubelet does, and says that it was stopped itself."""
    training = """trap 'echo stopped; exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.1; done"""
    done = launch(
        tmp_path,
        0,
        tools={"accelerate": training, "getent": 'echo "10.0.0.1 $2"'},
        LOST_PEER_SECONDS="3600",
    )
    assert "stopped" in done.stdout
    assert "looking for a peer" not in done.stdout
    assert done.returncode not in (0, 75)


@pytest.mark.parametrize("moment", range(1, 40))
def test_no_moment_of_a_stop_leaves_a_training_behind(tmp_path: Path, moment: int) -> None:
    """The signal comes with the launcher's command of that number, however slow the machine is. A
    training that nobody stopped would hold the output open."""
    before = tmp_path / "before.sh"
    before.write_text(
        f"unset BASH_ENV; trap '((++commands == {moment})) && kill -TERM $$' DEBUG",
        encoding="utf-8",
    )
    # The launcher has no command of that number before it waits: then the training sends it.
    training = "trap 'exit 5' TERM; sleep 0.5; while :; do kill -TERM $PPID; sleep 0.1; done"
    done = launch(
        tmp_path,
        0,
        tools={"accelerate": training, "getent": 'echo "10.0.0.1 $2"'},
        BASH_ENV=str(before),
        LOST_PEER_SECONDS="3600",
    )
    assert done.returncode in (5, 143, -signal.SIGTERM)


def checkpoints(tmp_path: Path) -> None:
    for name, files in {
        "checkpoint-10": ("trainer_state.json", "optimizer.bin"),
        "checkpoint-20": ("optimizer.bin",),
    }.items():
        (tmp_path / "run" / name).mkdir(parents=True)
        for file in files:
            (tmp_path / "run" / name / file).write_text("{}", encoding="utf-8")
    (tmp_path / "run" / "model.safetensors").write_text("whole", encoding="utf-8")


def kept(tmp_path: Path) -> set[str]:
    return {path.name for path in (tmp_path / "run").iterdir()}


def test_the_first_pod_takes_away_a_checkpoint_that_is_not_whole(tmp_path: Path) -> None:
    checkpoints(tmp_path)
    done = launch(tmp_path)
    assert "checkpoint-20/, which is not whole" in done.stdout
    assert kept(tmp_path) == {"checkpoint-10", "model.safetensors"}


def test_the_other_pods_take_nothing_away(tmp_path: Path) -> None:
    checkpoints(tmp_path)
    assert launch(tmp_path, 1).returncode == 0
    assert "checkpoint-20" in kept(tmp_path)


def test_a_dry_run_prints_the_command_and_touches_nothing(tmp_path: Path) -> None:
    checkpoints(tmp_path)
    done = launch(tmp_path, DRY_RUN="1")
    command = shlex.split(done.stdout)
    assert command[:2] == ["accelerate", "launch"]
    assert option(command, "--num_processes") == "4"
    assert "checkpoint-20" in kept(tmp_path)


@pytest.mark.parametrize("name", ["PODS", "SUBDOMAIN", "MODEL_PATH"])
def test_it_says_what_it_was_not_told(tmp_path: Path, name: str) -> None:
    done = launch(tmp_path, 0, None, **{name: ""})
    assert done.returncode != 0
    assert name in done.stderr
