"""Packages that a script brings by its `requirements.txt`: who installs them, and that the program
starts after that or not at all."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from aistack.find import Found
from aistack.stack import Config
from aistack.submit.preflight import Checked, checked
from aistack.submit.request import Request
from aistack.verbs.submit import report
from aistack.why.verdict import verdict
from kube.jobs import pod_groups
from kube.kinds import JOB_SET, RAY_JOB
from stacks.parts.jobs.requirements import packages_of, requirements_problems, with_requirements
from stacks.tokens import SECRETS
from tests.conftest import stack_config
from tests.unit.test_why_reports import said_at_the_end

LAB = Config(stack_config("lab"), frozenset(SECRETS))
PODS = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}}
FILE = "requirements.txt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "proj"
    made.mkdir()
    (made / "train.py").write_text("print()\n")
    (made / FILE).write_text("# for training\neinops==0.8.1\ndatasets>=3  # the newest\n")
    return made


def submitted(folder: Path, **fields: Any) -> Checked:
    request = Request(name="mine", files=[folder], fields=fields)
    return checked(request, LAB, (), "lab")


def commands(found: Checked) -> list[list[str]]:
    pods = pod_groups(found.parcel.work.kind, found.parcel.work.obj)
    return [pod["containers"][0]["command"] for _, pod in pods]


def test_each_pod_installs_them_before_the_program_starts(folder: Path) -> None:
    found = submitted(folder, **PODS, nodes=2)
    (command,) = commands(found)
    assert found.parcel.work.kind == JOB_SET
    assert command[:2] == ["sh", "-c"]
    assert "-m pip install" in command[2]
    assert command[3:] == ["python3", "python3", "$(SCRIPT_DIR)/train.py"]


def test_a_plain_job_installs_them_too(folder: Path) -> None:
    request = Request(name="mine", files=[folder], fields=PODS)
    found = checked(request, Config(stack_config("dev"), frozenset(SECRETS)), (), "dev")
    assert found.parcel.work.kind.name == "Job"
    assert "-m pip install" in commands(found)[0][2]


def test_on_ray_they_are_in_the_jobs_runtime_environment(folder: Path) -> None:
    found = submitted(folder)
    assert found.parcel.work.kind == RAY_JOB
    environment = yaml.safe_load(found.parcel.work.obj["spec"]["runtimeEnvYAML"])
    assert environment["pip"] == ["einops==0.8.1", "datasets>=3"]


@pytest.mark.parametrize("place", [PODS, {}], ids=["on pods", "on Ray"])
def test_an_image_that_has_all_of_them_is_left_as_it_is(
    folder: Path, place: dict[str, Any]
) -> None:
    found = submitted(folder, **place, install_requirements=False)
    assert "pip" not in str(found.parcel.work.obj)
    assert found.installs == ()
    assert (found.parcel.work.kind == JOB_SET) == bool(place)


def test_what_is_installed_is_said_in_one_line(folder: Path) -> None:
    found = submitted(folder, **PODS)
    said = {
        "hourly": "0 USD",
        "short_of": [],
        "ready_minutes": None,
        "waiting_before": 0,
        "launch": "",
        "disk_gib": found.disk_gib,
    }
    work = Found(found.parcel.work.kind, {**found.parcel.work.obj, "status": {}})
    work.obj["metadata"] |= {"creationTimestamp": "2026-11-27T12:00:00Z", "uid": "1"}
    lines = report(work.job, {**said, "installs": list(found.installs)})
    (line,) = [it for it in lines if "requirements.txt" in it]
    assert "einops==0.8.1, datasets>=3" in line
    assert "--no-requirements" in line
    assert "count against the 10 GiB of disk that each pod asks for" in line


OWN = "bash -c 'cd $SCRIPT_DIR; pip install -q -r requirements.txt && exec python3 train.py'"
OWN_SCRIPT = (
    "set -e\ncd $SCRIPT_DIR\nuv pip install --system -r requirements.txt\npython3 train.py\n"
)


@pytest.mark.parametrize("command", [OWN, "bash $(SCRIPT_DIR)/run.sh"])
def test_a_command_that_installs_them_by_itself_does_so_once(folder: Path, command: str) -> None:
    (folder / "run.sh").write_text(OWN_SCRIPT)
    request = Request(name="mine", files=[folder], command=command, fields=PODS)
    found = checked(request, LAB, (), "lab")
    assert commands(found)[0][0] == "bash"
    assert found.installs == ()
    assert found.uninstalled == []


@pytest.mark.parametrize(
    "command",
    [
        "python3 $(SCRIPT_DIR)/train.py",
        "bash -c 'pip install -r $SCRIPT_DIR/requirements.txt.in; python3 $SCRIPT_DIR/train.py'",
        "bash -c 'pip install einops; python3 $SCRIPT_DIR/train.py $SCRIPT_DIR/requirements.txt'",
    ],
)
def test_a_command_that_installs_something_else_has_them_before_it(
    folder: Path, command: str
) -> None:
    (folder / "requirements.txt.in").write_text("einops\n")
    (folder / "run.sh").write_text(OWN_SCRIPT)
    request = Request(name="mine", files=[folder], command=command, fields=PODS)
    assert commands(checked(request, LAB, (), "lab"))[0][:2] == ["sh", "-c"]


def test_a_file_that_comes_along_is_for_pods_alone() -> None:
    files = {FILE: "-r base.txt\n", "base.txt": "einops\n"}
    assert [*requirements_problems("folder", files, on_ray=False)] == []
    (problem,) = requirements_problems("folder", files, on_ray=True)
    assert "which Ray's pip does not see" in problem.message


@pytest.mark.parametrize(
    "line",
    [
        "einops",
        "torch==2.7.0+cu128; python_version < '3.13'",
        "git+https://github.com/o/r@main#egg=r",
        "-e git+https://github.com/o/r#egg=r",
        "--extra-index-url https://download.pytorch.org/whl/cu128",
        "r @ https://host/r-1.whl",
    ],
)
def test_a_line_of_an_index_is_taken(line: str) -> None:
    assert packages_of({FILE: f"{line}\n"}) == [line]
    assert [*requirements_problems("folder", {FILE: line}, on_ray=True)] == []


def test_a_list_without_packages_is_nothing_to_install(folder: Path) -> None:
    (folder / FILE).write_text("# none yet\n\n")
    (command, *_) = commands(submitted(folder, **PODS))
    assert command[0] == "python3"


def test_an_editors_mark_at_the_beginning_is_no_part_of_a_package() -> None:
    assert packages_of({FILE: "\ufeffeinops\n"}) == ["einops"]


def test_a_line_that_goes_on_is_one() -> None:
    text = "einops==0.8.1 \\\n  --hash=sha256:ab\n\n# more\nx\r\n"
    assert packages_of({FILE: text}) == ["einops==0.8.1   --hash=sha256:ab", "x"]


def wheel(folder: Path) -> None:
    """The package `brought` in its version 1, as an index would have it."""
    info = "brought-1.dist-info"
    texts = {
        "brought.py": "NUMBER = 41\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: brought\nVersion: 1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{name},{digest(text)},{len(text)}" for name, text in texts.items()]
    with zipfile.ZipFile(folder / "brought-1-py3-none-any.whl", "w") as made:
        for name, text in texts.items():
            made.writestr(name, text)
        made.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,", ""]))


def digest(text: str) -> str:
    found = hashlib.sha256(text.encode()).digest()
    return f"sha256={base64.urlsafe_b64encode(found).rstrip(b'=').decode()}"


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command of a pod, with its files in the folder, by the real pip without an index."""
    site = folder / "site"
    environment = {
        **os.environ,
        "SCRIPT_DIR": str(folder),
        "PIP_TARGET": str(site),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(folder),
        "PYTHONPATH": str(site),
    }
    command = with_requirements([sys.executable, *words], {FILE: (folder / FILE).read_text()})
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_program_finds_its_packages_and_its_arguments_as_they_are(tmp_path: Path) -> None:
    wheel(tmp_path)
    (tmp_path / FILE).write_text("brought==1\n")
    program = "import brought, sys; print(brought.NUMBER, sys.argv[1:]); sys.exit(7)"
    done = ran(tmp_path, "-c", program, "a b", "$HOME", "*")
    assert done.stdout.splitlines()[-1] == "41 ['a b', '$HOME', '*']", done.stderr
    assert done.returncode == 7


def test_a_program_whose_packages_are_not_there_does_not_start_and_why_says_so(
    tmp_path: Path,
) -> None:
    (tmp_path / FILE).write_text("brought==2\n")
    done = ran(tmp_path, "-c", "print('started')")
    assert done.returncode == 1
    assert "started" not in done.stdout
    assert cause(done.stderr.splitlines(), done.returncode) == "packages-not-installed"


def cause(lines: Sequence[str], code: int) -> str | None:
    found = verdict(said_at_the_end(*lines, code=code))
    return None if found.reason is None else found.reason.cause
