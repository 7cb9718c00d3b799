"""Print what CHANGELOG.md says of the version that a tag is for. A tag of another version than
pyproject.toml's, or one of which the changelog says nothing, is an error."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def notes(tag: str, project: str, changelog: str) -> str:
    """Raises ValueError."""
    version = tomllib.loads(project)["project"]["version"]
    if tag != f"v{version}":
        raise ValueError(f"{tag}: pyproject.toml says {version}; nearest: v{version}")
    heading = rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)"
    found = re.search(heading, changelog, re.MULTILINE | re.DOTALL)
    if found is None or not found[1].strip():
        raise ValueError(f"{tag}: CHANGELOG.md has nothing below ## [{version}]")
    return found[1].strip()


def main() -> int:
    files = [ROOT / name for name in ("pyproject.toml", "CHANGELOG.md")]
    try:
        print(notes(sys.argv[1], *(it.read_text(encoding="utf-8") for it in files)))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
