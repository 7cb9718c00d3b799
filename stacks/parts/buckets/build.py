"""Buckets, the one account in the cluster that may use them, and how pods mount them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Union

import pulumi
import pulumi_gcp as gcp

from components.base.gcsfuse import GcsFuseMountOptions, gcsfuse_annotations
from components.base.static_volume import VolumeMount
from components.buckets.bucket import Bucket, BucketArgs
from components.buckets.existing import ExistingBucket
from components.buckets.grant import BucketGrant, BucketGrantArgs, kubernetes_principal
from components.buckets.mount import BucketMountArgs
from components.buckets.volume import BucketVolume, BucketVolumeArgs
from components.cluster.kube_service_account import KubeServiceAccount, KubeServiceAccountArgs
from stacks.parts.buckets.config import GcsFuseSidecar, LifecycleAction, LifecycleRule
from stacks.parts.buckets.plan import PlannedBucket, with_key
from stacks.site import Project, Site, beside

AnyBucket = Union[Bucket, "ExistingBucket"]
# Only there so that volume and claim name the same class; none of that name is made.
_STORAGE_CLASS = "gcsfuse-sc"
_ACTIONS = {
    LifecycleAction.DELETE: "Delete",
    LifecycleAction.SET_STORAGE_CLASS: "SetStorageClass",
}


@dataclass(frozen=True, kw_only=True)
class MountedBucket:
    """A bucket that pods of `account_name` may mount, once `grant` is there: with their own volume,
    or by a claim."""

    planned: PlannedBucket
    bucket: AnyBucket
    account_name: pulumi.Output[str]
    args: BucketMountArgs
    grant: pulumi.Resource
    claim: VolumeMount | None = None

    @property
    def last(self) -> pulumi.Resource:
        """What is there last before pods can mount it."""
        return self.grant if self.claim is None else self.claim.claim


def build(project: Project) -> dict[str, AnyBucket]:
    stack, existing = project.plan.stack, project.adopted.buckets
    return {
        key: existing[key]
        if key in existing
        else Bucket(
            key,
            BucketArgs(
                project=stack.project,
                apis=project.apis,
                location=stack.region,
                bucket_name=one.name,
                labels=project.labels,
                hierarchical_namespace=one.config.hierarchical_namespace,
                versioning=one.config.versioning,
                soft_delete_days=one.config.soft_delete_days,
                force_destroy=one.config.force_destroy,
                kms_key=stack.cmek,
                lifecycle_rules=[_lifecycle_rule(it) for it in one.config.lifecycle],
                protect=stack.deletion_protection,
            ),
            opts=project.opts,
        )
        for key, one in project.plan.buckets.items()
    }


def mounts(site: Site, buckets: Mapping[str, AnyBucket]) -> dict[str, MountedBucket]:
    """Grants for the stack's account, and the volumes that pods mount."""
    if not buckets:
        return {}
    account = _account(site)
    project = site.project
    found: dict[str, MountedBucket] = {}
    for key, bucket in buckets.items():
        planned = site.plan.buckets[key]
        grant = BucketGrant(
            f"{key}-user",
            BucketGrantArgs(
                bucket_name=bucket.bucket_name,
                role=planned.config.role.iam_role,
                member=kubernetes_principal(
                    project_number=project.number,
                    workload_pool=site.gke.workload_pool,
                    namespace=site.namespace,
                    service_account=site.plan.account_name,
                ),
            ),
            opts=beside(project, site.gke),
        )
        mount = planned.config.mount
        args = BucketMountArgs(
            bucket=bucket.bucket,
            bucket_name=grant.bucket_name,
            options=mount_options(planned).as_mount_options(),
            skip_access_check=mount.skip_access_check,
            prefetch_metadata=mount.metadata_prefetch,
        )
        claim = _claim(site, planned, bucket, grant)
        found[key] = MountedBucket(
            planned=planned,
            bucket=bucket,
            account_name=account,
            args=args,
            grant=grant,
            claim=claim,
        )
    return found


def annotations(limits: GcsFuseSidecar | None) -> dict[str, str]:
    """What a pod that mounts buckets carries."""
    if limits is None:
        return {}
    return gcsfuse_annotations(
        cpu_millicores=limits.millicores,
        memory_gib=limits.memory_gib,
        ephemeral_storage_gib=limits.ephemeral_storage_gib,
    )


def mount_options(planned: PlannedBucket) -> GcsFuseMountOptions:
    """What Cloud Storage FUSE is told at the mount."""
    apart = {"metadata_prefetch", "skip_access_check", "sidecar"}
    derived = {"write_global_max_blocks", "rename_dir_limit"}
    return GcsFuseMountOptions(
        **planned.config.mount.model_dump(exclude=apart | derived),
        write_global_max_blocks=planned.streamed_files,
        rename_dir_limit=planned.rename_dir_limit,
    )


def _claim(
    site: Site, planned: PlannedBucket, bucket: AnyBucket, grant: BucketGrant
) -> VolumeMount | None:
    capacity = planned.claim_gib
    if capacity is None:
        return None
    mount = planned.config.mount
    made = BucketVolume(
        f"{planned.key}-volume",
        BucketVolumeArgs(
            bucket=bucket.bucket,
            bucket_name=grant.bucket_name,
            namespace=site.namespace,
            base_name=with_key(site.plan.stack.name, planned.key),
            storage_class=_STORAGE_CLASS,
            capacity_gib=capacity,
            options=mount_options(planned),
            skip_access_check=mount.skip_access_check,
            prefetch_metadata=mount.metadata_prefetch,
            labels=site.labels,
        ),
        opts=site.inside,
    )
    return made.mount


def _lifecycle_rule(rule: LifecycleRule) -> gcp.storage.BucketLifecycleRuleArgs:
    return gcp.storage.BucketLifecycleRuleArgs(
        action=gcp.storage.BucketLifecycleRuleActionArgs(
            type=_ACTIONS[rule.action],
            storage_class=None if rule.storage_class is None else rule.storage_class.upper(),
        ),
        condition=gcp.storage.BucketLifecycleRuleConditionArgs(
            age=rule.age_days,
            num_newer_versions=rule.num_newer_versions,
            days_since_noncurrent_time=rule.days_since_noncurrent,
            matches_prefixes=list(rule.prefixes) or None,
            matches_suffixes=list(rule.suffixes) or None,
        ),
    )


def _account(site: Site) -> pulumi.Output[str]:
    made = KubeServiceAccount(
        "account",
        KubeServiceAccountArgs(
            namespace=site.namespace, account_name=site.plan.account_name, labels=site.labels
        ),
        opts=site.inside,
    )
    return made.account_name
