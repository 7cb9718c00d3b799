"""How a command line of the project ends: an error in a line, never a traceback for a mistake."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from cli.errors import UserError
from cli.lines import interrupted, say_aside
from stacks.commands import aistack

_QUOTED = re.compile(r"'([^']+)'")
_CHOICE = re.compile(r"'([^']*)' is not one of (.*)")
_OPTION = re.compile(r"Invalid value for '(--[\w-]+)'")
_UNKNOWN_OPTION = re.compile(r"No such option: (--?[\w-]+)")
_QUOTED_OPTION = re.compile(r"--[\w-]+")
_MISSING_OPTION = re.compile(r"Missing option '(--[\w-]+)'")
_WITHOUT_VALUE = re.compile(r"Option '(--?[\w-]+)' requires an argument")
_EXTRA = re.compile(r"Got unexpected extra argument\(?s?\)? \((.*)\)")
_UNKNOWN_VERB = re.compile(r"No such command '([^']*)'")


class MistypedError(UserError):
    """A command line that is not what its user meant."""

    code = 2


class Group(TyperGroup):
    """Its help says of each verb all that it is for; the library cuts what is long."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [(name, (it.help or "").partition("\n\n")[0]) for name, it in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Verb(TyperCommand):
    """Refuses several letters after one dash: the library takes `-stack lab` for `-s tack`, and
    `lab` for an argument. Ctrl-C is an abort."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for word in self._own_options(args):
            if not word.startswith("--") and len(word) > 2:
                raise MistypedError(
                    f"{word}: after one dash there is one letter; nearest: {self._meant(word)}"
                )
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """The library would end an interrupted verb without a word (fastapi/typer 0.29.2
        typer/core.py `_main`)."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Abort from None

    @property
    def by_name(self) -> Mapping[str, TyperOption]:
        options = [it for it in self.params if isinstance(it, TyperOption)]
        return {name: it for it in options for name in (*it.opts, *it.secondary_opts)}

    def _own_options(self, args: Sequence[str]) -> Iterator[str]:
        """Words that are no value of the option before them."""
        options, words = self.by_name, iter(args)
        for word in words:
            if word == "--":
                return
            if word.startswith("-") and word != "-":
                yield word
            option = options.get(word)
            if option is not None and not option.is_flag:
                next(words, None)

    def _meant(self, word: str) -> str:
        options = self.by_name
        known = [*(it for it in options if it.startswith("--")), "--help"]
        name, equals, value = word.partition("=")
        if near := get_close_matches(f"-{name}", known, n=1, cutoff=0.75):
            return f"{near[0]}{equals}{value}"
        letters = [f"-{it}" for it in name[1:]]
        if not equals and all(it in options and options[it].is_flag for it in letters):
            return " ".join(letters)
        if (first := options.get(word[:2])) is not None and not first.is_flag:
            return f"{word[:2]} {shlex.quote(word[2:].removeprefix('='))}"
        return (get_close_matches(f"-{name}", known, n=1, cutoff=0) or known)[0]


def run_app(
    app: typer.Typer, meant: Mapping[str, str] | None = None, program: str | None = None
) -> int:
    """Run the command line; the exit code is 0 only when the operation succeeded. `meant` has verbs
    of this command by what other tools call them; `program` is what its help calls it."""
    _be_strict(app)
    try:
        # Without standalone mode, typer gives back a command's exit code instead of leaving.
        return int(app(prog_name=program, standalone_mode=False) or 0)
    except UserError as error:
        is_usage = error.code == MistypedError.code
        said = _with_next(str(error), _help_of(app, program)) if is_usage else str(error)
        say_aside(f"error: {said}")
        return error.code
    except (KeyboardInterrupt, typer.Abort):
        return interrupted()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        say_aside(f"error: {where}{error.strerror or error}")
    except Exception as error:
        if type(error).__module__.startswith(("click", "typer")):
            # Without a word it is asked what words there are.
            asks = type(error).__name__ == "NoArgsIsHelpError"
            said = error.format_message()  # type: ignore[attr-defined]
            line = said if asks else f"error: {_told(app, error, said, meant or {}, program)}"
            for each in line.split("\n"):
                say_aside(each)
            return 2
        raise
    return 1


def _be_strict(app: typer.Typer) -> None:
    for command in app.registered_commands:
        if command.cls is TyperCommand:
            command.cls = Verb
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _be_strict(group.typer_instance)


def _told(
    app: typer.Typer, error: Exception, said: str, meant: Mapping[str, str], program: str | None
) -> str:
    return _with_next(_in_our_words(app, error, said, meant), _help_of(app, program))


def _with_next(said: str, command: str) -> str:
    """Ends with what to type next."""
    return said if "nearest:" in said else f"{said.rstrip('.')}; nearest: `{command}`"


def _help_of(app: typer.Typer, program: str | None) -> str:
    _, words = _called(app)
    return " ".join([program or aistack(), *words, "--help"])


def _called(app: typer.Typer) -> tuple[Any, list[str]]:
    """The verb that the command line begins with, and its words."""
    verb: Any = typer.main.get_command(app)
    words: list[str] = []
    for word in sys.argv[1:]:
        if (inner := getattr(verb, "commands", {}).get(word)) is None:
            break
        verb = inner
        words.append(word)
    return verb, words


def _in_our_words(app: typer.Typer, error: Exception, said: str, meant: Mapping[str, str]) -> str:
    """What the library says of an option: field, value, why, nearest."""
    option, choice = _OPTION.search(said), _CHOICE.search(said)
    if option and choice:
        known = _QUOTED.findall(choice[2])
        near = get_close_matches(choice[1].lower(), known, n=1, cutoff=0.5) or known
        return f'{option[1]}: "{choice[1]}": not one of them; nearest: {", ".join(near)}'
    if option and ("number" in said or "integer" in said):
        value = _given_to(option[1])
        default = getattr(getattr(error, "param", None), "default", None)
        near = f"; nearest: {default:g}" if isinstance(default, int | float) else ""
        return f'{option[1]}: "{value}": no number{near}'
    if unknown := _UNKNOWN_OPTION.search(said):
        known = _QUOTED_OPTION.findall(said[unknown.end() :])
        close = get_close_matches(unknown[1], known, n=1, cutoff=0)
        return f"{unknown[1]}: {_no_option(app, error, unknown[1], close)}"
    if missing := _MISSING_OPTION.search(said) or _WITHOUT_VALUE.search(said):
        what = "missing" if "requires" not in said else "its value is missing"
        known = ", ".join(_values_of(app, missing[1]))
        return f"{missing[1]}: {what}{known and f'; nearest: {known}'}"
    if extra := _EXTRA.search(said):
        return _without(extra[1], error)
    return _with_nearest(app, said, meant)


def _no_option(app: typer.Typer, error: Exception, option: str, close: Sequence[str]) -> str:
    """What a verb has instead of an option; nothing, where it is one of other verbs."""
    others = [
        name
        for name, verb in getattr(typer.main.get_command(app), "commands", {}).items()
        if option in _options_of(verb)
    ]
    if not close and others:
        return f"it is an option of {', '.join(others)} alone; nearest: leave it out"
    verb = getattr(getattr(error, "ctx", None), "command", None)
    near = close or get_close_matches(option, own := _options_of(verb), n=1) or own
    return f"there is no such option; nearest: {', '.join(near) or 'leave it out'}"


def _values_of(app: typer.Typer, option: str) -> list[str]:
    """What an option of the verb may be given, where that is a few names."""
    verb, _ = _called(app)
    options = (it for it in getattr(verb, "params", ()) if option in it.opts)
    return [it.value for one in options for it in one.shell_complete(None, "") if it.value]


def _without(words: str, error: Exception) -> str:
    """The command line without the words that its verb does not take."""
    left = sys.argv[1:]
    for word in reversed(words.split(" ")):
        if word in left:
            del left[len(left) - 1 - left[::-1].index(word)]
    context = getattr(error, "ctx", None)
    program = context.find_root().command_path if context is not None else aistack()
    return f"{words}: more than this verb takes; nearest: `{program} {shlex.join(left)}`"


def _options_of(verb: object) -> list[str]:
    names = [it for one in getattr(verb, "params", ()) for it in one.opts]
    return [it for it in names if it.startswith("--")]


def _given_to(option: str) -> str:
    """What the command line has for an option."""
    for at, word in enumerate(sys.argv):
        name, equals, value = word.partition("=")
        if name == option:
            return value if equals else next(iter(sys.argv[at + 1 :]), "")
    return ""


def _with_nearest(app: typer.Typer, said: str, meant: Mapping[str, str]) -> str:
    """What is said of an unknown verb ends with the one that is meant."""
    unknown = _UNKNOWN_VERB.search(said)
    if unknown is None:
        return said
    word = unknown[1].lower()
    near = [meant[word]] if word in meant else _QUOTED.findall(said[unknown.end() :])
    if not near:
        close = get_close_matches(word, meant, n=1)
        verbs = getattr(typer.main.get_command(app), "commands", {})
        near = [meant[it] for it in close] or list(verbs)
    return f"{unknown[0]}; nearest: {', '.join(near)}"
