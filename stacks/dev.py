"""The smallest useful stack: GPUs that start from zero, Ray, Kueue's queues, and a bucket."""

from collections.abc import Mapping

import pulumi

from stacks.dev_config import Dev
from stacks.outputs import StackOutputs
from stacks.ray_on_bucket import outputs, ray_on_bucket
from stacks.ray_workload import try_a_gpu


def build(config: Dev, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    return outputs(config, ray_on_bucket(config, secrets), try_a_gpu())
