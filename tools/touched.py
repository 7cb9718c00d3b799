"""Run, of the longer tiers, the tests that the difference to main touches, for 15 minutes at most.

    make touched [SINCE=COMMIT] [MINUTES=N] [LIST=1]

Test files that changed come first, then those that are named like what changed, then the other
files of the folders that `JUDGES` names for it. What was left out is said at the end. Builds of
tools are not part of the minutes. `LIST=1` prints the files in their order and runs nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tools import in_time

ROOT = Path(__file__).resolve().parent.parent
# A test that begins late still ends within the time: few take longer than this.
LONGEST_SECONDS = 120

# By the beginning of a path that changed: the folders of tests that judge it, the nearest first.
# The longest beginning that fits counts.
JUDGES = {
    "Makefile": ("tests/stacks",),
    "__main__.py": ("tests/stacks",),
    "aistack/": ("tests/kube",),
    "aistack/fit/": ("tests/workloads/fits",),
    "catalog/": ("tests/stacks", "tests/parts"),
    "cli/": ("tests/review", "tests/stacks", "tests/kube"),
    "components/": ("tests/stacks", "tests/kube", "tests/scans"),
    "docs/": ("tests/pages",),
    "examples/": ("tests/examples",),
    "kube/": ("tests/kube", "tests/stacks"),
    "AGENTS.md": ("tests/pages",),
    "CONTRIBUTING.md": ("tests/pages",),
    "Pulumi": ("tests/stacks", "tests/kube", "tests/scans", "tests/pages"),
    "README.md": ("tests/pages",),
    "pyproject.toml": ("tests/stacks",),
    "recovery/": ("tests/stacks",),
    "requirements.txt": ("tests/stacks",),
    "requirements/lowest.txt": ("tests/stacks",),
    "requirements/": ("tests/workloads/launchers", "tests/workloads/trainings", "tests/scans"),
    "review/": ("tests/review",),
    "sandbox/": ("tests/stacks", "tests/parts"),
    "sandbox/control_plane/": ("tests/kube",),
    "sandbox/gke/": ("tests/kube", "tests/stacks"),
    "sandbox/live_kube/": ("tests/kube",),
    "stacks/": ("tests/stacks", "tests/parts", "tests/kube", "tests/scans"),
    "tests/": ("tests/stacks",),
    "tests/examples/": ("tests/examples",),
    "tests/kube/": ("tests/kube",),
    "tests/pages/": ("tests/pages",),
    "tests/parts/": ("tests/parts",),
    "tests/review/": ("tests/review",),
    "tests/scans/": ("tests/scans",),
    "tests/stacks/": ("tests/stacks",),
    "tests/unit/": (),
    "tests/workloads/": ("tests/workloads/launchers", "tests/workloads/mounts"),
    "tests/workloads/fits/": ("tests/workloads/fits",),
    "tests/workloads/launchers/": ("tests/workloads/launchers",),
    "tests/workloads/mounts/": ("tests/workloads/mounts", "tests/workloads/trainings"),
    "tests/workloads/trainings/": ("tests/workloads/trainings",),
    "tools/gcsfuse/": ("tests/workloads/mounts",),
    "tools/kube/": ("tests/kube",),
    "tools/netpol/": ("tests/stacks",),
    "tools/pulumi": ("tests/stacks",),
    "workloads/": (
        "tests/workloads/launchers",
        "tests/workloads/trainings",
        "tests/workloads/mounts",
    ),
}
# The verb of make that runs a folder's tests, and the one that builds what they need; the longest
# beginning that fits counts.
VERBS = {
    "tests/": ("test-stacks", "ready-stacks"),
    "tests/kube": ("test-kube", "ready-kube"),
    "tests/scans": ("scan", "ready-scan"),
    "tests/workloads": ("test-launchers", "ready-launchers"),
    "tests/workloads/trainings": ("test-trainings", "ready-trainings"),
}
# Words of paths that say nothing of a subject.
_COMMON = re.compile(
    "aistack|args|build|catalog|checks?|components|config|data|docs|init|jobs?|kube|main|md|parts"
    "|plan|py|rules|sandbox|stacks?|tests?|tools|unit|ya?ml"
)


def nearest(path: str, table: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the row of the longest beginning of a path, empty without one."""
    fitting = [it for it in table if path.startswith(it)]
    return table[max(fitting, key=len)] if fitting else ()


def words(path: str) -> frozenset[str]:
    """Return the words of a path that name its subject, without the s of a plural."""
    parts = re.split(r"[^a-z0-9]+", path.lower())
    return frozenset(it.rstrip("s") for it in parts if len(it) > 1 and not _COMMON.fullmatch(it))


def ordered(changed: Sequence[str], files: Iterable[str]) -> tuple[str, ...]:
    """Return test files, those that changed first, then those with most words of what changed."""
    subjects = [words(it) for it in changed]

    def rank(file: str) -> tuple[bool, int, str]:
        near = max((len(words(Path(file).name) & it) for it in subjects), default=0)
        return file not in changed, -near, file

    return tuple(sorted(files, key=rank))


def touched(changed: Sequence[str], files: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return test files in their order by the folder that they lie in, the nearest folder first;
    `files` are all test files of the tree."""
    folders = dict.fromkeys(str(Path(it).parent) for it in changed if it in files)
    folders |= dict.fromkeys(folder for it in changed for folder in nearest(it, JUDGES))
    # Few files of the unit tests are of a longer tier: of those only what changed.
    of_all = {it: changed if it == "tests/unit" else files for it in folders}
    return {
        folder: ordered(changed, [it for it in some if it in files and it.startswith(f"{folder}/")])
        for folder, some in of_all.items()
    }


def git(*words: str) -> list[str]:
    """Paths, as they are."""
    said = subprocess.run(["git", *words, "-z"], cwd=ROOT, capture_output=True, text=True)
    if said.returncode:
        sys.exit(f"touched: {said.stderr.strip()}; nearest: make touched SINCE=COMMIT")
    return [it for it in said.stdout.split("\0") if it]


def base_of(since: str) -> str:
    """The commit from which the difference is counted."""
    words = ["git", "merge-base", since, "HEAD"]
    said = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if said.returncode:
        sys.exit(
            f'touched: since: "{since}" leads to no commit; nearest: make touched SINCE=COMMIT'
        )
    return said.stdout.strip()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.touched")
    parser.add_argument("--since", default="main")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args(arguments)
    if given.minutes * 60 <= LONGEST_SECONDS:
        sys.exit(f"touched: minutes: {given.minutes:g} begin no test; nearest: 3")
    # Of a file that was renamed both names are of the difference.
    changed = git("diff", "--name-only", "--no-renames", base_of(given.since))
    changed += git("ls-files", "--others", "--exclude-standard")
    listed = git("ls-files", "--cached", "--others", "--exclude-standard", "tests/**/test_*.py")
    files = [it for it in dict.fromkeys(listed) if (ROOT / it).is_file()]
    folders = touched(changed, files)
    if given.list:
        print("\n".join(it for found in folders.values() for it in found))
        return 0
    print(f"{len(changed)} files differ from {given.since}; judges: {', '.join(folders) or 'none'}")
    builds = sorted({nearest(it, VERBS)[1] for it in folders})
    if builds and subprocess.run(["make", *builds], cwd=ROOT, check=False).returncode:
        sys.exit("touched: what the tests need could not be built; make says above what")
    until = time.time() + given.minutes * 60 - LONGEST_SECONDS
    if unjudged := [it for it in changed if not nearest(it, JUDGES)]:
        print(f"judged by `make check test` alone: {', '.join(unjudged)}")
    failed, left = [], []
    for folder, found in folders.items():
        if time.time() > until:
            left.append(folder)
            continue
        options = {
            "PYTEST_ADDOPTS": f"{os.environ.get('PYTEST_ADDOPTS', '')} -p tools.in_time",
            in_time.UNTIL: str(until),
        }
        verb, _ = nearest(folder, VERBS)
        command = ["make", verb, f"TESTS={shlex.join(found)}"]
        if subprocess.run(command, cwd=ROOT, env=os.environ | options, check=False).returncode:
            failed.append(folder)
    if left:
        print(f"left out, no time left: {', '.join(left)}")
    print("touched: " + (f"failed in {', '.join(failed)}" if failed else "nothing failed"))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
