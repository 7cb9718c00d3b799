"""The command of a Ray job: a launcher with `key=value` parameters. Pure.

Every word of it stands as it is in a shell. So it can be given to `ray job submit`, too, whose
words reach the cluster's shell without the quotes that they need there: Ray up to 2.55 joins them
with `subprocess.list2cmdline` (ray-project/ray python/ray/dashboard/modules/job/cli.py, 2.54.0).
"""

import re
import shlex
from collections.abc import Mapping, Sequence

from components.ray_manifest import LAUNCHER_DIR

# The kubelet brings a changed ConfigMap to a running pod within its sync period and cache lifetime,
# about two minutes at worst.
_LAUNCHER_WAIT_S = 600
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


def launcher_command(file_name: str, parameters: Mapping[str, str]) -> list[str]:
    """Runs a launcher that the head has."""
    interpreter = "python3" if file_name.endswith(".py") else "bash"
    arguments = [f"{key}={value}" for key, value in parameters.items()]
    return [interpreter, f"{LAUNCHER_DIR}/{file_name}", *arguments]


def resumed_command(file_name: str, gpus: int, command: Sequence[str]) -> list[str]:
    """The same by a script that needs to know how many GPUs the command takes."""
    return ["python3", f"{LAUNCHER_DIR}/{file_name}", str(gpus), *command]


def entrypoint(file_names: Sequence[str], command: Sequence[str]) -> str:
    """One line for Ray's own interface: the command, once the head's pod has these files."""
    there = " && ".join(f"[ -f {LAUNCHER_DIR}/{name} ]" for name in file_names)
    wait = f"timeout {_LAUNCHER_WAIT_S} bash -c 'until {there}; do sleep 2; done'"
    return shlex.join(["bash", "-c", f'{wait} && exec "$@"', "launcher", *command])


def by_hand(command: Sequence[str]) -> str:
    """The words as a user's shell and then Ray's takes them."""
    for word in command:
        if not _PLAIN.fullmatch(word):
            raise ValueError(f"{word!r} would not reach the cluster as it is")
    return " ".join(command)
