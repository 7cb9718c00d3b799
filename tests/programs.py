"""What the program makes of a config: lines of what is wrong with it, or resources."""

import json
import re
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import mocks, set_all_config

from stacks.build import build
from stacks.config import ConfigError, validate
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.tokens import SECRETS
from tests.conftest import PROJECT, ROOT, TOKEN, Recording, recorded

# What most stacks have, and all that there are.
WITH_TOKEN = frozenset({"hugging_face_token"})
WITH_ALL_SECRETS = frozenset(SECRETS)


def lines_of(
    config: Mapping[str, Any], secrets: frozenset[str] = WITH_TOKEN, *, hide_values: bool = False
) -> tuple[str, ...]:
    """What is wrong with a config, if anything; any other exception is a fault."""
    try:
        validate(config, secrets_set=secrets, hide_values=hide_values)
    except ConfigError as error:
        return error.lines
    return ()


def mistakes(
    config: Mapping[str, Any], secrets: frozenset[str] = WITH_TOKEN, *, hide_values: bool = False
) -> tuple[str, ...]:
    """Of a config that is refused."""
    lines = lines_of(config, secrets, hide_values=hide_values)
    assert lines
    return lines


def assert_named(lines: tuple[str, ...], field: str, end: str) -> None:
    """One of the lines is about the field and ends like that."""
    named = [line for line in lines if line.startswith(f"{field}: ")]
    assert named, lines
    # Nothing but further names may follow.
    assert re.search(re.escape(end) + r"[\w-]*(, [\w-]+)*$", named[0]), named[0]


def registered(
    plan: Plan,
    *,
    stack: str = "test",
    answers: mocks.Mocks | None = None,
    folder: Path | None = None,
    record: Record | None = None,
) -> Recording:
    """The stack, with the secrets that its config has, and what users bring in the folder;
    `record` is what the last run left."""

    def program() -> None:
        # Outputs want the loop that is there only while a program runs.
        secrets = {key: pulumi.Output.secret(TOKEN) for key in plan.stack.secrets_set}
        build(plan, secrets, folder, record)

    return recorded(program, stack=stack, answers=answers)


PLACES = ("project", "region", "zone")


def whole_program(config: Mapping[str, Any]) -> Recording:
    """`__main__.py` with a config of `stack_config`'s form: what stands around a stack's parts is
    registered, too."""
    keys = [f"{PROJECT}:{it}" for it in SECRETS]
    stack = {key: it for key, it in config.items() if key not in PLACES}
    values = {f"gcp:{it}": str(config[it]) for it in PLACES if it in config}
    values |= {f"{PROJECT}:stack": json.dumps(stack), **dict.fromkeys(keys, TOKEN)}

    def program() -> None:
        set_all_config(values, secret_keys=keys)
        runpy.run_path(str(ROOT / "__main__.py"), run_name="__main__")

    return recorded(program, stack="test")
