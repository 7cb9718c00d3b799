"""The tokens that pods get as environment, in one Kubernetes Secret."""

import base64
import re
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import refuse
from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, kw_only=True)
class TokenSecretArgs:
    """`tokens` maps an environment variable to its value."""

    namespace: pulumi.Input[str]
    secret_name: str
    tokens: dict[str, pulumi.Input[str]]
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("secret_name", NameKind.KUBERNETES, self.secret_name)
        for key in self.tokens:
            if not _KEY.fullmatch(key):
                near = re.sub(r"[^A-Za-z0-9_]", "_", key).lstrip("0123456789") or "TOKEN"
                refuse("tokens", key, "is not the name of an environment variable", near)


class TokenSecret(Component, in_cluster=True):
    """`keys` are the variables that it has values for."""

    secret_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: TokenSecretArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:TokenSecret",
            name,
            args,
            formerly("token_secret:TokenSecret", opts),
        )
        secret = k8s.core.v1.Secret(
            f"{name}-secret",
            metadata={
                "name": args.secret_name,
                "namespace": args.namespace,
                "labels": args.labels,
            },
            type="Opaque",
            # Of what is taken out of stringData server-side apply leaves the value in the cluster
            # (kubernetes/kubernetes#108008, kubernetes/website#43668, 2023-10-24).
            data={
                name: pulumi.Output.secret(value).apply(_encoded)
                for name, value in args.tokens.items()
            },
            opts=fixed_name(self),
        )
        self.keys = sorted(args.tokens)
        self.secret_name = secret.metadata.apply(lambda meta: meta.name or args.secret_name)
        self.register_outputs({"secret_name": self.secret_name})


def _encoded(token: str) -> str:
    return base64.b64encode(token.encode()).decode()
