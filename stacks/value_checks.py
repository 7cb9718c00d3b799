"""Checks of single values of a stack config, for its constrained types. No Pulumi import."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv4Network
from pathlib import PurePosixPath
from typing import Annotated, Any, cast

from pydantic import TypeAdapter, ValidationError

from catalog.bounds import Bounds
from catalog.text_check import TextCheck
from components.base.cidr import check_not_prohibited
from components.base.naming import NameKind, check_name
from stacks.plain_values import shown
from stacks.recurrence import parsed

# A pool each; no more are documented to work in one cluster than GKE gives nodes to a pool.
MOST_SLICES = 1000
_SLICES = TypeAdapter(Annotated[int, Bounds(1, MOST_SLICES, "a cluster has pools for")])
_PRINTED_BY_GO = re.compile(
    r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) ([-+]\d\d)(\d\d) (?:[A-Z]+|[-+]\d{4})"
)
_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}", re.ASCII)
# Kubernetes documentation, "Namespaces" (kube-); GKE documentation of managed collection, Config
# Sync, Policy Controller and Config Connector; the charts of Kueue, KubeRay and JobSet.
_OTHERS_PREFIXES = ("kube-", "gke-", "gmp-", "config-management-")
_OTHERS_NAMESPACES = frozenset(
    {
        "asm-system",
        "cnrm-system",
        "configconnector-operator-system",
        "gatekeeper-system",
        "istio-system",
        "jobset-system",
        "kuberay-operator",
        "kueue-system",
        "rdma-system",
        "resource-group-system",
    }
)

# Folders that images have (Filesystem Hierarchy Standard 3.0), or that the kernel and the kubelet
# fill. Everything else that pods here mount lies in one of them.
_OF_THE_SYSTEM = frozenset(
    (
        *("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "opt", "proc", "root", "run"),
        *("sbin", "sys", "tmp", "usr", "var"),
    )
)
# Ray's images have Python itself in the second.
_NOT_COVERED = ("/home", "/home/ray")


def named(kind: NameKind) -> TextCheck:
    def check(value: str) -> str:
        return check_name(kind, value)

    rule = kind.value
    shape = rule.pattern().pattern
    sizes = {"minLength": rule.shortest, "maxLength": rule.longest}
    return TextCheck(check, {"pattern": f"^{shape}$", **sizes})


KMS_KEY = "projects/my-project/locations/us-east1/keyRings/my-ring/cryptoKeys/my-key"
# Of a project's ID (Resource Manager documentation, "Creating and managing projects").
PROJECT_ID = r"[a-z][a-z0-9-]{4,28}[a-z0-9]"
_KMS_PARTS = KMS_KEY.split("/")[::2]


def kms_key_parts(value: Any) -> Any:
    """Which part of a key's name is wrong, where the rest has the form of one."""
    parts = value.split("/") if isinstance(value, str) else []
    if len(parts) < len(KMS_KEY.split("/")) or parts[: 2 * len(_KMS_PARTS) : 2] != _KMS_PARTS:
        return value
    key = "/".join(parts[: 2 * len(_KMS_PARTS)])
    if len(parts) > 2 * len(_KMS_PARTS):
        raise ValueError(
            f'"{value}" has more than a key, such as a version of it, and Google\'s services '
            f"choose the version themselves; nearest: {key}"
        )
    if not re.fullmatch(PROJECT_ID, parts[1]):
        raise ValueError(
            f'"{value}" is in no project: "{parts[1]}" is no project ID, which has 6 to 30 of '
            f"a-z, 0-9 and -; nearest: "
            + "/".join([parts[0], "my-project", *parts[2 : 2 * len(_KMS_PARTS)]])
        )
    return value


@dataclass(frozen=True)
class Octal:
    """Of a text that is an octal number. YAML reads one without quotes as a number, and one that
    begins with 0 as the number that its digits mean."""


def ipv4_range(low: int, high: int, what: str, example: str) -> Callable[[str], str]:
    """A check for an IPv4 range whose prefix length lies from `low` to `high`."""

    def check(value: str) -> str:
        try:
            block = IPv4Network(value, strict=False)
        except ValueError:
            raise ValueError(
                f'"{value}" is not an IPv4 range; nearest: one like {example}'
            ) from None
        fitted = IPv4Network((block.network_address, min(max(block.prefixlen, low), high)), False)
        if block.prefixlen > high:
            raise ValueError(f"{value} is too small for {what}; nearest: {fitted}")
        if block.prefixlen < low:
            raise ValueError(f"{value} is too large for {what}; nearest: {fitted}")
        if value != str(block):
            raise ValueError(f'"{value}" is not how that range is written; nearest: {block}')
        return check_not_prohibited(value, whole=low > 0)

    return check


def mount_path(example: str) -> Callable[[str], str]:
    """A check that a volume is mounted over nothing that the image, the node or the stack has."""

    def check(value: str) -> str:
        top = PurePosixPath(value).parts[1]
        if {".", ".."} & {*value.split("/")}:
            why = "leads to another folder than it says"
        elif top in _OF_THE_SYSTEM:
            why = f"lies in /{top}, which the image, the node or the stack has files in"
        elif value in _NOT_COVERED:
            why = "would hide what the image has there"
        else:
            return value
        raise ValueError(f'"{value}" {why}; nearest: {example}')

    return check


def slice_numbers(value: Any) -> Any:
    """A number of slices is the numbers from 0."""
    if isinstance(value, list | tuple) and value:
        return cast("list[Any] | tuple[Any, ...]", value)
    try:
        return tuple(range(_SLICES.validate_python(value)))
    except ValidationError:
        raise ValueError(
            f"{shown(value)} is neither how many slices there are, 1 to {MOST_SLICES}, nor a list "
            f"of their numbers; nearest: {MOST_SLICES if _is_above(value, MOST_SLICES) else 1}"
        ) from None


def _is_above(value: Any, most: int) -> bool:
    return isinstance(value, int | float) and value > most


def recurrence(value: str) -> str:
    parsed(value)
    return value


def moment(value: Any) -> Any:
    """A number would be seconds since 1970. Pulumi hands a time without quotes over as Go prints
    it, `2027-01-02 02:00:00 +0000 UTC`."""
    if isinstance(value, str) and (printed := _PRINTED_BY_GO.fullmatch(value)):
        value = "{}T{}{}:{}".format(*printed.groups())
    if isinstance(value, datetime) or (isinstance(value, str) and _RFC_3339.match(value)):
        return value
    raise ValueError(f"{shown(value)} is no time; nearest: one like 2027-01-02T02:00:00Z")


def own_namespace(value: str) -> str:
    if value in _OTHERS_NAMESPACES or value.startswith(_OTHERS_PREFIXES):
        raise ValueError(
            f'"{value}" is a namespace that Kubernetes, GKE or an operator has for itself; '
            f"nearest: {f'my-{value}'[:63].rstrip('-')}"
        )
    return value


def flag_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool | int | float) else value


def whole_millicores(value: float) -> float:
    if value != round(value, 3):
        near = max(0.001, round(value, 3))
        raise ValueError(
            f"{value} CPUs are no whole thousandths, which Kubernetes counts in; nearest: {near}"
        )
    return value
