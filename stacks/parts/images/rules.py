"""Mirrors that are there, near the nodes, and that somebody may read. No Pulumi import."""

from collections.abc import Iterator

from stacks.parts.images.plan import of_google, owns_accounts
from stacks.plan import Plan
from stacks.problems import Problem

# Artifact Registry documentation, "Repository locations": what has more than one region.
_CONTINENTS = {"us": ("us-",), "europe": ("europe-",), "asia": ("asia-",)}


def unused_problems(plan: Plan) -> Iterator[Problem]:
    """Without mirrors none is named, and one that exists has what it pulls with."""
    images = plan.stack.images
    for key in ("repositories", "credentials") if images.mirror is False else ():
        for host in getattr(images, key):
            yield Problem(
                f"images.{key}.{host}",
                "nothing comes through a mirror; nearest: leave it out, or images.mirror true",
            )
    for host in images.credentials.keys() & images.repositories.keys():
        yield Problem(
            f"images.credentials.{host}",
            f"{images.repositories[host]} exists already, with what it pulls with; nearest: leave "
            f"one of both out",
        )


def host_problems(plan: Plan) -> Iterator[Problem]:
    images = plan.stack.images
    for key in ("repositories", "credentials"):
        for host in filter(of_google, getattr(images, key)):
            yield Problem(
                f"images.{key}.{host}",
                "is Artifact Registry itself, which is not mirrored; nearest: leave it out",
            )


def twice_problems(plan: Plan) -> Iterator[Problem]:
    """A grant is the same for both hosts: it would go with the first that is taken out."""
    hosts: dict[str, str] = {}
    for host, path in plan.stack.images.repositories.items():
        if (other := hosts.setdefault(path, host)) != host:
            yield Problem(
                f"images.repositories.{host}",
                f"{path} is named for {other}, too; nearest: a repository for each",
            )


def place_problems(plan: Plan) -> Iterator[Problem]:
    """Data that leaves its region is paid for by the GiB (Artifact Registry pricing, "Data transfer
    pricing")."""
    region = plan.stack.region
    for host, mirror in plan.images.mirrors.items():
        near = _CONTINENTS.get(mirror.location, ())
        if mirror.location != region and not region.startswith(near):
            yield Problem(
                f"images.repositories.{host}",
                f"{mirror.path} is far from the nodes in {region}, and what crosses regions is "
                f"paid by the GiB; nearest: {region}-docker.pkg.dev/{mirror.project}/"
                f"{mirror.name}",
            )


def reader_problems(plan: Plan) -> Iterator[Problem]:
    """Of a cluster on Autopilot that is there already nobody here knows whose the nodes are."""
    images = plan.stack.images
    if owns_accounts(plan.stack) or images.mirror is False:
        return
    for mirror in plan.images.made:
        field = "images.mirror" if images.mirror else f"images.credentials.{mirror.host}"
        yield Problem(
            field,
            "nodes of an Autopilot cluster that is there already have an account that the stack "
            f"gives no rights to, so they could not read its mirror of {mirror.host}; nearest: "
            + ("false" if images.mirror else "leave it out")
            + f", or images.repositories.{mirror.host} with one that they may read",
        )


def disk_problems(plan: Plan) -> Iterator[Problem]:
    """What reads such a disk is image streaming (pull request 2580 of terraform-google-modules/
    terraform-google-kubernetes-engine). On Autopilot a pod asks for it by a selector, where an
    object of the cluster's allows the image; no part here does that."""
    for name, pool in plan.stack.pools.items():
        field = f"pools.{name}.secondary_boot_disk"
        if pool.secondary_boot_disk is None:
            continue
        if plan.autopilot:
            yield Problem(
                field,
                "Autopilot makes nodes as pods ask for them, and pods here ask for no such disk; "
                "nearest: leave it out, as Autopilot streams images by itself, or cluster.mode "
                "standard",
            )
        elif plan.stack.images.streaming is False:
            yield Problem(
                field,
                "image streaming is what reads it, and images.streaming is false; nearest: leave "
                "one of both out",
            )


RULES = (
    unused_problems,
    host_problems,
    twice_problems,
    place_problems,
    reader_problems,
    disk_problems,
)
