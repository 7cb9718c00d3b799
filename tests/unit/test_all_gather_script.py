"""The all-gather's script, run for real with stand-ins for ssh, sshd and mpirun."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "workloads" / "nccl" / "all_gather.sh"
# ssh runs nothing on the hosts but says what it was to run.
FAKE_SSH = """#!/bin/bash
while [[ "$1" == -* ]]; do
  case "$1" in -p | -o) shift 2 ;; *) shift ;; esac
done
echo "$*" >>"$SCRATCH/ssh"
"""
FAKE_MPIRUN = """#!/bin/bash
echo "NCCL_NET=$NCCL_NET NCCL_IB_TC=$NCCL_IB_TC" >"$SCRATCH/mpi"
printf '%s\\n' "$@" >>"$SCRATCH/mpi"
cat "$SCRATCH/answer"
exit "${MPI_STATUS:-0}"
"""
ROW = "{size} 64 float none -1 59.97 0.07 {busbw} 0 57.49 0.07 0.07 0"
GOOD = "# Out of bounds values : 0 OK"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    tools = {"ssh": FAKE_SSH, "mpirun": FAKE_MPIRUN, "serve": "#!/bin/bash\n"}
    for name, text in tools.items():
        tool = tmp_path / "bin" / name
        tool.parent.mkdir(exist_ok=True)
        tool.write_text(text, encoding="utf-8")
        tool.chmod(0o755)
    settings = tmp_path / "gib" / "scripts" / "set_nccl_env.sh"
    settings.parent.mkdir(parents=True)
    settings.write_text('export NCCL_IB_TC=52 OTHER="$UNSET"\n', encoding="utf-8")
    answers(tmp_path, ROW.format(size=1024, busbw="0.02"), ROW.format(size=8192, busbw="375.72"))
    return tmp_path


def answers(home: Path, *rows: str, end: str = GOOD) -> None:
    head = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong"
    (home / "answer").write_text("\n".join([head, *rows, end, ""]), encoding="utf-8")


def run(home: Path, index: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "LD_LIBRARY_PATH": "",
        "GIB_HOME": str(home / "gib"),
        "CONTAINER_ENTRY": str(home / "bin" / "serve"),
        "SCRATCH": str(home),
        "NODES": "2",
        "GPUS_PER_NODE": "8",
        "HOST_PREFIX": "nccl-test",
        "SUBDOMAIN": "nccl",
        "MIN_BUS_BANDWIDTH_GBPS": "0.0",
        "JOB_COMPLETION_INDEX": str(index),
        **variables,
    }
    return subprocess.run(
        ["bash", str(SCRIPT)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=60,
    )


def test_it_runs_over_all_nodes_with_gibs_settings_and_no_other_network(home: Path) -> None:
    done = run(home)
    assert done.returncode == 0, done.stderr
    assert "largest all-gather: 375.72 GB/s" in done.stdout
    assert (home / "hosts").read_text(encoding="utf-8").splitlines() == [
        "nccl-test-0.nccl port=222 slots=8",
        "nccl-test-1.nccl port=222 slots=8",
    ]
    called = (home / "mpi").read_text(encoding="utf-8").splitlines()
    assert called[0] == "NCCL_NET=gIB NCCL_IB_TC=52"
    assert {"NCCL_NET", "NCCL_IB_TC", "LD_LIBRARY_PATH"} <= set(called)


@pytest.mark.parametrize(("wanted", "status"), [("300", 0), ("375.72", 0), ("376", 1)])
def test_it_fails_below_the_wanted_bandwidth_alone(home: Path, wanted: str, status: int) -> None:
    done = run(home, MIN_BUS_BANDWIDTH_GBPS=wanted)
    assert done.returncode == status
    assert (f"375.72 GB/s is below the wanted {wanted} GB/s" in done.stderr) == bool(status)


def test_it_fails_when_results_are_wrong(home: Path) -> None:
    row = ROW.format(size=8192, busbw="375.72")
    answers(home, row, end="# Out of bounds values : 3 FAILED")
    done = run(home)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("results are wrong or missing")


def test_it_fails_when_no_bandwidth_was_measured(home: Path) -> None:
    answers(home)
    done = run(home)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("printed no bandwidth")


@pytest.mark.parametrize("status", ["0", "1"])
def test_other_pods_are_told_that_it_is_over_however_it_ended(home: Path, status: str) -> None:
    assert run(home, MPI_STATUS=status).returncode == int(status)
    last = (home / "ssh").read_text(encoding="utf-8").splitlines()[-1]
    assert last == f"nccl-test-1.nccl echo over >{home / 'over'}"


def test_another_pod_serves_until_it_is_told(home: Path) -> None:
    # What sshd would be asked to do by pod 0.
    serve = home / "bin" / "serve"
    serve.write_text(f"#!/bin/bash\necho over >{home / 'over'}\n", encoding="utf-8")
    assert run(home, index=1).returncode == 0
    assert not (home / "mpi").exists()
