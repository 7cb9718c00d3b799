"""Who may ask the API server, and by which token.

An operator may do all, as everyone here may, but asks as the service account of its release: so it
works under the roles that its chart brings, in whatever namespace that is.
"""

from __future__ import annotations

import csv
import io
import secrets
from pathlib import Path

from sandbox.control_plane.private_files import write_private

IDENTITIES = (
    "admin",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
    "agent",
    "kueue",
    "ray-operator",
    "jobset",
)
# The service accounts of the charts, under the release names that the stacks give them.
ACCOUNTS = {
    "kueue": "kueue-controller-manager",
    "ray-operator": "kuberay-operator",
    "jobset": "jobset-controller",
}
_GROUP = "system:masters"


def service_account(operator: str, namespace: str) -> str:
    return f"system:serviceaccount:{namespace}:{ACCOUNTS[operator]}"


def make_tokens(file: Path) -> dict[str, str]:
    """Each identity's token; written as the API server's --token-auth-file, and kept."""
    known = _read(file) if file.exists() else {}
    tokens = {name: known.get(name) or secrets.token_urlsafe(32) for name in IDENTITIES}
    if tokens != known:
        write_private(file, _table(tokens))
    return tokens


def _table(tokens: dict[str, str]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, token in tokens.items():
        rows.writerow([token, name, name, _GROUP])
    return text.getvalue()


def _read(file: Path) -> dict[str, str]:
    return {user: token for token, user, _, _ in csv.reader(io.StringIO(file.read_text()))}
