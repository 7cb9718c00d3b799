"""Mirrors of the registries that images come from, who may read repositories, and what is pulled
onto nodes beforehand."""

from collections.abc import Mapping, Sequence

import pulumi

from components.base.naming import NameKind, cloud_name
from components.images.mirror import ImageMirror, ImageMirrorArgs, UpstreamArgs
from components.images.preload import ImagePreload, ImagePreloadArgs
from components.pools.node_service_account import NodeServiceAccount
from stacks.parts.images.plan import Mirror
from stacks.parts.images.repositories import Repository
from stacks.parts.pools import node_labels
from stacks.site import Cluster, Project


def build(project: Project, accounts: Mapping[str, NodeServiceAccount]) -> "list[ImageMirror]":
    """`accounts` are whom the nodes of each kind are: all kinds run pods with these images."""
    images = project.plan.images
    return [
        *(_mirror(project, accounts, it) for it in images.mirrors.values()),
        *(_read(project, accounts, it) for it in images.named),
    ]


def preload(
    project: Project, gke: Cluster, readable: "Sequence[ImageMirror]"
) -> "list[ImagePreload]":
    """Once there is a cluster: the pools it waits for itself, each machine by itself."""

    plan = project.plan
    pause = plan.facts.image("pause").reference
    return [
        ImagePreload(
            f"{it.pools[0].name}-images",
            ImagePreloadArgs(
                preload_name=cloud_name(
                    NameKind.DAEMON_SET, plan.stack.name, it.pools[0].name, "images"
                ),
                images=it.images,
                pause_image=pause,
                node_selectors=[node_labels.only(plan, pool) for pool in it.pools],
                labels=project.labels,
            ),
            opts=pulumi.ResourceOptions(providers=[gke.kubernetes], depends_on=list(readable)),
        )
        for it in plan.images.preloads
    ]


def _read(
    project: Project, accounts: Mapping[str, NodeServiceAccount], repository: Repository
) -> "ImageMirror":
    """One of the stack's project, with images that somebody has pushed into it."""
    return ImageMirror(
        f"images-{repository.key}",
        ImageMirrorArgs(
            project=project.plan.stack.project,
            apis=project.apis,
            location=repository.location,
            repository_id=repository.name,
            readers={kind: it.email for kind, it in accounts.items()},
            labels=project.labels,
        ),
        opts=project.opts,
    )


def _mirror(
    project: Project, accounts: Mapping[str, NodeServiceAccount], mirror: Mirror
) -> "ImageMirror":

    upstream = None
    if mirror.made:
        registry = project.plan.facts.versions.registries.get(mirror.host)
        known = mirror.credentials
        upstream = UpstreamArgs(
            host=mirror.host,
            public=None if registry is None else registry.public,
            username=None if known is None else known.username,
            password_version=None if known is None else known.secret_version,
        )
    # In another project the API is its owner's to switch on.
    apis = project.apis if mirror.project == project.plan.stack.project else None
    return ImageMirror(
        f"images-{mirror.key}",
        ImageMirrorArgs(
            project=mirror.project,
            apis=apis,
            location=mirror.location,
            repository_id=mirror.name,
            upstream=upstream,
            kms_key=project.plan.stack.cmek,
            readers={kind: it.email for kind, it in accounts.items()},
            labels=project.labels,
        ),
        opts=project.opts,
    )
