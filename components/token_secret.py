"""The tokens that pods get as environment, in one Kubernetes Secret."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.lifecycle import fixed_name
from components.naming import NameKind, check_name


@dataclass(frozen=True, kw_only=True)
class TokenSecretArgs:
    """`tokens` maps an environment variable to its value."""

    namespace: pulumi.Input[str]
    secret_name: str
    tokens: dict[str, pulumi.Input[str]]
    labels: pulumi.Input[dict[str, str]]


class TokenSecret(pulumi.ComponentResource):
    """`keys` are the variables that it has values for."""

    secret_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: TokenSecretArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:token_secret:TokenSecret", name, None, opts)
        secret = k8s.core.v1.Secret(
            f"{name}-secret",
            metadata={
                "name": check_name(NameKind.KUBERNETES, args.secret_name),
                "namespace": args.namespace,
                "labels": args.labels,
            },
            type="Opaque",
            string_data=pulumi.Output.secret(args.tokens),
            opts=fixed_name(self),
        )
        self.keys = sorted(args.tokens)
        self.secret_name = secret.metadata.apply(lambda meta: meta.name or args.secret_name)
        self.register_outputs({"secret_name": self.secret_name})
