"""Kubernetes quantities (`500m`, `64Gi`, `1e3`) as exact fractions of their base unit.

Source: kubernetes/apimachinery pkg/api/resource/quantity.go, v0.35.4.
"""

import re
from fractions import Fraction
from functools import lru_cache

from kube.errors import KubeError

_SHAPE = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)\Z")
_BINARY = {f"{letter}i": Fraction(1024**power) for power, letter in enumerate("KMGTPE", start=1)}
_DECIMAL = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    **{letter: Fraction(1000**power) for power, letter in enumerate("kMGTPE", start=1)},
}
_UNITS = _BINARY | _DECIMAL


@lru_cache(maxsize=4096)
def parse(quantity: str | int | float) -> Fraction:
    match = _SHAPE.match(str(quantity)) if not isinstance(quantity, bool) else None
    if match is None:
        raise KubeError(
            f'quantity "{quantity}" is not a number with a unit such as 8, 500m or 64Gi'
        )
    number, exponent, unit = match.groups()
    if exponent:
        return Fraction(number) * Fraction(10) ** int(exponent[1:])
    return Fraction(number) * _UNITS[unit or ""]


def render(value: Fraction) -> str:
    """The shortest exact form, binary units for whole KiB and more, milli for fractions."""
    if value.denominator != 1:
        return f"{-(-value * 1000 // 1)}m"
    whole = value.numerator
    for unit in ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki"):
        size = _BINARY[unit].numerator
        if whole and whole % size == 0:
            return f"{whole // size}{unit}"
    return str(whole)
