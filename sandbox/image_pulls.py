"""What pods wait for images: how they come, what that takes, and since when they are on their way.

A pull is a step of its own, which no resource of the engine's is: of the images that a DaemonSet
pulls it begins when the machines stand, of others when the pods that run them come. Pods start once
it is done. An image streams that has been pulled before: which ones were is not counted, but a
mirror that this run made is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.durations import Durations, is_awaited
from sandbox.schedule import TimedStep
from sandbox.urns import token_of

Inputs = Mapping[str, Any]
PULL = "container:image:Pull"
# What runs the images of tens of GB.
RUNNING = ("kubernetes:ray.io/v1:RayCluster", "kubernetes:batch/v1:Job")
DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
POOL = "gcp:container/nodePool:NodePool"
REPOSITORY = "gcp:artifactregistry/repository:Repository"
_POOL_LABEL = "cloud.google.com/gke-nodepool"
_OF_GOOGLE = ("docker.pkg.dev", "gcr.io")


def pull_urn(urn: str) -> str:
    """Of the pull that goes with a resource."""
    head, _, name = urn.rpartition("::")
    return f"{head}${PULL}::{name}-images"


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

    def pools_of(self, preload: str) -> list[set[str]]:
        """Of each of its terms the pools whose nodes that picks."""
        spec = self.preloads[preload]["spec"]["template"]["spec"]
        required = spec["affinity"]["nodeAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"
        ]
        return [
            {urn for urn, it in self.pools.items() if _picks(term["matchExpressions"], it)}
            for term in required["nodeSelectorTerms"]
        ]

    def way(self, images: Iterable[str], pools: Iterable[str] | None = None) -> str:
        """The slowest way of these images, onto some of the pools or all there are. Autopilot,
        which has none, streams."""
        asked = self.pools if pools is None else pools
        streams = all(_streams(self.pools[it]) for it in asked) and all(map(self._is_near, images))
        return "streamed" if streams else "pulled"

    def _is_near(self, image: str) -> bool:
        near = image.partition("/")[0].endswith(_OF_GOOGLE)
        return near and not image.startswith(tuple(self.empty))


def images_of(found: Any) -> set[str]:
    """Those of the pods in an object that run something: no image that only rests."""
    if isinstance(found, Mapping):
        if isinstance(image := found.get("image"), str) and "/pause:" not in image:
            return {image}
        return {one for it in found.values() for one in images_of(it)}
    if isinstance(found, list):
        return {one for it in found for one in images_of(it)}
    return set()


def _picks(expressions: Iterable[Inputs], pool: Inputs) -> bool:
    """Labels that GKE gives nodes besides are not in a pool's inputs."""
    config = pool.get("nodeConfig") or {}
    labels = {**(config.get("labels") or {}), _POOL_LABEL: pool.get("name")}
    ours = [it for it in expressions if it["key"] in labels or "google.com" not in it["key"]]
    return bool(ours) and all(labels.get(it["key"]) in it["values"] for it in ours)


def _streams(pool: Inputs) -> bool:
    config = pool.get("nodeConfig") or {}
    return bool((config.get("gcfsConfig") or {}).get("enabled"))


def with_pulls(
    steps: Iterable[TimedStep],
    dependencies: Mapping[str, Iterable[str]],
    inputs: Mapping[str, Inputs],
    durations: Durations,
) -> tuple[list[TimedStep], dict[str, set[str]], dict[str, Inputs]]:
    """The steps of a plan with the pulls, what waits for what then, and the inputs of all."""
    known, ground = list(steps), Ground()
    made = {it.urn for it in known if it.operation == "create"}
    # A pool that changes has other nodes.
    other = {it.urn for it in known if it.operation != "delete"}
    for urn, one in inputs.items():
        ground.learn(urn, one, made=urn in made)
    waits = {urn: set(needed) for urn, needed in dependencies.items()}
    more: dict[str, Inputs] = {}
    for step in list(known):
        if step.operation != "create" or token_of(step.urn) not in RUNNING:
            continue
        for urn, way, needed in _pulls(ground, step.urn, inputs[step.urn], other):
            if urn not in more:
                more[urn] = {"way": way}
                known.append(TimedStep(urn, "create", durations.seconds(PULL, "create", more[urn])))
                waits[urn] = needed or set(waits.get(step.urn, ()))
            waits.setdefault(step.urn, set()).add(urn)
    return known, waits, {**inputs, **more}


def _pulls(
    ground: Ground, urn: str, inputs: Inputs, other: set[str]
) -> Iterator[tuple[str, str, set[str]]]:
    """The pulls that pods wait for: URN, way, and what each waits for, if it is a preload's."""
    rest: set[str] = set()
    for image in images_of(inputs):
        preloads = ground.preloads_of(image)
        if not preloads:
            rest.add(image)
        for preload in preloads:
            pools = set[str]().union(*ground.pools_of(preload))
            way = ground.way(images_of(ground.preloads[preload]), pools)
            if needed := other & {preload, *pools}:
                yield pull_urn(preload), way, needed
    if rest:
        yield pull_urn(urn), ground.way(rest), set()


class Pulls:
    """The pulls of a run, as its resources come."""

    def __init__(self, durations: Durations) -> None:
        self.ground = Ground()
        self.inputs: dict[str, Inputs] = {}
        self.needed: dict[str, set[str]] = {}
        self._durations = durations
        self._since: dict[str, tuple[float, set[str]]] = {}

    def stand(self, resources: Iterable[Mapping[str, Any]]) -> None:
        """What was there before the run: images are on its nodes."""
        for one in resources:
            self.ground.learn(one["urn"], one.get("inputs") or {}, made=False)

    def beside(self, dependencies: dict[str, set[str]]) -> dict[str, set[str]]:
        """What waits for what, with the pulls."""
        for urn, needed in self.needed.items():
            dependencies.setdefault(urn, set()).update(needed)
        return dependencies

    def came(self, urn: str, inputs: Inputs, now: float, *, made: bool = True) -> None:
        """A resource was made or changed; where a preload has all its pools then, its pull
        begins."""
        self.ground.learn(urn, inputs, made=made)
        for preload in self.ground.preloads:
            terms = self.ground.pools_of(preload)
            if urn == preload or any(urn in it for it in terms):
                self._since.pop(preload, None)
                if all(terms):
                    self._since[preload] = now, {urn}

    def wanted(
        self, urn: str, inputs: Inputs, now: float, slowdown: Callable[[str], float]
    ) -> list[tuple[str, float, float]]:
        """What pods that come now wait for: each pull's URN, and when it began and ends."""
        found: list[tuple[str, float, float]] = []
        rest: set[str] = set()
        for image in images_of(inputs):
            preloads = self.ground.preloads_of(image)
            if not preloads:
                rest.add(image)
            for preload in [it for it in preloads if it in self._since]:
                begun, after = self._since[preload]
                pools = set[str]().union(*self.ground.pools_of(preload))
                way = self.ground.way(images_of(self.ground.preloads[preload]), pools)
                found.append(self._pull(preload, way, begun, {preload, *after}, slowdown))
        if rest:
            found.append(self._pull(urn, self.ground.way(rest), now, set(), slowdown))
        for pull, *_ in found:
            self.needed.setdefault(urn, set()).add(pull)
        return list(dict.fromkeys(found))

    def _pull(
        self, urn: str, way: str, begun: float, after: set[str], slowdown: Callable[[str], float]
    ) -> tuple[str, float, float]:
        pull = pull_urn(urn)
        self.inputs[pull] = {"way": way}
        self.needed[pull] = after
        seconds = self._durations.seconds(PULL, "create", self.inputs[pull]) * slowdown(PULL)
        return pull, begun, begun + seconds
