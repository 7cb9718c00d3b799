"""NCCL's settings, as a pod's bash writes them before its container starts: run for real, with a
stand-in for the plug-in's own script. That NCCL reads the file only machines show."""

import os
import subprocess
from pathlib import Path

import pytest

from catalog import Catalog
from components.nccl.gib import nccl_container, nccl_volumes, settings_script

TUNER = {"NCCL_TUNER_CONFIG_PATH": "/usr/local/gib/configs/tuner_config_a4.txtpb"}
OURS = "NCCL_TUNER_CONFIG_PATH=/usr/local/gib/configs/tuner_config_a4.txtpb"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("lib64", "scripts", "configs"):
        (tmp_path / "gib" / name).mkdir(parents=True)
    (tmp_path / "gib" / "lib64" / "libnccl-net.so").touch()
    return tmp_path


def run(folder: Path, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    gib = folder / "gib"
    (gib / "scripts" / "set_nccl_env.sh").write_text(script, encoding="utf-8")
    command = settings_script(TUNER, gib=str(gib), folder=str(folder))
    return subprocess.run(
        ["bash", "-c", command],
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def written(folder: Path, script: str, **variables: str) -> list[str]:
    done = run(folder, script, **variables)
    assert done.returncode == 0, done.stderr
    lines = (folder / "nccl.conf").read_text(encoding="utf-8").splitlines()
    assert done.stdout.splitlines() == [
        "nccl: settings, the first line of a name counts:",
        *lines,
    ]
    return lines


def test_the_plug_ins_script_says_all_but_what_googles_trainings_set_over_it(folder: Path) -> None:
    script = f"export NCCL_NET=gIB NCCL_IB_TC=52 OTHER=1 {OURS.replace('a4', 'a3u')}\n"
    assert written(folder, script) == [
        OURS,
        "NCCL_IB_TC=52",
        "NCCL_NET=gIB",
        OURS.replace("a4", "a3u"),
    ]


@pytest.mark.parametrize("end", ["\n", ""])
def test_lines_of_a_file_that_the_script_names_are_among_the_settings(
    folder: Path, end: str
) -> None:
    conf = folder / "gib" / "configs" / "nccl.conf"
    conf.write_text(f"NCCL_NET=gIB\n# Of A3 Ultra\nNCCL_IB_GID_INDEX=3{end}", encoding="utf-8")
    script = f"export NCCL_CONF_FILE={conf} NCCL_CROSS_NIC=0\n"
    assert written(folder, script) == [
        OURS,
        "NCCL_CROSS_NIC=0",
        "NCCL_NET=gIB",
        "# Of A3 Ultra",
        "NCCL_IB_GID_INDEX=3",
    ]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("", "sets no NCCL_NET on this node"),
        ("false\n", "it sets: nothing"),
        ("export NCCL_IB_TC=52 NCCL_NET=\n", "it sets: NCCL_IB_TC=52 NCCL_NET="),
        ("export NCCL_NET_GDR_LEVEL=PIX\n", "sets no NCCL_NET on this node"),
        ("export NCCL_CONF_FILE=/nowhere NCCL_NET=gIB\n", "names /nowhere, which cannot be read"),
    ],
)
def test_a_pod_does_not_start_without_the_plug_ins_settings(
    folder: Path, script: str, why: str
) -> None:
    done = run(folder, script)
    assert done.returncode == 1
    assert why in done.stderr
    assert "set_nccl_env.sh" in done.stderr
    assert not (folder / "nccl.conf").exists()


def test_a_plug_in_that_is_not_there_in_time_fails_the_pod_and_names_its_installer(
    folder: Path,
) -> None:
    (folder / "gib" / "lib64" / "libnccl-net.so").unlink()
    # Bash counts the seconds on from what it is given.
    done = run(folder, "", SECONDS="1800")
    assert done.returncode == 1
    assert "is not whole after 1800 s; does nccl-rdma-installer run here?" in done.stderr


def test_variables_of_the_image_are_no_settings_of_the_plug_in(folder: Path) -> None:
    assert run(folder, "", NCCL_NET="Socket").returncode == 1
    assert written(folder, "export NCCL_NET=gIB\n", NCCL_VERSION="2.27") == [OURS, "NCCL_NET=gIB"]


@pytest.mark.parametrize(
    ("machine", "tuner"),
    [("a4-highgpu-8g", "a4"), ("a3-ultragpu-8g", "a3u"), ("a4x-highgpu-4g", "a3u")],
)
def test_a_family_has_what_its_trainings_at_google_set_over_the_script(
    machine: str, tuner: str
) -> None:
    """AI-Hypercomputer/gpu-recipes 2e1fd5e, src/helm-charts/a4/jobset and training/*/*/*/nemo2*:
    the tuner's config on each; no NCCL_NET_PLUGIN in any."""
    nccl = Catalog.load().nccl(machine)
    assert nccl is not None
    assert nccl.variables == {"NCCL_NET": "gIB"}
    path = f"/usr/local/gib/configs/tuner_config_{tuner}.txtpb"
    assert nccl.settings == {"NCCL_TUNER_CONFIG_PATH": path}


def test_the_file_lies_where_every_nccl_looks() -> None:
    (mount,) = [it for _, it in nccl_volumes() if it["name"] == "nccl-settings"]
    before = nccl_container("image:1", TUNER)
    assert mount["mountPath"] == "/etc/nccl.conf"
    (folder,) = [it for it in before["volumeMounts"] if it["name"] == "nccl-settings"]
    assert f">{folder['mountPath']}/{mount['subPath']}" in before["command"][-1]
