"""Fits a report into the length of a comment, and says what it leaves out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# GitHub refuses a comment that is longer, in characters (liatrio/terraform-change-pr-commenter
# issue 91, the API's own words, 2025-06-26).
LONGEST = 65_536


@dataclass(frozen=True)
class Section:
    """A part of a report; `short` stands in for it where there is no room.

    Of two sections, that with the higher `rank` is shortened first; rank 0 stays.
    """

    text: str
    short: str = ""
    rank: int = 0


def fitted(sections: Sequence[Section], longest: int = LONGEST) -> str:
    """All sections as one text of at most `longest` characters."""
    texts = [section.text for section in sections]
    order = sorted(
        (place for place, section in enumerate(sections) if section.rank),
        key=lambda place: (-sections[place].rank, -len(sections[place].text)),
    )
    for place in order:
        if _length(texts) <= longest:
            break
        if len(sections[place].short) < len(texts[place]):
            texts[place] = sections[place].short
    whole = "\n\n".join(text for text in texts if text)
    if len(whole) <= longest:
        return whole
    told = f"\n\n**The report was cut here: {len(whole)} characters do not fit.** The JSON has all."
    return whole[: longest - len(told)].rstrip() + told


def _length(texts: Sequence[str]) -> int:
    return sum(len(text) + 2 for text in texts if text)
