"""Characters that a reader of a line does not see, or sees in another order. Pure."""

from __future__ import annotations

import unicodedata

# Unicode's general categories: controls, formats, surrogates, private use, unassigned, and the
# separators of lines and paragraphs.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks that are drawn as nothing: what has the property Default_Ignorable_Code_Point
# and none of these categories (Unicode 16.0, DerivedCoreProperties.txt). Python's tables lack it.
_IGNORABLE = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0100, 0xE01EF),
)
# A pattern of no dots, which looks like a space and is none to any program.
_BLANK = "\N{BRAILLE PATTERN BLANK}"


def is_unseen(character: str) -> bool:
    if unicodedata.category(character) in _UNSEEN or character == _BLANK:
        return True
    return any(first <= ord(character) <= last for first, last in _IGNORABLE)


def written_out(text: str, kept: str = "") -> str:
    """The text with each unseen character as an escape that Python would read back, but for those
    in `kept`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(it) if is_unseen(it) and it not in kept else it for it in text)


def _escaped(character: str) -> str:
    if character == "\n":
        return "\\n"
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
