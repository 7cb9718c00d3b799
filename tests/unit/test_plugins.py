"""Provider plugins are installed by their checksums, by the CLI that is pinned. That GitHub has the
archives where the tool looks for them, only a download shows."""

from __future__ import annotations

import hashlib
import io
import tarfile
from datetime import date
from pathlib import Path

import pytest

from catalog.plugins import PluginTable, ProviderPlugin
from tests.conftest import ROOT
from tools.plugins import archive_path, main, plugin_table, plugin_version, this_system

VERSION = plugin_version("gcp")
NONE = ProviderPlugin(repository="pulumi/pulumi-gcp", checksums={})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PULUMI_SKIP_UPDATE_CHECK", "true")
    return tmp_path / "home"


def release(host: Path, program: bytes) -> str:
    """Put an archive where GitHub has it, and return its SHA256."""
    archive = host / archive_path("gcp", NONE, VERSION, this_system())
    archive.parent.mkdir(parents=True)
    with tarfile.open(archive, "w:gz") as tar:
        member = tarfile.TarInfo("pulumi-resource-gcp")
        member.size, member.mode = len(program), 0o755
        tar.addfile(member, io.BytesIO(program))
    return hashlib.sha256(archive.read_bytes()).hexdigest()


def pinned(checksum: str) -> PluginTable:
    checksums = {VERSION: {this_system(): checksum}}
    plugin = ProviderPlugin(repository=NONE.repository, checksums=checksums)
    return PluginTable(source="test", date=date(2026, 1, 1), plugins={"gcp": plugin})


def installed(home: Path) -> list[bytes]:
    return [it.read_bytes() for it in home.glob("plugins/*/pulumi-resource-gcp")]


def test_a_plugin_with_the_pinned_checksum_is_installed(tmp_path: Path, home: Path) -> None:
    checksum = release(tmp_path, b"#!/bin/sh\n")
    assert main([], host=tmp_path.as_uri(), table=pinned(checksum)) == 0
    assert installed(home) == [b"#!/bin/sh\n"]


def test_of_a_plugin_with_another_checksum_nothing_is_installed(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = release(tmp_path, b"#!/bin/sh\n# planted\n")
    assert main([], host=tmp_path.as_uri(), table=pinned("0" * 64)) == 1
    assert f"has the SHA256 {read}, and catalog/data/plugins.yaml has {'0' * 64}" in (
        capsys.readouterr().err
    )
    assert installed(home) == []


def test_what_a_release_has_now_is_printed_as_the_table_wants_it(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = release(tmp_path, b"#!/bin/sh\n")
    assert main(["--read"], host=tmp_path.as_uri(), table=pinned(read)) == 0
    said = capsys.readouterr().out
    assert said == f"gcp: checksums: {{{VERSION}: {{{this_system()}: {read}}}}}\n"
    assert installed(home) == []


def test_an_archive_that_is_not_there_is_one_line(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], host=tmp_path.as_uri(), table=pinned("0" * 64)) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_plugin_without_a_checksum_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    table = PluginTable(source="test", date=date(2026, 1, 1), plugins={"gcp": NONE})
    assert main([], table=table) == 0
    assert f"gcp {VERSION}: catalog/data/plugins.yaml has no checksum" in capsys.readouterr().out


def test_the_table_has_every_plugin_that_the_program_asks_for() -> None:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    wanted = {it.partition("==")[0].removeprefix("pulumi-") for it in lines if "pulumi-" in it[:7]}
    assert set(plugin_table().plugins) == wanted
    assert wanted == {"gcp", "kubernetes"}
