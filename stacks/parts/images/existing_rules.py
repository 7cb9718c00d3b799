"""Whether a repository that exists already has the images of the registry that it is named for, and
whether disks can be made of a disk image. No Pulumi import."""

from collections.abc import Iterator
from dataclasses import dataclass

from catalog import Catalog
from components.base.existing_facts import DiskImageFacts, RepositoryFacts
from stacks.parts.images.plan import DOCKER_HUB, DiskImage, of_google
from stacks.problems import Problem

_FORMAT = "DOCKER"
_STANDARD, _VIRTUAL = "STANDARD_REPOSITORY", "VIRTUAL_REPOSITORY"
# Compute Engine API, images: PENDING, READY, FAILED or DELETING.
_READY = "READY"
# Two names of one registry: distribution/reference v0.6.0 normalize.go, legacyDefaultDomain, and
# the provider's own example of an address (hashicorp/terraform-provider-google-beta 93c65b2d,
# resource_artifact_registry_repository.go).
_ALSO_DOCKER_HUB = ("index.docker.io", "registry-1.docker.io")


@dataclass(frozen=True, kw_only=True)
class RepositoryNeeds:
    """The registry that the config names it for, and whether nodes stream images."""

    host: str
    streams: bool

    @property
    def field(self) -> str:
        return f"images.repositories.{self.host}"


def repository_problems(
    found: RepositoryFacts, needs: RepositoryNeeds, facts: Catalog
) -> Iterator[Problem]:
    """What a virtual one has is its upstreams', which are repositories of their own."""
    if found.format != _FORMAT:
        yield from format_problems(found, needs.field)
        return
    host = None if found.upstream is None else _host_of(found.upstream, facts)
    if host is not None and host != _one_name(needs.host):
        yield Problem(
            needs.field,
            f'"{found.name}" mirrors {host}, so it has no image of {needs.host}; '
            f"nearest: images.repositories.{host}",
        )


def format_problems(found: RepositoryFacts, field: str) -> Iterator[Problem]:
    if found.format != _FORMAT:
        yield Problem(
            field,
            f'"{found.name}" is of format {found.format}, and images are in those of format '
            f"{_FORMAT}; nearest: one of format {_FORMAT}",
        )


def repository_advice(found: RepositoryFacts, needs: RepositoryNeeds) -> Iterator[Problem]:
    """What streams: GKE documentation, "Use Image streaming to pull container images",
    requirements, 2026-11-24."""
    if found.mode == _STANDARD:
        yield Problem(
            needs.field,
            f'"{found.name}" is a standard repository, which has what was pushed into it and pulls '
            f"nothing of {needs.host}; nearest: a remote one",
        )
    if found.mode == _VIRTUAL and needs.streams:
        yield Problem(
            needs.field,
            f'"{found.name}" is a virtual repository, and images stream out of standard and remote '
            "ones; nearest: the remote one behind it",
        )


def disk_problems(field: str, found: DiskImageFacts) -> Iterator[Problem]:
    if found.status != _READY:
        yield Problem(
            field,
            f'"{found.name}" is {found.status}, and disks are made of an image that is {_READY}; '
            "nearest: wait for it, or another image",
        )


def disk_advice(field: str, disk: DiskImage) -> Iterator[Problem]:
    """Google's API knows a disk image's size, and nothing of what is on it."""
    if disk.images:
        yield Problem(
            field,
            f'"{disk.name}" is taken to have {", ".join(disk.images)}: what is on it nobody can '
            "look up, and what is not comes over the network, first when a pod asks for it",
        )
    else:
        yield Problem(
            field,
            "no pod of the stack's own with an image that is named in the config is for this pool; "
            "nearest: leave it out, where pods of others have nothing on it",
        )


def _host_of(upstream: str, facts: Catalog) -> str | None:
    """None of another repository of Artifact Registry: what that has is its own."""
    for host, registry in facts.versions.registries.items():
        if registry.public == upstream:
            return host
    host = upstream.partition("://")[2].partition("/")[0]
    return None if not host or of_google(host) else _one_name(host)


def _one_name(host: str) -> str:
    return DOCKER_HUB if host in _ALSO_DOCKER_HUB else host
