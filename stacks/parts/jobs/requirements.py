"""Packages of a script's own: its `requirements.txt`, installed before the program starts. No
Pulumi import.

Each pod of a JobSet runs pip as the user of its image, into the image's Python; where that user may
not write there, pip takes the user's own folder (pypa/pip 23.2.1
src/pip/_internal/commands/install.py, decide_user_install). On a RayCluster Ray installs them for
the job on every node that runs a part of it: it writes each package of its list as a line of a
requirements file (ray-project/ray 2.56.0 python/ray/_private/runtime_env/dependency_utils.py,
gen_requirements_txt).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from stacks.parts.jobs.command_words import FILES_VARIABLE, is_python
from stacks.problems import Problem

REQUIREMENTS = "requirements.txt"
# The last line of a pod whose packages cannot be installed, by which `aistack why` knows it.
NOT_INSTALLED = f"{REQUIREMENTS} is not installed: pip ended with exit code"
# Debian's Python refuses packages of pip's without the variable, which pip before 23.0.1 does not
# know and ignores (PEP 668; pypa/pip NEWS.rst, 23.0.1).
_INSTALL = (
    'PIP_BREAK_SYSTEM_PACKAGES=1 "$0" -m pip install --disable-pip-version-check --no-input '
    # What pip keeps for another time takes as much of the pod's disk again as it downloads.
    "--no-cache-dir "
    f'--requirement "${FILES_VARIABLE}/{REQUIREMENTS}" '
    f'|| {{ code=$?; echo "{NOT_INSTALLED} $code" >&2; exit "$code"; }}\n'
    'exec "$@"'
)
# The same by a line of the command's own, or of a shell script that it runs.
_LONGEST_LINE = 4096
_OWN = re.compile(rf"\bpip[\d.]*['\"]?\s+install\b[^;&|\n]*\b{re.escape(REQUIREMENTS)}(?!\.)")
# pip's own (pypa/pip 23.2.1 src/pip/_internal/req/req_file.py, COMMENT_RE, join_lines).
_COMMENT = re.compile(r"(^|\s)#.*$")
_OTHER_FILE = re.compile(r"(-r|--requirement|-c|--constraint)(\s+|=|(?<=-[rc]))(?P<name>\S+)")
# The second is as `pip freeze` writes what conda has built.
_LOCAL = re.compile(
    r"((-e|--editable)[\s=]+)?(\.{0,2}/|file:|\.+($|\[))|[A-Za-z0-9][\w.-]*(\[[^]]*\])?\s*@\s*(file:|/|\.)"
)


def installs_itself(command: Sequence[str], files: Mapping[str, str]) -> bool:
    """Whether the command installs the file by itself."""
    names = {PurePosixPath(it).name for it in command}
    scripts = [text for name, text in files.items() if name in names and name.endswith(".sh")]
    lines = (line for it in (" ".join(command), *scripts) for line in it.splitlines())
    return any(_OWN.search(it[:_LONGEST_LINE]) for it in lines)


def with_requirements(command: Sequence[str], files: Mapping[str, str]) -> list[str]:
    """The command of a pod, after the packages that the files name, unless it installs them by
    itself. pip is that of the Python that runs the program."""
    if not packages_of(files) or installs_itself(command, files):
        return list(command)
    python = command[0] if is_python(command[0]) else "python3"
    return ["sh", "-c", _INSTALL, python, *command]


def packages_of(files: Mapping[str, str]) -> list[str]:
    """What the requirements file asks pip for, a line each."""
    # Which some editors write first, and pip takes away.
    whole = files.get(REQUIREMENTS, "").removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    joined = whole.replace("\\\r\n", "").replace("\\\n", "")
    lines = (_COMMENT.sub("", it).strip() for it in joined.splitlines())
    return [it for it in lines if it]


def requirements_problems(
    field: str, files: Mapping[str, str], *, on_ray: bool
) -> Iterator[Problem]:
    """Lines that name what the pods do not have."""
    for line in packages_of(files):
        other, local = _OTHER_FILE.match(line), _LOCAL.match(line)
        if other is not None and (on_ray or other["name"].removeprefix("./") not in files):
            why = (
                "which Ray's pip does not see"
                if other["name"].removeprefix("./") in files
                else "which is not among the files"
            )
            yield Problem(
                field,
                f'{REQUIREMENTS}: "{line}" names a file, {why}; nearest: the lines of '
                f"{PurePosixPath(other['name']).name} in {REQUIREMENTS}",
            )
        elif local is not None:
            yield Problem(
                field,
                f'{REQUIREMENTS}: "{line}" is a package of this machine, which the pods do not '
                "have; nearest: its name and version in an index, or git+https://",
            )
