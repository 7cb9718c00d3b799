"""What no value of a config may be, whatever its field: text that cannot be seen or printed, and
lists, blocks and texts without an end. Pure."""

import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from stacks.commands import of_stack
from stacks.secret_words import is_token
from stacks.unseen import is_unseen

LONGEST_TEXT = 1024
# Of a program's own word; Linux takes 32 pages (torvalds/linux include/uapi/linux/binfmts.h,
# MAX_ARG_STRLEN), and a launcher on Ray has less room for all of them.
LONGEST_WORD = 16 * 1024
MOST_ENTRIES = 256
DEEPEST = 16
_LONGEST_SHOWN = 80

Place = tuple[str | int, ...]


class Flaw(NamedTuple):
    """`nearest` is the text without what is wrong with it, where something is left; `of_key` where
    that is the text of the key, not of its value."""

    place: Place
    message: str
    nearest: str | None = None
    of_key: bool = False


def flaws(value: Any, place: Place = ()) -> Iterator[Flaw]:
    """Every flaw in a value and in all that it holds; what is too large is not looked into."""
    if isinstance(value, str):
        found = _text_flaws(value, of_program=_is_of_program(place))
        yield from (Flaw(place, message, _seen(value)) for message in found)
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


def shown(value: object) -> str:
    """A value as a message names it: short, and never as Python writes it."""
    if isinstance(value, dict | list | tuple):
        what = "block" if isinstance(value, dict) else "list"
        return f"a {what}" if value else f"an empty {what}"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= 10**_LONGEST_SHOWN:
        # Python refuses to write out the longest.
        return "a number without an end"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def copied(value: Any) -> Any:
    """A copy of blocks and lists in each other; what they hold is never changed."""
    if isinstance(value, dict):
        return {key: copied(it) for key, it in value.items()}
    if isinstance(value, list | tuple):
        inner = [copied(it) for it in value]
        return inner if isinstance(value, list) else tuple(inner)
    return value


def printable(text: str) -> str:
    """`text` with a sign in the place of all that cannot be seen."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_unseen(it) else it for it in text)


def _block_flaws(block: dict[Any, Any], place: Place) -> Iterator[Flaw]:
    for key, inner in block.items():
        here = (*place, key)
        if not isinstance(key, str):
            text = printable(str(key))[:40]
            message = f'{text} is a key that is no text to YAML; nearest: "{text}", with quotes'
            yield Flaw(here, message, text, of_key=True)
        elif wrong := list(_text_flaws(key)):
            near = _seen(key)
            yield from (Flaw(here, f"its name: {it}", near, of_key=True) for it in wrong)
        else:
            yield from flaws(inner, here)


def _seen(text: str) -> str | None:
    return "".join(it for it in text[:LONGEST_TEXT] if not _is_unseen(it)).strip() or None


def _is_of_program(place: Place) -> bool:
    """Whether a text is a word or a variable of a job's program, which alone knows what a blank at
    the end means, or the end of a line, as of `bash -c`."""
    return len(place) >= 4 and place[-4] == "jobs" and place[-2] in ("command", "environment")


def _text_flaws(text: str, *, of_program: bool = False) -> Iterator[str]:
    longest = LONGEST_WORD if of_program else LONGEST_TEXT
    if len(text) > longest:
        yield (
            f"{len(text)} characters are more than any text here has; "
            f"nearest: one of at most {longest}"
        )
        return
    plain = text.isascii() and text.isprintable()
    if is_token(text):
        yield (
            "looks like a secret, which all could read in the file and in the state; nearest: a "
            f"new one by `{of_stack('pulumi config set --secret KEY')}`, and none that others have "
            "read"
        )
        return
    own = "\n\t" if of_program else ""
    unseen = None if plain else next((it for it in text if it not in own and _is_unseen(it)), None)
    if unseen is not None:
        yield (
            f"U+{ord(unseen):04X} ({unicodedata.name(unseen, 'a control character')}) cannot be "
            "seen, so that the text is not what it looks like; nearest: the text without it"
        )
    elif text != text.strip() and not of_program:
        yield "there are blanks at an end of the text; nearest: the text without them"


def _is_unseen(character: str) -> bool:
    other_blank = character != " " and unicodedata.category(character) == "Zs"
    return is_unseen(character) or other_blank
