"""Amounts with a unit, as people write them, in the unit that a field counts in. No Pulumi."""

import re
from fractions import Fraction

_AMOUNT = re.compile(r"\s*([+-]?\d{1,15}(?:\.\d{1,15})?)\s*([A-Za-z\u00b5]{0,8})\s*", re.ASCII)
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
# Binary in any spelling, as Google counts: its GB of a disk or of memory are GiB (Compute Engine
# documentation, "Persistent Disk": 1 GB is 2^30 bytes).
_BYTES = {
    f"{letter}{end}": Fraction(1024) ** power
    for letter, power in _POWERS.items()
    for end in ("", "i", "b", "ib")
}
_SECONDS = {
    "ms": Fraction(1, 1000),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), Fraction(1)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), Fraction(60)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), Fraction(3600)),
    **dict.fromkeys(("d", "day", "days"), Fraction(86_400)),
    **dict.fromkeys(("w", "week", "weeks"), Fraction(7 * 86_400)),
}
_CPUS = {"m": Fraction(1, 1000), **dict.fromkeys(("cpu", "cpus", "cores"), Fraction(1))}
# Endings of fields' names: the units of their kind, and the one that the field counts in.
_OF_FIELDS = {
    **{it: (_BYTES, _BYTES[it]) for it in ("kib", "mib", "gib", "tib", "kb", "mb", "gb", "tb")},
    **{it: (_SECONDS, _SECONDS[it]) for it in ("s", "seconds", "minutes", "hours", "days")},
    **dict.fromkeys(("cpu", "cpus"), (_CPUS, Fraction(1))),
}


def in_unit_of(field: str, text: str) -> Fraction | None:
    """The amount of a text in the unit that a field's name ends in; the number as it is where
    the name has no unit, or the text's is of another kind."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    number, unit = Fraction(found[1]), found[2].casefold()
    known, own = _OF_FIELDS.get(unit_of(field), ({}, Fraction(1)))
    return number * known[unit] / own if unit in known else number


def converted(number: Fraction, field: str, other: str) -> Fraction:
    """A number that counts in the unit of one field's name, in that of another's."""
    known, own = _OF_FIELDS.get(unit_of(field), ({}, Fraction(1)))
    others, theirs = _OF_FIELDS.get(unit_of(other), ({}, Fraction(1)))
    return number * own / theirs if known is others else number


def unit_of(field: str) -> str:
    """The unit that a field's name ends in, if any."""
    last = field.rpartition("_")[2]
    return last if last in _OF_FIELDS else ""


def without_unit(field: str) -> str:
    """A field's name without the unit that it ends in."""
    unit = unit_of(field)
    return field.removesuffix(unit).removesuffix("_") if unit else field
