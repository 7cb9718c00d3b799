"""Finds what `make kube-tools` built."""

from __future__ import annotations

from pathlib import Path

from cli.errors import UserError
from cli.project import CODE_FOLDER

BUILT = CODE_FOLDER / ".tools" / "kube"
BINARIES = BUILT / "bin"
MANIFESTS = BUILT / "manifests"


def is_built() -> bool:
    """Whether `make kube-tools` has come to its end here."""
    return (BUILT / ".ready").exists()


def binary(name: str) -> Path:
    """Raises UserError where the program was not built."""
    found = BINARIES / name
    if not found.exists():
        raise UserError(
            f"{name}: not in {BINARIES.relative_to(CODE_FOLDER)}, so there is no real control "
            "plane; nearest: run `make kube-tools` (once, some minutes), or --kube memory"
        )
    return found
