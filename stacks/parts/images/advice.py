"""Rights that images ask for and that the stack gives nobody. No Pulumi import."""

import shlex
from collections.abc import Iterator
from functools import cache
from itertools import chain

from catalog import Catalog
from stacks.parts.images.plan import ImageUse, owns_accounts, repository_in
from stacks.parts.images.repositories import Repository
from stacks.plan import Plan
from stacks.problems import Problem


def advice(plan: Plan) -> Iterator[str]:
    for it in chain(unread(plan), _secrets(plan), _disks(plan)):
        yield f"stack.{it.field}: {it.message}"


def unread(plan: Plan) -> Iterator[Problem]:
    """Repositories that nodes may not read by what the stack grants: of other projects; for nodes
    whose account is not the stack's; and where `plan.images` is of a stack without the image."""
    granted = {it.repository for it in plan.images.mirrors.values()} | plan.images.named.keys()
    seen = set[Repository]()
    for use in plan.image_uses:
        repository = repository_in(plan.images.of(use.reference))
        if repository is None or repository in seen or repository in _public():
            continue
        owned = owns_accounts(plan.stack)
        if owned and repository in granted:
            continue
        seen.add(repository)
        accounts = _accounts(plan, use) if owned else [_OF_OTHERS]
        yield Problem(
            use.field,
            f"nodes are to read {repository.name} in {repository.location} of project "
            f"{repository.project}, and {_why(plan, repository)}; if not everybody may, pods wait "
            f"in ImagePullBackOff until its owner lets {'it' if len(accounts) == 1 else 'them'}"
            f"{', once `up` has made the accounts' if owned else ''}: "
            f"{repository.grants(accounts)}{'' if owned else _how_to_know(plan)}",
        )


_OF_OTHERS = "ACCOUNT"


def _why(plan: Plan, repository: Repository) -> str:
    if not owns_accounts(plan.stack):
        return (
            "the account of an Autopilot cluster's nodes that is there already is not the stack's"
        )
    if repository.project != plan.stack.project:
        return "the stack grants nothing in other projects"
    return "no image of the stack's config is in it, by which its nodes would have the right"


def _how_to_know(plan: Plan) -> str:
    """GKE REST reference, projects.locations.clusters, autoscaling."""
    return (
        "; ACCOUNT is what `gcloud container clusters describe CLUSTER "
        f"{shlex.join([f'--location={plan.location}', f'--project={plan.stack.project}'])} "
        "--format='value(autoscaling.autoprovisioningNodePoolDefaults.serviceAccount)'` shows"
    )


def _accounts(plan: Plan, use: ImageUse) -> list[str]:
    kinds = dict.fromkeys(it.kind for it in use.pools)
    return [
        plan.node_account(it)
        for it in plan.account_kinds
        if plan.autopilot or not kinds or it in kinds
    ]


@cache
def _public() -> frozenset[Repository]:
    """Those of the catalog's images."""
    images = Catalog.load().versions.images.values()
    found = (repository_in(it.reference) for it in images)
    return frozenset(it for it in found if it is not None)


def _secrets(plan: Plan) -> Iterator[Problem]:
    """Artifact Registry documentation, "Configure remote repository authentication to upstream
    sources": its service agent reads the secret."""
    for mirror in plan.images.made:
        if mirror.credentials is None:
            continue
        number = _number(plan)
        _, project, _, secret, *_ = mirror.credentials.secret_version.split("/")
        yield Problem(
            f"images.credentials.{mirror.host}",
            f"Artifact Registry is to read the secret {secret}, and the stack grants nothing on "
            "secrets; if it may not, nothing is pulled until the secret's owner lets it: "
            "`gcloud secrets add-iam-policy-binding "
            f"{shlex.join([secret, f'--project={project}'])} "
            '--role=roles/secretmanager.secretAccessor --member="serviceAccount:service-'
            f'{number}@gcp-sa-artifactregistry.iam.gserviceaccount.com"`',
        )


def _disks(plan: Plan) -> Iterator[Problem]:
    """Our reading for node pools, as docs/images.md says."""
    for pool, disk in plan.images.disks.items():
        if disk.project == plan.stack.project:
            continue
        number = _number(plan)
        yield Problem(
            f"pools.{pool}.secondary_boot_disk",
            f"nodes are to have disks of an image of project {disk.project}, and the stack grants "
            "nothing in other projects; if Google may not use it for this project, no node comes "
            "until its owner lets it: `gcloud compute images add-iam-policy-binding "
            f"{shlex.join([disk.name, f'--project={disk.project}'])} "
            '--role=roles/compute.imageUser --member="serviceAccount:'
            f'{number}@cloudservices.gserviceaccount.com"`',
        )


def _number(plan: Plan) -> str:
    project = shlex.quote(plan.stack.project)
    return f"$(gcloud projects describe {project} --format='value(projectNumber)')"
