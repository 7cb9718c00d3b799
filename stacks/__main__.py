"""`aistack schema` writes the schema of configs of parts, for editors, and in a clone the tables of
docs/keys.md."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from cli.parser import Parser
from cli.project import PROJECT_FOLDER
from stacks.commands import aistack
from stacks.schema import PULUMI_FILE, STACK_FILE, pulumi_schema, stack_schema
from stacks.schema_tables import with_keys

FOLDER = PROJECT_FOLDER / "schema"
PAGE = PROJECT_FOLDER / "docs" / "keys.md"


def written() -> dict[Path, str]:
    """What belongs into each file that the command writes."""
    schemas = {STACK_FILE: stack_schema(), PULUMI_FILE: pulumi_schema()}
    files = {FOLDER / name: f"{json.dumps(it, indent=1)}\n" for name, it in schemas.items()}
    if PAGE.exists():
        files[PAGE] = with_keys(PAGE.read_text(encoding="utf-8"), schemas[STACK_FILE])
    return files


def main(arguments: Sequence[str] | None = None) -> int:
    """Without arguments, those of the command line."""
    parser = Parser(prog=f"{aistack()} schema", description=__doc__)
    parser.add_argument("verb", choices=["schema"], nargs="?", help="what to write")
    parser.parse_args(arguments)
    for file, text in written().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        print(f"{file.relative_to(PROJECT_FOLDER)}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
