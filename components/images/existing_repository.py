"""A repository of Artifact Registry that exists already: read, never made, changed or deleted.

Leaves out who may read it: a grant is a resource of the stack's own, beside those of others.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
from pulumi_gcp.artifactregistry.outputs import GetRepositoryRemoteRepositoryConfigResult

from ..base.existing import Part, first, read_part
from ..base.existing_facts import RepositoryFacts


@dataclass(frozen=True, kw_only=True)
class ExistingRepositoryArgs:
    """`location` is a region or a continent."""

    project: str
    location: str
    repository: str


def existing_repository(args: ExistingRepositoryArgs, provider: gcp.Provider) -> RepositoryFacts:
    """Its names are the config's, so there is nothing else to hand out. Raises ExistingPartError
    where it is not there."""
    repository = read_part(
        Part(
            kind="repository",
            name=args.repository,
            place=f"{args.location} of project {args.project}",
            listing="artifacts repositories list",
            options={"location": args.location, "project": args.project},
        ),
        lambda: gcp.artifactregistry.get_repository(
            repository_id=args.repository,
            location=args.location,
            project=args.project,
            opts=pulumi.InvokeOptions(provider=provider),
        ),
    )
    return RepositoryFacts(
        project=args.project,
        location=args.location,
        name=args.repository,
        format=repository.format,
        mode=repository.mode,
        upstream=_upstream(first(repository.remote_repository_configs)),
        labels=dict(repository.labels or {}),
    )


def _upstream(remote: "GetRepositoryRemoteRepositoryConfigResult | None") -> str | None:
    """Each way to say it is another block (hashicorp/terraform-provider-google-beta
    google-beta/services/artifactregistry/resource_artifact_registry_repository.go,
    remote_repository_config, 93c65b2d, 2026-08-21)."""
    if remote is None:
        return None
    docker, common = first(remote.docker_repositories), first(remote.common_repositories)
    custom = None if docker is None else first(docker.custom_repositories)
    said = (
        None if docker is None else docker.public_repository,
        None if custom is None else custom.uri,
        None if common is None else common.uri,
    )
    return next((it for it in said if it), None)
