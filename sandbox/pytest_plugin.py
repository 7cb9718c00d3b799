"""A fixture for the tests of any Pulumi program: `pytest_plugins = ["sandbox.pytest_plugin"]`.

The sandbox runs in processes of its own: whoever tests may have modules of the names of ours.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

_CODE = Path(__file__).resolve().parent.parent
_START = (
    f"import sys; sys.path.insert(0, {str(_CODE)!r}); from sandbox.__main__ import main; "
    "sys.exit(main())"
)


@dataclass(frozen=True)
class Resource:
    """`inputs` are what the provider was sent; `operation` is Pulumi's: create, same, delete."""

    type: str
    name: str
    operation: str
    inputs: Mapping[str, Any]


@dataclass(frozen=True)
class ProgramRun:
    """What one verb did. `cloud` has by type the ids of all that the simulated cloud has then."""

    ok: bool
    said: str
    resources: Sequence[Resource] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    diagnostics: Sequence[str] = ()
    cloud: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def named(self, name: str, type: str = "") -> Resource:
        """The only resource of a logical name, and of a type that ends so."""
        (found,) = (it for it in self.resources if it.name == name and it.type.endswith(type))
        return found

    @property
    def changed(self) -> Mapping[str, str]:
        """Operation by logical name, of all that does not stay the same."""
        return {it.name: it.operation for it in self.resources if it.operation != "same"}


class ProgramFailedError(AssertionError):
    """The verb failed, with all that it said."""


@dataclass(frozen=True)
class ProgramSandbox:
    """One stack of the program in `program`, in a simulated cloud of its own."""

    program: Path
    folder: Path
    stack: str = "dev"
    options: Sequence[str] = ()

    def preview(self, *, check: bool = True) -> ProgramRun:
        return self.run("preview", *self.options, check=check)

    def up(self, *, check: bool = True) -> ProgramRun:
        return self.run("up", *self.options, check=check)

    def refresh(self, *, check: bool = True) -> ProgramRun:
        return self.run("refresh", *self.options, check=check)

    def destroy(self, *, check: bool = True) -> ProgramRun:
        return self.run("destroy", check=check)

    def run(self, verb: str, *options: str, check: bool = True) -> ProgramRun:
        """Raises ProgramFailedError where the verb fails, unless told not to `check`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        summary = self.folder.parent / f"{self.folder.name}-{verb}.json"
        summary.unlink(missing_ok=True)
        words = [sys.executable, "-P", "-c", _START, verb, "--program", str(self.program)]
        words += ["--stack", self.stack, "--folder", str(self.folder), "--speed", "inf"]
        words += ["--json", str(summary), *options]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        if check and done.returncode:
            raise ProgramFailedError(said)
        found = json.loads(summary.read_text()) if summary.exists() else {}
        return _run_of(found, said, ok=not done.returncode)


class _NewSandbox(Protocol):
    def __call__(
        self,
        program: str | Path,
        *,
        stack: str = "dev",
        config: Mapping[str, str] | None = None,
        apis: str = "all",
        cluster: bool = False,
    ) -> ProgramSandbox: ...


@pytest.fixture
def gke_ai_sandbox(tmp_path: Path) -> _NewSandbox:
    """Makes a sandbox for the program in a folder. `config` has values by key, as `pulumi config
    set` takes them; `apis` are on in its projects; with `cluster` one is there."""

    def new(
        program: str | Path,
        *,
        stack: str = "dev",
        config: Mapping[str, str] | None = None,
        apis: str = "all",
        cluster: bool = False,
    ) -> ProgramSandbox:
        options = [word for key, it in (config or {}).items() for word in ("--set", f"{key}={it}")]
        options += ["--apis", apis] if apis else []
        options += ["--cluster"] if cluster else []
        return ProgramSandbox(Path(program).resolve(), tmp_path / "sandbox", stack, options)

    return new


def _run_of(found: Mapping[str, Any], said: str, *, ok: bool) -> ProgramRun:
    inputs = found.get("inputs", {})
    resources = [
        Resource(
            it["type"], it["urn"].rpartition("::")[2], it["operation"], inputs.get(it["urn"], {})
        )
        for it in found.get("resources", ())
    ]
    rest = {key: found[key] for key in ("outputs", "diagnostics", "cloud") if key in found}
    return ProgramRun(ok, said, resources, **rest)
