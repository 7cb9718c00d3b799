"""Jobs whose reason stands in nothing but what they say."""

from __future__ import annotations

from collections.abc import Mapping

from tests.kube.planted_causes import ENDLESS, NOT_READY, Planted, ended, job

# As of a pod that has interfaces for RDMA beside this one.
_RDMA = {
    "networking.gke.io/default-interface": "eth0",
    "networking.gke.io/interfaces": '[{"interfaceName": "eth0", "network": "default"}]',
}

LOG_CAUSES: Mapping[str, Planted] = {
    "nccl-on-tcp": Planted(
        source="areal-project/AReaL 639 of 2025-11-27",
        job=job("nccl-on-tcp", annotations={**ENDLESS, **_RDMA}),
        says="node-0:1:7 [0] NCCL INFO Using network Socket",
    ),
    "no-checkpoint": Planted(
        source="huggingface/transformers src/transformers/trainer.py of v4.57",
        job=job("no-checkpoint", annotations=NOT_READY),
        pod_status=ended("Error", 1),
        says="FileNotFoundError: No such file or directory: '/data/run/checkpoint_000400'",
    ),
}
