"""The Ray that an image has is the Ray that KubeRay is told of."""

import re
from collections.abc import Iterator

from stacks.problems import Problem

# Ray's own images have their version in the tag: ray-project/kuberay ray-operator/config/samples.
_RAYS_OWN = re.compile(r"(?:docker\.io/)?rayproject/[a-z-]+:(\d+\.\d+\.\d+)(?![\d.]).*")


def image_problems(field: str, image: str, version: str) -> Iterator[Problem]:
    found = _RAYS_OWN.fullmatch(image)
    if found and found[1] != version:
        yield Problem(
            f"{field}.version", f"{version} is not the Ray that {image} has; nearest: {found[1]}"
        )
