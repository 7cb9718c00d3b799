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
    """Version of the secret that has the password, which Artifact Registry's service agent has to
    be allowed to read."""


class StackImages(Block, frozen=True):
    """Repositories of Artifact Registry in the stack's region that images come through. What is in
    Artifact Registry already stays where it is, and nodes' accounts get the right to read it where
    that is the stack's project."""

    mirror: bool | None = None
    """Make a remote repository for each registry that images of the stack's own pods come from: an
    image leaves its registry once, and nodes read it inside of the region, past the NAT. By default
    where a pool has accelerators and the nodes' accounts are the stack's: not on an Autopilot
    cluster that is there already."""
    repositories: dict[RegistryHost, Repository] = Field(default_factory=dict)
    """Repositories that exist already, by the host of the registry that they mirror; nodes'
    accounts of the stack's get the right to read them."""
    streaming: bool | None = None
    """Let nodes start containers while their image still comes (GKE's image streaming), where it
    comes out of Artifact Registry: by default where there are mirrors. The first pull of an image
    through an empty mirror has nothing of it. Autopilot streams by itself."""
    driver_path: bool = True
    """Give pods with GPUs an LD_LIBRARY_PATH that names the driver's folder, for images that do not
    look there. It takes the place of an image's own value, so images of the version lock that
    look there keep theirs; with false all do. Pods whose NCCL uses Google's plug-in have it in
    any case, and a script's `environment` goes before it."""
    preload: bool | None = None
    """Pull the images of Ray, servers and jobs onto the nodes of their pools as soon as machines
    stand, by a DaemonSet, so that pods which wait for a file system, a queue or a driver find them
    there; by default on Standard clusters, where a pool has accelerators."""
    credentials: dict[RegistryHost, UpstreamCredentials] = Field(default_factory=dict)
    """For registries that ask for them, or let those with a name pull more, by host; the stack
    makes a repository for each."""
