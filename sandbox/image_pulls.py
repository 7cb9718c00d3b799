"""What pods wait for images: how they come, what that takes, and since when they are on their way.

A pull is a step of its own, which no resource of the engine's is: of the images that a DaemonSet
pulls it begins when a pool's machines stand, of others when the pods that run them come. Pods start
once it is done. An image streams that has been pulled before by nodes that stream: which ones were
is not counted, but a mirror that this run made is empty until the first pull through it has ended.
What nodes have on a secondary boot disk comes with the machine; that it is there is granted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from catalog.durations import Durations, is_awaited
from cli.urns import token_of
from components.pools.node_config import IMAGE_CACHE
from sandbox.clock import Span
from sandbox.cloud.kinds.pool_disks import streams

Inputs = Mapping[str, Any]
PULL = "container:image:Pull"
PULLED, STREAMED, ON_DISK = "pulled", "streamed", "disk"
DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
POOL = "gcp:container/nodePool:NodePool"
REPOSITORY = "gcp:artifactregistry/repository:Repository"
_POOL_LABEL = "cloud.google.com/gke-nodepool"
_ACCELERATOR_LABEL = "cloud.google.com/gke-accelerator"
_TOPOLOGY_LABEL = "cloud.google.com/gke-tpu-topology"
_OF_GOOGLE = ("docker.pkg.dev", "gcr.io")


def pull_urn(urn: str, of: str = "images") -> str:
    """Of the pull that goes with a resource, or of its reading them off a disk."""
    head, _, name = urn.rpartition("::")
    return f"{head}${PULL}::{name}-{of}"


def disk_urn(urn: str) -> str:
    return pull_urn(urn, "disk")


@dataclass
class Ground:
    """What is known of the nodes and mirrors: node pools by URN, preloads by URN, and where the
    mirrors are that are new."""

    pools: dict[str, Inputs] = field(default_factory=dict[str, Inputs])
    preloads: dict[str, Inputs] = field(default_factory=dict[str, Inputs])
    empty: set[str] = field(default_factory=set[str])

    def learn(self, urn: str, inputs: Inputs, *, made: bool) -> None:
        """`made`: in this run."""
        token = token_of(urn)
        if token == POOL:
            self.pools[urn] = inputs
        elif token == DAEMON_SET and not is_awaited(inputs):
            self.preloads[urn] = inputs
        elif token == REPOSITORY and made:
            where = f"{inputs.get('location')}-docker.pkg.dev/{inputs.get('project')}"
            self.empty.add(f"{where}/{inputs.get('repositoryId')}/")

    def preloads_of(self, image: str) -> list[str]:
        """Each of them: pods may be on the nodes of any."""
        return [urn for urn, it in self.preloads.items() if image in images_of(it)]

    def pools_of(self, preload: str) -> set[str]:
        """The pools whose nodes one of its terms picks; a pool that begins without nodes pulls
        nothing, and no resource of the run waits for the nodes that come later."""
        spec = self.preloads[preload]["spec"]["template"]["spec"]
        required = spec["affinity"]["nodeAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"
        ]
        return {
            urn
            for term in required["nodeSelectorTerms"]
            for urn, it in self.pools.items()
            if _picks(term["matchExpressions"], it) and not _begins_empty(it)
        }

    def on_disks(self, inputs: Inputs, sources: Collection[str] = ()) -> tuple[set[str], set[str]]:
        """The images that some of the pods have on a disk of their nodes, and those that all have
        that run them. Where no pool is picked it is one of `sources`, or any."""
        some, elsewhere = set[str](), set[str]()
        maybe = [it for urn, it in self.pools.items() if urn in sources] or self.pools.values()
        for pod in _pods_in(inputs):
            disks = {_has_disk(it) for it in self._under(pod) or maybe}
            some |= images_of(pod) if True in disks else set()
            elsewhere |= images_of(pod) if False in disks else set()
        return some, some - elsewhere

    def _under(self, pod: Inputs) -> list[Inputs]:
        """The pools that a pod picks by its selector, which a preview may not know."""
        selector = pod.get("nodeSelector")
        pairs = selector.items() if isinstance(selector, Mapping) else ()
        terms = [{"key": key, "values": [value]} for key, value in pairs]
        return [it for it in self.pools.values() if _picks(terms, it)]

    def way(self, images: Collection[str], pools: Iterable[str] | None = None) -> Inputs:
        """The slowest way of these images, onto some of the pools or all there are. Autopilot,
        which has none, streams. `first` are those that would stream, were they in their mirror."""
        asked = list(self.pools if pools is None else pools)
        if asked and all(_has_disk(self.pools[it]) for it in asked):
            return {"way": ON_DISK}
        asked = [it for it in asked if not _has_disk(self.pools[it])]
        near = all(image.partition("/")[0].endswith(_OF_GOOGLE) for image in images)
        if not near or not all(_streams(self.pools[it]) for it in asked):
            return {"way": PULLED}
        # GKE documentation, "Use Image streaming to pull container images",
        # limitations, 2026-11-24.
        if first := [it for it in sorted(images) if it.startswith(tuple(self.empty))]:
            return {"way": PULLED, "first": first}
        return {"way": STREAMED}


def images_of(found: Any) -> set[str]:
    """Those of the pods in an object that run something: no image that only rests."""
    if isinstance(found, Mapping):
        if isinstance(image := found.get("image"), str) and "/pause:" not in image:
            return {image}
        return {one for it in found.values() for one in images_of(it)}
    if isinstance(found, list):
        return {one for it in found for one in images_of(it)}
    return set()


def _pods_in(found: Any) -> Iterator[Inputs]:
    if isinstance(found, Mapping):
        if "containers" in found:
            yield found
        for it in found.values():
            yield from _pods_in(it)
    elif isinstance(found, list):
        for it in found:
            yield from _pods_in(it)


def _picks(expressions: Iterable[Inputs], pool: Inputs) -> bool:
    """Labels that GKE gives nodes besides are not in a pool's inputs."""
    config = pool.get("nodeConfig") or {}
    labels = {**(config.get("labels") or {}), _POOL_LABEL: pool.get("name")}
    for it in config.get("guestAccelerators") or []:
        labels[_ACCELERATOR_LABEL] = it.get("type")
    if topology := (pool.get("placementPolicy") or {}).get("tpuTopology"):
        labels[_TOPOLOGY_LABEL] = topology
    ours = [it for it in expressions if it["key"] in labels or "google.com" not in it["key"]]
    return bool(ours) and all(labels.get(it["key"]) in it["values"] for it in ours)


def _begins_empty(pool: Inputs) -> bool:
    return pool.get("initialNodeCount") == 0


def _streams(pool: Inputs) -> bool:
    return streams(pool.get("nodeConfig") or {})


def _has_disk(pool: Inputs) -> bool:
    """Whether its nodes have images on a disk that comes with them."""
    disks = (pool.get("nodeConfig") or {}).get("secondaryBootDisks") or []
    return any(it.get("mode") == IMAGE_CACHE for it in disks)


def streaming_after_all(spans: Mapping[str, Span], ways: Mapping[str, Inputs]) -> set[str]:
    """The pulls that begin when others have brought what they would be the first to pull."""
    firsts = {urn: set(ways[urn]["first"]) for urn in spans if ways[urn].get("first")}
    found: set[str] = set()
    for urn in sorted(firsts, key=lambda it: spans[it].start):
        there = [
            images
            for other, images in firsts.items()
            if other not in found and spans[other].end <= spans[urn].start
        ]
        if firsts[urn] <= set[str]().union(*there):
            found.add(urn)
    return found


class Pulls:
    """The pulls of a run, as its resources come."""

    def __init__(self, durations: Durations) -> None:
        self.ground = Ground()
        self.inputs: dict[str, Inputs] = {}
        self.needed: dict[str, set[str]] = {}
        self._durations = durations
        self._with_pods: dict[str, str] = {}
        self._since: dict[str, tuple[float, set[str]]] = {}

    def stand(self, resources: Iterable[Mapping[str, Any]]) -> None:
        """What was there before the run: images are on its nodes."""
        for one in resources:
            self.ground.learn(one["urn"], one.get("inputs") or {}, made=False)

    def beside(self, dependencies: dict[str, set[str]]) -> dict[str, set[str]]:
        """What waits for what, with the pulls; one that begins with the pods comes after what they
        wait for."""
        for urn, pods in self._with_pods.items():
            dependencies[urn] = set(dependencies.get(pods, ()))
        for urn, needed in self.needed.items():
            dependencies.setdefault(urn, set()).update(needed)
        return dependencies

    def came(self, urn: str, inputs: Inputs, now: float, *, made: bool = True) -> None:
        """A resource was made or changed; where a pool and its preload are there then, the pull
        onto its nodes begins."""
        self.ground.learn(urn, inputs, made=made)
        for preload in self.ground.preloads:
            for pool in self.ground.pools_of(preload):
                if urn in (preload, pool):
                    self._since[pool] = now, {preload, pool}

    def wanted(
        self, urn: str, inputs: Inputs, now: float, slowdown: Callable[[str], float]
    ) -> list[tuple[str, Span]]:
        """What pods that come now wait for: each pull's URN, and when it is."""
        under_way = self._under_way(slowdown(PULL))
        found: dict[str, Span] = {}
        rest: set[str] = set()
        some, everywhere = self.ground.on_disks(inputs)
        if some:
            disk = disk_urn(urn)
            self.needed[disk], self.inputs[disk] = set(), {"way": ON_DISK}
            self._with_pods[disk] = urn
            found[disk] = Span(now, now + self._seconds(self.inputs[disk], slowdown(PULL)))
        for image in images_of(inputs) - everywhere:
            preloads = self.ground.preloads_of(image)
            if not preloads:
                rest.add(image)
            for preload in preloads:
                for pull in map(pull_urn, self.ground.pools_of(preload)):
                    if pull in under_way:
                        found[pull] = under_way[pull]
        if rest:
            pull, way = pull_urn(urn), self.ground.way(rest)
            self.needed[pull], self.inputs[pull] = set(), way
            self._with_pods[pull] = urn
            found[pull] = Span(now, now + self._seconds(way, slowdown(PULL)))
        self.needed.setdefault(urn, set()).update(found)
        return list(found.items())

    def _under_way(self, slowdown: float) -> dict[str, Span]:
        """Those onto the nodes of pools that came in this run."""
        spans: dict[str, Span] = {}
        for preload in self.ground.preloads:
            for pool in self.ground.pools_of(preload) & self._since.keys():
                begun, after = self._since[pool]
                way = self.ground.way(images_of(self.ground.preloads[preload]), [pool])
                pull = pull_urn(pool)
                self.needed[pull], self.inputs[pull] = after, way
                spans[pull] = Span(begun, begun + self._seconds(way, slowdown))
        for pull in streaming_after_all(spans, self.inputs):
            self.inputs[pull] = {"way": STREAMED}
            begun = spans[pull].start
            spans[pull] = Span(begun, begun + self._seconds(self.inputs[pull], slowdown))
        return spans

    def _seconds(self, way: Inputs, slowdown: float) -> float:
        return self._durations.seconds(PULL, "create", way) * slowdown
