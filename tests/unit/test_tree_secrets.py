"""`make check` looks for secrets in every file of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parts.secret_samples import FILE_SECRETS
from tools import check


@pytest.mark.parametrize("kind", FILE_SECRETS)
def test_a_secret_in_the_tree_is_named_by_file_and_line_and_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(check, "ROOT", tmp_path)
    line, secret = FILE_SECRETS[kind]
    file = tmp_path / "notes.md"
    file.write_text(f"\n{line}\n")
    (found,) = check.secrets([file])
    assert found == f"notes.md:2: looks like a secret ({kind})"
    assert secret not in found
