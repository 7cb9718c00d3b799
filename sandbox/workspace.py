"""The sandbox's own folder: state, simulated cloud, and copies of the user's config.

The user's files are read, never written: the engine writes into the copies.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import yaml
from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from catalog import Catalog, CatalogAdditions, FactError
from catalog.durations import Durations
from catalog.durations_table import TableError
from catalog.strict_yaml import YamlError, load_yaml
from cli.errors import UserError
from cli.next_steps import NEW_PROJECT, command
from cli.overrides import all_secrets, apply_overrides
from cli.project import PROJECT, PROJECT_FOLDER, stack_names, stacks_like
from cli.pulumi_cli import without_options
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.reservations import Reservations
from sandbox.cloud_store import cloud_at
from sandbox.disk import replace_file, require_room
from sandbox.faults import Faults
from sandbox.folder import claim
from sandbox.secrets import (
    IN_PLAIN,
    PLACEHOLDER,
    UNREADABLE,
    required_secrets,
    secret_from_environment,
)
from stacks.parts.images.plan import repository_in
from stacks.stack_file import (
    OTHER_ENDINGS,
    StackFile,
    is_encrypted,
    project_values,
    read_stack_file,
    text_of,
)

# A passphrase protects nothing that lies beside it: it only keeps secrets out of plain files.
PASSPHRASE = "sandbox"
SANDBOX_PROJECT = "sandbox-project"
_Read = TypeVar("_Read")
_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


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
    def is_program(self) -> bool:
        """Whether it is any program of Pulumi, of which nothing is known here."""
        return False

    @property
    def run_folder(self) -> Path:
        """Where Pulumi's CLI runs."""
        return self.work_dir

    @property
    def urn_stack(self) -> str:
        """How the URNs of the stack's resources begin, after `urn:pulumi:`."""
        return self.stack

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
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        }

    @property
    def cli_environment(self) -> dict[str, str]:
        """The environment of a CLI call beside the Automation API."""
        own = without_options(os.environ)
        return {**own, **self.environment, "PULUMI_HOME": str(self.home)}

    def state_files(self) -> Iterator[Path]:
        """The engine's record of the stack, if it has any."""
        return self.backend.glob(f".pulumi/stacks/*/{self.stack}.json")

    def deployment(self) -> dict[str, Any]:
        """What `pulumi stack export` writes as `deployment`; empty before the first `up`. Raises
        UserError where the file is cut: the file backend renames what it could not write to a full
        disk (gocloud.dev v0.46.1, blob/fileblob/fileblob.go, writer.Close)."""
        for file in self.state_files():
            try:
                return json.loads(file.read_text())["checkpoint"].get("latest") or {}
            except ValueError:
                raise UserError(
                    f"the state of {self.stack} ends in the middle, as a full disk leaves it; "
                    f"nearest: {command('reset', self.stack, self.root)}"
                ) from None
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
        self.work_dir.mkdir(parents=True, exist_ok=True)
        self.backend.mkdir(parents=True, exist_ok=True)
        self.keep_from_logging()
        project_file = _checked(self.project_folder / "Pulumi.yaml", lambda file, _: text_of(file))
        (self.work_dir / "Pulumi.yaml").write_bytes(project_file)
        previous = self._previous()
        given = self.user_file()
        shared = _checked(self.project_folder / "Pulumi.yaml", project_values)
        every = {**shared, **given.config}
        config = {key: _readable(key, value) for key, value in every.items()}
        if config.get("gcp:project") in (None, "", UNREADABLE):
            config["gcp:project"] = SANDBOX_PROJECT
        taken_away = apply_overrides(config, overrides)
        own = {key for key in all_secrets() if is_encrypted(given.config.get(key))}
        config = {key: value for key, value in config.items() if key not in own}
        wanted = {*own, *required_secrets(config), *self._encrypted_before(previous, own)}
        secrets = dict.fromkeys(sorted(wanted - taken_away), PLACEHOLDER)
        secrets.update(
            {key: found for key in all_secrets() if (found := secret_from_environment(key))}
        )
        kept, missing = self._keep_encrypted(secrets, previous)
        document: dict[str, Any] = {"config": {**config, **kept}}
        if salt := salt_of(self.config_file):
            document["encryptionsalt"] = salt
        replace_file(self.config_file, yaml.dump(document, Dumper=Dumper, sort_keys=False))
        self._note_own_secrets(own)
        self._have_repositories(str(config.get("gcp:project")))
        return missing

    def _have_repositories(self, project: str) -> None:
        """Images are taken to be where the config says, and so are the repositories of the project
        that they are in."""
        images = set(_images_in(self.stack_object()))
        found = {it for it in map(repository_in, images) if it is not None}
        own = sorted((it for it in found if it.project == project), key=lambda it: it.key)
        if own:
            # It brings Pulumi's SDK, which few commands have a use for.
            from sandbox.existing import have_repositories

            have_repositories(self.cloud(), own)

    def keep_from_logging(self) -> None:
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
            has_defaults=self.is_program,
        )

    def user_file(self) -> StackFile:
        """The user's own file, as Pulumi reads it. Raises UserError."""
        if not self.source.exists():
            raise UserError(self.no_source())
        return _read(self.source)

    def secrets_to_set(self) -> list[str]:
        """Secrets that the last command had, and that the user's own file does not have: a real
        stack is still to be given them."""
        own, config = self.user_file().config, self.config()
        needed = required_secrets(config)
        return [
            key
            for key in all_secrets()
            if is_encrypted(config.get(key))
            and not is_encrypted(own.get(key))
            and (key in needed or secret_from_environment(key))
        ]

    def config(self) -> dict[str, Any]:
        """The config that the last `prepare` wrote; empty where there was none."""
        return _read(self.config_file).config if self.config_file.exists() else {}

    def stack_object(self) -> dict[str, Any]:
        """The stack's keys in that config; none where what stands there is no object, which is the
        program's to refuse."""
        found = self.config().get(f"{PROJECT}:stack")
        return found if isinstance(found, dict) else {}

    @property
    def is_protected(self) -> bool:
        """Whether the last command's config protects what holds data, as it does by default, in any
        word that the program takes."""
        given = self.stack_object().get("deletion_protection")
        try:
            return given is None or TypeAdapter(bool).validate_python(given)
        except ValidationError:
            return True

    def beside(self) -> Iterator[Workspace]:
        """The other stacks of the sandbox, as their last commands left them."""
        for folder in sorted((self.root / "stacks").glob("*")):
            if folder.name != self.stack:
                yield replace(self, stack=folder.name)

    def durations(self) -> Durations:
        """How long operations take: by the user's own table first, where the project has one.
        Raises UserError."""
        try:
            return Durations.of(self.project_folder)
        except TableError as error:
            raise UserError(str(error)) from None

    def catalog(self) -> Catalog:
        """The catalog with the stack's own additions; wrong ones are the program's to refuse."""
        catalog = Catalog.load()
        additions = self.stack_object().get("catalog")
        try:
            return catalog.extended(CatalogAdditions.model_validate(additions or {}))
        except (ValidationError, FactError):
            return catalog

    def _previous(self) -> dict[str, Any]:
        """The last copy's config; one that was cut is as none, for the state has what it needs."""
        try:
            return self.config()
        except UserError:
            return {}

    def _encrypted_before(self, previous: Mapping[str, Any], own: set[str]) -> Iterator[str]:
        """Secrets stay in a config until somebody takes them out of the file."""
        gone = self._own_secrets_noted() - own
        for key in all_secrets():
            if is_encrypted(previous.get(key)) and key not in gone:
                yield key

    def _note_own_secrets(self, own: set[str]) -> None:
        replace_file(self._own_secrets, json.dumps(sorted(own)))

    def _own_secrets_noted(self) -> set[str]:
        """Those that the user's file had at the last command."""
        try:
            return set(json.loads(self._own_secrets.read_text()))
        except (OSError, ValueError):
            return set()

    @property
    def _own_secrets(self) -> Path:
        return self.work_dir / "own-secrets.json"

    def no_source(self, *, deletes: bool = False) -> str:
        """Why there is no file, and the stack that is meant. A command that `deletes` leads to no
        other stack."""
        known = stack_names(self.project_folder)
        said = f'--stack: "{self.stack}":'
        named = self.stack.removeprefix("Pulumi.")
        for ending in (".yaml", *OTHER_ENDINGS):
            named = named.removesuffix(ending)
        if named != self.stack and named in known:
            return f"{said} the name of a stack is wanted, not that of its file; nearest: {named}"
        for ending in OTHER_ENDINGS:
            other = self.source.with_suffix(ending)
            if other.exists():
                return (
                    f"{said} Pulumi reads {self.source.name}, as Pulumi.yaml ends in .yaml, and "
                    f"passes over {other.name}; nearest: mv {other.name} {self.source.name}"
                )
        missing = f"{said} there is no {self.source.name}"
        if deletes:
            return f"{missing}, and nothing was deleted; stacks here: {', '.join(known) or 'none'}"
        near = stacks_like(named, known) or [NEW_PROJECT]
        return f"{missing}; nearest: {', '.join(near)}"

    def _keep_encrypted(
        self, secrets: Mapping[str, str], previous: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, str]]:
        kept: dict[str, Any] = {}
        missing: dict[str, str] = {}
        for key, value in secrets.items():
            old = previous.get(key)
            if is_encrypted(old) and (value == PLACEHOLDER or self._is_remembered(key, value)):
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


class Dumper(_SafeDumper):
    """Writes each text in quotes, so that Pulumi's YAML takes none of them for a number or time."""


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


Dumper.add_representer(str, _quoted)


def _read(file: Path) -> StackFile:
    return _checked(file, read_stack_file)


def _checked(file: Path, read: Callable[[Path, str], _Read]) -> _Read:
    """Raises UserError where the file cannot be read, with each mistake in a line of its own."""
    try:
        return read(file, PROJECT)
    except YamlError as error:
        raise UserError("\n".join(f"{file.name}: {line}" for line in error.lines)) from None


def salt_of(file: Path) -> str | None:
    """What the engine's secrets in the last copy are encrypted with."""
    try:
        found = load_yaml(text_of(file)) if file.exists() else None
    except YamlError:
        return None
    return found.get("encryptionsalt") if isinstance(found, dict) else None


def _images_in(found: Any) -> Iterator[str]:
    """Where the config names one."""
    if isinstance(found, dict):
        if isinstance(image := found.get("image"), str):
            yield image
        found = list(found.values())
    if isinstance(found, list):
        for it in found:
            yield from _images_in(it)


def _readable(key: str, value: Any) -> Any:
    """Without what is encrypted for another backend; and of a token in plain only that it is."""
    if key in all_secrets():
        return value if is_encrypted(value) else IN_PLAIN
    if is_encrypted(value):
        return UNREADABLE
    if isinstance(value, dict):
        return {inner: _readable("", it) for inner, it in value.items()}
    return [_readable("", it) for it in value] if isinstance(value, list) else value


def _digest(value: str, salt: bytes) -> str:
    return f"{salt.hex()}:{hashlib.scrypt(value.encode(), salt=salt, n=2**12, r=8, p=1).hex()}"
