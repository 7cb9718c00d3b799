"""Runs a command beside a Ray cluster of its own on this machine, and ends with its exit code.

    python on_local_ray.py CPUS GPUS COMMAND...

CPUs and GPUs are what Ray may give away; they need not be there.
"""

import os
import subprocess
import sys

import ray


def main() -> int:
    cpus, gpus, *command = sys.argv[1:]
    ray.init(
        num_cpus=int(cpus),
        num_gpus=int(gpus),
        include_dashboard=False,
        logging_level="warning",
        log_to_driver=False,
    )
    address = ray.get_runtime_context().gcs_address
    return subprocess.run(
        command, env=os.environ | {"RAY_ADDRESS": address}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
