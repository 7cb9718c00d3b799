"""A state that a full disk cut in the middle is taken from its newest whole copy."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cli.errors import UserError
from sandbox import state_copies
from sandbox.locks import engine_pid, stale_locks

RESET = "sandbox reset --stack dev"


def write(file: Path, text: str, second: int) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (second, second))
    return file


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "dev.json"


def whole(number: int) -> str:
    return json.dumps({"number": number})


def cut(number: int) -> str:
    return whole(number)[:-3]


def test_the_newest_whole_copy_takes_the_place_of_half_a_state(state: Path) -> None:
    write(state, cut(4), 40)
    write(state.with_name("dev.json.1001"), whole(1), 10)
    write(state.with_name("dev.json.1002"), whole(2), 20)
    write(state.with_name("dev.json.1003"), cut(3), 30)
    assert state_copies.restore(state, RESET)
    assert state.read_text() == whole(2)


def test_the_engines_own_backup_counts_where_it_is_the_newest(state: Path) -> None:
    write(state, cut(4), 40)
    write(state.with_name("dev.json.1002"), cut(3), 20)
    write(state.with_name("dev.json.bak"), whole(3), 35)
    write(state.with_name("dev.json.1001"), whole(2), 10)
    assert state_copies.restore(state, RESET)
    assert state.read_text() == whole(3)


def test_a_whole_state_is_left_alone(state: Path) -> None:
    write(state, whole(1), 10)
    write(state.with_name("dev.json.1001"), whole(2), 20)
    assert not state_copies.restore(state, RESET)
    assert state.read_text() == whole(1)


def test_a_state_with_no_whole_copy_is_an_error_that_says_what_is_left_to_do(state: Path) -> None:
    write(state, "", 10)
    with pytest.raises(UserError, match=r"nearest: sandbox reset --stack dev$"):
        state_copies.restore(state, RESET)


def test_old_copies_go_and_whole_ones_stay_however_many_are_cut_after_them(state: Path) -> None:
    write(state, whole(99), 99)
    for number in range(5):
        write(state.with_name(f"dev.json.{1000 + number}"), whole(number), number)
    for number in range(5, 20):
        write(state.with_name(f"dev.json.{1000 + number}"), cut(number), number)
    state_copies.keep_few(state)
    kept = {file.name for file in state.parent.iterdir()}
    assert {"dev.json.1004", "dev.json.1003"} <= kept
    assert not {"dev.json.1002", "dev.json.1001"} & kept


def test_half_a_lock_is_of_a_process_that_is_no_more(tmp_path: Path) -> None:
    lock = tmp_path / ".pulumi" / "locks" / "organization" / "p" / "dev" / "a.json"
    write(lock, '{"pid": ', 10)
    assert stale_locks(tmp_path)
    assert engine_pid(tmp_path) is None
    write(lock, json.dumps({"pid": os.getpid()}), 10)
    assert not stale_locks(tmp_path)
    assert engine_pid(tmp_path) == os.getpid()
