"""A Cloud Storage bucket for a stack's data, private to its project.

Leaves out who may use it: a bucket can be made at once, an identity of the cluster's cannot.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import checked, refuse
from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.naming import NameKind, check_bucket_name, name_is
from ..base.tokens import formerly
from ..project.apis import ProjectArgs

_DAY_S = 86_400


@dataclass(frozen=True, kw_only=True)
class BucketArgs(ProjectArgs):
    """`soft_delete_days` is how long deleted objects can be brought back, and are paid for.

    New objects are encrypted with `kms_key`, by default with a key of Google's.

    `versioning` is for flat buckets: with a hierarchical namespace there are no versions.
    """

    location: pulumi.Input[str]
    bucket_name: str
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])
    hierarchical_namespace: bool
    versioning: bool = False
    soft_delete_days: int
    force_destroy: bool = False
    kms_key: pulumi.Input[str] | None = None
    lifecycle_rules: Sequence[gcp.storage.BucketLifecycleRuleArgs] = ()
    protect: bool = False

    def check(self) -> None:
        name_is("bucket_name", NameKind.BUCKET, self.bucket_name)
        checked("bucket_name", check_bucket_name, self.bucket_name)
        if self.versioning and self.hierarchical_namespace:
            refuse(
                "versioning",
                True,
                "is for flat buckets, and hierarchical_namespace is True: it has no versions",
                False,
            )
        # Cloud Storage documentation, "Soft delete", retention duration.
        if self.soft_delete_days and not 7 <= self.soft_delete_days <= 90:
            near = 7 if self.soft_delete_days < 7 else 90
            refuse("soft_delete_days", self.soft_delete_days, "is not 0, nor 7 to 90 days", near)


class Bucket(Component, apis=("storage",)):
    """`url` is gs://NAME."""

    bucket: gcp.storage.Bucket
    bucket_name: pulumi.Output[str]
    url: pulumi.Output[str]

    def __init__(
        self, name: str, args: BucketArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai:index:Bucket", name, args, formerly("bucket:Bucket", opts))
        bucket = gcp.storage.Bucket(
            f"{name}-bucket",
            project=args.project_with("storage"),
            name=args.bucket_name,
            # As the API gives it back.
            location=args.location.upper()
            if isinstance(args.location, str)
            else pulumi.Output.from_input(args.location).apply(str.upper),
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            hierarchical_namespace={"enabled": args.hierarchical_namespace},
            soft_delete_policy={"retention_duration_seconds": args.soft_delete_days * _DAY_S},
            # A hierarchical namespace has no versions to turn on or off.
            versioning=None if args.hierarchical_namespace else {"enabled": args.versioning},
            force_destroy=args.force_destroy,
            lifecycle_rules=list(args.lifecycle_rules) or None,
            encryption=None if args.kms_key is None else {"default_kms_key_name": args.kms_key},
            labels=args.labels,
            opts=fixed_name(self, protect=args.protect),
        )
        self.bucket = bucket
        self.bucket_name = bucket.name
        self.url = pulumi.Output.concat("gs://", bucket.name)
        self.register_outputs(
            {"bucket": self.bucket, "bucket_name": self.bucket_name, "url": self.url}
        )
