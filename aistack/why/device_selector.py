"""Whether a device is what a class or a request selects, by the part of CEL in which drivers write
their own classes. Pure.

That part: terms joined by &&, each about `device.driver` or one of `device.attributes`, as the
classes of kubernetes-sigs/dra-driver-nvidia-gpu (deployments/helm, 9593204) and of google/dranet
(examples, 7b7661a) have them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kube.objects import JsonObject, dig

_VALUE = r"""(?:\s*==\s*(?P<value>"[^"]*"|'[^']*'|true|false|\d+))?"""
_TERM = re.compile(
    r"""(?P<no>!?)\s*device\.(?:(?P<driver>driver)"""
    r"""|attributes\[["'](?P<domain>[^"']+)["']\]\.(?P<name>\w+))""" + _VALUE
)


def selects(expressions: Sequence[str], driver: str, device: JsonObject) -> bool:
    """A term that is not understood counts as met, so what is counted is the most that there can
    be. A device without the attribute is not selected."""
    terms = [term.strip().strip("()") for each in expressions for term in each.split("&&")]
    return all(_holds(term, driver, device) for term in terms)


def _holds(term: str, driver: str, device: JsonObject) -> bool:
    match = _TERM.fullmatch(term)
    if match is None:
        return True
    if match["driver"]:
        found: object = driver
    else:
        found = attribute(device, driver, f"{match['domain']}/{match['name']}")
        if found is None:
            return False
    said = str(found).lower() if isinstance(found, bool) else str(found)
    wanted = (match["value"] or "true").strip("\"'")
    return (said == wanted) is not bool(match["no"])


def attribute(device: JsonObject, driver: str, name: str) -> object | None:
    """By its whole name; of a driver's own attributes slices leave its domain out."""
    attributes: JsonObject = device.get("attributes") or {}
    domain, _, short = name.partition("/")
    held = attributes.get(name) or (attributes.get(short) if domain == driver else None)
    kinds = ("string", "bool", "int", "version")
    return next((value for kind in kinds if (value := dig(held, kind)) is not None), None)
