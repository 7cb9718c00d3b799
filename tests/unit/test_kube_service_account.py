"""The service account, as registered."""

import pytest

from components.cluster.kube_service_account import KubeServiceAccount, KubeServiceAccountArgs
from tests.conftest import Recording, Register, inside


def made(register: Register, account_name: str = "trainer") -> Recording:
    args = KubeServiceAccountArgs(
        namespace="rl", account_name=account_name, labels={"stack": "test"}
    )
    return register(lambda: KubeServiceAccount("identity", args, opts=inside()))


def test_others_learn_its_name_from_the_account_itself(register: Register) -> None:
    recording = made(register)
    account = recording.one(":ServiceAccount")
    assert account.inputs["metadata"] == {
        "name": "trainer",
        "namespace": "rl",
        "labels": {"stack": "test"},
    }
    assert recording.outputs[recording.named("identity").urn] == {"account_name": "trainer"}
    assert account.delete_before_replace


def test_its_pods_have_no_token_for_the_api_server_unless_they_ask(register: Register) -> None:
    account = made(register).one(":ServiceAccount")
    assert account.inputs["automountServiceAccountToken"] is False


def test_an_illegal_name_is_refused(register: Register) -> None:
    with pytest.raises(ValueError, match=r"nearest: my-trainer$"):
        made(register, "My_Trainer")
