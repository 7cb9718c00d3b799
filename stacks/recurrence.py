"""RFC 5545 recurrence rules, as far as a maintenance window of GKE takes them. Pure.

GKE knows no windows that recur within a day, so no FREQ below DAILY, and days of the week are UTC's
(container v1 API, RecurringTimeWindow; GKE documentation, "Configure maintenance windows").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_BY_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
# What a part may be, and the least and the most of its numbers; 0 is never one.
_NUMBERS = {"BYMONTH": (1, 12), "BYMONTHDAY": (-31, 31), "BYSETPOS": (-31, 31)}


@dataclass(frozen=True)
class Recurrence:
    """`by_day` are days of the week, 0 for Monday, each with its place in the month or 0."""

    frequency: str
    interval: int = 1
    by_day: tuple[tuple[int, int], ...] = ()
    numbers: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def days(self, start: date, days: int) -> Iterator[date]:
        """The days of the `days` from `start` on which the rule has a window."""
        period: list[date] = []
        for offset in range(days):
            day = start + timedelta(days=offset)
            if period and self._period(day) != self._period(period[0]):
                yield from self._chosen(period, start)
                period = []
            period.append(day)
        yield from self._chosen(period, start)

    def _period(self, day: date) -> tuple[int, int]:
        """What INTERVAL and BYSETPOS count."""
        match self.frequency:
            case "DAILY":
                return (0, day.toordinal())
            case "WEEKLY":
                # Ordinal 1 was a Monday.
                return (0, (day.toordinal() - 1) // 7)
            case "MONTHLY":
                return (0, day.year * 12 + day.month)
            case _:
                return (0, day.year)

    def _chosen(self, period: list[date], start: date) -> Iterator[date]:
        if not period or (self._period(period[0])[1] - self._period(start)[1]) % self.interval:
            return
        fitting = [day for day in period if self._fits(day, start)]
        if places := self.numbers.get("BYSETPOS"):
            fitting = sorted(
                {fitting[it - 1 if it > 0 else it] for it in places if abs(it) <= len(fitting)}
            )
        yield from fitting

    def _fits(self, day: date, start: date) -> bool:
        last = (date(day.year + day.month // 12, day.month % 12 + 1, 1) - timedelta(days=1)).day
        months, dates = self.numbers.get("BYMONTH", ()), self.numbers.get("BYMONTHDAY", ())
        if months and day.month not in months:
            return False
        if dates and day.day not in dates and day.day - last - 1 not in dates:
            return False
        if self.by_day:
            places = {0, (day.day - 1) // 7 + 1, -((last - day.day) // 7 + 1)}
            return any(day.weekday() == it and place in places for it, place in self.by_day)
        return self._fits_by_default(day, start, fixed=bool(dates))

    def _fits_by_default(self, day: date, start: date, *, fixed: bool) -> bool:
        """Without a day of its own a rule takes that of its start."""
        match self.frequency:
            case "DAILY":
                return True
            case "WEEKLY":
                return fixed or day.weekday() == start.weekday()
            case "MONTHLY":
                return fixed or day.day == start.day
            case _:
                month = bool(self.numbers.get("BYMONTH")) or day.month == start.month
                return fixed or (month and day.day == start.day)


def parsed(text: str) -> Recurrence:
    """Raises ValueError, with what would do, where GKE would not take it."""
    parts: dict[str, str] = {}
    for part in text.split(";"):
        name, _, value = part.partition("=")
        if name in parts or not value:
            raise _not_a_rule(text)
        parts[name] = value
    if parts.get("FREQ") not in _FREQUENCIES:
        raise _not_a_rule(text)
    if ends := [it for it in ("COUNT", "UNTIL") if it in parts]:
        near = ";".join(f"{name}={value}" for name, value in parts.items() if name not in ends)
        raise ValueError(f"{ends[0]} ends the windows, and GKE wants some always; nearest: {near}")
    interval = parts.get("INTERVAL", "1")
    by_day = [_BY_DAY.fullmatch(it) for it in parts["BYDAY"].split(",")] if "BYDAY" in parts else []
    known = {"FREQ", "INTERVAL", "BYDAY", "WKST", *_NUMBERS}
    if (
        parts.keys() - known
        or not re.fullmatch(r"[1-9]\d{0,2}", interval, re.ASCII)
        or None in by_day
        or parts.get("WKST", "MO") not in _DAYS
    ):
        raise _not_a_rule(text)
    return Recurrence(
        frequency=parts["FREQ"],
        interval=int(interval),
        by_day=tuple((_DAYS.index(it[2]), int(it[1] or 0)) for it in by_day if it),
        numbers={name: _numbers(text, name, parts[name]) for name in _NUMBERS if name in parts},
    )


def _numbers(text: str, name: str, value: str) -> tuple[int, ...]:
    low, high = _NUMBERS[name]
    found = value.split(",")
    if not all(re.fullmatch(r"[+-]?\d{1,2}", it, re.ASCII) for it in found):
        raise _not_a_rule(text)
    numbers = tuple(int(it) for it in found)
    if not all(low <= it <= high and it for it in numbers):
        raise _not_a_rule(text)
    return numbers


def _not_a_rule(text: str) -> ValueError:
    return ValueError(
        f'"{text}" is not an RFC 5545 rule that GKE takes (FREQ of {", ".join(_FREQUENCIES)}); '
        "nearest: FREQ=WEEKLY;BYDAY=SA,SU"
    )
