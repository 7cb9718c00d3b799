"""What a review runs is of others, and gets of who runs it but what a preview has a use for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from review.worker import Worker

SECRETS = {
    "GOOGLE_APPLICATION_CREDENTIALS": "/somewhere/of/theirs/key.json",
    "HUGGING_FACE_TOKEN": "hf_secret",
    "PULUMI_CONFIG_PASSPHRASE": "secret",
    "GITHUB_TOKEN": "ghs_secret",
    "KUBECONFIG": "/somewhere/of/theirs/.kube/config",
    "CLOUDSDK_CONFIG": "/somewhere/of/theirs/gcloud",
    "ANYTHING_ELSE": "secret",
}


def test_code_that_is_reviewed_gets_no_variable_and_no_home_of_its_reviewers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", "/somewhere/of/theirs")
    monkeypatch.setenv("LANG", "C.UTF-8")
    module = "import json, os\nprint(json.dumps(dict(os.environ)))\n"
    (tmp_path / "shown.py").write_text(module, encoding="utf-8")
    with Worker(tmp_path) as worker:
        code, printed, _ = worker.run("shown", ())
    assert code == 0
    environment = json.loads(printed)
    assert not environment.keys() & SECRETS.keys()
    assert "/somewhere/of/theirs" not in printed
    assert environment["HOME"] == str(tmp_path)
    assert environment["LANG"] == "C.UTF-8"
    assert environment["PATH"]
