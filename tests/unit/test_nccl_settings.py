"""What NCCL is told of the network, as a pod's bash writes it before its container starts: run for
real, with a stand-in for the plug-in's own script. That NCCL reads the file only machines show."""

import os
import subprocess
from pathlib import Path

import pytest

from components.gib import nccl_container, nccl_volumes, settings_script

SETTINGS = {"NCCL_IB_TC": "52", "NCCL_NET_GDR_LEVEL": "PIX"}


def written(folder: Path, script: str, **variables: str) -> list[str]:
    gib = folder / "gib"
    for name in ("lib64", "scripts", "configs"):
        (gib / name).mkdir(parents=True)
    (gib / "lib64" / "libnccl-net_internal.so").touch()
    (gib / "scripts" / "set_nccl_env.sh").write_text(script, encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], **variables}
    command = ["bash", "-c", settings_script(str(gib), str(folder))]
    subprocess.run(command, env=environment, check=True, timeout=60)
    return (folder / "nccl.conf").read_text(encoding="utf-8").splitlines()


def test_the_plug_ins_own_script_wins_over_the_version_lock(tmp_path: Path) -> None:
    script = "export NCCL_NET=gIB NCCL_IB_TC=60 OTHER=1\n"
    assert written(tmp_path, script, **SETTINGS) == [
        "NCCL_IB_TC=60",
        "NCCL_NET=gIB",
        "NCCL_NET_GDR_LEVEL=PIX",
    ]


@pytest.mark.parametrize("script", ["", "false\n", "[ -e /nowhere ] && export NCCL_IB_TC=1\n"])
def test_a_script_that_says_nothing_leaves_the_lock_as_it_is(tmp_path: Path, script: str) -> None:
    assert written(tmp_path, script, **SETTINGS) == ["NCCL_IB_TC=52", "NCCL_NET_GDR_LEVEL=PIX"]


def test_the_file_lies_where_every_nccl_looks() -> None:
    (mount,) = [it for _, it in nccl_volumes() if it["name"] == "nccl-settings"]
    before = nccl_container("image:1", SETTINGS)
    assert mount["mountPath"] == "/etc/nccl.conf"
    (folder,) = [it for it in before["volumeMounts"] if it["name"] == "nccl-settings"]
    assert f">{folder['mountPath']}/{mount['subPath']}" in before["command"][-1]
    assert {it["name"]: it["value"] for it in before["env"]} == SETTINGS
