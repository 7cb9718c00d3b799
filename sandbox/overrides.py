"""`--set PATH=VALUE`: one value of the config, for one command."""

from __future__ import annotations

from typing import Any

import yaml

from sandbox.errors import UserError
from sandbox.names import PROJECT
from sandbox.secrets import all_secrets, looks_secret


def apply_override(config: dict[str, Any], taken_away: set[str], override: str) -> None:
    """Change the config; a secret without a value is noted in `taken_away`."""
    path, separator, text = override.partition("=")
    if not separator:
        raise UserError(f'--set: "{override}": must be PATH=VALUE, e.g. pools.gpu.nodes=4')
    value = _value(path, text)
    key = path if ":" in path else f"{PROJECT}:{path}"
    if value is not None and (key in all_secrets() or looks_secret(path, text)):
        variables = [one.partition(":")[2].upper() for one in all_secrets()]
        own = [it for it in variables if it == path.rpartition(":")[2].upper()]
        raise UserError(
            f"--set: {path}: a secret must not be a process argument; "
            f"nearest: the environment variable {' or '.join(own or variables)}"
        )
    if key in all_secrets():
        taken_away.add(key)
    elif ":" in path:
        _assign(config, [path], value)
    else:
        steps = path.removeprefix("stack.").split(".")
        _assign(config, [f"{PROJECT}:stack", *steps], value)


def _value(path: str, text: str) -> Any:
    try:
        return yaml.safe_load(text) if text else None
    except (yaml.YAMLError, ValueError) as error:
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise UserError(
            f"--set: {path}: its value is not YAML: {problem}; nearest: quotes around it"
        ) from None


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
