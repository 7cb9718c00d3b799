"""What no value of a config may be, whatever its field: text that cannot be seen or printed, and
lists, blocks and texts without an end. Pure."""

import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

LONGEST_TEXT = 1024
MOST_ENTRIES = 256
DEEPEST = 16

Place = tuple[str | int, ...]
# Control, format (which turns the direction, or has no width), surrogate, private, unassigned, and
# separators of lines and paragraphs.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class Flaw(NamedTuple):
    """`nearest` is the text without what is wrong with it, where something is left."""

    place: Place
    message: str
    nearest: str | None = None


def flaws(value: Any, place: Place = ()) -> Iterator[Flaw]:
    """Every flaw in a value and in all that it holds; what is too large is not looked into."""
    if isinstance(value, str):
        seen = "".join(it for it in value[:LONGEST_TEXT] if not _is_unseen(it)).strip()
        yield from (Flaw(place, message, seen or None) for message in _text_flaws(value))
    elif isinstance(value, dict | list | tuple):
        if len(value) > MOST_ENTRIES:
            yield Flaw(
                place,
                f"{len(value)} entries are more than any block or list here has; "
                f"nearest: {MOST_ENTRIES} of them",
            )
        elif len(place) >= DEEPEST:
            yield Flaw(
                place, f"{DEEPEST} blocks in each other are more than any key has; nearest: fewer"
            )
        elif isinstance(value, dict):
            yield from _block_flaws(value, place)
        else:
            for index, inner in enumerate(value):
                yield from flaws(inner, (*place, index))


def printable(text: str) -> str:
    """`text` with a sign in the place of all that cannot be seen."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_unseen(it) else it for it in text)


def _block_flaws(block: dict[Any, Any], place: Place) -> Iterator[Flaw]:
    for key, inner in block.items():
        here = (*place, key)
        if not isinstance(key, str):
            yield Flaw(here, f"{printable(str(key))[:40]} is a key that is no text; nearest: text")
        elif wrong := list(_text_flaws(key)):
            yield from (Flaw(here, f"its name: {message}") for message in wrong)
        else:
            yield from flaws(inner, here)


def _text_flaws(text: str) -> Iterator[str]:
    if len(text) > LONGEST_TEXT:
        yield (
            f"{len(text)} characters are more than any text here has; "
            f"nearest: one of at most {LONGEST_TEXT}"
        )
        return
    unseen = next((it for it in text if _is_unseen(it)), None)
    if unseen is not None:
        yield (
            f"U+{ord(unseen):04X} ({unicodedata.name(unseen, 'a control character')}) cannot be "
            "seen, so that the text is not what it looks like; nearest: the text without it"
        )
    elif text != text.strip():
        yield "there are blanks at an end of the text; nearest: the text without them"


def _is_unseen(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind in _UNSEEN or (kind == "Zs" and character != " ")
