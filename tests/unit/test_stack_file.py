"""What a program is given of a stack's file, and what is refused of it."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from aistack.errors import VerbError
from aistack.own_cluster import check_cluster
from catalog.strict_yaml import YamlError
from cli.errors import UserError
from review.command import known_secrets
from review.order import platforms_in
from sandbox.workspace import Workspace
from stacks.config import of_keys
from stacks.names_beside import config_of, names_beside
from stacks.pulumi_config import _passed_over
from stacks.stack_file import (
    LARGEST,
    is_encrypted,
    parse_stack_file,
    project_values,
    read_stack_file,
    value_of,
)
from stacks.value_checks import moment

PROJECT = "gke-ai-stacks"
DEEP = "line 1: more than 100 blocks or lists in each other; nearest: fewer"


def read(text: str) -> dict[str, object]:
    return parse_stack_file(text.encode(), PROJECT).config


def test_a_key_without_prefix_is_the_projects_own() -> None:
    found = read("config: {stack: {name: a}, gcp:zone: z, gke-ai-stacks:wandb_api_key: k}")
    assert found == {
        "gke-ai-stacks:stack": {"name": "a"},
        "gcp:zone": "z",
        "gke-ai-stacks:wandb_api_key": "k",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "config:\n  stack:\n    buckets: {a: {}}\n    ray: {}\n    buckets: {b: {}}\n",
            ["stack.buckets: stands twice, in lines 3 and 5; nearest: one block with both"],
        ),
        (
            "config:\n  stack: {pools: {gpu: {nodes: 1}, gpu: {nodes: 2}}}\n",
            ["stack.pools.gpu: stands twice, in line 2; nearest: one block with both"],
        ),
        (
            "config:\n  gke-ai-stacks:stack: {jobs: {a: {steps: 1, steps: 2}}}\n  gcp:zone: a\n"
            "  gcp:zone: b\n",
            [
                "gcp:zone: stands twice, in lines 3 and 4; nearest: one of them",
                "stack.jobs.a.steps: stands twice, in line 2; nearest: one of them",
            ],
        ),
        (
            "config:\n  stack:\n    labels: {0x10: a, 16: b}\n",
            ["stack.labels.16: stands twice, in line 3; nearest: one of them"],
        ),
        (
            "config:\n  stack: {a: 1}\n  gcp:zone: z\n  gke-ai-stacks:stack: {b: 1}\n",
            [
                "stack: stands twice, as stack in line 2 and as gke-ai-stacks:stack in line 4, "
                "which are one key to Pulumi; nearest: one of them"
            ],
        ),
        (
            "config: {gcp:zone: a}\nconfig: {gcp:zone: b}\n",
            ["config: stands twice, in lines 1 and 2; nearest: one block with both"],
        ),
    ],
)
def test_a_key_that_stands_twice_is_refused_wherever_it_does(text: str, said: list[str]) -> None:
    with pytest.raises(YamlError) as refused:
        read(text)
    assert sorted(refused.value.lines) == said


def test_each_alias_is_a_value_of_its_own() -> None:
    found = read("config: {stack: {a: &x {p: 1}, b: *x}}")["gke-ai-stacks:stack"]
    assert isinstance(found, dict)
    found["a"]["p"] = 2
    assert found["b"] == {"p": 1}


def test_aliases_of_aliases_without_an_end_are_refused() -> None:
    lines = ["config:", "  stack:", "    a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"    a{it}: &a{it} [{', '.join([f'*a{it - 1}'] * 10)}]" for it in range(1, 8)]
    with pytest.raises(YamlError, match="aliases make more values"):
        read("\n".join(lines))


def test_what_is_encrypted_is_known_by_its_form() -> None:
    assert is_encrypted({"secure": "v1:x"})
    assert not is_encrypted({"secure": "v1:x", "other": 1})
    assert not is_encrypted({"secure": 5})


def test_values_of_an_environment_are_known_to_be_missing() -> None:
    assert parse_stack_file(b"environment: [prod]\nconfig: {}\n", PROJECT).environments
    assert not parse_stack_file(b"environment:\nconfig: {}\n", PROJECT).environments


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(
            ("no", "no"),
            ("4", 4),
            ("0o17", 15),
            ("{a: on}", {"a": "on"}),
            ("", None),
            ("1e3", 1000),
        ),
        # Go knows no zone that is more than a day away.
        ("2027-01-02T02:00:00+25:00", "2027-01-02T02:00:00+25:00"),
        # More digits than Python makes a number of.
        ("9" * 5000, "9" * 5000),
        (f"-{'9' * 20}", -(10**20)),
    ],
    ids=lambda it: str(it)[:30],
)
def test_a_value_alone_is_what_it_is_in_a_file(text: str, value: object) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 800 + "]" * 800, DEEP),
        # So many end a process that goes down to them.
        ("[" * 500_000 + "]" * 500_000, DEEP),
        ("- " * 500_000, DEEP),
        ("{<<: [{a: 1}, 5]}", "line 1: << takes a block, or a list of blocks"),
        ("!!binary /w==", "line 1: no base64 of a text; nearest: the text itself"),
        (
            "\ud800",
            "byte 1: not UTF-8 (invalid Unicode character); nearest: the file in UTF-8",
        ),
    ],
    ids=["deep", "lists", "entries", "merge", "binary", "half"],
)
def test_a_value_that_pulumi_cannot_read_is_refused(text: str, said: str) -> None:
    with pytest.raises(YamlError) as refused:
        value_of(text)
    assert refused.value.lines == (said,)


def test_the_keys_of_a_config_can_come_from_another_block() -> None:
    found = read("base: &base {gcp:zone: z, gcp:region: r}\nconfig: {<<: *base, gcp:region: own}\n")
    assert found == {"gcp:zone": "z", "gcp:region": "own"}


def test_a_time_without_quotes_is_the_time() -> None:
    found = read("config: {stack: {at: 2027-01-02T02:00:00+02:00}}")["gke-ai-stacks:stack"]
    assert found == {"at": "2027-01-02 02:00:00 +0200 +0200"}
    assert moment("2027-01-02 02:00:00 +0200 +0200") == "2027-01-02T02:00:00+02:00"
    assert moment("2027-01-02 02:00:00.5 +0000 UTC") == "2027-01-02T02:00:00.5+00:00"


def test_a_reader_of_files_says_which_bytes_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(YamlError, match=r"^byte 17: not UTF-8"):
        parse_stack_file("config: {stack: é}".encode("latin-1"), PROJECT)


def test_a_part_beside_config_is_refused_and_one_that_holds_an_anchor_is_not(
    tmp_path: Path,
) -> None:
    file = tmp_path / "Pulumi.x.yaml"
    file.write_text("config:\n  gke-ai-stacks:stack: {name: x}\nlustre: {name: y}\n")
    with pytest.raises(YamlError, match=r"lustre \(line 3\): stands beside config, .*below"):
        read_stack_file(file, "gke-ai-stacks")
    file.write_text("base: &base {name: x}\nconfig:\n  gke-ai-stacks:stack: {<<: *base}\n")
    assert read_stack_file(file, "gke-ai-stacks").config["gke-ai-stacks:stack"] == {"name": "x"}


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("gcp:zon", "gcp:zone"),
        ("gcp:credentials", "leave it out"),
        ("gke-ai-stacks:pools", "stack.pools"),
        ("gke-ai-stacks:zone", "gcp:zone"),
    ],
)
def test_a_key_that_nothing_reads_is_refused(key: str, near: str) -> None:
    (line,) = of_keys([key, "gcp:region", "gke-ai-stacks:stack"], "gke-ai-stacks", [])
    assert line.endswith(f"nothing reads this key of the config; nearest: {near}")


def _link(file: Path) -> None:
    file.with_name("elsewhere").write_text("config: {gcp:project: theirs}\n")
    file.symlink_to(file.with_name("elsewhere"))


NO_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link": (_link, "is a link, which may lead to a file that others should not see"),
    "a link to a device": (lambda it: it.symlink_to("/dev/zero"), "is a link, which"),
    "a pipe": (os.mkfifo, "is a device or a pipe; nearest: a file"),
    "a folder": (Path.mkdir, "is a folder; nearest: a file"),
    "a file without an end": (
        lambda it: it.write_text("#" * (LARGEST + 1)),
        f"has {LARGEST + 1} bytes, and no config has more than {LARGEST}",
    ),
}


@pytest.mark.parametrize(("make", "why"), NO_FILES.values(), ids=NO_FILES)
def test_what_is_no_file_of_a_config_is_refused_unread_wherever_configs_are_read(
    tmp_path: Path, make: Callable[[Path], object], why: str
) -> None:
    file = tmp_path / "Pulumi.ln.yaml"
    make(file)
    for read in (read_stack_file, project_values):
        with pytest.raises(YamlError, match=f"^{re.escape(why)}"):
            read(file, "gke-ai-stacks")
    (tmp_path / "Pulumi.own.yaml").write_text("config: {gcp:project: theirs}\n")
    assert config_of(file, "gke-ai-stacks") == {}
    assert names_beside(tmp_path, "own", "gke-ai-stacks:stack", "theirs").others == ()
    assert platforms_in(tmp_path, ["ln"], ["ln", "own"]) == {}
    assert [*known_secrets(tmp_path)] == []
    with pytest.raises(UserError, match=re.escape(f"Pulumi.ln.yaml: {why}")):
        Workspace(tmp_path / "sandbox", "ln", tmp_path).user_file()


@pytest.mark.parametrize("ending", [".yml", ".json"])
def test_a_second_file_of_the_stack_is_refused_for_pulumi_passes_over_it(
    tmp_path: Path, ending: str
) -> None:
    file = tmp_path / "Pulumi.own.yaml"
    file.write_text("config: {gcp:project: mine}\n")
    assert read_stack_file(file, PROJECT).config
    file.with_suffix(ending).write_text("{}")
    with pytest.raises(YamlError, match=f"passes over Pulumi.own{ending}, .*keys in Pulumi.own.y"):
        read_stack_file(file, PROJECT)


@pytest.mark.parametrize("key", ["stackConfigDir", "config"])
def test_a_folder_of_its_own_for_configs_is_refused_wherever_a_stack_is_read(
    tmp_path: Path, key: str
) -> None:
    file = tmp_path / "Pulumi.yaml"
    file.write_text(f"name: {PROJECT}\nruntime: python\n{key}: configs\n")
    with pytest.raises(YamlError, match=f"^{key}: configs: .* nearest: no {key}, and the files"):
        project_values(file, PROJECT)
    (tmp_path / "Pulumi.own.yaml").write_text("config: {gcp:project: mine}\n")
    with pytest.raises(UserError, match=f"Pulumi.yaml: {key}: configs"):
        Workspace(tmp_path / "sandbox", "own", tmp_path).prepare([])
    with pytest.raises(VerbError, match=f"{key}: configs"):
        check_cluster("own", {"project": "mine"}, tmp_path)
    lines = list(_passed_over(tmp_path, tmp_path / "Pulumi.own.yaml", PROJECT))
    assert [line.partition(": configs")[0] for line in lines] == [f"Pulumi.yaml: {key}"]
