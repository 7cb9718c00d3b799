"""Published Kubernetes schemas as findings (path, message) that never repeat a value.

jsonschema's own messages quote the offending value, which for a Secret would be the secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sandbox.kube import paths
from sandbox.kube.objects import JsonObject

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

NEWEST = (1, 35)
Finding = tuple[str, str]


@lru_cache(maxsize=1)
def schema_version() -> str:
    """The newest published schema set that is not newer than the clusters we build."""
    from kubernetes_validate import utils

    known = [tuple(map(int, version.split(".")[:2])) for version in utils.all_versions()]
    major, minor = max(version for version in known if version <= NEWEST)
    return f"{major}.{minor}"


@lru_cache(maxsize=1)
def _definitions() -> JsonObject:
    from kubernetes_validate import utils

    return utils.schema_contents(f"{_folder()}/_definitions.json", schema_version())


def _folder() -> str:
    return f"kubernetes-json-schema/v{schema_version()}.0-local-strict"


@lru_cache(maxsize=64)
def _validator(api_version: str, kind: str) -> Draft202012Validator:
    import jsonschema
    from kubernetes_validate import utils
    from referencing import Registry, Resource

    group, _, version = api_version.rpartition("/")
    short = f"{group.split('.')[0]}-{version}" if group else version
    schema = utils.schema_contents(f"{_folder()}/{kind.lower()}-{short}.json", schema_version())
    registry = Resource.from_contents(_definitions()) @ Registry()
    return jsonschema.Draft202012Validator(schema, registry=registry)


def findings(manifest: Mapping[str, Any]) -> list[Finding]:
    """What the schema of a built-in kind refuses in `manifest`, in a stable order."""
    validator = _validator(manifest["apiVersion"], manifest["kind"])
    found = [each for error in validator.iter_errors(manifest) for each in _explain(error)]
    return sorted(set(found))


def template_findings(template: Mapping[str, Any], path: str) -> list[Finding]:
    """The same for a pod template inside a custom resource, as if it were a Pod."""
    known = {"metadata", "spec"}
    extra = [
        (paths.join(path, key), unknown_field(key, known)) for key in template if key not in known
    ]
    pod = {"apiVersion": "v1", "kind": "Pod"} | {k: template[k] for k in known & {*template}}
    return extra + [(f"{path}.{at}" if at else path, text) for at, text in findings(pod)]


def service_findings(service: Mapping[str, Any], path: str) -> list[Finding]:
    wrapped = {"apiVersion": "v1", "kind": "Service"} | dict(service)
    return [(f"{path}.{at}" if at else path, text) for at, text in findings(wrapped)]


def unknown_field(name: str, known: set[str] | Mapping[str, Any]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return "unknown field" + (f", the nearest known one is {close[0]}" if close else "")


def _explain(error: ValidationError) -> Iterator[Finding]:
    at: list[str | int] = list(error.absolute_path)
    schema: Any = error.schema
    rule: Any = error.validator_value
    match error.validator:
        case "additionalProperties" if isinstance(error.instance, Mapping):
            known = schema.get("properties") or {}
            for name in sorted(set(error.instance) - set(known)):
                yield paths.render([*at, name]), unknown_field(name, known)
        case "required" if isinstance(error.instance, Mapping):
            for name in rule:
                if name not in error.instance:
                    yield paths.render([*at, name]), "required value"
        case "type":
            yield paths.render(at), _wrong_type(rule, error.instance)
        case "enum":
            choices = ", ".join(str(choice) for choice in rule if choice is not None)
            yield paths.render(at), f"must be one of {choices}"
        case "oneOf":
            kinds = {name for option in rule for name in _names(option.get("type"))}
            yield paths.render(at), _wrong_type(sorted(kinds), error.instance)
        case other:
            yield paths.render(at), f"breaks the schema's rule {other}"


def _names(kind: object) -> list[str]:
    return [kind] if isinstance(kind, str) else [str(name) for name in kind or []]  # type: ignore[union-attr]


def _wrong_type(expected: object, instance: object) -> str:
    wanted = " or ".join(name for name in _names(expected) if name != "null")
    return f"must be {wanted}, not {json_type(instance)}"


def json_type(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
