"""IPv4 range arithmetic. Pure."""

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network, collapse_addresses
from itertools import combinations, islice

from .arguments import refuse

_PRIVATE = IPv4Network("10.0.0.0/8")
FULL = "smaller ranges, for nothing of that size is left"
# GKE and Google each keep the first two and the last two addresses of a primary range.
_RESERVED_IN_SUBNET = 4


# Google's list of prohibited IPv4 subnet ranges (VPC documentation, "Subnets", read 2026-11-22):
# no subnet may be, hold or lie in one.
_PROHIBITED = (
    (IPv4Network("0.0.0.0/8"), 'the "this" network'),
    (IPv4Network("127.0.0.0/8"), "loopback"),
    (IPv4Network("169.254.0.0/16"), "link-local, where the metadata server is"),
    (IPv4Network("199.36.153.4/30"), "Google's own, for restricted.googleapis.com"),
    (IPv4Network("199.36.153.8/30"), "Google's own, for private.googleapis.com"),
    (IPv4Network("224.0.0.0/4"), "multicast"),
    (IPv4Network("255.255.255.255/32"), "broadcast"),
)


# What a VPC network may have beside addresses of the Internet that are used in private (VPC
# documentation, "Subnets", valid IPv4 ranges, read 2026-11-22).
_NOT_ON_THE_INTERNET = tuple(
    IPv4Network(it)
    for it in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "192.0.0.0/24"),
        *("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "192.88.99.0/24"),
        *("198.18.0.0/15", "240.0.0.0/4"),
    )
)


def is_reserved(block: str) -> bool:
    """Whether no address of it is on the Internet."""
    return any(IPv4Network(block).subnet_of(it) for it in _NOT_ON_THE_INTERNET)


def on_the_internet(blocks: Iterable[str]) -> int:
    """Addresses of the Internet that the blocks have together, each counted once."""
    left = list(collapse_addresses(IPv4Network(it) for it in blocks))
    for kept in _NOT_ON_THE_INTERNET:
        left = [part for it in left for part in _without(it, kept)]
    return sum(it.num_addresses for it in left)


def _without(block: IPv4Network, other: IPv4Network) -> Iterable[IPv4Network]:
    if other.subnet_of(block):
        return block.address_exclude(other)
    return () if block.subnet_of(other) else (block,)


def check_not_prohibited(block: str, *, whole: bool) -> str:
    """Returns `block`. Raises ValueError, with one of its size that goes, where a prohibited range
    holds it or, if `whole` has to be usable, has any address of it."""
    network = IPv4Network(block)
    for prohibited, what in _PROHIBITED:
        if network.subnet_of(prohibited) or (whole and network.overlaps(prohibited)):
            free = IPv4Network(("172.24.0.0" if network.prefixlen > 12 else "10.0.0.0", 32))
            near = free.supernet(new_prefix=network.prefixlen)
            raise ValueError(f"{block} meets {prohibited}, which is {what}; nearest: {near}")
    return block


def ranges_are(ranges: Mapping[str, object], *, apart: bool = True) -> None:
    """Refuses arguments, by name, that are no IPv4 ranges, or of which two have the same addresses;
    what is known only later is left to Google."""
    known = {name: it for name, it in ranges.items() if isinstance(it, str)}
    for name, block in known.items():
        _range_is(name, block)
    for first, second in overlaps(known) if apart else ():
        near = next_free(IPv4Network(known[second]).prefixlen, known.values())
        refuse(second, known[second], f"has addresses of {first}, {known[first]}", near)


def _range_is(argument: str, block: str) -> None:
    address, slash, _ = block.partition("/")
    try:
        whole = IPv4Network(block, strict=False)
    except ValueError:
        refuse(argument, block, "is not an IPv4 range", "10.0.0.0/20")
    if not slash:
        refuse(argument, block, "has no prefix length, and is one address", f"{address}/20")
    if block != str(whole):
        refuse(argument, block, "begins within a range", whole)


def overlaps(ranges: Mapping[str, str]) -> list[tuple[str, str]]:
    """Pairs of names whose ranges overlap, in the order of the mapping."""
    parsed = {name: IPv4Network(text) for name, text in ranges.items()}
    return [(a, b) for a, b in combinations(parsed, 2) if parsed[a].overlaps(parsed[b])]


def next_free(prefix: int, taken: Iterable[str]) -> str:
    """The first private range of this prefix length beside all of `taken`; in words if full."""
    blocked = sorted(IPv4Network(text) for text in taken)
    address = int(_PRIVATE.network_address)
    size = 1 << (32 - prefix)
    while address + size <= int(_PRIVATE.broadcast_address) + 1:
        candidate = IPv4Network((address, prefix))
        hit = next((other for other in blocked if other.overlaps(candidate)), None)
        if hit is None:
            return str(candidate)
        after = int(hit.broadcast_address) + 1
        address = max(address + size, -(-after // size) * size)
    return FULL


def addresses_per_node(max_pods_per_node: int) -> int:
    """Addresses that GKE sets aside for a node's pods: twice its pods, up to a power of two."""
    return 1 << (2 * max_pods_per_node - 1).bit_length()


def pod_addresses(pools: Iterable[tuple[int, int]]) -> int:
    """Addresses for the pods of pools given as (most nodes, most pods on a node)."""
    return sum(nodes * addresses_per_node(pods) for nodes, pods in pools)


def node_addresses(subnet: str) -> int:
    """Addresses of a subnetwork's primary range that nodes can have."""
    return max(0, IPv4Network(subnet).num_addresses - _RESERVED_IN_SUBNET)


def prefix_for_nodes(nodes: int) -> int:
    """The longest prefix of a subnetwork's primary range with addresses for that many nodes."""
    return prefix_for(nodes + _RESERVED_IN_SUBNET)


def prefix_for(addresses: int) -> int:
    """The longest prefix whose range has that many addresses."""
    return 32 - max(0, addresses - 1).bit_length()


def cut(block: str, prefix: int, count: int) -> tuple[str, ...]:
    """The first `count` ranges of this prefix length in the block, in order.

    Raises ValueError when the block has fewer.
    """
    whole = IPv4Network(block)
    there = 1 << (prefix - whole.prefixlen) if prefix >= whole.prefixlen else 0
    if there < count:
        longest = prefix - (count - 1).bit_length()
        nearest = "a larger block" if longest < 0 else str(whole.supernet(new_prefix=longest))
        raise ValueError(
            f'"{block}" has {there} ranges of /{prefix}, and {count} are needed; nearest: {nearest}'
        )
    return tuple(str(part) for part in islice(whole.subnets(new_prefix=prefix), count))
