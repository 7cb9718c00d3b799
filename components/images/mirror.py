"""A mirror of a registry: a remote repository of Artifact Registry, which pulls an image once and
keeps it near the nodes, and who may read it.

How upstreams are told: provider documentation of artifactregistry.Repository, "Remote Repository
With Custom Upstream". Leaves out the secret with the password, which is its owner's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp

from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from ..project.apis import ProjectArgs

_READER = "roles/artifactregistry.reader"


@dataclass(frozen=True, kw_only=True)
class UpstreamArgs:
    """`public` is Artifact Registry's own word for a registry that it knows. `password_version` is
    a version of a secret, PROJECT's service agent of Artifact Registry has to be able to read."""

    host: str
    public: str | None = None
    username: str | None = None
    password_version: str | None = None


@dataclass(frozen=True, kw_only=True)
class ImageMirrorArgs(ProjectArgs):
    """Without `upstream` the repository
    exists already, by any name that Artifact Registry has for one: it mirrors a registry, or has
    what was pushed into it. `readers` are emails of service accounts, by a name that stays. Images
    in a repository that is made are encrypted with `kms_key`, by default with a key of Google's;
    another key is another repository."""

    location: pulumi.Input[str]
    repository_id: str
    upstream: UpstreamArgs | None = None
    kms_key: pulumi.Input[str] | None = None
    readers: Mapping[str, pulumi.Input[str]]
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        # One that exists already may have a longer name, with its project and location.
        if self.upstream is not None:
            name_is("repository_id", NameKind.REPOSITORY, self.repository_id)


class ImageMirror(Component, apis=("artifactregistry",)):
    """`repository_name` is the last part of its name. Pods wait for the whole component: no value
    of theirs says that their nodes may read it."""

    repository_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: ImageMirrorArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:ImageMirror",
            name,
            args,
            formerly("image_mirror:ImageMirror", opts),
        )
        repository: pulumi.Input[str] = args.repository_id
        if args.upstream is not None:
            repository = gcp.artifactregistry.Repository(
                f"{name}-repository",
                project=args.project_with("artifactregistry"),
                location=args.location,
                repository_id=args.repository_id,
                description=f"Mirror of {args.upstream.host}",
                format="DOCKER",
                mode="REMOTE_REPOSITORY",
                remote_repository_config=_remote(args.upstream),
                kms_key_name=args.kms_key,
                labels=args.labels,
                opts=fixed_name(self),
            ).name
        # Members one by one: others may have given others the right to read.
        for key, email in args.readers.items():
            gcp.artifactregistry.RepositoryIamMember(
                f"{name}-{key}-reader",
                project=args.project_with("artifactregistry"),
                location=args.location,
                repository=repository,
                role=_READER,
                member=pulumi.Output.concat("serviceAccount:", email),
                opts=fixed_name(self),
            )
        self.repository_name = pulumi.Output.from_input(repository)
        self.register_outputs({"repository_name": self.repository_name})


def _remote(
    upstream: UpstreamArgs,
) -> gcp.artifactregistry.RepositoryRemoteRepositoryConfigArgsDict:
    docker: gcp.artifactregistry.RepositoryRemoteRepositoryConfigDockerRepositoryArgsDict = (
        {"custom_repository": {"uri": f"https://{upstream.host}"}}
        if upstream.public is None
        else {"public_repository": upstream.public}
    )
    config: gcp.artifactregistry.RepositoryRemoteRepositoryConfigArgsDict = {
        "description": upstream.host,
        "docker_repository": docker,
    }
    if upstream.username is not None and upstream.password_version is not None:
        config["upstream_credentials"] = {
            "username_password_credentials": {
                "username": upstream.username,
                "password_secret_version": upstream.password_version,
            }
        }
    return config
