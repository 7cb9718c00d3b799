"""Where pods get their images from. No Pulumi import."""

from typing import Annotated

from pydantic import Field

from catalog.text_check import like
from stacks.types import Block
from stacks.value_checks import PROJECT_ID

RegistryHost = Annotated[
    str, like(r"[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?", "a registry's host", "nvcr.io")
]
# Artifact Registry documentation, "Create standard repositories": of a repository's name.
Repository = Annotated[
    str,
    like(
        rf"[a-z0-9-]+-docker\.pkg\.dev/{PROJECT_ID}/[a-z]([a-z0-9-]{{0,61}}[a-z0-9])?",
        "a repository of Artifact Registry",
        "us-east1-docker.pkg.dev/my-project/nvcr-io",
    ),
]
UserName = Annotated[str, like(r"[^\s]+", "a user name without blanks", "$oauthtoken")]
SecretVersion = Annotated[
    str,
    like(
        r"projects/[^/\s]+/secrets/[\w-]+/versions/(\d+|latest)",
        "a version of a secret in Secret Manager",
        "projects/my-project/secrets/nvcr/versions/1",
    ),
]


class UpstreamCredentials(Block, frozen=True):
    """Who Artifact Registry is to the registry that it mirrors."""

    username: UserName
    """Name of the user there; `$oauthtoken` for nvcr.io."""
    secret_version: SecretVersion
    """Version of the secret with the password."""


class StackImages(Block, frozen=True):
    """Where images come from and how they reach nodes."""

    mirror: bool | None = None
    """A remote repository for each registry that images come from; by default where a pool has
    accelerators."""
    repositories: dict[RegistryHost, Repository] = Field(default_factory=dict)
    """Repositories that exist already, by the host of the registry that they mirror."""
    streaming: bool | None = None
    """Containers start while their image still comes; by default where there are mirrors."""
    driver_path: bool = True
    """Give pods with GPUs an LD_LIBRARY_PATH with the driver's folder, where images do not look
    there."""
    preload: bool | None = None
    """Pull images as soon as machines stand; by default on Standard where a pool has
    accelerators."""
    credentials: dict[RegistryHost, UpstreamCredentials] = Field(default_factory=dict)
    """Names and passwords for registries, by host."""
