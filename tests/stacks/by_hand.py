"""What a user does by hand to a resource, and the commands of a refusal, followed."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from typing import Any

from cli.urns import name_of
from sandbox.engine import RunResult
from tests.stacks.conftest import Sandbox, changed

# Of the provider of what is in a cluster (pulumi/pulumi #14650).
_CLOSED = "client connection is closing"
_COMMANDS = re.compile(r"^  (pulumi (?:state|destroy|up)\b.*)$", re.MULTILINE)


def said(result: RunResult) -> str:
    return "\n".join(result.report.diagnostics)


def edited(sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """The resources of the engine's state, which is written again afterwards."""
    file = next(sandbox.workspace.state_files())
    document = json.loads(file.read_text())
    yield from document["checkpoint"]["latest"]["resources"]
    file.write_text(json.dumps(document))


def taint(sandbox: Sandbox, name: str) -> None:
    """As `pulumi state taint` does."""
    for resource in edited(sandbox):
        if name_of(resource["urn"]) == name and resource.get("custom"):
            resource["taint"] = True


def untaint(sandbox: Sandbox) -> None:
    """As `pulumi state untaint --all` does."""
    for resource in edited(sandbox):
        resource.pop("taint", None)


def urn_of(sandbox: Sandbox, name: str) -> str:
    resources = sandbox.state()["resources"]
    (found,) = (it["urn"] for it in resources if name_of(it["urn"]) == name and it.get("custom"))
    return found


def resources_of(sandbox: Sandbox) -> list[str]:
    """Logical names of what a provider makes, providers left out, sorted."""
    found = (it for it in sandbox.state().get("resources", ()) if it.get("custom"))
    return sorted(name_of(it["urn"]) for it in found if not it["type"].startswith("pulumi:"))


def lose_clusters(sandbox: Sandbox) -> None:
    """Every cluster is deleted in the simulated cloud, with all that is in it."""
    file = sandbox.workspace.cloud_file
    document = json.loads(file.read_text())
    kept = {key: it for key, it in document["resources"].items() if "/clusters/" not in key}
    file.write_text(json.dumps({**document, "resources": kept, "clusters": {}}))


def follow(sandbox: Sandbox, refusal: str) -> str:
    """Run the commands of a refusal; what the first that fails says."""
    commands = _COMMANDS.findall(refusal)
    assert commands, refusal
    for command in commands:
        words = shlex.split(command.split(", where")[0])
        if words[1] == "state":
            untaint(sandbox)
            continue
        options: dict[str, Any] = {
            key: urns
            for key in ("target", "replace")
            if (urns := [words[at + 1] for at, it in enumerate(words) if it == f"--{key}"])
        }
        options |= {
            flag.replace("-", "_"): True
            for flag in ("target-dependents", "run-program")
            if f"--{flag}" in words
        }
        result = sandbox.run("destroy" if words[1] == "destroy" else "up", only=options)
        if not result.ok:
            return f"{command}: {said(result)}"
    return ""


def made_anew(sandbox: Sandbox, name: str) -> str:
    """Taint it, and go the way that there is: what does not work, empty where all of it does."""
    taint(sandbox, name)
    preview = sandbox.run("preview")
    if not preview.ok:
        return follow(sandbox, said(preview)) or _settled(sandbox)
    up = sandbox.run("up")
    return _settled(sandbox) if up.ok else said(up)


def destroyed(sandbox: Sandbox, name: str) -> str:
    """Destroy it with what depends on it, and bring it up again.

    Where a cluster is among that, the destroy may end before it began (docs/adr/0008).
    """
    only = {"target": [urn_of(sandbox, name)], "target_dependents": True}
    gone = sandbox.run("destroy", only=only)
    if not gone.ok and _CLOSED not in said(gone):
        return said(gone)
    again = sandbox.run("up")
    return _settled(sandbox) if again.ok else said(again)


WAYS: dict[str, Callable[[Sandbox, str], str]] = {"tainted": made_anew, "destroyed": destroyed}


def _settled(sandbox: Sandbox) -> str:
    preview = sandbox.run("preview")
    return (said(preview) if not preview.ok else "") or " ".join(changed(preview))
