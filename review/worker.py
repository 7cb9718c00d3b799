"""A process that runs one command of `python -m` after the other, so that it imports once.

The SDKs take about as long to import as a small stack takes to preview.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from cli.pulumi_cli import binary
from kube.reading import whole

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
# Only names of the command line that every commit has: the base runs its own code.
_LOOP = """
import json, runpy, sys
for line in sys.stdin:
    module, *arguments = json.loads(line)
    sys.argv = [module, *arguments]
    code = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        import traceback
        traceback.print_exc()
        code = 1
    sys.stderr.flush()
    print(f"{MARK}{code}", flush=True)
"""
_MARK = "\x00ended "
# What a preview on the sandbox has a use for. The rest stays outside: the code and the configs that
# are reviewed are others', and among the rest are tokens, passphrases and where credentials lie.
_HANDED_ON = ("AI_STACKS_TODAY", "LANG", "LC_ALL", "TMPDIR", "TZ")
# The engine saves its state once, not after every resource: what fails here is thrown away.
_ONLY_THE_END_COUNTS = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}


class Worker:
    """Runs modules in `folder` with this interpreter; leave it as a context."""

    def __init__(self, folder: Path) -> None:
        path = os.pathsep.join([str(binary().parent), os.environ.get("PATH", os.defpath)])
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"MARK = {_MARK!r}\n{_LOOP}"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                **{name: it for name in _HANDED_ON if (it := os.environ.get(name)) is not None},
                **_ONLY_THE_END_COUNTS,
                "PATH": path,
                # Google's and Kubernetes' credentials are looked for there.
                "HOME": str(folder),
            },
            text=True,
            errors="replace",
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def run(self, module: str, arguments: Sequence[str]) -> tuple[int, str, float]:
        """Its exit code, what it printed, and seconds; -1 when the process itself ended."""
        began, log = time.monotonic(), list[str]()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        code = -1
        try:
            self._process.stdin.write(json.dumps([module, *arguments]) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return code, "", 0.0
        for line in self._process.stdout:
            if line.startswith(_MARK):
                code = whole(line.removeprefix(_MARK), 1)
                break
            log.append(_ANSI.sub("", line))
        return code, "".join(log), time.monotonic() - began
