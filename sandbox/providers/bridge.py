"""What pulumi-gcp fills in of a resource's inputs, and what its Terraform provider takes from its
own configuration. Pure.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pulumi.provider.experimental.property_value import PropertyValue

from cli.urns import name_of
from sandbox.providers.schema import Failure, GcpSchema

Inputs = dict[str, PropertyValue]


@dataclass(frozen=True)
class Autoname:
    """The property that gets the resource's logical name, a dash and seven hexadecimal digits
    (pulumi/pulumi-terraform-bridge pkg/tfbridge/names.go, FromName, 0b686b6d)."""

    field: str = "name"
    longest: int = 255
    lowercase: bool = False


# Where it is not `SetAutonaming(255, "-")` (pulumi/pulumi-gcp provider/resources.go, Resources,
# 37bf55d4).
_LOWERCASE = Autoname(longest=63, lowercase=True)
_AUTONAMES = {
    "gcp:compute/network:Network": _LOWERCASE,
    "gcp:compute/router:Router": _LOWERCASE,
    "gcp:compute/routerNat:RouterNat": _LOWERCASE,
    "gcp:compute/subnetwork:Subnetwork": _LOWERCASE,
    "gcp:serviceaccount/account:Account": Autoname("accountId", longest=30),
    "gcp:storage/bucket:Bucket": Autoname(longest=222),
}
# Of these a location that nobody gives is the provider's region, else its zone (hashicorp/
# terraform-provider-google-beta google-beta/tpgresource/regional_utils.go, GetLocation, 93c65b2d;
# resource_container_cluster.go, resource_container_node_pool.go,
# iam_artifact_registry_repository.go).
_NODE_POOL = "gcp:container/nodePool:NodePool"
_LOCATED = frozenset(
    {
        "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember",
        "gcp:container/cluster:Cluster",
        _NODE_POOL,
    }
)
# Their own sentences (tpgresource/field_helpers.go and regional_utils.go, as above).
_MISSING = {
    "project": "project: required field is not set",
    "region": "Cannot determine region: set in this resource, or set provider-level 'region' or "
    "'zone'.",
    "location": "Unable to determine location: region/zone not configured in resource/provider "
    "config",
}


# The bridge's defaults (pulumi/pulumi-gcp provider/resources.go, Config, 37bf55d4).
VARIABLES = {
    "project": (
        "GOOGLE_PROJECT",
        "GOOGLE_CLOUD_PROJECT",
        "GCLOUD_PROJECT",
        "CLOUDSDK_CORE_PROJECT",
    ),
    "region": ("GOOGLE_REGION", "GCLOUD_REGION", "CLOUDSDK_COMPUTE_REGION"),
    "zone": ("GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"),
}


def of_environment() -> dict[str, str]:
    """What a provider takes where it is told nothing."""
    found = {key: [os.environ.get(it) for it in names] for key, names in VARIABLES.items()}
    return {key: next(filter(None, values)) for key, values in found.items() if any(values)}


def autoname_of(token: str, schema: GcpSchema) -> Autoname | None:
    rule = _AUTONAMES.get(token, Autoname())
    return rule if schema.takes(token, rule.field) else None


def is_autonamed(token: str, urn: str, inputs: Mapping[str, Any], schema: GcpSchema) -> bool:
    """Whether the resource has the name that it would be given."""
    rule = autoname_of(token, schema)
    if rule is None:
        return False
    name = inputs.get(rule.field)
    return isinstance(name, str) and bool(_pattern(rule, urn).fullmatch(name))


def with_name(
    token: str, urn: str, olds: Mapping[str, Any], inputs: Inputs, seed: bytes, schema: GcpSchema
) -> tuple[Inputs, list[Failure]]:
    """With a name, if there is none: the one that the resource has already, unless somebody gave it
    that."""
    rule = autoname_of(token, schema)
    if rule is None or _is_given(inputs, rule.field):
        return inputs, []
    if is_autonamed(token, urn, olds, schema):
        return {**inputs, rule.field: PropertyValue(str(olds[rule.field]))}, []
    stem = _stem(rule, urn)
    if len(stem) + 7 > rule.longest:
        reason = (
            f"could not make instance of '{token}': name '{stem}' plus 7 random chars is longer "
            f"than maximum length {rule.longest}"
        )
        return inputs, [Failure(rule.field, reason)]
    return {**inputs, rule.field: PropertyValue(stem + random_digits(seed, 7))}, []


def random_digits(seed: bytes, length: int) -> str:
    """Hexadecimal, and by the engine's seed the same each time."""
    return hashlib.sha256(seed or os.urandom(32)).hexdigest()[:length]


def with_place(
    token: str, inputs: Inputs, defaults: Mapping[str, Any], schema: GcpSchema
) -> tuple[Inputs, list[Failure]]:
    """With the provider's project, region, zone or location, where the resource says none."""
    found, failures = dict(inputs), list[Failure]()
    zone = _text(found.get("zone")) or ""
    region = _region_of(zone) or defaults.get("region") or _region_of(defaults.get("zone") or "")
    places = {
        "project": defaults.get("project"),
        "region": region,
        "zone": defaults.get("zone"),
        "location": defaults.get("region") or defaults.get("zone"),
    }
    for key, place in places.items():
        if not schema.takes(token, key) or _is_given(found, key):
            continue
        if key == "location" and (token not in _LOCATED or _has_path(token, found)):
            continue
        if place:
            found[key] = PropertyValue(str(place))
        elif key in _MISSING:
            failures.append(Failure(key, _MISSING[key]))
    return found, failures


def with_numbers(token: str, inputs: Inputs, schema: GcpSchema) -> tuple[Inputs, list[str]]:
    """With numbers and truth values that are given as text as such, and a warning of each
    (pulumi/pulumi-terraform-bridge pkg/tfbridge/schema.go:446 and provider.go:998, 59de6c661)."""
    warnings: list[str] = []
    kinds = schema.types_of(token)
    return {
        key: _parsed(value, kinds.get(key), key, warnings, schema) for key, value in inputs.items()
    }, warnings


def _parsed(
    value: PropertyValue, kind: Any, path: str, warnings: list[str], schema: GcpSchema
) -> PropertyValue:
    inner = value.value
    if isinstance(inner, str) and kind in ("integer", "number", "boolean"):
        if (parsed := _of_text(inner, kind)) is None:
            return value
        word = "boolean" if kind == "boolean" else "number"
        warnings.append(
            f'Unexpected type at field "{path}": expected {word} type, got "{inner}" of type string'
        )
        return value.with_value(parsed)
    if isinstance(inner, Mapping):
        kinds = schema.fields_of(kind)
        return value.with_value(
            {
                key: _parsed(
                    it,
                    kind[1] if isinstance(kind, list) else kinds.get(key),
                    f"{path}.{key}",
                    warnings,
                    schema,
                )
                for key, it in inner.items()
            }
        )
    if isinstance(inner, list | tuple) and isinstance(kind, list):
        return value.with_value(
            [_parsed(it, kind[1], f"{path}[{at}]", warnings, schema) for at, it in enumerate(inner)]
        )
    return value


def _of_text(text: str, kind: str) -> float | bool | None:
    if kind == "boolean":
        return {"true": True, "false": False}.get(text)
    if not re.fullmatch(r"-?\d+(\.\d+)?", text):
        return None
    number = float(text)
    return number if kind == "number" or number.is_integer() else None


def _pattern(rule: Autoname, urn: str) -> re.Pattern[str]:
    return re.compile(f"{re.escape(_stem(rule, urn))}[0-9a-f]{{7}}")


def _stem(rule: Autoname, urn: str) -> str:
    name = name_of(urn)
    return f"{name.lower() if rule.lowercase else name}-"


def _is_given(inputs: Inputs, key: str) -> bool:
    return key in inputs and inputs[key].value not in (None, "")


def _text(value: PropertyValue | None) -> str | None:
    return value.value if value is not None and isinstance(value.value, str) else None


def _region_of(zone: str) -> str:
    return zone.rpartition("-")[0] if zone.count("-") == 2 else ""


def _has_path(token: str, inputs: Inputs) -> bool:
    """A node pool is where its cluster is, if it names that with its place."""
    return token == _NODE_POOL and "/" in (_text(inputs.get("cluster")) or "")
