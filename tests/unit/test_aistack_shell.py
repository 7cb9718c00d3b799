"""How a command in a pod has ended, in the words of an API server: kubernetes/apimachinery v0.35.4
pkg/util/remotecommand/constants.go and kubernetes/kubelet v0.35.4
pkg/cri/streaming/remotecommand/exec.go."""

import json
from contextlib import nullcontext
from itertools import repeat
from types import SimpleNamespace
from typing import cast

import pytest

from aistack.cluster import Cluster
from aistack.errors import LostError, VerbError
from aistack.members import Member
from aistack.shell import end_of, heard
from kube.objects import JsonObject

OUTPUT, ERROR = 1, 3
ENDED: JsonObject = {
    "status": "Failure",
    "reason": "NonZeroExitCode",
    "message": "command terminated with non-zero exit code",
    "details": {"causes": [{"reason": "ExitCode", "message": "7"}]},
}
BROKEN: JsonObject = {"status": "Failure", "reason": "InternalError", "message": "no such file\n"}


@pytest.mark.parametrize(("status", "code"), [({"status": "Success"}, 0), (ENDED, 7)])
def test_the_commands_own_exit_code_is_ours(status: JsonObject, code: int) -> None:
    assert end_of(iter([(ERROR, json.dumps(status).encode())])) == code


def test_what_could_not_be_run_is_an_error() -> None:
    with pytest.raises(VerbError, match=r"^no such file$"):
        end_of(iter([(ERROR, json.dumps(BROKEN).encode())]))


def test_an_error_does_not_repeat_the_whole_command() -> None:
    at = "https://node:10250/exec/default/mine/main"
    message = f'error sending request: Post "{at}?command=python3&command=-c+a&input=1": no such'
    with pytest.raises(VerbError) as refused:
        end_of(iter([(ERROR, json.dumps({"message": message}).encode())]))
    assert str(refused.value) == (
        "the API server does not reach the pod's node: no such; nearest: `aistack status`"
    )


def test_what_a_command_says_without_an_end_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    without_end = SimpleNamespace(exchange=lambda _: repeat((OUTPUT, b"y\n" * 100)))
    monkeypatch.setattr("aistack.shell.started", lambda *_: nullcontext(without_end))
    monkeypatch.setattr("aistack.shell._MOST_BYTES", 1000)
    member = Member({"metadata": {"name": "x"}}, "0")
    with pytest.raises(VerbError, match="comes to no end; nearest: without --json"):
        heard(cast(Cluster, None), member, "main", ["yes"])


def test_a_connection_that_ends_without_a_word_is_lost(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    with pytest.raises(LostError):
        end_of(iter([(OUTPUT, b"half of it")]))
    assert capfdbinary.readouterr().out == b"half of it"
