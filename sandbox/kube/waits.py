"""The `pulumi.com/waitFor` annotation: a `jsonpath=` or `condition=` expression, or a JSON list.

Source: pulumi/pulumi-kubernetes provider/pkg/metadata/overrides.go, ReadyCondition, 94977969.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kube.errors import KubeError
from kube.objects import Readiness, dig, maps
from kube.reading import document

_STEP = re.compile(
    r"\.(?P<field>(?:[A-Za-z0-9_-]|\\.)+)"
    r"|\[(?P<index>\d+|\*)\]"
    r"|\['(?P<quoted>[^']+)'\]"
    r"|\[\?\(@\.(?P<key>[A-Za-z0-9_]+)\s*==\s*[\"'](?P<value>[^\"']*)[\"']\)\]"
)


def expressions(annotation: str) -> list[str]:
    parsed = document(annotation)
    found = [annotation]
    if isinstance(parsed, list) and all(isinstance(item, str) for item in parsed):
        found = [str(item) for item in parsed]
    if not found:
        raise KubeError("pulumi.com/waitFor: at least one condition must be specified")
    for expression in found:
        if not expression.startswith(("jsonpath=", "condition=")):
            raise KubeError(
                'pulumi.com/waitFor: expected a "jsonpath=" or "condition=" prefix, '
                f'got "{expression}"'
            )
        if expression.startswith("jsonpath="):
            _parse(expression)
    return found


def satisfied(annotation: str, obj: Mapping[str, Any]) -> Readiness:
    for expression in expressions(annotation):
        met, found = _met(expression, obj)
        if not met:
            return Readiness(ready=False, reason=f"waiting for {expression}{found}")
    return Readiness(ready=True, reason=f"found {annotation}")


def _met(expression: str, obj: Mapping[str, Any]) -> tuple[bool, str]:
    if expression.startswith("condition="):
        kind, _, status = expression.removeprefix("condition=").partition("=")
        conditions = maps(dig(obj, "status", "conditions"))
        has = next((c.get("status") for c in conditions if c.get("type") == kind), None)
        return has == (status or "True"), f" (found {has})" if has else ""
    steps, wanted = _parse(expression)
    values = _select(obj, steps)
    # Without `=value` the path only has to be there, as for `kubectl wait`.
    met = bool(values) if wanted is None else any(_text(value) == wanted for value in values)
    return met, f" (found {_text(values[0])})" if values else ""


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse(expression: str) -> tuple[list[re.Match[str]], str | None]:
    path, has_value, wanted = expression.removeprefix("jsonpath=").partition("}")
    path = path.removeprefix("{")
    if not has_value:
        path, equals, wanted = path.partition("=")
        wanted = equals + wanted
    if not path.startswith((".", "[")):
        path = f".{path}"
    steps: list[re.Match[str]] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None or (wanted and not wanted.startswith("=")):
            raise KubeError(f'pulumi.com/waitFor: cannot read "{expression}"')
        steps.append(step)
        at = step.end()
    return steps, wanted.removeprefix("=").strip("'\"") if wanted else None


def _select(obj: Any, steps: list[re.Match[str]]) -> list[Any]:
    found = [obj]
    for step in steps:
        found = [item for value in found for item in _follow(value, step)]
    return found


def _follow(value: Any, step: re.Match[str]) -> list[Any]:
    name = step["field"] or step["quoted"]
    if name is not None:
        name = name.replace("\\.", ".")
        has = isinstance(value, Mapping) and value.get(name) is not None
        return [value[name]] if has else []
    if not isinstance(value, list):
        return []
    if step["key"]:
        return [item for item in maps(value) if str(item.get(step["key"])) == step["value"]]
    if step["index"] == "*":
        return value
    index = int(step["index"])
    return value[index : index + 1]
