"""A bucket that pods mount under one account, from a stack's config."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.bucket import Bucket, BucketArgs
from components.bucket_grant import BucketGrant, BucketGrantArgs, kubernetes_principal
from components.bucket_mount import BucketMountArgs
from components.bucket_volume import BucketVolume, BucketVolumeArgs
from components.gcsfuse_options import GcsFuseMountOptions, pod_annotations
from components.gke_cluster import GkeCluster
from components.kube_service_account import KubeServiceAccount, KubeServiceAccountArgs
from components.static_volume import VolumeMount
from stacks.blocks.bucket import GcsFuse, GcsFuseSidecar
from stacks.blocks.bucket_stack import BucketStack
from stacks.platform import Cloud

# Only there so that volume and claim name the same class; none of that name is made.
_STORAGE_CLASS = "gcsfuse-sc"
# Kubernetes makes one of this name in every namespace.
_GIVEN_ACCOUNT = "default"


@dataclass(frozen=True, kw_only=True)
class Access:
    """`account_name` is whom pods have to be; `bucket_name` is known once that account may."""

    account_name: pulumi.Output[str]
    bucket_name: pulumi.Output[str]


@dataclass(frozen=True, kw_only=True)
class Storage:
    """`account_name` is whom pods have to be to mount it, known once they may."""

    bucket: Bucket
    mount: VolumeMount
    account_name: pulumi.Output[str]


def bucket(config: BucketStack, on: Cloud) -> Bucket:
    wanted = config.bucket
    return Bucket(
        "bucket",
        BucketArgs(
            project=on.apis.project_with("storage"),
            location=config.region,
            bucket_name=config.bucket_name,
            labels=on.labels,
            hierarchical_namespace=wanted.hierarchical_namespace,
            versioning=wanted.versioning,
            soft_delete_days=wanted.soft_delete_days,
            force_destroy=wanted.force_destroy,
            protect=config.deletion_protection,
        ),
        opts=on.opts,
    )


def access(
    config: BucketStack, on: Cloud, gke: GkeCluster, where: pulumi.Input[str], made: Bucket
) -> Access:
    """The one account in the cluster that may read and write the bucket's objects."""
    account = config.account_name
    project = gcp.organizations.get_project_output(
        project_id=on.apis.project_with("cloudresourcemanager"),
        opts=pulumi.InvokeOutputOptions(provider=on.provider),
    )
    grant = BucketGrant(
        "bucket-user",
        BucketGrantArgs(
            bucket_name=made.bucket_name,
            role=config.bucket.role.iam_role,
            member=kubernetes_principal(
                project_number=project.number,
                workload_pool=gke.workload_pool,
                namespace=where,
                service_account=account,
            ),
        ),
        opts=on.opts,
    )
    return Access(account_name=_account(account, on, gke, where), bucket_name=grant.bucket_name)


def storage(
    config: BucketStack,
    on: Cloud,
    gke: GkeCluster,
    where: pulumi.Input[str],
    made: Bucket,
    *,
    capacity_gib: int,
) -> Storage:
    """The bucket as a volume, for pods of the account that may use it."""
    allowed = access(config, on, gke, where, made)
    volume = BucketVolume(
        "volume",
        BucketVolumeArgs(
            bucket=made.bucket,
            bucket_name=allowed.bucket_name,
            namespace=where,
            base_name=config.name,
            storage_class=_STORAGE_CLASS,
            capacity_gib=capacity_gib,
            options=_options(config),
            skip_access_check=config.bucket.mount.skip_access_check,
            prefetch_metadata=config.bucket.mount.metadata_prefetch,
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )
    return Storage(bucket=made, mount=volume.mount, account_name=allowed.account_name)


def mount_args(config: BucketStack, allowed: Access) -> BucketMountArgs:
    """The bucket as a volume of pods of the account that may use it."""
    mount = config.bucket.mount
    return BucketMountArgs(
        bucket_name=allowed.bucket_name,
        options=_options(config).as_mount_options(),
        skip_access_check=mount.skip_access_check,
        prefetch_metadata=mount.metadata_prefetch,
    )


def lost(config: BucketStack) -> list[str]:
    """Where data is that a destroy takes along."""
    return [f"in the bucket {config.bucket_name}"] if config.bucket.force_destroy else []


def options(
    mount: GcsFuse, *, streamed_files: int, rename_dir_limit: int | None
) -> GcsFuseMountOptions:
    apart = {"metadata_prefetch", "skip_access_check", "sidecar"}
    derived = {"write_global_max_blocks", "rename_dir_limit"}
    return GcsFuseMountOptions(
        **mount.model_dump(exclude=apart | derived),
        write_global_max_blocks=streamed_files,
        rename_dir_limit=rename_dir_limit,
    )


def annotations(sidecar: GcsFuseSidecar) -> dict[str, str]:
    """What a pod that mounts the bucket carries."""
    return pod_annotations(
        cpu_millicores=sidecar.millicores,
        memory_gib=sidecar.memory_gib,
        ephemeral_storage_gib=sidecar.ephemeral_storage_gib,
    )


def _options(config: BucketStack) -> GcsFuseMountOptions:
    return options(
        config.bucket.mount,
        streamed_files=config.streamed_files,
        rename_dir_limit=config.rename_dir_limit,
    )


def _account(name: str, on: Cloud, gke: GkeCluster, where: pulumi.Input[str]) -> pulumi.Output[str]:
    if name == _GIVEN_ACCOUNT:
        return pulumi.Output.from_input(name)
    made = KubeServiceAccount(
        "account",
        KubeServiceAccountArgs(namespace=where, account_name=name, labels=on.labels),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )
    return made.account_name
