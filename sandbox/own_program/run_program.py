"""Runs a Pulumi program in Python as the main module of its folder, for `language_host`.

It is started by the program's own Python, so it imports nothing of this project. Options and
variables are those of pulumi/pulumi sdk/python/cmd/pulumi-language-python-exec, v3.256.0.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import logging
import os
import runpy
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

# The folder of this file is nowhere for the program to import from.
sys.path[:] = [it for it in sys.path if it != os.path.dirname(os.path.abspath(__file__))]

import pulumi  # noqa: E402
import pulumi.runtime  # noqa: E402

# To the language host: what went wrong was told.
TOLD = 32
_OPTIONS = ("monitor", "engine", "project", "stack", "organization", "root_directory")


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in (*_OPTIONS, "pwd", "parallel", "dry_run"):
        parser.add_argument(f"--{name}")
    parser.add_argument("program")
    parser.add_argument("args", nargs="*")
    given = parser.parse_args()
    config = pulumi.runtime.get_config_env()
    pulumi.runtime.set_all_config(config, pulumi.runtime.get_config_secret_keys_env())
    parallel = max(int(given.parallel or 1), 1)
    settings = {name: getattr(given, name) for name in _OPTIONS}
    settings |= {"parallel": parallel, "dry_run": given.dry_run == "true"}
    # Earlier releases of the SDK have fewer.
    known = inspect.signature(pulumi.runtime.Settings.__init__).parameters
    pulumi.runtime.configure(
        pulumi.runtime.Settings(**{key: it for key, it in settings.items() if key in known})
    )
    os.chdir(given.pwd)
    sys.argv = [given.program, *given.args]
    if os.path.isfile(given.program):
        sys.path.insert(0, os.path.dirname(os.path.abspath(given.program)))
    # What a program that fails leaves behind is no fault of its own.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    return _run(given.program, parallel)


def _run(program: str, parallel: int) -> int:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    with ThreadPoolExecutor(parallel * 4) as executor:
        loop.set_default_executor(executor)
        try:
            loop.run_until_complete(pulumi.runtime.run_in_stack(lambda: _main(program)))
        except pulumi.RunError as error:
            pulumi.log.error(str(error))
            return 1
        except Exception:
            pulumi.log.error(f"Program failed with an unhandled exception:\n{_own_frames(program)}")
            return TOLD
    return 0


def _main(program: str) -> None:
    runpy.run_path(program, run_name="__main__")


def _own_frames(program: str) -> str:
    """The traceback from the program on."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    folder = os.path.abspath(program if os.path.isdir(program) else os.path.dirname(program))
    first = next((at for at, it in enumerate(frames) if _is_in(folder, it.filename)), 0)
    return traceback.format_exc(limit=first - len(frames) if first else None)


def _is_in(folder: str, file: str) -> bool:
    return not file.startswith("<") and os.path.abspath(file).startswith(folder + os.sep)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(code)
