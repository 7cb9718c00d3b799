"""A script as a job on a RayCluster: what its launcher is. No Pulumi import."""

import hashlib
import json
import re
import shlex
from collections.abc import Mapping

from components.ray_manifest import LAUNCHER_DIR
from stacks.parts.jobs.script.config import FILES_VARIABLE, Script

_NAMED = re.compile(r"\$\(([A-Za-z_]\w*)\)")


def stored(files: Mapping[str, str]) -> dict[str, str]:
    """Files by the names that they have among those of all jobs of the cluster: other content is
    another name, and a job never finds the files of the one before."""
    return {_stored_name(files, name): content for name, content in files.items()}


def launcher(script: Script, files: Mapping[str, str]) -> str:
    """A bash script that gives the files their own names again, and becomes the command."""
    known = {FILES_VARIABLE, *script.environment}
    links = [
        f'cp {LAUNCHER_DIR}/{_stored_name(files, name)} "${FILES_VARIABLE}"/{name}'
        for name in sorted(files)
    ]
    return "\n".join(
        [
            "set -euo pipefail",
            f"{FILES_VARIABLE}=$(mktemp -d)",
            f"export {FILES_VARIABLE}",
            *links,
            *([f'chmod +x "${FILES_VARIABLE}"/*'] if files else []),
            "exec " + " ".join(_word(it, known) for it in script.command),
            "",
        ]
    )


def _stored_name(files: Mapping[str, str], name: str) -> str:
    together = json.dumps(dict(files), sort_keys=True)
    return f"{hashlib.sha256(together.encode()).hexdigest()[:8]}-{name}"


def _word(word: str, known: set[str]) -> str:
    """Nothing of it means anything to the shell but `$(NAME)`, as the kubelet has it."""
    parts: list[str] = []
    at = 0
    for found in _NAMED.finditer(word):
        if found[1] in known:
            parts += [_quoted(word[at : found.start()]), f'"${found[1]}"']
            at = found.end()
    return "".join([*parts, _quoted(word[at:])]) or "''"


def _quoted(text: str) -> str:
    return shlex.quote(text) if text else ""
