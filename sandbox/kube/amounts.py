"""Amounts of resources, written as Kubernetes' Quantity writes them.

Source: k8s.io/apimachinery 0.35.4, pkg/api/resource/quantity.go (CanonicalizeBytes).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kube import quantity

_DECIMAL = ((18, "E"), (15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k"), (0, ""), (-3, "m"))
_BINARY = tuple((1024**power, f"{unit}i") for power, unit in enumerate("KMGTPE", start=1))[::-1]


@dataclass(frozen=True)
class Amount:
    """`binary` where it is written in Ki and the like."""

    value: Fraction
    binary: bool

    @classmethod
    def read(cls, text: str | int | float) -> Amount:
        return cls(quantity.parse(text), str(text).endswith("i"))

    def __str__(self) -> str:
        if self.binary and self.value.denominator == 1 and abs(self.value) >= 1024:
            for size, unit in _BINARY:
                if self.value % size == 0:
                    return f"{self.value / size}{unit}"
            return str(self.value)
        for power, unit in _DECIMAL:
            scaled = self.value / Fraction(10) ** power
            if self.value and scaled.denominator == 1:
                return f"{scaled}{unit}"
        return "0"
