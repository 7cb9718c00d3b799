"""Installs the provider plugins whose checksums catalog/data/plugins.yaml has.

`make plugins` downloads each archive, compares its SHA256 and hands the archive to the pinned
Pulumi CLI; a plugin without a checksum is named and left to the engine. `make plugins READ=1`
prints the checksums of what the releases have now, for who wants to add them.

The comparison is not left to `pulumi plugin install --checksum`: at v3.256.0 it leaves out what a
read returns together with the end of the archive (pulumi/pulumi sdk/go/common/workspace/
plugins.go:892, checksumReader.Read), so it refuses an archive that comes over HTTP/1.1 with the
right checksum.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from catalog.plugins import PluginTable, ProviderPlugin
from catalog.table import load_table
from cli.errors import UserError
from cli.pulumi_cli import binary

FILE = "catalog/data/plugins.yaml"
GITHUB = "https://github.com"
_PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}
_MEBIBYTE = 1024 * 1024


def plugin_table() -> PluginTable:
    return load_table(PluginTable, "plugins")


def plugin_version(name: str) -> str:
    """The version of the plugin that the program asks for, which is that of its Python package."""
    return version(f"pulumi-{name}")


def this_system() -> str:
    machine = platform.machine().lower()
    return f"{platform.system().lower()}-{_PROCESSORS.get(machine, machine)}"


def archive_path(name: str, plugin: ProviderPlugin, release: str, system: str) -> str:
    """The path of an archive below GitHub's address."""
    file = f"pulumi-resource-{name}-v{release}-{system}.tar.gz"
    return f"{plugin.repository}/releases/download/v{release}/{file}"


def install(name: str, plugin: ProviderPlugin, system: str, host: str) -> str:
    """Install a plugin by its checksum, and return what was done. Raises UserError."""
    release = plugin_version(name)
    wanted = plugin.checksum(release, system)
    if wanted is None:
        return (
            f"{name} {release}: {FILE} has no checksum for {system}, so the engine downloads the "
            "plugin by its version; nearest: make plugins READ=1"
        )
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "plugin.tar.gz"
        read = _download(f"{host}/{archive_path(name, plugin, release, system)}", archive)
        if read != wanted:
            raise UserError(
                f"{name} {release}: the archive for {system} has the SHA256 {read}, and {FILE} has "
                f"{wanted}; nothing of it was installed"
            )
        what = ["resource", name, release, "--file", str(archive), "--reinstall"]
        done = subprocess.run(
            [binary(), "plugin", "install", *what, "--non-interactive"],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise UserError(f"{name} {release}: {done.stderr.strip() or done.stdout.strip()}")
    return f"{name} {release}: installed, SHA256 {wanted}"


def read_checksum(name: str, plugin: ProviderPlugin, system: str, host: str) -> str:
    """The checksum of the archive that the release has now, as the table wants it. Raises
    UserError."""
    release = plugin_version(name)
    with tempfile.TemporaryDirectory() as folder:
        path = archive_path(name, plugin, release, system)
        read = _download(f"{host}/{path}", Path(folder) / "plugin.tar.gz")
    return f"{name}: checksums: {{{release}: {{{system}: {read}}}}}"


def _download(url: str, file: Path) -> str:
    """Write what is at the address into the file, and return its SHA256. Raises UserError."""
    digest = hashlib.sha256()
    try:
        with urllib.request.urlopen(url) as source, file.open("wb") as target:
            while chunk := source.read(_MEBIBYTE):
                digest.update(chunk)
                target.write(chunk)
    except (urllib.error.URLError, OSError) as error:
        raise UserError(f"{url}: {error}") from None
    return digest.hexdigest()


def main(arguments: Sequence[str], *, host: str = GITHUB, table: PluginTable | None = None) -> int:
    act = read_checksum if "--read" in arguments else install
    try:
        for name, plugin in (table or plugin_table()).plugins.items():
            print(act(name, plugin, this_system(), host))
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
