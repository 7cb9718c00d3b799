"""The schemas of Kubernetes and of custom kinds' definitions as findings (path, message) that never
repeat a value.

jsonschema's own messages quote the offending value, which for a Secret would be the secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kube import paths
from kube.objects import JsonObject
from sandbox.kube.custom_resources import schema_of

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

NEWEST = (1, 35)
Finding = tuple[str, str]
_METADATA = "kubernetes#/$defs/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_LIMITS = {
    "maximum": "must be at most {}",
    "maxItems": "must have at most {} items",
    "maxLength": "must have at most {} characters",
    "maxProperties": "must have at most {} fields",
    "minimum": "must be at least {}",
    "minItems": "must have at least {} items",
    "minLength": "must have at least {} characters",
    "minProperties": "must have at least {} fields",
    "pattern": "must match {}",
}


@lru_cache(maxsize=1)
def schema_version() -> str:
    """The newest published schema set that is not newer than the clusters we build."""
    from kubernetes_validate import utils

    known = [tuple(map(int, version.split(".")[:2])) for version in utils.all_versions()]
    major, minor = max(version for version in known if version <= NEWEST)
    return f"{major}.{minor}"


@lru_cache(maxsize=1)
def definitions() -> JsonObject:
    from kubernetes_validate import utils

    return utils.schema_contents(f"{_folder()}/_definitions.json", schema_version())


def _folder() -> str:
    return f"kubernetes-json-schema/v{schema_version()}.0-local-strict"


@lru_cache(maxsize=64)
def _validator(api_version: str, kind: str) -> Draft202012Validator:
    import jsonschema
    from referencing import Registry, Resource

    known = Resource.from_contents(definitions())
    registry = (known @ Registry()).with_resource("kubernetes", known)
    schema = schema_of(api_version, kind)
    schema = _custom(schema) if schema else built_in(api_version, kind)
    return jsonschema.Draft202012Validator(schema, registry=registry)


def built_in(api_version: str, kind: str) -> JsonObject:
    from kubernetes_validate import utils

    group, _, version = api_version.rpartition("/")
    short = f"{group.split('.')[0]}-{version}" if group else version
    return utils.schema_contents(f"{_folder()}/{kind.lower()}-{short}.json", schema_version())


def _custom(schema: JsonObject) -> JsonObject:
    """The whole object, with what every kind has."""
    text = {"type": "string"}
    every = {"apiVersion": text, "kind": text, "metadata": {"$ref": _METADATA}, "status": {}}
    strict = _strict(schema)
    return {**strict, "properties": {**strict["properties"], **every}}


def _strict(schema: JsonObject) -> JsonObject:
    """A definition's schema as JSON Schema that refuses unknown fields, as an API server does where
    it is asked to (fieldValidation: Strict)."""
    found = dict(schema)
    if schema.get("x-kubernetes-int-or-string"):
        found["type"] = ["integer", "string"]
    if "properties" in schema:
        found["properties"] = {name: _strict(each) for name, each in schema["properties"].items()}
        found["additionalProperties"] = schema.get("x-kubernetes-preserve-unknown-fields", False)
        # Defaults are there before anything is judged.
        there = {name for name, each in schema["properties"].items() if "default" in each}
        found["required"] = [name for name in schema.get("required", ()) if name not in there]
    elif isinstance(schema.get("additionalProperties"), dict):
        found["additionalProperties"] = _strict(schema["additionalProperties"])
    if "items" in schema:
        found["items"] = _strict(schema["items"])
    return found


def findings(manifest: Mapping[str, Any]) -> list[Finding]:
    """What the schema of a kind refuses in `manifest`, in a stable order."""
    validator = _validator(manifest["apiVersion"], manifest["kind"])
    found = [each for error in validator.iter_errors(manifest) for each in _explain(error)]
    return sorted(set(found))


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
        case str(limit) if limit in _LIMITS:
            yield (
                paths.render(at),
                _LIMITS[limit].format(rule).removesuffix("s" if rule == 1 else ""),
            )
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
