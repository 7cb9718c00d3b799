"""`aistack review`: from its options to its files and its exit code."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from catalog.strict_yaml import YamlError
from cli.lines import say
from cli.output_file import require_own
from cli.project import PROJECT, PROJECT_FOLDER
from review.lines import lines_of
from review.markdown import MARK, markdown
from review.review import review
from review.values import masked
from stacks.stack_file import text_of
from stacks.tokens import SECRETS


def run_review(
    base: str, stacks: Sequence[str], markdown_file: Path | None, json_file: Path | None
) -> int:
    """Review and report; returns the exit code: 0, 1 (not compared) or 3 (something is lost)."""
    require_own("--markdown", markdown_file, MARK)
    require_own("--json", json_file, "{")
    found = review(PROJECT_FOLDER, base, stacks)
    secrets = list(known_secrets(PROJECT_FOLDER))
    for line in lines_of(found):
        say(masked(line, secrets))
    if markdown_file is not None:
        markdown_file.write_text(masked(markdown(found), secrets))
    if json_file is not None:
        json_file.write_text(json.dumps(_masked(found.to_json(), secrets), indent=2) + "\n")
    return found.exit_code


def known_secrets(root: Path) -> Iterator[str]:
    """Secrets that the environment holds or that somebody left in a config in plain text."""
    for name in SECRETS:
        if value := os.environ.get(name.upper()):
            yield value
        for file in sorted(root.glob("Pulumi.*.yaml")):
            try:
                text = text_of(file).decode(errors="replace")
            except (OSError, YamlError):
                # A link to a file elsewhere is left alone.
                continue
            # By the line, for a config that is no YAML may hold one too.
            key = rf"(?:{PROJECT}:(?:config:)?)?{name}"
            found = re.search(rf"^\s+{key}:[ \t]*(\S.*)$", text, re.M)
            if found and (value := found[1].strip().strip("'\"")):
                yield value


def _masked(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, dict):
        return {key: _masked(inner, secrets) for key, inner in value.items()}
    if isinstance(value, list):
        return [_masked(inner, secrets) for inner in value]
    return masked(value, secrets) if isinstance(value, str) else value
