"""Memorystore for Redis instances, the addresses that they take, and their passwords.

Rules: the reference of the API (projects.locations.instances, read 2026-11-22) and the provider
(hashicorp/terraform-provider-google-beta resource_redis_instance.go, 93c65b2d60). What Google says
itself where it refuses is known of the network's project alone
(terraform-google-modules/terraform-google-memorystore issue 107); the rest are our words.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Network, ip_network
from typing import Any
from uuid import UUID

from catalog import FactError
from sandbox.cloud.kind import Kind, birth_time, digest
from sandbox.cloud.kinds.network import REDIS, find_network, parse_cidr, ranges_of
from sandbox.cloud.kinds.peering import free_block
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

# resource_redis_instance.go:193, which takes one character more than the API.
_NAME = re.compile(r"[a-z][a-z0-9-]{0,38}[a-z0-9]")
_VERSION = re.compile(r"REDIS_(\d+)_(\d+|X)")
_GIB = range(1, 301)
# A block of 8 addresses; with read replicas, which no stack has, of 16.
_PREFIX = 29
# Where Google picks a block from when none is asked for.
_AUTOMATIC = ip_network("10.0.0.0/8")
_ACCESS = "PRIVATE_SERVICE_ACCESS"
_PORT, _TLS_PORT = 6379, 6378


class RedisInstance(Kind):
    token = REDIS
    api = "redis.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        name = inputs["name"]
        if not _NAME.fullmatch(name):
            raise _refused(
                f'instance name "{name}" must be 2 to 40 lowercase letters, digits or hyphens, a '
                "letter first and no hyphen last"
            )
        _check_size(inputs)
        _check_place(inputs, cloud)
        network = find_network(cloud, inputs["authorizedNetwork"], inputs.get("project"))
        if network["project"] != inputs["project"] and inputs.get("connectMode") != _ACCESS:
            raise _refused("authorized_network must exist in the same project as redis instance")
        if inputs.get("connectMode") == _ACCESS:
            free_block(cloud, network, _PREFIX, inputs.get("reservedIpRange"))
        elif wanted := inputs.get("reservedIpRange"):
            _check_range(parse_cidr(wanted), network, cloud)

    def replaced_by(self, olds: Inputs, news: Inputs) -> frozenset[str]:
        """resource_redis_instance.go, isRedisVersionDecreasing."""
        old, new = (_version(it.get("redisVersion")) for it in (olds, news))
        lower = old is not None and new is not None and new < old
        return frozenset({"redisVersion"}) if lower else frozenset()

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        del resource, cloud
        _check_size(news)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        made = cloud.get(resource_id)
        block = _block(inputs, cloud) if made is None else range_of(made)
        tls = inputs.get("transitEncryptionMode") == "SERVER_AUTHENTICATION"
        return {
            # Which of the block it is Google does not say.
            "host": str(block[3]),
            "port": _TLS_PORT if tls else _PORT,
            "authString": _password(resource_id, block) if inputs.get("authEnabled") else "",
            "createTime": birth_time(cloud, resource_id),
            "currentLocationId": inputs.get("locationId"),
            "effectiveReservedIpRange": str(block),
            "effectiveLabels": dict(inputs.get("labels") or {}),
        }

    def release(self, resource: Resource, cloud: View) -> None:
        del cloud
        # resource_redis_instance.go:1326.
        if resource["deletionProtection"]:
            raise CloudError(
                "FAILED_PRECONDITION",
                f"cannot destroy redis instance {resource['name']} without "
                "deletionProtection=false and running `pulumi up`",
            )

    def after_create(self, resource: Resource, cloud: View) -> None:
        network = find_network(cloud, resource["authorizedNetwork"], resource["project"])
        if resource["connectMode"] == _ACCESS and network.id not in cloud.producers:
            cloud.producers.append(network.id)


def range_of(instance: Resource) -> IPv4Network:
    return parse_cidr(instance.outputs["effectiveReservedIpRange"])


def _check_size(inputs: Inputs) -> None:
    gib = int(inputs["memorySizeGb"])
    if gib not in _GIB:
        nearest = min(max(gib, _GIB[0]), _GIB[-1])
        raise _refused(f"memorySizeGb {gib} is not from 1 to 300; nearest: {nearest}")
    replicas = inputs.get("replicaCount")
    if replicas and inputs.get("tier") != "STANDARD_HA":
        raise _refused(f"replicaCount {replicas} is for tier STANDARD_HA; nearest: 0")
    version = inputs.get("redisVersion")
    if version is not None and not _VERSION.fullmatch(version):
        raise _refused(f'"{version}" is not a version of Redis; nearest: REDIS_7_2')


def _check_place(inputs: Inputs, cloud: View) -> None:
    zone, region = inputs.get("locationId"), inputs["region"]
    if zone is None:
        return
    try:
        home = cloud.catalog.region_of(zone)
    except FactError as error:
        raise _refused(str(error)) from None
    if home != region:
        raise _refused(f"zone {zone} is not in region {region}; nearest: {home}")


def _check_range(block: IPv4Network, network: Resource, cloud: View) -> None:
    # resource_redis_instance.go:466-476.
    if block.prefixlen > _PREFIX:
        nearest = f"{block.network_address}/{_PREFIX}"
        raise _refused(
            f"reservedIpRange {block} has to be a /{_PREFIX} at least; nearest: {nearest}"
        )
    for owner, other in ranges_of(cloud, network):
        if block.overlaps(other):
            raise _refused(f"reservedIpRange {block} overlaps with {other} of {owner}")


def _block(inputs: Inputs, cloud: View) -> IPv4Network:
    """The addresses that a new instance takes."""
    network = find_network(cloud, inputs["authorizedNetwork"], inputs.get("project"))
    wanted = inputs.get("reservedIpRange")
    if inputs.get("connectMode") == _ACCESS:
        return free_block(cloud, network, _PREFIX, wanted)
    if wanted:
        return parse_cidr(wanted)
    taken = [cidr for _, cidr in ranges_of(cloud, network)]
    for block in _AUTOMATIC.subnets(new_prefix=_PREFIX):
        if isinstance(block, IPv4Network) and not any(map(block.overlaps, taken)):
            return block
    raise CloudError("RESOURCE_EXHAUSTED", "no free range is left for the instance")


def _version(text: Any) -> tuple[int, int] | None:
    found = _VERSION.fullmatch(text) if isinstance(text, str) else None
    # The provider takes 6.X for no version that it could compare.
    if found is None or found[2] == "X":
        return None
    return int(found[1]), int(found[2])


def _password(resource_id: str, block: IPv4Network) -> str:
    """A UUID, as Google's are; another one for another instance of the name, elsewhere."""
    return str(UUID(hex=digest(resource_id, str(block), length=32)))


def _refused(why: str) -> CloudError:
    return CloudError("INVALID_ARGUMENT", why)
