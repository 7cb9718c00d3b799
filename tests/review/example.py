"""The example in docs/pull-requests.md, as a review writes it: `python -m tests.review.example`."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from tests.review.conftest import ROOT, Repository, copied

EXAMPLE = "docs/pull-requests.md"
_FENCE = "````"
_BLOCK = re.compile(f"{_FENCE}markdown\n.*?{_FENCE}", re.S)
_FOLDED = re.compile("<details>.*?</details>\n\n", re.S)


def example(repository: Repository) -> str:
    """The report of one change to b200-lustre, twice the capacity on the tier below, without what
    it folds."""
    repository.edit(
        "Pulumi.b200-lustre.yaml",
        ("capacity_gib: 9000", "capacity_gib: 18000"),
        ("throughput_mbps_per_tib: 1000", "throughput_mbps_per_tib: 500"),
    )
    text = repository.review("HEAD", "b200-lustre").markdown
    # A commit of a repository that is made for this one run.
    return _FOLDED.sub("", re.sub(r"Against `[0-9a-f]{12}`", "Against `main`", text))


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        text = example(copied(Path(scratch) / "repository"))
    page = ROOT / EXAMPLE
    block = f"{_FENCE}markdown\n{text}{_FENCE}"
    page.write_text(_BLOCK.sub(lambda _: block, page.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
