"""Builds the two distributions of this tree, by PEP 517: the library `pulumi-gke-ai` from this
folder, and the program `gke-ai-stacks` from the one above.

In the tree the library's packages are `components` and `catalog`, which a program that Pulumi runs
from the tree finds beside itself. In a distribution they are `pulumi_gke_ai` and
`pulumi_gke_ai.catalog`, so that nobody's own `components` is in their way: a copy of the sources
has those names in its imports, and uv builds that copy.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from uv import find_uv_bin

LIBRARY = Path(__file__).resolve().parent
ROOT = LIBRARY.parent
PACKAGE = "pulumi_gke_ai"
# By its name in the tree, the name of a package in distributions.
RENAMED = {"components": PACKAGE, "catalog": f"{PACKAGE}.catalog"}
# What stands beside the library's code and is none of it.
_NO_CODE = ("build_backend.py", "pyproject.toml", "README.md")
_FRONTEND = re.compile(r"^\[build-system\]\n(?:.+\n)+", re.M)
_UV = '[build-system]\nrequires = ["uv_build"]\nbuild-backend = "uv_build"\n'

Settings = Mapping[str, object] | None


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    return _built("build-wheel", wheel_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """It has the names of a wheel, so that no more than uv is needed to build it."""
    return _built("build-sdist", sdist_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """The tree itself, under the names that it has here."""
    if Path.cwd() == LIBRARY:
        raise ValueError(
            f"{PACKAGE} has other names here and cannot be editable; nearest: without --editable"
        )
    return _uv("build-editable", Path.cwd(), wheel_directory)


def write_library(folder: Path) -> None:
    """The source of the library as a distribution has it."""
    _copy(LIBRARY, folder / PACKAGE, *_NO_CODE)
    _copy(ROOT / "catalog", folder / PACKAGE / "catalog")
    project = _source(LIBRARY / "pyproject.toml")
    _write_project(folder, project.replace('dynamic = ["version"]', f'version = "{_version()}"'))
    for file in (LIBRARY / "README.md", ROOT / "LICENSE"):
        shutil.copy(file, folder)


def write_program(folder: Path) -> None:
    """The source of the program as a distribution has it, which needs the library's."""
    project = _source(ROOT / "pyproject.toml")
    for package in tomllib.loads(project)["tool"]["uv"]["build-backend"]["module-name"]:
        _copy(ROOT / package, folder / package)
    needs = f'dependencies = [\n    "pulumi-gke-ai=={_version()}",\n'
    _write_project(folder, project.replace("dependencies = [\n", needs, 1))
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)


def renamed(source: str) -> str:
    """A module's source with the names that its imports have in distributions."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and any(_new_name(it.name) for it in node.names):
            raise ValueError(f"`{ast.unparse(node)}` names a module; nearest: from ... import ...")
        if not isinstance(node, ast.ImportFrom) or node.level or node.module is None:
            continue
        if new := _new_name(node.module):
            # Before the statement there is white space alone, so that bytes count as characters.
            line, start = lines[node.lineno - 1], node.col_offset
            old = re.compile(rf"from\s+{re.escape(node.module)}\b").match(line, start)
            if old is None:
                raise ValueError(f"`{line.strip()}` stands in no line of its own")
            lines[node.lineno - 1] = f"{line[:start]}from {new}{line[old.end() :]}"
    return "".join(lines)


def _new_name(module: str) -> str | None:
    package, *rest = module.split(".", 1)
    return ".".join((RENAMED[package], *rest)) if package in RENAMED else None


def _copy(source: Path, folder: Path, *leave_out: str) -> None:
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in leave_out:
        (folder / name).unlink()
    for file in folder.rglob("*.py"):
        file.write_text(renamed(_source(file)), encoding="utf-8")


def _write_project(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(_FRONTEND.sub(_UV, text), encoding="utf-8")


def _source(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _version() -> str:
    """Of both: the program's."""
    return str(tomllib.loads(_source(ROOT / "pyproject.toml"))["project"]["version"])


def _built(verb: str, into: str) -> str:
    write = write_library if Path.cwd() == LIBRARY else write_program
    with TemporaryDirectory() as folder:
        write(Path(folder))
        return _uv(verb, Path(folder), into)


def _uv(verb: str, folder: Path, into: str) -> str:
    """The name of the file that uv built."""
    words = (find_uv_bin(), "build-backend", verb, str(Path(into).resolve()))
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()
