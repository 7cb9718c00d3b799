"""Definitions and webhooks beside those of public repositories; no checkout of them is here."""

import subprocess
from pathlib import Path

import pytest

from catalog.strict_yaml import read_yaml
from kube.objects import JsonObject
from tools.compare_definitions import DATA, PAGE, Checkout, compare, differences, page
from tools.gke_facts import gke_facts

FINDINGS = read_yaml(DATA / "findings.yaml")
SOURCES = read_yaml(DATA / "sources.yaml")


def test_the_page_is_that_of_the_findings() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(FINDINGS)


def test_whatever_differs_has_a_reason_to_stay() -> None:
    assert [each["repository"] for each in SOURCES] == [*FINDINGS]
    assert all(each["why"] for found in FINDINGS.values() for each in found["differences"])


def test_what_was_found_of_our_webhooks_is_what_they_do() -> None:
    facts = gke_facts()
    named = {name for source in SOURCES for name in source.get("facts", {})}
    assert named == facts.keys()
    for found in FINDINGS.values():
        for each in found["differences"]:
            if each["what"] == "fact":
                assert set(each["ours"]) <= facts[each["of"]]
                assert facts[each["of"]].isdisjoint(each["theirs"])


@pytest.mark.parametrize(
    ("theirs", "ours", "what"),
    [
        ({"type": "string", "enum": ["b", "a"]}, {"type": "string", "enum": ["a", "b"]}, []),
        ({"type": "string"}, {"type": "integer"}, [("s", "type")]),
        (
            {"properties": {"a": {}}},
            {"properties": {"b": {}}},
            [("s.a", "field"), ("s.b", "field")],
        ),
        ({"items": {"maxItems": 2}}, {"items": {}}, [("s[]", "maxItems")]),
        (
            {"properties": {"a": {}}},
            {"x-kubernetes-preserve-unknown-fields": True},
            [("s", "fields")],
        ),
    ],
)
def test_a_difference_is_named_by_its_field(
    theirs: JsonObject, ours: JsonObject, what: list[tuple[str, str]]
) -> None:
    found = differences(theirs, ours, "s")
    assert [(each["path"], each["what"]) for each in found] == what


def test_a_checkout_is_read_at_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "n")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "n@example.com")
    (tmp_path / "main.go").write_text('driver = "gcsfuse.csi.storage.gke.io"\nother = "x"\n')
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    (tmp_path / "main.go").write_text("")

    place = {"file": "main.go", "pattern": '= "(.+?)"'}
    left = [{"why": "because", "paths": ["gcsfuse driver"]}]
    found = compare(Checkout.of(str(tmp_path)), {"facts": {"gcsfuse driver": place}, "left": left})

    assert found["same"] == 1
    (difference,) = found["differences"]
    assert (difference["theirs"], difference["ours"], difference["why"]) == (["x"], [], "because")
    assert found["commit"] == Checkout.of(f"{tmp_path}@HEAD").git("rev-parse", "HEAD")
