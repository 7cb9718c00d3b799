"""What the provider leaves as it is where the config leaves it out, and a stack has on record."""

from collections.abc import Mapping
from typing import Any

import pulumi

from stacks.on_record import Record
from stacks.refusal import CLUSTER

# Every address there is.
_EVERYWHERE = {"cidr_block": "0.0.0.0/0", "display_name": "everywhere"}
# Every day, as GKE does without a window (aptos-labs/aptos-core pull request 8607).
_ANY_TIME = {
    "start_time": "2026-01-01T00:00:00Z",
    "end_time": "2026-01-01T23:59:00Z",
    "recurrence": "FREQ=DAILY",
}
# By what is on record, the argument and the value that turns it off: the provider keeps each that
# is left out. A create could not have an update's empty group, and authorized networks that name
# nobody let nobody in (hashicorp/terraform-provider-google-beta, 93c65b2d60,
# resource_container_cluster.go:1215, :1790 and :1922, masterAuthorizedNetworksConfig and
# expandContainerClusterAuthenticatorGroupsConfig). Where there is no window it sends the exclusions
# that the cluster has, and shows them nevermore (:6355, expandMaintenancePolicy). What a create can
# have, as an add-on that is off, components always say. Binary Authorization that is left out is
# no difference beside `enabled` false (:9280, BinaryAuthorizationDiffSuppress); a key and intranode
# visibility are optional and computed (:2520 and :2647), and so are endpoints (:2254).
OFF: dict[str, tuple[str, Any]] = {
    "binaryAuthorization": ("binary_authorization", {"evaluation_mode": "DISABLED"}),
    "controlPlaneEndpointsConfig": (
        "control_plane_endpoints_config",
        {
            "dns_endpoint_config": {"allow_external_traffic": False},
            "ip_endpoints_config": {"enabled": True},
        },
    ),
    "databaseEncryption": ("database_encryption", {"state": "DECRYPTED"}),
    "enableIntranodeVisibility": ("enable_intranode_visibility", False),
    "authenticatorGroupsConfig": ("authenticator_groups_config", {"security_group": ""}),
    "masterAuthorizedNetworksConfig": (
        "master_authorized_networks_config",
        {"cidr_blocks": [_EVERYWHERE], "gcp_public_cidrs_access_enabled": True},
    ),
    "maintenancePolicy": ("maintenance_policy", {"recurring_window": _ANY_TIME}),
    "podAutoscaling": ("pod_autoscaling", {"hpa_profile": "NONE"}),
}


def is_on(kept: str, outputs: Mapping[str, Any]) -> bool:
    """Whether a cluster on record has it set: GKE answers with some of the blocks for each cluster,
    and Autopilot always shows traffic within a node."""
    value = outputs.get(kept)
    match kept:
        case "binaryAuthorization":
            return bool((value or {}).get("evaluationMode"))
        case "controlPlaneEndpointsConfig":
            # A name that somebody opened beside the address is theirs.
            return not (value or {}).get("ipEndpointsConfig", {}).get("enabled", True)
        case "databaseEncryption":
            return bool((value or {}).get("keyName"))
        case "enableIntranodeVisibility":
            return bool(value) and not outputs.get("enableAutopilot")
        case _:
            return bool(value)


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
            for kept, (key, value) in OFF.items()
            if is_on(kept, there.outputs) and args.props.get(key) is None
        }
        if args.props.get("control_plane_endpoints_config") is not None:
            # By a name alone no ranges are sent (resource_container_cluster.go:7116,
            # expandControlPlaneEndpointsConfig).
            off.pop("master_authorized_networks_config", None)
        return pulumi.ResourceTransformationResult({**args.props, **off}, args.opts)

    pulumi.runtime.register_stack_transformation(take_back)
