"""The identity of a workload's pods. Leaves out what it may do."""

from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import checked
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, check_own_account, name_is
from ..base.tokens import formerly


@dataclass(frozen=True, kw_only=True)
class KubeServiceAccountArgs:
    namespace: pulumi.Input[str]
    account_name: str
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("account_name", NameKind.KUBERNETES, self.account_name)
        checked("account_name", check_own_account, self.account_name)


class KubeServiceAccount(Component, in_cluster=True):
    """`account_name` is its name, known once it exists."""

    account_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: KubeServiceAccountArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:KubeServiceAccount",
            name,
            args,
            formerly("kube_service_account:KubeServiceAccount", opts),
        )
        account = k8s.core.v1.ServiceAccount(
            f"{name}-account",
            metadata={
                "name": args.account_name,
                "namespace": args.namespace,
                "labels": args.labels,
            },
            # Pods that need a token for the API server say so themselves.
            automount_service_account_token=False,
            opts=fixed_name(self),
        )
        self.account_name = object_name(account)
        self.register_outputs({"account_name": self.account_name})
