"""A Memorystore for Redis instance: where a Ray head keeps what it has to know again when it is
lost.

Its clients speak to it in the clear, inside of the VPC, with a password. Ray takes TLS only with
Google's certificates as a file in its pods, which nobody has published a way for on GKE. Leaves out
the peering of private service access, and who gets the password.
"""

from dataclasses import dataclass, field
from enum import StrEnum

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import at_least, refuse
from ..base.component import Component
from ..base.lifecycle import of_google
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from ..network.private_service_access import PrivateServiceAccess, in_ranges
from ..project.apis import ProjectArgs

_TOKEN = "gcp:redis/instance:Instance"


class RedisTier(StrEnum):
    """STANDARD_HA has a replica in another zone, which takes over. BASIC loses its data whenever
    its machine goes or is maintained: enough for the loss of a Ray head alone."""

    BASIC = "BASIC"
    STANDARD_HA = "STANDARD_HA"


class RedisConnectMode(StrEnum):
    """DIRECT_PEERING peers the VPC with the instance's own; PRIVATE_SERVICE_ACCESS puts it in the
    ranges that the VPC has for Google's services."""

    DIRECT_PEERING = "DIRECT_PEERING"
    PRIVATE_SERVICE_ACCESS = "PRIVATE_SERVICE_ACCESS"


@dataclass(frozen=True, kw_only=True)
class RedisInstanceArgs(ProjectArgs):
    """With private service access, `network_id` has to be one that is known only once that is up,
    and `services` is what it has its addresses of, and is made anew with, where that is not
    somebody else's.

    `address_range` is a block of 8 addresses or more that nothing else on the VPC has; with private
    service access it is the name of one of its ranges. Without one Google chooses, and may take
    what a later subnetwork wants. `zone` is that of the instance, or of the first of the two; by
    default Google's choice. What is stored is encrypted with `kms_key`, by default with a key of
    Google's; another key is another instance.
    """

    region: pulumi.Input[str]
    instance_name: str
    network_id: pulumi.Input[str]
    services: PrivateServiceAccess | None = None
    tier: RedisTier
    memory_gib: pulumi.Input[int]
    redis_version: str
    connect_mode: RedisConnectMode
    zone: pulumi.Input[str] | None = None
    address_range: pulumi.Input[str] | None = None
    auth: bool = True
    kms_key: pulumi.Input[str] | None = None
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])
    protect: bool = False

    def check(self) -> None:
        name_is("instance_name", NameKind.REDIS, self.instance_name)
        at_least("memory_gib", self.memory_gib, 1, "is no size of an instance")
        if self.services is not None and self.connect_mode is RedisConnectMode.DIRECT_PEERING:
            refuse(
                "connect_mode",
                self.connect_mode.value,
                "takes no address of services, which are given",
                RedisConnectMode.PRIVATE_SERVICE_ACCESS.value,
            )


class RedisInstance(Component, apis=("redis",)):
    """`address` is redis://HOST:PORT. `auth_string` is a secret, and empty without `auth`.

    Whoever uses it goes before it does, and is replaced with its `backing`.
    """

    instance: gcp.redis.Instance
    instance_name: pulumi.Output[str]
    host: pulumi.Output[str]
    port: pulumi.Output[int]
    address: pulumi.Output[str]
    auth_string: pulumi.Output[str]

    def __init__(
        self, name: str, args: RedisInstanceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:RedisInstance",
            name,
            args,
            formerly("redis_instance:RedisInstance", opts),
        )
        instance = gcp.redis.Instance(
            f"{name}-instance",
            project=args.project_with("redis"),
            region=args.region,
            location_id=args.zone,
            name=args.instance_name,
            authorized_network=args.network_id,
            connect_mode=args.connect_mode.value,
            # A /29: SDK of pulumi-gcp 10.2.0, redis.Instance reservedIpRange, 2026-11-22; of a VPC
            # of another project: terraform-google-modules/terraform-google-memorystore issue 107.
            reserved_ip_range=args.address_range,
            tier=args.tier.value,
            memory_size_gb=args.memory_gib,
            redis_version=args.redis_version,
            auth_enabled=args.auth,
            customer_managed_key=args.kms_key,
            transit_encryption_mode="DISABLED",
            labels=args.labels,
            # The engine's own protection says the same, and before anything is gone.
            deletion_protection=False,
            opts=in_ranges(
                self, args.services, timeouts=of_google(_TOKEN, {}), protect=args.protect
            ),
        )
        self.instance = instance
        beneath = [] if args.services is None else args.services.backing
        self.backing: list[pulumi.Resource] = [*beneath, instance]
        self.instance_name = instance.name
        self.host = instance.host
        self.port = instance.port
        self.address = pulumi.Output.format("redis://{0}:{1}", instance.host, instance.port)
        self.auth_string = pulumi.Output.secret(instance.auth_string)
        self.register_outputs(
            {
                "instance": self.instance,
                "instance_name": self.instance_name,
                "host": self.host,
                "port": self.port,
                "address": self.address,
                "auth_string": self.auth_string,
            }
        )
