"""A program's place in the sandbox: a folder for its state and a copy of its config.

The program's own folder is read and run in, and nothing is written there.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from catalog import Catalog
from catalog.strict_yaml import YamlError, load_yaml
from catalog.table import nearest_names
from cli.errors import UserError
from cli.pulumi_cli import binary
from sandbox.cloud.wide_catalog import WideCatalog
from sandbox.disk import replace_file, require_room
from sandbox.folder import claim
from sandbox.providers.bridge import VARIABLES
from sandbox.secrets import PLACEHOLDER
from sandbox.workspace import SANDBOX_PROJECT, Dumper, Workspace, salt_of

# Apart from that of stacks: a program's stacks may have their names.
FOLDER = Path(".sandbox-programs")
_PROJECT_FILES = ("Pulumi.yaml", "Pulumi.yml")
_HOST = Path(__file__).with_name("language_host.py")


@dataclass(frozen=True)
class ProgramWorkspace(Workspace):
    """One stack of the program in `project_folder`. Raises UserError where no program is there."""

    def __post_init__(self) -> None:
        if not self.project:
            raise UserError(f"{self._project_file.name}: has no name; nearest: name: my-program")

    @cached_property
    def _project_file(self) -> Path:
        for name in _PROJECT_FILES:
            if (self.project_folder / name).is_file():
                return self.project_folder / name
        near = [it.parent.name for it in sorted(self.project_folder.glob("*/Pulumi.yaml"))]
        raise UserError(
            f"--program: {self.project_folder}: no Pulumi.yaml is there; nearest: "
            f"{', '.join(near[:3]) or 'the folder that `pulumi new` was run in'}"
        )

    @cached_property
    def _project_values(self) -> Mapping[str, Any]:
        return _mapping(self._project_file)

    @property
    def project(self) -> str:
        return str(self._project_values.get("name") or "")

    @property
    def is_program(self) -> bool:
        return True

    @property
    def run_folder(self) -> Path:
        return self.project_folder

    @property
    def urn_stack(self) -> str:
        return f"{self.stack}::{self.project}"

    @property
    def work_dir(self) -> Path:
        return self.root / "stacks" / f"{self.project}.{self.stack}"

    @property
    def source(self) -> Path:
        folder = str(self._project_values.get("stackConfigDir") or ".")
        return self.project_folder / folder / f"Pulumi.{self.stack}{self._project_file.suffix}"

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "PULUMI_IGNORE_AMBIENT_PLUGINS": ""}

    @property
    def is_protected(self) -> bool:
        return False

    def stack_object(self) -> dict[str, Any]:
        return {}

    def state_files(self) -> Iterator[Path]:
        return self.backend.glob(f".pulumi/stacks/{self.project}/{self.stack}.json")

    def catalog(self) -> Catalog:
        return WideCatalog.load()

    def stack_names(self) -> list[str]:
        """Those that have a config file in the program's folder."""
        start, end = "Pulumi.", self._project_file.suffix
        found = self.source.parent.glob(f"{start}*{end}")
        return sorted(it.name.removeprefix(start).removesuffix(end) for it in found)

    def prepare(self, overrides: Sequence[str]) -> dict[str, str]:
        """Copy the config, with the overrides; of what is encrypted there is a placeholder."""
        self.install()
        known = self.stack_names()
        if not self.source.exists() and known:
            raise UserError(
                f'--stack: "{self.stack}": there is no {self.source.name}; nearest: '
                f"{nearest_names(self.stack, known)}"
            )
        given = _mapping(self.source) if self.source.exists() else {}
        config = {key: _readable(it) for key, it in (given.get("config") or {}).items()}
        for override in overrides:
            key, value = self._override(override)
            config[key] = value
        shared = self._project_values.get("config") or {}
        has_project = {**shared, **config}.get("gcp:project") or any(
            os.environ.get(it) for it in VARIABLES["project"]
        )
        if not has_project:
            config["gcp:project"] = SANDBOX_PROJECT
        document: dict[str, Any] = {"config": config}
        if salt := salt_of(self.config_file):
            document["encryptionsalt"] = salt
        replace_file(self.config_file, yaml.dump(document, Dumper=Dumper, sort_keys=False))
        project = {"name": self.project, "runtime": "python"}
        (self.work_dir / "Pulumi.yaml").write_text(yaml.safe_dump(project))
        return {}

    def install(self) -> None:
        """The sandbox's folders, and beside a link to Pulumi's CLI its language host for Python."""
        claim(self.root)
        require_room(self.root)
        for folder in (self.work_dir, self.backend, self.bin):
            folder.mkdir(parents=True, exist_ok=True)
        self.keep_from_logging()
        write_language_host(self.bin)
        link = self.bin / "pulumi"
        link.unlink(missing_ok=True)
        link.symlink_to(binary())

    def _override(self, text: str) -> tuple[str, Any]:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UserError(f'--set: "{text}": must be KEY=VALUE, e.g. gcp:zone=us-east1-b')
        return key if ":" in key else f"{self.project}:{key}", value


def write_language_host(folder: Path) -> None:
    """What Pulumi's CLI finds on the PATH by this name. `-I`: the variables that a user has for
    Python are for the program alone."""
    file = folder / "pulumi-language-python"
    words = shlex.join([sys.executable, "-I", str(_HOST)])
    replace_file(file, f'#!/bin/sh\nexec {words} "$@"\n')
    file.chmod(0o755)


def _mapping(file: Path) -> Mapping[str, Any]:
    try:
        found = load_yaml(file.read_text(encoding="utf-8"))
    except YamlError as error:
        raise UserError("\n".join(f"{file.name}: {line}" for line in error.lines)) from None
    return found if isinstance(found, dict) else {}


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"secure"}:
            return PLACEHOLDER
        return {key: _readable(it) for key, it in value.items()}
    return [_readable(it) for it in value] if isinstance(value, list) else value
