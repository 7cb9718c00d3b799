"""A stack with Ray on its cluster."""

from collections.abc import Iterator
from typing import ClassVar

from catalog import Sidecar
from stacks.autopilot_nodes import AUTOPILOT_CPU_FAMILY
from stacks.blocks.cluster_stack import ClusterStack
from stacks.blocks.pools import Nodes
from stacks.blocks.ray import Ray
from stacks.problems import Problem
from stacks.rules.ray_fit import Host


class RayStack(ClusterStack, frozen=True):
    # The version lock's image that Ray runs in, unless the config names one.
    image: ClassVar[str]

    ray: Ray

    @property
    def ray_image(self) -> str:
        return self.ray.image or self.facts.image(self.image).reference

    @property
    def ray_version(self) -> str:
        known = self.facts.image(self.image).ray_version
        # Every image that Ray runs in says so in the lock.
        assert known is not None
        return self.ray.version or known

    @property
    def ray_name(self) -> str:
        return self.name if self.ray.name is None else self.ray.name

    @property
    def cpu_host(self) -> Host:
        """The node under single pods: the CPU pool's, or the largest that Autopilot has."""
        if not self.autopilot:
            return self.host_of(self.pools["cpu_pool"])
        known = self.facts.machines.values()
        family = [it for it in known if it.family == AUTOPILOT_CPU_FAMILY]
        largest = max(family, key=lambda it: it.vcpus)
        return self.host_of(Nodes(machine_type=largest.name, nodes=1))

    @property
    def sidecar(self) -> Sidecar | None:
        """What GKE puts beside the container of every Ray pod."""
        return None

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        if "nightly" in self.ray_image and not self.ray.nightly:
            yield Problem(
                "ray.image",
                f"{self.ray_image} is another one every night; "
                f"nearest: {self.facts.image(self.image).reference}, or ray.nightly true",
            )

    def features(self) -> tuple[str, ...]:
        return ("ray_operator", *super().features())
