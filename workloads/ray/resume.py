"""Runs a training on all GPUs of a Ray cluster, and again when a machine under it has gone.

    python3 resume.py [--checkpoints PREFIX] [--test FILE:ARGUMENT...] GPUS RETRIES COMMAND...

It waits until the cluster has GPUS, and runs the command. A command that fails while a Ray node is
lost, of any machine but the head's, is run again once the GPUs are back; the training goes on from
its own last checkpoint. Any other failure is the command's, of which RETRIES are tried again in the
same way. A command that was used wrongly, or that there is not, ends at once.

While some of the GPUs are there they are paid for, so the wait ends PART_S after the last change of
their number; while none is, it has no end. It ends as well where Ray gives no answer in SILENT_S.

A lost Ray node is no proof of a lost machine: a worker that the kernel kills for its memory comes
back on the same machine as another node, and fails again. So the loop ends after IDLE_RUNS runs in
a row that lost nodes and made no progress. Progress is a checkpoint with a larger number, which is
a path of PREFIX and the number. Without PREFIX it is a run that lasted LONG_RUN_S.

The test, a script with arguments, runs before the first command and again on other nodes. The
command does not run where the test fails.

Source: KubeRay fails a RayJob with the first failure of its entrypoint, and can retry none on a
cluster that it did not make for the job (ray-project/kuberay v1.4.2 rayjob_controller.go); it keeps
worker pods, whose containers restart always (raycluster_controller.go, shouldDeletePod).
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

# Ray finds a machine lost after five missed checks, three seconds apart.
LOSS_SEEN_S = float(os.environ.get("RESUME_LOSS_SEEN_S", "120"))
POLL_S = float(os.environ.get("RESUME_POLL_S", "5"))
IDLE_RUNS = int(os.environ.get("RESUME_IDLE_RUNS", "3"))
LONG_RUN_S = float(os.environ.get("RESUME_LONG_RUN_S", "900"))
# The job runs on the head, where the dashboard listens.
DASHBOARD = os.environ.get("RESUME_DASHBOARD", "http://127.0.0.1:8265")
# Spot machines came after hours, or on another day.
PART_S = float(os.environ.get("RESUME_PART_S", "86400"))
# KubeRay has a job fail whose cluster does not answer in 5 minutes; the dashboard may restart.
SILENT_S = float(os.environ.get("RESUME_SILENT_S", "1800"))
# Of bash and of Python's argparse; a command that cannot be run, and one that is not found (POSIX
# shell, "Exit Status for Commands").
USED_WRONGLY = (2, 126, 127)
_MOST_NODES = "10000"


class WaitedError(Exception):
    """The GPUs did not come."""


def alive_nodes() -> dict[str, int] | None:
    """GPUs of each node that lives, but the head, by its id; None where Ray does not answer."""
    options = ["--filter=state=ALIVE", f"--limit={_MOST_NODES}", "--format=json", "--detail"]
    answer = subprocess.run(
        ["ray", "list", "nodes", f"--address={DASHBOARD}", *options],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    listed = None if answer.returncode else node_list(answer.stdout)
    if listed is None:
        return None
    return {
        it["node_id"]: int((it.get("resources_total") or {}).get("GPU", 0))
        for it in listed
        if not it.get("is_head_node")
    }


def node_list(text: str) -> list[dict] | None:
    """The longest JSON list of nodes in what `ray list nodes` printed; warnings, which may have
    brackets of their own, stand around the list."""
    lists, start = [], text.find("[")
    while start >= 0:
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except json.JSONDecodeError:
            value, end = None, start + 1
        if isinstance(value, list) and all(
            isinstance(it, dict) and "node_id" in it for it in value
        ):
            lists.append(value)
        start = text.find("[", end)
    return max(lists, key=len, default=None)


def wait_for(gpus: int) -> dict[str, int]:
    """The nodes, once they have enough GPUs."""
    said, changed, answered = -1, time.monotonic(), time.monotonic()
    while True:
        nodes, now = alive_nodes(), time.monotonic()
        there = sum((nodes or {}).values())
        if there >= gpus:
            return nodes or {}
        if nodes is not None:
            answered = now
        if there != said:
            print(f"resume: {there} of {gpus} GPUs are there; waiting", flush=True)
            said, changed = there, now
        if now - answered >= SILENT_S:
            raise WaitedError(f"Ray gave no list of its nodes in {SILENT_S:.0f} s")
        if there and now - changed >= PART_S:
            raise WaitedError(
                f"{there} of {gpus} GPUs are there and paid for, and no more came in {PART_S:.0f} "
                "s; fewer nodes, another zone or another way of capacity may have them"
            )
        time.sleep(POLL_S)


def lost_of(before: set[str]) -> set[str]:
    """Nodes that are gone; a lost one is seen only after some checks have failed."""
    end = time.monotonic() + LOSS_SEEN_S
    while True:
        alive = alive_nodes()
        lost = set[str]() if alive is None else before - set(alive)
        if lost or time.monotonic() >= end:
            return lost
        time.sleep(POLL_S)


def last_checkpoint(prefix: str) -> int:
    """The largest number of a checkpoint; -1 where there is none."""
    folder, _, name = prefix.rpartition("/")
    try:
        entries = [it.name for it in Path(folder).iterdir()]
    except OSError:
        return -1
    numbers = [it.removeprefix(name) for it in entries if it.startswith(name)]
    return max((int(it) for it in numbers if it.isdecimal()), default=-1)


class Progress:
    """Runs in a row that lost nodes and brought the training no further."""

    def __init__(self, prefix: str | None) -> None:
        self.prefix = prefix
        self.reached = -1 if prefix is None else last_checkpoint(prefix)
        self.idle = 0

    def after(self, seconds: float) -> None:
        if self.prefix is None:
            further = seconds >= LONG_RUN_S
        else:
            last = last_checkpoint(self.prefix)
            further = last > self.reached
            self.reached = max(last, self.reached)
        self.idle = 0 if further else self.idle + 1

    @property
    def missing(self) -> str:
        if self.prefix is None:
            return f"none lasted {LONG_RUN_S:.0f} s"
        if self.reached < 0:
            return f"none wrote a checkpoint {self.prefix}N"
        return f"none wrote a checkpoint after {self.prefix}{self.reached}"


def exit_status(command: list[str]) -> int:
    try:
        return subprocess.run(command, check=False).returncode
    except FileNotFoundError:
        return 127
    except PermissionError:
        return 126


def main(given: argparse.Namespace) -> int:
    failures, tested, progress = 0, set[str](), Progress(given.checkpoints)
    while True:
        try:
            nodes = wait_for(given.gpus)
        except WaitedError as error:
            print(f"resume: {error}", flush=True)
            return 1
        with_gpus = {node for node, amount in nodes.items() if amount}
        start = time.monotonic()
        code = 0
        if given.test and not with_gpus <= tested:
            code = subprocess.run(["python3", *given.test.split(":")], check=False).returncode
            tested = with_gpus if code == 0 else set()
        if code == 0:
            code = exit_status(given.command)
        if code == 0:
            return 0
        seconds = time.monotonic() - start
        code = code if code > 0 else 128 - code
        if code in USED_WRONGLY:
            print(f"resume: ended with {code}: used wrongly, or not there; not again", flush=True)
            return code
        lost = lost_of(set(nodes))
        if lost:
            progress.after(seconds)
            went = f"{len(lost)} of {len(nodes)} Ray nodes went away"
            if progress.idle >= IDLE_RUNS:
                print(
                    f"resume: {went}; ended with {code}: of {progress.idle} such runs in a row "
                    f"{progress.missing}. A worker whose container is killed, for its memory for "
                    "example, comes back as another node: look for restarts of the workers' pods",
                    flush=True,
                )
                return code
            print(f"resume: {went}; again", flush=True)
        elif failures < given.retries:
            failures += 1
            print(f"resume: failed with {code}; again, {failures} of {given.retries}", flush=True)
        else:
            return code


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="resume.py")
    parser.add_argument("--checkpoints", metavar="PREFIX")
    parser.add_argument("--test", metavar="FILE:ARGUMENT...")
    parser.add_argument("gpus", type=int)
    parser.add_argument("retries", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main(arguments()))
