"""Free loopback ports, chosen once and kept, for what must be found again."""

from __future__ import annotations

import json
import os
import random
import socket
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from filelock import FileLock

from cli.errors import UserError
from sandbox.control_plane.private_files import write_private

# Below those that Linux gives to outgoing connections: nobody takes one by chance while its
# program is down.
_RANGE = range(20000, 32768)


def choose_ports(file: Path, names: Iterable[str], down: Iterable[str]) -> dict[str, int]:
    """A port for each name; those of programs that are `down` are chosen anew where taken.

    Between the choice and the moment when its program listens a port looks free, so that the
    user's sandboxes look at each other's files too. Raises UserError where they cannot."""
    shared = _shared_folder()
    with FileLock(shared / "lock"):
        known = shared / "files.json"
        others = dict(_others(known, file))
        ports = _read(file)
        kept = dict(ports)
        taken = {port for them in others.values() for port in them.values()}
        for name in down:
            if name in kept and (kept[name] in taken or not _is_free(kept[name])):
                del kept[name]
        for name in names:
            if name not in kept:
                kept[name] = _free_port({*kept.values(), *taken})
        if kept != ports:
            write_private(file, json.dumps(kept, indent=2) + "\n")
        write_private(known, json.dumps([*map(str, others), str(file.absolute())]) + "\n")
    return kept


def _shared_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"aistack-ports-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise UserError(
            f"{folder}: belongs to somebody else, and would say which ports are free; nearest: "
            "set TMPDIR to a folder of your own"
        )
    return folder


def _others(known: Path, own: Path) -> Iterator[tuple[Path, Mapping[str, int]]]:
    """The ports of the user's other sandboxes that are still there, by their file."""
    files = [Path(it) for it in json.loads(known.read_text())] if known.exists() else []
    for file in files:
        if file != own.absolute() and (ports := _read(file)):
            yield file, ports


def _read(file: Path) -> dict[str, int]:
    return json.loads(file.read_text()) if file.exists() else {}


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
