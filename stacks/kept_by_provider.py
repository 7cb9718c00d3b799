"""What the provider leaves as it is where the config leaves it out, and a stack has on record."""

from typing import Any

import pulumi

from stacks.on_record import Record
from stacks.refusal import CLUSTER

_GROUPS = "authenticatorGroupsConfig"


def install(record: Record) -> None:
    """Has what was set once taken back, where the program sets it no more."""

    def take_back(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        there = record.get(args.type_, args.name) if args.type_ == CLUSTER else None
        if there is None or not there.outputs.get(_GROUPS):
            return None
        if args.props.get("authenticator_groups_config") is not None:
            return None
        # An update to no group turns the feature off; a create could not have it
        # (hashicorp/terraform-provider-google-beta, resource_container_cluster.go,
        # expandContainerClusterAuthenticatorGroupsConfig, 93c65b2d60).
        props: dict[str, Any] = {
            **args.props,
            "authenticator_groups_config": {"security_group": ""},
        }
        return pulumi.ResourceTransformationResult(props, args.opts)

    pulumi.runtime.register_stack_transformation(take_back)
