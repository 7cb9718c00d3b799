"""A job's command, through the words that KubeRay and Ray's own client make of it.

Ray's client (python/ray/dashboard/modules/job/cli.py at 2.49.2 and 2.54.0) joins what it is given
with `list2cmdline`, and the cluster runs that with a shell.
"""

import shlex
import subprocess
from pathlib import Path

import pytest

from components.ray.job import ResumeArgs, by_hand, entrypoint, launcher_command, resumed_command

PRINTS = 'printf "%s\\n" "$@"'
PARAMETERS = {"a.b": "null", "model": "Qwen/Qwen2.5", "mkdir": "/lustre/a:/lustre/b", "empty": ""}
WORDS = [f"{key}={value}" for key, value in PARAMETERS.items()]


def shell(line: str, launchers: Path) -> list[str]:
    here = line.replace("/etc/launcher", str(launchers))
    done = subprocess.run(["sh", "-c", here], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.fixture
def launchers(tmp_path: Path) -> Path:
    (tmp_path / "launch.sh").write_text(PRINTS, encoding="utf-8")
    (tmp_path / "twice.py").write_text(
        "import subprocess, sys\nprint('gpus', *sys.argv[1:3])\nsubprocess.run(sys.argv[3:])\n",
        encoding="utf-8",
    )
    return tmp_path


def test_parameters_reach_the_launcher_by_kuberay_as_they_are(launchers: Path) -> None:
    odd = {**PARAMETERS, "odd": "it's $HOME; echo"}
    command = launcher_command("launch.sh", odd)
    words = [f"{key}={value}" for key, value in odd.items()]
    assert shell(entrypoint(["launch.sh"], command), launchers) == words


@pytest.mark.parametrize("join", [subprocess.list2cmdline, shlex.join])
def test_parameters_reach_the_launcher_by_rays_client(launchers: Path, join: object) -> None:
    assert callable(join)
    typed = by_hand(launcher_command("launch.sh", PARAMETERS))
    assert shell(str(join(shlex.split(typed))), launchers) == WORDS


def test_a_script_before_the_launcher_knows_how_many_gpus_and_retries_there_are_to_be(
    launchers: Path,
) -> None:
    resume = ResumeArgs(name="twice.py", script="", gpus=64, retries=2)
    (launchers / "twice.py").rename(launchers / resume.file_name)
    command = resumed_command(resume, launcher_command("launch.sh", PARAMETERS))
    line = entrypoint(["launch.sh", resume.file_name], command)
    assert sorted(shell(line, launchers)) == sorted(["gpus 64 2", *WORDS])


def test_the_job_waits_for_every_file_that_it_runs() -> None:
    line = entrypoint(["launch.sh", "twice.py"], ["true"])
    assert "[ -f /etc/launcher/launch.sh ] && [ -f /etc/launcher/twice.py ]" in line


@pytest.mark.parametrize("value", ["$(id)", "a b", "${oc.env:HF_TOKEN}", "a;b", "it's", "*"])
def test_what_a_shell_would_change_is_no_word_of_a_command(value: str) -> None:
    with pytest.raises(ValueError, match="would not reach the cluster as it is"):
        by_hand(launcher_command("launch.sh", {"a": value}))
