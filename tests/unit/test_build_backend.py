"""What distributions have in place of the tree's own names: one process never loads both."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.build_backend import (
    PACKAGE,
    RENAMED,
    build_editable,
    renamed,
    write_library,
    write_program,
)
from tests.conftest import ROOT

PROGRAM = ("aistack", "cli", "kube", "recovery", "review", "sandbox", "stacks", "workloads")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of both distributions, side by side."""
    made = tmp_path_factory.mktemp("distributions")
    write_library(made / "library")
    write_program(made / "program")
    return made


def imports(folder: Path) -> Iterator[str]:
    """The packages that modules of a folder import by their whole name."""
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (it.name.partition(".")[0] for it in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                yield str(node.module).partition(".")[0]


def test_statements_alone_have_the_new_names() -> None:
    source = (
        '"""from components.x import y"""\n'
        "from components.lustre.volume import (\n    LustreVolume,\n)\n"
        "from catalog import Catalog  # from catalog\n"
        "from catalogs import other\n\n\n"
        "def components() -> None:\n    from   components import ray\n\n    components.ray()\n"
    )
    assert renamed(source) == (
        '"""from components.x import y"""\n'
        "from pulumi_gke_ai.lustre.volume import (\n    LustreVolume,\n)\n"
        "from pulumi_gke_ai.catalog import Catalog  # from catalog\n"
        "from catalogs import other\n\n\n"
        "def components() -> None:\n    from pulumi_gke_ai import ray\n\n    components.ray()\n"
    )


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import os, catalog.zones\n", r"names a module; nearest: from \.\.\. import \.\.\.$"),
        ("from \\\n    catalog import zones\n", "stands in no line of its own$"),
    ],
)
def test_an_import_that_cannot_be_renamed_ends_the_build(source: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        renamed(source)


def test_the_library_cannot_be_editable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT / "components")
    with pytest.raises(ValueError, match=r"nearest: without --editable$"):
        build_editable(str(tmp_path))


def test_the_tree_knows_its_own_names_alone_and_distributions_theirs(folder: Path) -> None:
    for package in (*RENAMED, *PROGRAM):
        assert PACKAGE not in set(imports(ROOT / package))
    assert PACKAGE in set(imports(folder / "program"))
    assert PACKAGE in set(imports(folder / "library"))
    assert not {*imports(folder / "program"), *imports(folder / "library")} & RENAMED.keys()


def test_the_library_loads_none_of_the_trees_names(folder: Path) -> None:
    code = (
        f"import sys; from {PACKAGE} import NodePool; from {PACKAGE}.catalog import Catalog\n"
        "Catalog.load()\n"
        f"print({set(RENAMED)} & {{*sys.modules}}, NodePool.__module__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder / "library",
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"set() {PACKAGE}.pools.node_pool\n"


def test_both_distributions_have_one_version_and_the_program_needs_that_library(
    folder: Path,
) -> None:
    library, program = (
        tomllib.loads((folder / it / "pyproject.toml").read_text())["project"]
        for it in ("library", "program")
    )
    own = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert library["version"] == program["version"] == own["version"]
    assert program["dependencies"] == [f"{library['name']}=={own['version']}", *own["dependencies"]]


def test_the_program_has_all_packages_but_those_of_the_library_and_of_the_clone() -> None:
    packages = {it.parent.name for it in ROOT.glob("*/__init__.py")}
    assert packages - {*RENAMED, "tests", "tools"} == {*PROGRAM}
