"""The program's wheel and the library's in an environment of their own: they have all of the code
and its data, a new project of the template lives, and a snapshot is explained."""

from __future__ import annotations

import shlex
import sysconfig
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from aistack.exit_codes import ExitCode
from components.build_backend import PACKAGE
from tests.conftest import ROOT
from tests.stacks.wheels import Installed, build, tracked

pytestmark = pytest.mark.thorough
_HERE_ONLY = ("tests", "tools")
_OF_THE_LIBRARY = ("catalog", "components")
_NO_CODE = ("build_backend.py", "pyproject.toml", "README.md")
_VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT / "components", tmp_path_factory.mktemp("library"))


@pytest.fixture
def installed(program: Path, library: Path, tmp_path: Path) -> Installed:
    return Installed.of(tmp_path, program, library, lent=Path(sysconfig.get_path("purelib")))


def content(wheel: Path, distribution: str) -> set[str]:
    """Its files, but for what is said of the distribution."""
    has = {it for it in ZipFile(wheel).namelist() if not it.endswith("/")}
    own = {it for it in has if ".dist-info/" in it}
    assert {it.partition("/")[0] for it in own} == {f"{distribution}-{_VERSION}.dist-info"}
    return has - own


def test_the_programs_wheel_has_every_file_of_its_code_and_no_others(program: Path) -> None:
    packages = {it.parent.name for it in ROOT.glob("*/__init__.py")}
    of_it = packages - {*_HERE_ONLY, *_OF_THE_LIBRARY}
    assert content(program, "gke_ai_stacks") == tracked(*sorted(of_it))


def test_the_librarys_wheel_has_components_and_facts_and_no_others(library: Path) -> None:
    left_out = {f"components/{it}" for it in _NO_CODE}
    code = {it.replace("components", PACKAGE, 1) for it in tracked("components") - left_out}
    assert f"{PACKAGE}/py.typed" in code
    facts = {f"{PACKAGE}/{it}" for it in tracked("catalog")}
    assert content(library, PACKAGE) == code | facts


def test_the_program_needs_the_library_of_its_own_version(program: Path) -> None:
    with ZipFile(program) as it:
        said = it.read(f"gke_ai_stacks-{_VERSION}.dist-info/METADATA").decode()
    assert f"Requires-Dist: pulumi-gke-ai=={_VERSION}\n" in said


def test_all_of_the_program_runs_without_the_trees_names(installed: Installed) -> None:
    code = (
        "import sys, aistack.__main__, review.__main__, sandbox.__main__, stacks.build\n"
        "print(sorted({it.partition('.')[0] for it in sys.modules}))"
    )
    loaded = installed.succeed("python", "-c", code)
    assert f"'{PACKAGE}'" in loaded
    assert not any(f"'{name}'" in loaded for name in _OF_THE_LIBRARY)


def test_a_new_project_lives(installed: Installed) -> None:
    done = installed.run("aistack", "sandbox", "preview", "--stack", "first")
    said, _, nearest = done.stderr.partition("; nearest: ")
    assert said == "error: Pulumi.yaml: not here, nor in a folder above"
    new = installed.run(*shlex.split(nearest))
    # It ends with a question to Python's host, which only `make stack-tools` builds here.
    assert new.returncode == 0 or "no language plugin 'pulumi-language-python'" in new.stderr
    made = {it.name for it in installed.folder.iterdir()}
    assert {"Pulumi.yaml", "Pulumi.first.yaml", "__main__.py"} <= made
    for verb in ("preview", "up", "status", "destroy"):
        speed = () if verb == "status" else ("--speed", "inf")
        installed.succeed("aistack", "sandbox", verb, "--stack", "first", *speed)
    again = installed.run("aistack", "sandbox", "up", "--stack", "second")
    assert again.stderr.endswith("there is no Pulumi.second.yaml; nearest: first\n")


def test_a_snapshot_is_explained_where_no_project_is(installed: Installed) -> None:
    done = installed.run("aistack", "why", "--snapshot", "quota-full")
    assert done.returncode == ExitCode.IN_THE_WAY, done.stderr
    assert done.stdout.startswith("Job default/quota-full is queued.")
