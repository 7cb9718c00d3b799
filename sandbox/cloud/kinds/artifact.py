"""Repositories of Artifact Registry and the role bindings on them.

Rules: Artifact Registry documentation, "Create standard repositories" (names), "Create remote
repositories", "Repository locations", read 2026-11-24; SDK of pulumi-gcp 10.2.0,
artifactregistry.Repository. What Google says where it refuses was not found: the words are ours.
"""

from __future__ import annotations

import re
from typing import Any

from catalog import FactError
from sandbox.cloud.kind import Kind, digest
from sandbox.cloud.kinds.iam import IamMember, check_binding
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

# Those with a dot have what is named by the host of Container Registry (Artifact Registry
# documentation, "Transition to gcr.io repositories", read 2026-11-28).
_ID = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?|((us|eu|asia)\.)?gcr\.io")
_CONTINENTS = ("us", "europe", "asia")
_REMOTE = "REMOTE_REPOSITORY"
_SECRET = re.compile(r"projects/[^/]+/secrets/[^/]+/versions/[^/]+")


class Repository(Kind):
    token = "gcp:artifactregistry/repository:Repository"
    api = "artifactregistry.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        name, location = str(inputs["repositoryId"]), str(inputs.get("location"))
        if not _ID.fullmatch(name):
            raise _refused(
                f'repository id "{name}" must be 1 to 63 lowercase letters, digits or hyphens, a '
                "letter first and no hyphen last"
            )
        if location not in _CONTINENTS:
            try:
                cloud.catalog.zones_in(location)
            except FactError as error:
                raise _refused(f"location: {error}") from None
        _check_remote(inputs)

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        del resource, cloud
        _check_remote(news)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        del cloud, resource_id
        name = inputs["repositoryId"]
        host = f"{inputs['location']}-docker.pkg.dev"
        return {
            "name": name,
            "registryUri": f"{host}/{inputs['project']}/{name}",
            "effectiveLabels": dict(inputs.get("labels") or {}),
        }

    def after_delete(self, resource: Resource, cloud: View) -> None:
        for member in list(cloud.find(RepositoryIamMember.token)):
            if member.id.startswith(f"{resource.id}/"):
                cloud.drop(member)


class RepositoryIamMember(IamMember):
    """On a repository, which stands for the API."""

    token = "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        where = self.identify(inputs).partition(f"/{inputs['role']}/")[0]
        if cloud.get(where) is None:
            raise CloudError("NOT_FOUND", f"{where} was not found")
        check_binding(inputs, inputs["project"], cloud)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        del inputs, cloud
        return {"etag": digest(resource_id)}


def _check_remote(inputs: Inputs) -> None:
    remote = inputs.get("remoteRepositoryConfig")
    if (inputs.get("mode") == _REMOTE) != (remote is not None):
        raise _refused("remoteRepositoryConfig belongs to mode REMOTE_REPOSITORY, and that to it")
    if remote is None:
        return
    known = ("publicRepository", "customRepository")
    docker = remote.get("dockerRepository") or {}
    named = sum(it in docker for it in known) + ("commonRepository" in remote)
    if inputs.get("format") == "DOCKER" and named != 1:
        raise _refused(
            "commonRepository names a registry, or dockerRepository names one of "
            "publicRepository and customRepository"
        )
    given = (remote.get("upstreamCredentials") or {}).get("usernamePasswordCredentials") or {}
    version = given.get("passwordSecretVersion")
    if version is not None and not _SECRET.fullmatch(version):
        raise _refused(
            f'passwordSecretVersion "{version}" is no version of a secret; nearest: '
            "projects/PROJECT/secrets/SECRET/versions/VERSION"
        )


def _refused(why: str) -> CloudError:
    return CloudError("INVALID_ARGUMENT", why)
