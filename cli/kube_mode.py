"""Where a new cluster keeps its Kubernetes objects."""

from enum import StrEnum


class KubeMode(StrEnum):
    """`auto`: a real control plane where it is built, else memory."""

    auto = "auto"
    memory = "memory"
    real = "real"
