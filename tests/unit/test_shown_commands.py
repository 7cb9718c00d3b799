"""Commands that are shown to be run: what they have of a cluster, a state or a file is quoted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.conftest import ROOT

FOLDERS = ("aistack", "cli", "components", "kube", "recovery", "review", "sandbox", "stacks")
FILES = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))
PROGRAM = re.compile(r"(?:^|[`\s])(?:aistack|gcloud|helm|kubectl|pulumi) [a-z]")
# Pulumi has no stack whose name a shell reads otherwise (pulumi/pulumi v3.256.0 sdk/go/common/
# tokens/names.go), and what follows are words of ours, or words that are quoted above.
SOUND = {
    "stack",
    "self.name",
    *("OBJECT", "_OF_GKE", "PLUGIN", "ROLE", "_DEFINITIONS", "wanted"),
    *("api", "apis", "key", "name", "services[api].account"),
    *("dependents", "number", "of_project", "self.again", "targets"),
}


def unquoted(file: ast.AST) -> Iterator[str]:
    """Words of commands that are put in as they are."""
    for text in ast.walk(file):
        if not isinstance(text, ast.JoinedStr):
            continue
        within = False
        for part in text.values:
            if isinstance(part, ast.Constant):
                said = str(part.value)
                began = max((it.end() for it in PROGRAM.finditer(said)), default=0)
                within = (within or began > 0) and not re.search(r"[`;,]|: |\. ", said[began:])
            elif within and isinstance(part, ast.FormattedValue):
                word = ast.unparse(part.value)
                if not word.startswith(("shlex.join(", "shlex.quote(")):
                    yield word


def test_a_command_has_no_word_of_others_as_it_is() -> None:
    found = {
        str(file.relative_to(ROOT)): words
        for file in FILES
        if (words := set(unquoted(ast.parse(file.read_text(encoding="utf-8")))) - SOUND)
    }
    assert found == {}


def test_a_word_that_is_not_quoted_is_found() -> None:
    (word,) = unquoted(ast.parse("""print(f"see `kubectl get node {node}`, {why}")"""))
    assert word == "node"
