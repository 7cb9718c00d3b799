"""What the provider leaves as it is where the config leaves it out, and a stack has on record."""

import pulumi

from stacks.on_record import Record
from stacks.refusal import CLUSTER

# By what is on record, the argument and the value that turns it off: the provider keeps either that
# is left out. A create could not have an update's empty group
# (hashicorp/terraform-provider-google-beta, resource_container_cluster.go:1215 and :1922, and
# expandContainerClusterAuthenticatorGroupsConfig, 93c65b2d60).
_OFF: dict[str, tuple[str, dict[str, str]]] = {
    "authenticatorGroupsConfig": ("authenticator_groups_config", {"security_group": ""}),
    "podAutoscaling": ("pod_autoscaling", {"hpa_profile": "NONE"}),
}


def install(record: Record) -> None:
    """Has what was set once taken back, where the program sets it no more."""

    def take_back(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        there = record.get(args.type_, args.name) if args.type_ == CLUSTER else None
        if there is None:
            return None
        off = {
            key: value
            for kept, (key, value) in _OFF.items()
            if there.outputs.get(kept) and args.props.get(key) is None
        }
        return pulumi.ResourceTransformationResult({**args.props, **off}, args.opts)

    pulumi.runtime.register_stack_transformation(take_back)
