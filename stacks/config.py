"""From a stack's config to a checked plan: every mistake is reported together."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from typing import Any

from catalog.table import nearest_names
from stacks.checks import names_for, problems_of, references_of
from stacks.clashes import clashes
from stacks.commands import about, of_stack, setting
from stacks.default_models import because, by_default
from stacks.mistakes import Mistake, together, written
from stacks.names_beside import NOBODY, Beside
from stacks.offers import Suggestion
from stacks.parts.part import Rule
from stacks.parts.pools.part import PART as POOLS
from stacks.parts.registry import stand_ins_for
from stacks.plan import Plan
from stacks.repairs import Checked, check
from stacks.stack import Stack
from stacks.standing import NOTHING, Standing, in_place
from stacks.tokens import SECRETS, required_secrets
from stacks.tried import is_within, stands, tried

OBJECT = "stack"
_KIND = (
    "stack.kind: a stack has no kind any more, it is a list of parts under names of yours; "
    "nearest: the same stack as docs/change-a-running-stack.md has it under "
    '"From a config with a kind"'
)
_NO_POOLS = Mistake(
    "pools",
    "missing; it has the machines that everything runs on, each kind of them under a name of yours",
    # The second is in every zone.
    Suggestion.of_values(
        {"gpu": {"machine_type": "g2-standard-8", "nodes": 1}},
        {"cpu": {"machine_type": "e2-standard-4", "nodes": 1}},
    ),
)
PLACES = ("project", "region", "zone")


class ConfigError(ValueError):
    """All that is wrong with a config, one line each."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = tuple(lines)
        one = len(lines) == 1
        title = "The config has 1 mistake" if one else f"The config has {len(lines)} mistakes"
        super().__init__(
            "\n".join([f"{title}; nothing was changed.", *(f"  {it}" for it in lines)])
        )


def validate(
    raw: Mapping[str, Any],
    *,
    secrets_set: frozenset[str] = frozenset(),
    hide_values: bool = False,
    beside: Beside = NOBODY,
    standing: Standing = NOTHING,
    now: datetime | None = None,
    without: Collection[Rule] = (),
) -> Plan:
    """The plan for `raw`: the stack's config object, with `project`, `region` and `zone` in it.

    `secrets_set` names the secrets that the config has, `beside` are the other stacks of the
    project, `standing` what a cluster that runs keeps, `without` are rules that are not asked.
    Raises ConfigError.
    """
    if "kind" in raw:
        raise ConfigError([_KIND])
    with about(beside.stack):
        return _validated(raw, secrets_set, hide_values, beside, standing, now, without)


def _validated(
    raw: Mapping[str, Any],
    secrets_set: frozenset[str],
    hide_values: bool,
    beside: Beside,
    standing: Standing,
    now: datetime | None,
    without: Collection[Rule],
) -> Plan:
    missing = [f"gcp:{key}" for key in PLACES if not raw.get(key)]
    # What a stand-in breaks is no mistake of the user's.
    known = {name.removeprefix("gcp:") for name in missing}
    missing += [name for name in required_secrets(raw) if name not in secrets_set]
    lines = [
        f"{name}: missing{because(name, raw)}; set it with: {setting(name)}" for name in missing
    ]
    full = {**_stand_ins(), **_without_empty(raw), "secrets_set": secrets_set}
    rules = partial(problems_of, now=now, without=without)
    how = Checked(
        model=Stack,
        hide_values=hide_values,
        rules=rules,
        references=references_of,
        stand_ins=stand_ins_for(full),
        entries=names_for(full),
    )
    if not raw.get("pools"):
        lines.append(_without_pools(how, full, frozenset(known)))
        known.add("pools")
        # Without any there is nothing that rules could hold.
        full["pools"] = {"cpu": POOLS.stand_ins({})[0]}
        how = Checked(model=Stack, hide_values=hide_values)
    config, mistakes = check(how, full, known=frozenset(known))
    known_parts = all(it.of_rules and not it.leads_nowhere for it in mistakes)
    if standing.values and mistakes and known_parts:
        refused = Plan(Stack.model_validate(full))
        mistakes = [in_place(it, refused, standing) for it in mistakes]
    written_elsewhere = [written(it.moved) for it in mistakes if it.moved is not None]
    lines += [_by_default(it, raw, written_elsewhere) for it in together(mistakes, raw)]
    if not any(it.path == "name" for it in mistakes):
        lines += _taken(raw.get("name"), beside)
    if lines or not isinstance(config, Stack):
        raise ConfigError(lines)
    plan = Plan(config)
    if lines := list(clashes(plan, beside)):
        raise ConfigError(lines)
    return plan


def secret_object() -> str:
    """Why the stack's block may be no secret: what it holds becomes names and manifests, which
    stand in the state as they are."""
    return (
        "stack: is a secret, or has one in it, and all in it stands in the state in plain; "
        f"nearest: {of_stack(f'pulumi config rm {OBJECT}')}, the same keys without --secret, and "
        "tokens as secrets of their own"
    )


def of_keys(keys: Iterable[str], project: str, plain: Collection[str]) -> Iterator[str]:
    """What is wrong with a config's keys: `plain` names secrets that are not encrypted."""
    for name in sorted(plain):
        yield (
            f"{name}: stands in plain, for everybody who reads the file; nearest: a new one by "
            f"{setting(name)}, and none that others have read"
        )
    known = (OBJECT, *SECRETS)
    for key in sorted(keys):
        prefix, _, name = key.partition(":")
        if prefix == project and name not in known:
            # Whole, for `pulumi config set` without --path makes keys of paths.
            path = name.startswith(f"{OBJECT}.")
            near = "--path, or --config-path" if path else nearest_names(name, known, OBJECT)
            near = f"{OBJECT}.{name}" if name in Stack.model_fields else near
            near = f"gcp:{name}" if name in PLACES else near
            yield f"{name}: nothing reads this key of the config; nearest: {near}"
        elif prefix == "gcp" and name not in PLACES:
            # The stack's provider is told these alone, so that one key is not half of the truth.
            close = get_close_matches(name.lower(), PLACES, n=1)
            near = f"gcp:{close[0]}" if close else "leave it out"
            yield f"{key}: nothing reads this key of the config; nearest: {near}"


def object_of(text: str | None) -> dict[str, Any]:
    """The stack's config object, as Pulumi hands it over. Raises ConfigError where it is none."""
    if text is None:
        raise ConfigError(
            ["stack: missing; nearest: a copy of Pulumi.dev.yaml under the stack's name"]
        )
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        # Not JSON, or blocks in each other or digits without an end.
        value = None
    if not isinstance(value, dict):
        raise ConfigError(
            ["stack: not a block of keys; nearest: stack.name, stack.pools and the like"]
        )
    # `secrets_set` is ours; from a config it would pass a missing secret off as set.
    for key in (*PLACES, "secrets_set"):
        if key in value:
            where = "as a secret of its own" if key == "secrets_set" else f"in gcp:{key}"
            raise ConfigError([f"stack.{key}: does not stand here; nearest: {where}"])
    return value


def _without_pools(how: Checked, raw: dict[str, Any], known: frozenset[str]) -> str:
    """The line about pools that are missing, with those that the rest of the config takes."""

    def mistakes_in(config: dict[str, Any]) -> list[Mistake]:
        return check(how, config, known=known)[1]

    (best,) = tried([_NO_POOLS], {**raw, "pools": {}}, mistakes_in)
    suggestion = best.suggestion
    if suggestion is not None and suggestion.offers:
        best = best.suggesting(suggestion.only(suggestion.offers[:1], ""))
    return best.line


def _stand_ins() -> dict[str, str]:
    """Let the rest be checked when a place is missing; never returned."""
    return {"project": "missing-project", "region": "us-east1", "zone": "us-east1-b"}


def _without_empty(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if value or key not in PLACES}


def _by_default(mistake: Mistake, raw: Mapping[str, Any], elsewhere: Sequence[str]) -> str:
    """The mistake's line, which says so where nobody wrote the value that it begins with; what
    stands `elsewhere` is under a key that is misspelt, or in another place."""
    if mistake.of_rules:
        mistake = replace(mistake, reason=by_default(mistake.reason, mistake.path, raw))
    name, separator, rest = mistake.line.partition(": ")
    has_value = rest[:1].isdecimal() or rest.startswith('"')
    own = stands(raw, mistake.path) or any(is_within(mistake.path, it) for it in elsewhere)
    if mistake.of_rules and has_value and not own:
        return f"{name}{separator}by default, {rest}"
    return mistake.line


def _taken(name: object, beside: Beside) -> list[str]:
    if not isinstance(name, str) or name not in beside.names:
        return []
    other, own = beside.names[name], beside.file
    return [
        f'stack.name: "{name}": {other} has it for the same project, and names in a project are '
        f"unique; nearest: another name in {own}, or in {other} where this stack is up already"
    ]
