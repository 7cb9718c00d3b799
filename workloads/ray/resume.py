"""Runs a training on all GPUs of a Ray cluster, and again when a machine under it has gone.

    python3 resume.py GPUS RETRIES COMMAND...

It waits until the cluster has so many GPUs, however long machines take to come, and runs the
command. A command that fails while a machine of its own is lost is run again once the GPUs are
back; it goes on from its own last checkpoint. Any other failure is the command's, of which
RETRIES are tried again in the same way.

Source: KubeRay fails a RayJob with the first failure of its entrypoint, and can retry none on a
cluster that it did not make for the job (ray-project/kuberay v1.4.2 rayjob_controller.go).
"""

import json
import os
import subprocess
import sys
import time

# Ray finds a machine lost after five missed checks, three seconds apart.
LOSS_SEEN_S = float(os.environ.get("RESUME_LOSS_SEEN_S", "120"))
POLL_S = float(os.environ.get("RESUME_POLL_S", "5"))
# The job runs on the head, where the dashboard listens.
DASHBOARD = os.environ.get("RESUME_DASHBOARD", "http://127.0.0.1:8265")
_MOST_NODES = "10000"


def gpu_nodes() -> dict[str, int] | None:
    """GPUs of each node that lives and has any, by its id; None where Ray does not answer."""
    options = ["--filter=state=ALIVE", f"--limit={_MOST_NODES}", "--format=json", "--detail"]
    found = subprocess.run(
        ["ray", "list", "nodes", f"--address={DASHBOARD}", *options],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if found.returncode:
        return None
    # A word of warning may stand before the list.
    listed = json.loads(found.stdout[found.stdout.find("[") :] or "[]")
    gpus = {it["node_id"]: int((it.get("resources_total") or {}).get("GPU", 0)) for it in listed}
    return {node: amount for node, amount in gpus.items() if amount}


def wait_for(gpus: int) -> set[str]:
    """The nodes with GPUs, once they have enough of them."""
    said = -1
    while True:
        nodes = gpu_nodes() or {}
        there = sum(nodes.values())
        if there >= gpus:
            return set(nodes)
        if there != said:
            print(f"resume: {there} of {gpus} GPUs are there; waiting", flush=True)
            said = there
        time.sleep(POLL_S)


def lost_of(before: set[str]) -> set[str]:
    """Nodes that are gone; a lost one is seen only after some checks have failed."""
    end = time.monotonic() + LOSS_SEEN_S
    while True:
        alive = gpu_nodes()
        lost = set[str]() if alive is None else before - set(alive)
        if lost or time.monotonic() >= end:
            return lost
        time.sleep(POLL_S)


def main(gpus: int, retries: int, command: list[str]) -> int:
    failures = 0
    while True:
        nodes = wait_for(gpus)
        code = subprocess.run(command, check=False).returncode
        if code == 0:
            return 0
        code = code if code > 0 else 128 - code
        lost = lost_of(nodes)
        if lost:
            print(f"resume: {len(lost)} of {len(nodes)} machines went away; again", flush=True)
        elif failures < retries:
            failures += 1
            print(f"resume: failed with {code}; again, {failures} of {retries}", flush=True)
        else:
            return code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
