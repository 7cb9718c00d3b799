"""How arguments are refused: by name, value, reason and the nearest that works. Pure.

A class of arguments says what it refuses in a method `check`. The component that is built of them
calls it, and puts its own class and name before what it says.
"""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import NoReturn, TypeVar

_T = TypeVar("_T")
_R = TypeVar("_R")


class ArgumentError(ValueError):
    """`argument` is a path, such as capacity.mode; `owner` the component's class and name."""

    def __init__(self, argument: str, text: str, owner: str = "") -> None:
        super().__init__(": ".join(it for it in (owner, argument, text) if it))
        self.argument = argument
        self.text = text

    def below(self, path: str) -> "ArgumentError":
        """The same of arguments that are one of another's, by whose path they are found."""
        return ArgumentError(f"{path}.{self.argument}", self.text)

    def of(self, owner: str) -> "ArgumentError":
        return ArgumentError(self.argument, self.text, owner)


def refuse(argument: str, value: object, reason: str, nearest: object) -> NoReturn:
    """`reason` goes on after the value: "is less than nothing"."""
    shown = f'"{value}"' if isinstance(value, str) else str(value)
    raise ArgumentError(argument, f"{shown} {reason}; nearest: {nearest}")


def checked(argument: str, check: Callable[[_T], _R], value: _T) -> _R:
    """What a check that knows no arguments returns, or its ValueError as one of the argument."""
    try:
        return check(value)
    except ArgumentError:
        raise
    except ValueError as error:
        raise ArgumentError(argument, str(error)) from None


def at_least(argument: str, value: object, least: int, reason: str) -> None:
    """Refuses a smaller number; what is known only later is left to Google."""
    if isinstance(value, int) and value < least:
        refuse(argument, value, reason, least)


def one_of(argument: str, value: object, known: Iterable[str], reason: str) -> None:
    """Refuses a text that is none of those; what is known only later is left to Google."""
    names = list(known)
    if isinstance(value, str) and value not in names:
        refuse(argument, value, reason, nearest_of(value, names))


_TOPOLOGY = re.compile(r"[1-9]\d*(x[1-9]\d*){1,2}")


def topology_is(argument: str, topology: str) -> None:
    """Refuses what is no shape of accelerators, such as 4x4 or 2x2x1."""
    if not _TOPOLOGY.fullmatch(topology):
        numbers = re.findall(r"[1-9]\d*", topology)[:3]
        near = "x".join(numbers) if len(numbers) > 1 else "4x4"
        refuse(argument, topology, "is not a topology, such as 4x4 or 2x2x1", near)


def region_of(location: str) -> str:
    """Of a zone its region; a region is its own."""
    return location.rpartition("-")[0] if location.count("-") > 1 else location


def zone_in(argument: str, zone: str, location: object) -> None:
    """Refuses a zone of another region than the cluster's location, where that is known."""
    if isinstance(location, str) and region_of(zone) != region_of(location):
        reason = f"is not in the region of location, which is {location}"
        refuse(argument, zone, reason, f"a zone of {region_of(location)}")


def port_is(argument: str, port: int) -> None:
    if not 1 <= port <= 65535:
        refuse(argument, port, "is not a port, which is 1 to 65535", min(max(port, 1), 65535))


def within(argument: str, value: object, most: object, of: str) -> None:
    """Refuses a number above another argument, `of`; 0 of that may mean none, and None no limit."""
    if isinstance(value, int) and isinstance(most, int) and value > most:
        refuse(argument, value, f"is more than {of}, which is {most}", most)


def nearest_of(value: str, known: Iterable[str]) -> str:
    names = {it.casefold(): it for it in known}
    near = get_close_matches(value.casefold(), names, n=1, cutoff=0)
    return names[near[0]] if near else "none"
