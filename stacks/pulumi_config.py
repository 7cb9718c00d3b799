"""The current stack's config and secrets, as Pulumi hands them to the program."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pulumi

from catalog.strict_yaml import YamlError
from stacks.commands import about, setting
from stacks.config import OBJECT, PLACES, ConfigError, object_of, of_keys, secret_object, validate
from stacks.config_file import config_file
from stacks.names_beside import NOBODY, names_beside
from stacks.plan import Plan
from stacks.stack_file import project_values, read_stack_file
from stacks.standing import NOTHING, Standing
from stacks.tokens import SECRETS


def read(standing: Standing = NOTHING) -> tuple[Plan, dict[str, pulumi.Output[str]]]:
    """The current stack's config and its secrets, `standing` being what its cluster keeps. Raises
    ConfigError with every mistake."""
    with about(pulumi.get_stack()):
        return _read(standing)


def _read(standing: Standing) -> tuple[Plan, dict[str, pulumi.Output[str]]]:
    own, provider = pulumi.Config(), pulumi.Config("gcp")
    secrets = {name: own.get_secret(name) for name in SECRETS}
    present = {name: value for name, value in secrets.items() if value is not None}
    key, folder = own.full_key(OBJECT), pulumi.get_root_directory()
    if pulumi.runtime.is_config_secret(key):
        raise ConfigError([secret_object()])
    plain = {it for it in present if not pulumi.runtime.is_config_secret(own.full_key(it))}
    values = pulumi.runtime.config.CONFIG.get()
    lines = list(of_keys(values, own.name, plain))
    # A server with an empty key answers everybody, and a hub takes an empty token for none.
    empty = (it for it in present if not values[own.full_key(it)].strip())
    lines += [f"{it}: is empty; nearest: {setting(it)}" for it in empty]
    file = config_file(Path(folder), pulumi.get_stack()) if folder else None
    if file and file.name != f"Pulumi.{pulumi.get_stack()}.yaml":
        pulumi.log.warn(
            f"the config is that of {file.name}: each command of `pulumi` that a message names "
            f"needs --config-file {shlex.quote(str(file))}, too"
        )
    if lines or (file and (lines := list(_passed_over(Path(folder), file, own.name)))):
        raise ConfigError(lines)
    place = {key: provider.get(key) for key in PLACES}
    # A suggestion would show what is near the value.
    hide_values = any(pulumi.runtime.is_config_secret(f"gcp:{key}") for key in PLACES)
    plan = validate(
        {**object_of(own.get(OBJECT)), **place},
        secrets_set=frozenset(present),
        hide_values=hide_values,
        standing=standing,
        # Run inline, the program has no folder; the sandbox checks names itself.
        beside=names_beside(Path(folder), pulumi.get_stack(), key, place["project"], own=file)
        if file and not hide_values
        else NOBODY,
    )
    return plan, present


def _passed_over(folder: Path, file: Path, project: str) -> Iterator[str]:
    """What the CLI did not read of the file, and what says that it reads another one."""
    readers = ((folder / "Pulumi.yaml", project_values), (file, read_stack_file))
    for each, read_file in readers:
        try:
            read_file(each, project)
        except YamlError as error:
            yield from (f"{each.name}: {line}" for line in error.lines)
        except OSError:
            # There is none, or nobody can tell which it is.
            continue
