"""The sandbox's own folder: state, simulated cloud, and copies of the user's config.

The user's files are read, never written: the engine writes into the copies.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock, Timeout
from pydantic import ValidationError

from catalog import Catalog, CatalogAdditions, FactError
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.reservations import Reservations
from sandbox.errors import UserError
from sandbox.faults import Faults
from sandbox.secrets import PLACEHOLDERS, secret_from_environment

PROJECT_FOLDER = Path(__file__).resolve().parent.parent
PROJECT = "gke-ai-stacks"
# A passphrase protects nothing that lies beside it: it only keeps secrets out of plain files.
PASSPHRASE = "sandbox"
SANDBOX_PROJECT = "sandbox-project"


@dataclass(frozen=True)
class Workspace:
    """Folders and files of one stack; `root` is shared by all stacks of the sandbox."""

    root: Path
    stack: str
    project_folder: Path = PROJECT_FOLDER

    @property
    def work_dir(self) -> Path:
        return self.root / "stacks" / self.stack

    @property
    def config_file(self) -> Path:
        return self.work_dir / f"Pulumi.{self.stack}.yaml"

    @property
    def cloud_file(self) -> Path:
        return self.root / "cloud.json"

    @property
    def project_file(self) -> Path:
        """What the simulated project has besides stacks, if a command was given it."""
        return self.root / "project.yaml"

    @property
    def backend(self) -> Path:
        return self.root / "state"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def plan_file(self) -> Path:
        return self.work_dir / "plan.json"

    @property
    def environment(self) -> dict[str, str]:
        """What the Pulumi CLI is told, so that nothing of the user's own login is touched."""
        return {
            # A sidecar of metadata is not replaced in one step: a kill can leave half of one, and
            # the engine could then not read its state.
            "PULUMI_BACKEND_URL": f"{self.backend.as_uri()}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_CHECKPOINT_BACKUPS": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        }

    def state_files(self) -> Iterator[Path]:
        """The engine's record of the stack, if it has any."""
        return self.backend.glob(f".pulumi/stacks/*/{self.stack}.json")

    def lock(self) -> FileLock:
        """Only one command at a time may change the sandbox."""
        self.root.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.root / "lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise UserError(
                f"{self.root.name}: a command is at work here; wait, or give another --folder"
            ) from None
        return lock

    def prepare(self, overrides: Sequence[str]) -> dict[str, str]:
        """Copy the config with the overrides; returns the secrets that are still to be set."""
        self.work_dir.mkdir(parents=True, exist_ok=True)
        self.backend.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.project_folder / "Pulumi.yaml", self.work_dir / "Pulumi.yaml")
        previous = _load(self.config_file) if self.config_file.exists() else {}
        config = self._user_config()
        config.setdefault("gcp:project", SANDBOX_PROJECT)
        secrets = {f"{PROJECT}:{key}": value for key, value in PLACEHOLDERS.items()}
        for override in overrides:
            self._override(config, secrets, override)
        secrets.update(
            {key: found for key in _all_secrets() if (found := secret_from_environment(key))}
        )
        kept, missing = self._keep_encrypted(secrets, previous)
        document: dict[str, Any] = {"config": {**config, **kept}}
        if "encryptionsalt" in previous:
            document["encryptionsalt"] = previous["encryptionsalt"]
        self.config_file.write_text(yaml.safe_dump(document, sort_keys=False))
        return missing

    def remember_secret(self, key: str, value: str) -> None:
        """Note which value was encrypted last, as a salted digest: it is encrypted again on
        change."""
        self._digest_file(key).write_text(_digest(value, os.urandom(16)))

    def use_project(self, file: Path) -> None:
        """Keep what the simulated project has, for this command and those that follow."""
        Reservations.load(file)
        self.project_file.write_bytes(file.read_bytes())

    def cloud(self, faults: Faults | None = None, *, real_control_planes: bool = False) -> Cloud:
        """The simulated cloud that all stacks of the sandbox share."""
        given = Reservations.load(self.project_file if self.project_file.exists() else None)
        return Cloud(
            self.cloud_file,
            self.catalog(),
            faults,
            given,
            real_control_planes=real_control_planes,
        )

    def config(self) -> dict[str, Any]:
        """The config that the last `prepare` wrote."""
        return _load(self.config_file).get("config") or {}

    def catalog(self) -> Catalog:
        """The catalog with the stack's own additions; wrong ones are the program's to refuse."""
        catalog = Catalog.load()
        additions = (self.config().get(f"{PROJECT}:stack") or {}).get("catalog")
        try:
            return catalog.extended(CatalogAdditions.model_validate(additions or {}))
        except (ValidationError, FactError):
            return catalog

    def remove(self) -> None:
        """Delete the stack's folder, or the whole sandbox when no stack is named."""
        if not self.stack:
            self._end_control_planes()
        shutil.rmtree(self.work_dir if self.stack else self.root, ignore_errors=True)

    def _end_control_planes(self) -> None:
        folders = list((self.root / "kube").glob("*/"))
        if folders:
            from sandbox.control_plane import ControlPlane

            for folder in folders:
                ControlPlane(folder).stop()

    def _user_config(self) -> dict[str, Any]:
        source = self.project_folder / f"Pulumi.{self.stack}.yaml"
        if not source.exists():
            known = stack_names(self.project_folder)
            near = difflib.get_close_matches(self.stack, known, n=1, cutoff=0.3) or known
            raise UserError(
                f'--stack: "{self.stack}": there is no {source.name}; nearest: {", ".join(near)}'
            )
        config = (_load(source)).get("config") or {}
        return {key: value for key, value in config.items() if not _is_encrypted(value)}

    def _override(self, config: dict[str, Any], secrets: dict[str, str], override: str) -> None:
        path, separator, text = override.partition("=")
        if not separator:
            raise UserError(f'--set: "{override}": must be PATH=VALUE, e.g. gpu_pool.nodes=4')
        value = yaml.safe_load(text) if text else None
        key = path if ":" in path else f"{PROJECT}:{path}"
        if key in _all_secrets():
            if value is not None:
                raise UserError(
                    f"--set: {path}: a secret must not be a process argument; "
                    f"nearest: the environment variable {path.upper()}"
                )
            secrets.pop(key, None)
        elif ":" in path:
            _assign(config, [path], value)
        else:
            steps = path.removeprefix("stack.").split(".")
            _assign(config, [f"{PROJECT}:stack", *steps], value)

    def _keep_encrypted(
        self, secrets: Mapping[str, str], previous: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, str]]:
        kept: dict[str, Any] = {}
        missing: dict[str, str] = {}
        for key, value in secrets.items():
            old = (previous.get("config") or {}).get(key)
            if _is_encrypted(old) and self._is_remembered(key, value):
                kept[key] = old
            else:
                missing[key] = value
        return kept, missing

    def _digest_file(self, key: str) -> Path:
        return self.work_dir / f"{key.replace(':', '.')}.digest"

    def _is_remembered(self, key: str, value: str) -> bool:
        file = self._digest_file(key)
        if not file.exists():
            return False
        known = file.read_text()
        return _digest(value, bytes.fromhex(known.split(":")[0])) == known


def stack_names(folder: Path = PROJECT_FOLDER) -> list[str]:
    """Every stack that has a config file."""
    files = folder.glob("Pulumi.*.yaml")
    return sorted(file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in files)


def _all_secrets() -> list[str]:
    from stacks.config import SECRETS

    return [f"{PROJECT}:{key}" for key in SECRETS]


def _assign(config: dict[str, Any], steps: list[str], value: Any) -> None:
    """Set a value by path; None takes the key away."""
    *parents, last = steps
    for step in parents:
        inner = config.setdefault(step, {})
        if not isinstance(inner, dict):
            raise UserError(f'--set: "{".".join(steps)}": {step} holds no keys')
        config = inner
    if value is None:
        config.pop(last, None)
    else:
        config[last] = value


def _load(file: Path) -> dict[str, Any]:
    try:
        return yaml.safe_load(file.read_text()) or {}
    except yaml.YAMLError as error:
        raise UserError(f"{file.name}: not YAML: {error}") from None


def _is_encrypted(value: Any) -> bool:
    return isinstance(value, dict) and "secure" in value


def _digest(value: str, salt: bytes) -> str:
    return f"{salt.hex()}:{hashlib.scrypt(value.encode(), salt=salt, n=2**12, r=8, p=1).hex()}"
