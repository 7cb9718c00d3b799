"""The repository of Artifact Registry that an image is in, and who is to read it. No Pulumi import.

Nodes pull as their own account, which needs roles/artifactregistry.reader there (Artifact Registry
documentation, "Deploying to Google Kubernetes Engine", and GKE documentation, "Configure GKE node
service accounts", read 2026-11-28).
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

READER = "roles/artifactregistry.reader"
_REGISTRY = "-docker.pkg.dev"
# Of what Container Registry had, by host (Artifact Registry documentation, "Transition to gcr.io
# repositories", gcr.io domain support, read 2026-11-28). Each has the name of its host.
_LOCATIONS = {"gcr.io": "us", "us.gcr.io": "us", "eu.gcr.io": "europe", "asia.gcr.io": "asia"}


@dataclass(frozen=True, kw_only=True)
class Repository:
    location: str
    project: str
    name: str

    @property
    def key(self) -> str:
        """What logical names have of it."""
        return f"{self.name}-in-{self.location}"

    def grants(self, members: Sequence[str]) -> str:
        """The commands by which its owner lets accounts read it."""
        words = ["gcloud", "artifacts", "repositories", "add-iam-policy-binding", self.name]
        words += [f"--location={self.location}", f"--project={self.project}", f"--role={READER}"]
        return "; ".join(
            f"`{shlex.join([*words, f'--member=serviceAccount:{it}'])}`" for it in members
        )


def repository_of(host: str, path: str) -> Repository | None:
    """None of an image elsewhere, and of Google's own hosts, which everybody may read. A project of
    a domain has that in front: `example.com/project` is `example.com:project` (the same page)."""
    location = _LOCATIONS.get(host)
    if location is None and not host.endswith(_REGISTRY):
        return None
    first, _, rest = path.partition("/")
    if "." in first:
        second, _, rest = rest.partition("/")
        first = f"{first}:{second}"
    name = host if location is not None else rest.partition("/")[0]
    if not rest or not name:
        return None
    return Repository(location=location or host.removesuffix(_REGISTRY), project=first, name=name)
