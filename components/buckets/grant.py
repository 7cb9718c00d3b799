"""One role on a bucket for one member, beside whatever other roles others have on it."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.component import Component
from ..base.tokens import formerly


@dataclass(frozen=True, kw_only=True)
class BucketGrantArgs:
    bucket_name: pulumi.Input[str]
    role: str
    member: pulumi.Input[str]


class BucketGrant(Component, apis=("storage",)):
    """`bucket_name` is known once the member has the role, so what uses it never comes before."""

    bucket_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: BucketGrantArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:BucketGrant",
            name,
            args,
            formerly("bucket_grant:BucketGrant", opts),
        )
        grant = gcp.storage.BucketIAMMember(
            f"{name}-grant",
            bucket=args.bucket_name,
            role=args.role,
            member=args.member,
            # Another member or role stands beside the one before, so what takes the bucket's name
            # from here stays.
            opts=pulumi.ResourceOptions(parent=self, delete_before_replace=False),
        )
        # The provider gives it back as b/NAME.
        self.bucket_name = grant.bucket.apply(lambda it: it.removeprefix("b/"))
        self.register_outputs({"bucket_name": self.bucket_name})


def kubernetes_principal(
    *,
    project_number: pulumi.Input[str],
    workload_pool: pulumi.Input[str],
    namespace: pulumi.Input[str],
    service_account: pulumi.Input[str],
) -> pulumi.Output[str]:
    """A Kubernetes service account as IAM names it; `workload_pool` is PROJECT.svc.id.goog."""
    return pulumi.Output.concat(
        "principal://iam.googleapis.com/projects/",
        project_number,
        "/locations/global/workloadIdentityPools/",
        workload_pool,
        "/subject/ns/",
        namespace,
        "/sa/",
        service_account,
    )
