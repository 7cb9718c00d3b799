"""A pytest plugin: run tests in the order of the paths given, and begin none after a time.

`IN_TIME_UNTIL` is that time, in seconds as `time.time` counts them. What was not begun is skipped,
and counted by file at the end.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import pytest

UNTIL = "IN_TIME_UNTIL"
_REASON = "no time left"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    given = [(config.invocation_params.dir / it.partition("::")[0]).resolve() for it in config.args]

    def place(item: pytest.Item) -> int:
        around = {item.path, *item.path.parents}
        return next((at for at, path in enumerate(given) if path in around), len(given))

    items.sort(key=place)


def pytest_runtest_setup() -> None:
    if time.time() > float(os.environ[UNTIL]):
        pytest.skip(_REASON)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.getreports("skipped")
    left = Counter(
        Path(it.nodeid.partition("::")[0]).as_posix()
        for it in skipped
        if isinstance(it, pytest.TestReport) and _REASON in str(it.longrepr)
    )
    for file, count in sorted(left.items()):
        terminalreporter.write_line(f"left out, {_REASON}: {count} of {file}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    # Of the files named some have no test of this tier.
    if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
