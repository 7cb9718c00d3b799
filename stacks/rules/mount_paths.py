"""Where a volume may be mounted: over nothing that the image, the node or the stack has there."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from stacks.problems import Problem

# Folders that images have (Filesystem Hierarchy Standard 3.0), or that the kernel and the kubelet
# fill. Everything else that pods here mount lies in one of them.
_OF_THE_SYSTEM = frozenset(
    (
        *("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "opt", "proc", "root", "run"),
        *("sbin", "sys", "tmp", "usr", "var"),
    )
)
# Ray's images have Python itself in the second.
_NOT_COVERED = ("/home", "/home/ray")


def mount_path_problems(field: str, path: str, *, nearest: str) -> Iterator[Problem]:
    """`nearest` is a path that may be."""
    parts = PurePosixPath(path).parts[1:]
    if {".", ".."} & {*path.split("/")}:
        why = "leads to another folder than it says"
    elif parts[0] in _OF_THE_SYSTEM:
        why = f"lies in /{parts[0]}, which the image, the node or the stack has files in"
    elif path in _NOT_COVERED:
        why = "would hide what the image has there"
    else:
        return
    yield Problem(field, f'"{path}" {why}; nearest: {nearest}')
