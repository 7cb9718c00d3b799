"""A stack with Ray on its cluster."""

from collections.abc import Iterator
from typing import ClassVar

from stacks.blocks.cluster_stack import ClusterStack
from stacks.blocks.ray import Ray, RayOperator
from stacks.problems import Problem
from stacks.rules.ray_image import image_problems


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
    def ray_addon(self) -> bool:
        return self.ray.operator is RayOperator.ADDON

    @property
    def tokens_name(self) -> str:
        return f"{self.ray_name}-tokens"

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        if "nightly" in self.ray_image and not self.ray.nightly:
            yield Problem(
                "ray.image",
                f"{self.ray_image} is another one every night; "
                f"nearest: {self.facts.image(self.image).reference}, or ray.nightly true",
            )

        yield from image_problems(self.ray_image, self.ray_version)

    def features(self) -> tuple[str, ...]:
        return (*(["ray_operator"] if self.ray_addon else []), *super().features())
