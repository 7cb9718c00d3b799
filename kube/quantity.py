"""Kubernetes quantities (`500m`, `64Gi`, `1e3`) as exact fractions of their base unit.

Source: kubernetes/apimachinery pkg/api/resource/quantity.go, v0.35.4, and 357557a67 for the ends:
what is finer than a nano is rounded away from zero, and a binary quantity is 2**63 - 1 at the most.
A decimal one has no end ("1e999999999" is taken): here it has one that nobody comes to, for digits
of a number take memory.
"""

import re
from decimal import MAX_EMAX, MIN_EMIN, ROUND_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from kube.errors import KubeError

# suffix.go reads an exponent as int64.
_SHAPE = re.compile(
    r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:([eE][+-]?[0-9]{1,18})|([numkMGTPE]|[KMGTPE]i)?)\Z"
)
_BINARY = {f"{letter}i": Decimal(1024**power) for power, letter in enumerate("KMGTPE", start=1)}
_DECIMAL = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    **{letter: Decimal(1000**power) for power, letter in enumerate("kMGTPE", start=1)},
}
_SHOWN = 80
_MOST_BINARY, _MOST, _LEAST = Decimal(2**63 - 1), Decimal("1e30"), Decimal("1e-9")
# Of no more digits than an amount between these can have, however many are written.
_AWAY_FROM_ZERO = Context(prec=60, rounding=ROUND_UP, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
_UNITS = _BINARY | _DECIMAL


@lru_cache(maxsize=4096)
def parse(quantity: str | int | float) -> Fraction:
    match = _SHAPE.match(str(quantity)) if not isinstance(quantity, bool) else None
    if match is None:
        raise KubeError(
            f'quantity "{str(quantity)[:_SHOWN]}" is not a number with a unit such as 8, '
            "500m or 64Gi"
        )
    number, exponent, unit = match.groups()
    found = _AWAY_FROM_ZERO.create_decimal(f"{number}{exponent or ''}")
    found = _AWAY_FROM_ZERO.multiply(found, _UNITS[unit or ""])
    most = _MOST_BINARY if unit in _BINARY else _MOST
    found = max(-most, min(most, found))
    return Fraction(found.quantize(_LEAST, context=_AWAY_FROM_ZERO))


def render(value: Fraction) -> str:
    """The shortest exact form, binary units for whole KiB and more, milli for fractions."""
    if value.denominator != 1:
        return f"{-(-value * 1000 // 1)}m"
    whole = value.numerator
    for unit in ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki"):
        size = int(_BINARY[unit])
        if whole and whole % size == 0:
            return f"{whole // size}{unit}"
    return str(whole)
