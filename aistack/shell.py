"""A command in a container of a job, with the terminal that it is called from."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from kubernetes.stream.ws_client import (
    ERROR_CHANNEL,
    RESIZE_CHANNEL,
    STDERR_CHANNEL,
    STDOUT_CHANNEL,
)

from aistack.channels import Channels
from aistack.cluster import Cluster, unreached
from aistack.errors import LostError, VerbError
from aistack.find import Found
from aistack.members import LAUNCHER, Member
from aistack.offered import offered
from kube.kinds import DEPLOYMENT, POD
from kube.objects import JsonObject, dig, maps, namespace_of
from kube.reading import document, whole

# kubernetes/kubernetes v1.35.4 staging/src/k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go. The
# address of a pod's node has all of the command in it.
_UNREACHED = re.compile(r'error sending request: |error dialing backend: |"https?://')
# Of what is held until the command has ended, which may be one that never does.
_MOST_BYTES = 256 * 2**20
SHELL = ("/bin/sh", "-c", "command -v bash >/dev/null && exec bash || exec sh")


def member_for(found: Found, pods: Sequence[Member], rank: str | None) -> Member:
    """By default the head of a Ray cluster, whichever pod of a server runs, else rank 0. Raises
    VerbError where it does not run."""
    roles = list(dict.fromkeys(it.role for it in pods))
    wanted = rank or next((it for it in roles if it != LAUNCHER), LAUNCHER)
    if rank and roles and rank not in roles:
        raise VerbError(f'--rank: "{rank}": there is none; nearest: {", ".join(roles)}')
    any_will_do = rank is None and found.kind == DEPLOYMENT
    for it in pods:
        is_meant = any_will_do or it.role == wanted
        if is_meant and dig(it.pod, "status", "phase") == "Running":
            return it
    name = found.job.name
    raise VerbError(f"{wanted} of {name} does not run; nearest: `{offered('why', name)}`")


def run(cluster: Cluster, member: Member, container: str, command: Sequence[str]) -> int:
    """Its exit code. Raises VerbError where it cannot be started, or the connection breaks."""
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    reads = terminal or not sys.stdin.isatty()
    options = {"container": container, "stdin": reads, "stderr": not terminal, "tty": terminal}
    with started(cluster, member, options, command) as channels:
        local = sys.stdin.fileno() if reads else None
        if not terminal:
            return end_of(channels.exchange(local))
        with _raw(sys.stdin.fileno()):
            return end_of(channels.exchange(local, _resizing(channels)))


def heard(cluster: Cluster, member: Member, container: str, command: Sequence[str]) -> JsonObject:
    """What a command said that reads nothing, as text, and its exit code. Raises VerbError."""
    said = {STDOUT_CHANNEL: bytearray(), STDERR_CHANNEL: bytearray()}

    def hear(channel: int, data: bytes) -> None:
        said[channel] += data
        if len(said[channel]) > _MOST_BYTES:
            raise VerbError(
                f"what the command says in {member.name} comes to no end; nearest: without --json"
            )

    options = {"container": container, "stdin": False, "stderr": True, "tty": False}
    with started(cluster, member, options, command) as channels:
        code = end_of(channels.exchange(None), hear)
    out, err = (it.decode(errors="replace") for it in said.values())
    return {"pod": member.name, "stdout": out, "stderr": err, "exit_code": code}


def started(
    cluster: Cluster, member: Member, options: Mapping[str, str | bool], command: Sequence[str]
) -> Channels:
    """What a command in the pod says, and what it is told."""
    query = [(key, str(it).lower()) for key, it in {**options, "stdout": True}.items()]
    path = POD.path(namespace_of(member.pod), member.name, "exec")
    return Channels(cluster.websocket(path, [*query, *(("command", it) for it in command)]))


def _say(channel: int, data: bytes) -> None:
    file = sys.stdout.buffer if channel == STDOUT_CHANNEL else sys.stderr.buffer
    file.write(data)
    file.flush()


def end_of(arriving: Iterator[tuple[int, bytes]], hear: Callable[[int, bytes], None] = _say) -> int:
    """The exit code, once all has been heard. Raises VerbError."""
    status = b""
    for channel, data in arriving:
        if channel == ERROR_CHANNEL:
            status += data
        elif channel in (STDOUT_CHANNEL, STDERR_CHANNEL):
            hear(channel, data)
    if not status:
        raise LostError("the connection to the pod ended before the command did")
    return _exit_code(document(status))


def _exit_code(status: Any) -> int:
    """kubernetes/apimachinery v0.35.4 pkg/util/remotecommand/constants.go."""
    if dig(status, "status") == "Success":
        return 0
    for it in maps(dig(status, "details", "causes")):
        if it.get("reason") == "ExitCode":
            return whole(it.get("message"), 1)
    message = str(dig(status, "message") or "the pod gives no reason").strip()
    raise VerbError(unreached(message) if _UNREACHED.search(message) else message)


def _resizing(channels: Channels) -> Callable[[], None]:
    """Tells the pod of the terminal's size whenever it has another."""
    known: list[os.terminal_size] = []

    def tell() -> None:
        size = os.get_terminal_size(sys.stdout.fileno())
        if known != [size]:
            known[:] = [size]
            said = {"Width": size.columns, "Height": size.lines}
            channels.send(RESIZE_CHANNEL, json.dumps(said).encode())

    return tell


@contextmanager
def _raw(terminal: int) -> Iterator[None]:
    """Keys go to the pod as they are, Ctrl-C too."""
    import termios
    import tty

    before = termios.tcgetattr(terminal)
    # What was typed already is for the pod, too.
    tty.setraw(terminal, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
