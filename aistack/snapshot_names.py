"""Snapshots that come with the project, by name."""

from pathlib import Path

# Of planted jobs on a real control plane; `make snapshots` writes them.
EXAMPLES = Path(__file__).parent / "why" / "snapshots"


def snapshot_names() -> list[str]:
    return sorted(it.stem for it in EXAMPLES.glob("*.json"))
