"""The notes of a release are its section of the changelog, and no tag is for another version."""

from __future__ import annotations

import pytest

from tools.release_notes import notes

PROJECT = '[project]\nversion = "1.2.0"\n'
LOG = "# Changelog\n\n## [Unreleased]\n\nNew.\n\n## [1.2.0] - 2026-11-29\n\n### Added\n\n- A.\n\n"


@pytest.mark.parametrize("older", ["", "## [1.1.0]\n\n- B.\n"])
def test_the_notes_are_the_section_of_the_version(older: str) -> None:
    assert notes("v1.2.0", PROJECT, LOG + older) == "### Added\n\n- A."


@pytest.mark.parametrize(
    ("tag", "log", "why"),
    [
        ("v1.3.0", LOG, "pyproject.toml says 1.2.0; nearest: v1.2.0"),
        ("v1.2.0", LOG.replace("1.2.0", "1x2.0"), "nothing below"),
        ("v1.2.0", "## [1.2.0]\n\n## [1.1.0]\n\n- B.\n", "nothing below"),
    ],
)
def test_a_tag_without_its_version_or_its_section_is_refused(tag: str, log: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        notes(tag, PROJECT, log)
