"""The sandbox's own folder: state, simulated cloud, and copies of the user's config.

The user's files are read, never written: the engine writes into the copies.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock, Timeout
from pydantic import ValidationError

from catalog import Catalog, CatalogAdditions, FactError
from catalog.table import read_yaml
from sandbox import state_copies
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.reservations import Reservations
from sandbox.cloud_store import cloud_at
from sandbox.disk import hold_reserve, replace_file, require_room
from sandbox.durations import Durations
from sandbox.errors import UserError
from sandbox.faults import Faults
from sandbox.folder import claim
from sandbox.names import PROJECT
from sandbox.overrides import apply_override
from sandbox.secrets import PLACEHOLDER, all_secrets, required_secrets, secret_from_environment

PROJECT_FOLDER = Path(__file__).resolve().parent.parent
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
    def source(self) -> Path:
        """The user's own config file."""
        return self.project_folder / f"Pulumi.{self.stack}.yaml"

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
            # A run is short: it collects its garbage less often, which is a fifth of its work.
            "GOGC": "400",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_CHECKPOINT_BACKUPS": "true",
            **state_copies.ENVIRONMENT,
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        }

    def state_files(self) -> Iterator[Path]:
        """The engine's record of the stack, if it has any."""
        return self.backend.glob(f".pulumi/stacks/*/{self.stack}.json")

    def deployment(self) -> dict[str, Any]:
        """What `pulumi stack export` writes as `deployment`; empty before the first `up`. Raises
        ValueError where the file is cut."""
        for file in self.state_files():
            return json.loads(file.read_text())["checkpoint"].get("latest") or {}
        return {}

    def lock(self) -> FileLock:
        """Only one command at a time may change the sandbox."""
        lock = FileLock(self.root / "lock")
        try:
            claim(self.root)
            lock.acquire(timeout=0)
        except Timeout:
            raise UserError(
                f"{self.root.name}: a command is at work here; wait, or give another --folder"
            ) from None
        except OSError as error:
            raise UserError(
                f"--folder: {self.root}: nothing can be written there: {error.strerror}; "
                "nearest: another --folder"
            ) from None
        return lock

    def prepare(self, overrides: Sequence[str]) -> dict[str, str]:
        """Copy the config with the overrides; returns the secrets that are still to be set."""
        claim(self.root)
        require_room(self.root)
        hold_reserve(self.root)
        self.work_dir.mkdir(parents=True, exist_ok=True)
        self.backend.mkdir(parents=True, exist_ok=True)
        self._keep_from_logging()
        shutil.copyfile(self.project_folder / "Pulumi.yaml", self.work_dir / "Pulumi.yaml")
        previous = self._previous()
        config = self._user_config()
        config.setdefault("gcp:project", SANDBOX_PROJECT)
        taken_away: set[str] = set()
        for override in overrides:
            apply_override(config, taken_away, override)
        wanted = {*self._encrypted_by_user(), *required_secrets(config)} - taken_away
        secrets = dict.fromkeys(sorted(wanted), PLACEHOLDER)
        secrets.update(
            {key: found for key in all_secrets() if (found := secret_from_environment(key))}
        )
        kept, missing = self._keep_encrypted(secrets, previous)
        document: dict[str, Any] = {"config": {**config, **kept}}
        if "encryptionsalt" in previous:
            document["encryptionsalt"] = previous["encryptionsalt"]
        replace_file(self.config_file, yaml.safe_dump(document, sort_keys=False))
        return missing

    def _keep_from_logging(self) -> None:
        """The CLI writes all that it does into files of its own, a quarter of its work, and has no
        switch for it; without a folder for them it goes on (pulumi/pulumi pkg/logging/encrypted.go
        and cmd/pulumi/pulumi.go:330, v3.256.0)."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "logs").touch()

    def remember_secret(self, key: str, value: str) -> None:
        """Note which value was encrypted last, as a salted digest: it is encrypted again on
        change."""
        self._digest_file(key).write_text(_digest(value, os.urandom(16)))

    def use_project(self, file: Path) -> None:
        """Keep what the simulated project has, for this command and those that follow."""
        given = Reservations.load(file)
        self.project_file.write_bytes(file.read_bytes())
        if given.existing:
            # It brings Pulumi's SDK, which few commands have a use for.
            from sandbox.existing import add_existing

            add_existing(self.cloud(), given.existing)

    def cloud(self, faults: Faults | None = None, *, real_control_planes: bool = False) -> Cloud:
        """The simulated cloud that all stacks of the sandbox share."""
        given = Reservations.load(self.project_file if self.project_file.exists() else None)
        return cloud_at(
            self.cloud_file,
            self.catalog(),
            faults,
            given,
            real_control_planes=real_control_planes,
        )

    def config(self) -> dict[str, Any]:
        """The config that the last `prepare` wrote; empty where there was none."""
        if not self.config_file.exists():
            return {}
        return _load(self.config_file).get("config") or {}

    def stack_object(self) -> dict[str, Any]:
        """The stack's keys in that config; none where what stands there is no object, which is the
        program's to refuse."""
        found = self.config().get(f"{PROJECT}:stack")
        return found if isinstance(found, dict) else {}

    def beside(self) -> Iterator[Workspace]:
        """The other stacks of the sandbox, as their last commands left them."""
        for folder in sorted((self.root / "stacks").iterdir()):
            if folder.name != self.stack:
                yield replace(self, stack=folder.name)

    def durations(self) -> Durations:
        """How long operations take: by the user's own table first, where the project has one.
        Raises UserError."""
        return Durations.of(self.project_folder)

    def catalog(self) -> Catalog:
        """The catalog with the stack's own additions; wrong ones are the program's to refuse."""
        catalog = Catalog.load()
        additions = self.stack_object().get("catalog")
        try:
            return catalog.extended(CatalogAdditions.model_validate(additions or {}))
        except (ValidationError, FactError):
            return catalog

    def _previous(self) -> dict[str, Any]:
        """The last copy; one that was cut is as none, for the state has what it needs itself."""
        try:
            return _load(self.config_file) if self.config_file.exists() else {}
        except UserError:
            return {}

    def _encrypted_by_user(self) -> list[str]:
        config = _load(self.source).get("config") or {}
        return [key for key in all_secrets() if _is_encrypted(config.get(key))]

    def _user_config(self) -> dict[str, Any]:
        if not self.source.exists():
            known = stack_names(self.project_folder)
            near = difflib.get_close_matches(self.stack, known, n=1, cutoff=0.3) or known
            raise UserError(
                f'--stack: "{self.stack}": there is no {self.source.name}; '
                f"nearest: {', '.join(near)}"
            )
        config = _load(self.source).get("config") or {}
        return {key: value for key, value in config.items() if not _is_encrypted(value)}

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


def _load(file: Path) -> dict[str, Any]:
    try:
        return read_yaml(file) or {}
    except yaml.YAMLError as error:
        raise UserError(f"{file.name}: not YAML: {error}") from None


def _is_encrypted(value: Any) -> bool:
    return isinstance(value, dict) and "secure" in value


def _digest(value: str, salt: bytes) -> str:
    return f"{salt.hex()}:{hashlib.scrypt(value.encode(), salt=salt, n=2**12, r=8, p=1).hex()}"
