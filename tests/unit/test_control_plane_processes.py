"""Which process is ours, and how it ends."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.project import PROJECT_FOLDER
from sandbox.control_plane.layout import Layout
from sandbox.control_plane.processes import ManagedProcess, end
from sandbox.control_plane.programs import Program

SLEEP = "import signal; signal.pause()"
# Says that it is deaf before it is.
STUBBORN = """
import signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
while True: signal.pause()
"""


def python(code: str) -> Program:
    return Program(name="sleeper", command=(sys.executable, "-S", "-c", code), ready="")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


@pytest.fixture
def process(layout: Layout) -> Iterator[ManagedProcess]:
    process = ManagedProcess(layout, "sleeper")
    yield process
    end([process], 0)


def test_a_process_is_found_again_by_whoever_has_its_folder(
    process: ManagedProcess, layout: Layout
) -> None:
    process.start(python(SLEEP))
    assert process.pid is not None
    again = ManagedProcess(layout, "sleeper")
    assert again.pid == process.pid
    end([again], 5)
    assert process.pid is None


def test_it_is_not_in_the_session_of_the_command_that_started_it(process: ManagedProcess) -> None:
    process.start(python(SLEEP))
    assert process.pid
    assert os.getsid(process.pid) == process.pid


def test_one_that_does_not_hear_is_killed(process: ManagedProcess) -> None:
    process.start(python(STUBBORN))
    while process.last_line != "deaf":
        assert not process.wait_end(0.01)
    end([process], 0.05)
    assert process.pid is None


def test_one_that_was_killed_does_not_run(process: ManagedProcess) -> None:
    process.start(python(SLEEP))
    assert process.pid
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait_end(300)
    assert process.pid is None
    assert process.rss_mib == 0


@pytest.mark.parametrize("field", ["started", "pid"])
def test_a_process_that_only_has_its_id_is_left_alone(
    process: ManagedProcess, layout: Layout, field: str
) -> None:
    process.start(python(SLEEP))
    pid, file = process.pid, layout.record("sleeper")
    assert pid
    original = file.read_text()
    wrong = {"started": "another boot 1", "pid": 2**22 + 1}[field]
    file.write_text(json.dumps({**json.loads(original), field: wrong}))
    assert process.pid is None
    end([process], 1)
    os.kill(pid, 0)
    file.write_text(original)
    assert process.pid == pid


def test_an_id_that_a_thread_has_now_is_no_process(process: ManagedProcess, layout: Layout) -> None:
    process.start(python(SLEEP))
    end([process], 5)
    known = json.loads(layout.record("sleeper").read_text())
    may_end = threading.Event()
    thread = threading.Thread(target=may_end.wait)
    thread.start()
    layout.record("sleeper").write_text(json.dumps({**known, "pid": thread.native_id}))
    assert process.pid is None
    may_end.set()
    thread.join()


def test_the_log_of_the_run_before_is_kept(process: ManagedProcess, layout: Layout) -> None:
    for words in ("one", "two"):
        process.start(python(f"print({words!r})"))
        assert process.wait_end(300)
        assert process.last_line == words
    assert layout.log("sleeper").with_suffix(".previous.log").read_text() == "one\n"


def test_a_command_that_is_killed_as_it_starts_one_leaves_no_process(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    killed = f"""
import os
from pathlib import Path
from sandbox.control_plane import processes
from sandbox.control_plane.layout import Layout
from sandbox.control_plane.programs import Program

def killed(file, text):
    print(*processes._children, flush=True)
    os.kill(os.getpid(), 9)

processes.write_private = killed
program = Program(name="toucher", command=("/usr/bin/touch", {str(ran)!r}), ready="")
processes.ManagedProcess(Layout(Path({str(tmp_path)!r})), "toucher").start(program)
"""
    done = subprocess.run(
        [sys.executable, "-c", killed], cwd=PROJECT_FOLDER, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    _wait_gone(int(done.stdout))
    assert not ran.exists()


def _wait_gone(pid: int) -> None:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ends = select.poll()
    ends.register(handle, select.POLLIN)
    assert ends.poll(300_000)
    os.close(handle)
