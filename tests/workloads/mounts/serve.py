"""The bucket of a stack's workers, mounted for trainings: those run where Ray and JAX are, and the
stacks are not.

    python -m tests.workloads.mounts.serve STACK FOLDER

Says "mounted" once FOLDER/bucket is the bucket. A line on the standard input is the end of the pod:
gcsfuse is killed and, as by the next pod, mounted anew. At the input's end it says what the sidecar
took, and fails where that is more than the stack gives it.
"""

import sys
from pathlib import Path

from tests.workloads.mounts.fuse_mount import mounted
from tests.workloads.mounts.stack_buckets import buckets_of


def main() -> int:
    stack, folder = sys.argv[1:]
    pod = next(it for owner, it in buckets_of(stack).items() if ".workerGroupSpecs[0]" in owner)
    with mounted(pod, Path(folder)) as mount:
        print("mounted", flush=True)
        for _ in sys.stdin:
            mount.kill()
            mount.start()
            print("mounted", flush=True)
        mount.measure()
    took, given = (mount.memory_mib, mount.disk_mib), (pod.memory_mib, pod.disk_mib)
    print(f"{took} MiB of memory and disk, of {given}", flush=True)
    return int(any(limit and much > limit for much, limit in zip(took, given, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
