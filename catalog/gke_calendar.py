"""Which GKE versions Google offers on a day, by channel, and until when each is supported.

The book has a date. Until it is 90 days old what is newer than the book's newest is taken for not
there; later one minor more is taken for possible every 15 weeks.
"""

from __future__ import annotations

from datetime import date, timedelta

from pydantic import PositiveInt

from .gke_version import GkeVersion, MinorName
from .table import Fact, FactError, Table
from .versions import ReleaseChannel

# How long a book of the catalog is taken for the present.
FRESH = timedelta(days=90)


class MinorDates(Fact):
    """Since when the Regular channel has a minor version, and the end of its standard support."""

    regular: date
    standard_end: date


class GkeCalendar(Table):
    extended_months: PositiveInt
    extended_source: str
    weeks_between_minors: PositiveInt
    spacing_source: str
    minors: dict[MinorName, MinorDates]
    newest: dict[ReleaseChannel, MinorName]
    newest_source: str

    def end_of_support(self, version: GkeVersion, channel: ReleaseChannel) -> date | None:
        """The first day without support of the version's minor; None where that is not known."""
        dates = self.minors.get(f"{version.major}.{version.minor}")
        if dates is None:
            return None
        if channel is not ReleaseChannel.EXTENDED:
            return dates.standard_end
        return _months_later(dates.regular, self.extended_months)

    def last_end_of_support(self, channel: ReleaseChannel) -> date:
        """Of all minors that are known of the channel."""
        ends = (self.end_of_support(it, channel) for it in self._known())
        return max(end for end in ends if end is not None)

    def newest_possible(self, channel: ReleaseChannel, today: date) -> GkeVersion:
        """The newest minor that the channel may have on the day."""
        newest, unread = GkeVersion.parse(self.newest[channel]), today - self.date - FRESH
        if unread <= timedelta():
            return newest
        more = 1 + unread // timedelta(weeks=self.weeks_between_minors)
        return GkeVersion(newest.major, newest.minor + more)

    def offered(self, channel: ReleaseChannel, today: date) -> list[GkeVersion]:
        """The minors that are known to be in the channel, the oldest first."""
        newest = GkeVersion.parse(self.newest[channel])
        return [
            it for it in self._known() if it <= newest and not self._is_over(it, channel, today)
        ]

    def newest_offered(self, channel: ReleaseChannel, today: date) -> GkeVersion:
        """The newest minor that the channel is known to have, and still has on the day; where all
        are over, the newest that it may have."""
        newest = GkeVersion.parse(self.newest[channel])
        over = self._is_over(newest, channel, today)
        return self.newest_possible(channel, today) if over else newest

    def nearest(
        self, channel: ReleaseChannel, today: date, minimum: GkeVersion | None = None
    ) -> str:
        """The oldest version that the channel offers and that is no older than `minimum`; where
        there is none, that the version is left out."""
        for minor in self.offered(channel, today):
            if minimum is None or minor.meets(minimum):
                same = minimum is not None and _minor_of(minimum) == minor
                return str(minimum if same else minor)
        return "leave it out"

    def check_offered(
        self,
        version: GkeVersion,
        channel: ReleaseChannel,
        today: date,
        minimum: GkeVersion | None = None,
    ) -> None:
        """Raises FactError, with the nearest that is no older than `minimum`, for a version that
        the channel has no more or not yet."""
        near = self.nearest(channel, today, minimum)
        end = self.end_of_support(version, channel)
        if version < self._known()[0]:
            raise FactError(f"GKE {version} is older than all that Google offers; nearest: {near}")
        # "No valid versions with the prefix" (hashicorp/terraform-provider-google issue 22167).
        if end is not None and end <= today:
            longer = self.end_of_support(version, ReleaseChannel.EXTENDED)
            there = longer is not None and longer > today
            kept = f", or cluster.release_channel EXTENDED until {longer}" if there else ""
            raise FactError(
                f"GKE {version} is out of support in the channel {channel} since {end}, and Google "
                f"makes no cluster of it; nearest: {near}{kept}"
            )
        newest = self.newest_possible(channel, today)
        if _minor_of(version) > newest:
            known = self.newest[channel]
            by_now = "" if str(newest) == known else f", and no newer than {newest} by now"
            raise FactError(
                f"GKE {version} is newer than what the channel {channel} is known to have: {known} "
                f"as of {self.date}{by_now}; nearest: {self.newest_offered(channel, today)}"
            )

    def _is_over(self, minor: GkeVersion, channel: ReleaseChannel, today: date) -> bool:
        end = self.end_of_support(minor, channel)
        return end is not None and end <= today

    def _known(self) -> list[GkeVersion]:
        return sorted(GkeVersion.parse(it) for it in self.minors)


def _minor_of(version: GkeVersion) -> GkeVersion:
    return GkeVersion(version.major, version.minor)


def _months_later(day: date, months: int) -> date:
    """The same day of a later month; all that are counted so exist in it."""
    years, month = divmod(day.month - 1 + months, 12)
    return date(day.year + years, month + 1, day.day)
