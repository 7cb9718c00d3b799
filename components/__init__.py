"""Google Cloud AI infrastructure as Pulumi components: GPU clusters on RDMA, TPU slices, Managed
Lustre, buckets, Kueue and Ray on GKE.

The names of `__init__.pyi` are public; everything else may change in any release. Each is loaded
when it is first used, as the cloud's SDK takes seconds that the pure modules below need not wait
for.
"""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path


@cache
def _modules() -> dict[str, str]:
    """By public name the module that has it."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    return {
        alias.name: f".{statement.module}"
        for statement in stub.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


def __getattr__(name: str) -> object:
    if name == "__all__":
        return list(_modules())
    if name.startswith("__") or name not in _modules():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_modules()[name], __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_modules()})
