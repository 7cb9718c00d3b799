"""Free loopback ports, chosen once and kept, for what must be found again."""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Iterable
from pathlib import Path

from sandbox.control_plane.private_files import write_private

# Below those that Linux gives to outgoing connections: nobody takes one by chance while its
# program is down.
_RANGE = range(20000, 32768)


def choose_ports(file: Path, names: Iterable[str], down: Iterable[str]) -> dict[str, int]:
    """A port for each name; those of programs that are `down` are chosen anew where taken."""
    ports: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
    kept = dict(ports)
    for name in down:
        if name in kept and not _is_free(kept[name]):
            del kept[name]
    for name in names:
        if name not in kept:
            kept[name] = _free_port(kept.values())
    if kept != ports:
        write_private(file, json.dumps(kept, indent=2) + "\n")
    return kept


def _free_port(taken: Iterable[int]) -> int:
    candidates = list(set(_RANGE) - set(taken))
    random.SystemRandom().shuffle(candidates)
    return next(port for port in candidates if _is_free(port))


def _is_free(port: int) -> bool:
    with socket.socket() as listener:
        # As the programs do: connections of before that are still being closed do not count.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen()
        except OSError:
            return False
    return True
