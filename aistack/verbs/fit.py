from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.offered import given
from aistack.options import JsonOption
from cli.lines import say_aside
from cli.progress import told
from cli.project import stack_names

if TYPE_CHECKING:
    from aistack.fit.report import Fit

UTILISATION = 0.4


def fit(
    stack: Annotated[
        str,
        typer.Option(
            "--stack",
            "-s",
            autocompletion=lambda: stack_names(),
            help="Name of a Pulumi.NAME.yaml.",
        ),
    ],
    job: Annotated[str | None, typer.Option("--job", help="A job; by default all.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="PATH=VALUE of the config: jobs.NAME.model=llama3-70b."),
    ] = None,
    utilisation: Annotated[
        float, typer.Option(min=0.01, max=1, help="Part of the peak, for the time of a step.")
    ] = UTILISATION,
    search: Annotated[
        bool, typer.Option("--search", help="Look for the layouts that fit, fastest first.")
    ] = False,
    layouts: Annotated[
        int, typer.Option(min=1, max=100, help="How many, with --search; each is compiled.")
    ] = 5,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Compile nothing: arithmetic alone, at once.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what jobs ask of their accelerators' memory before any is paid for; compiles TPU jobs."""
    from aistack.fit.compiler import TARGET, is_there
    from aistack.fit.fits import fits_of, layouts_of
    from aistack.fit.planned import chosen, planned
    from aistack.fit.show import show_fits
    from aistack.tables import print_json
    from stacks.parts.jobs.maxtext import MaxTextTraining

    given(stack)
    with told("reading the stack"):
        plan = planned(stack, set_ or [])
        jobs = chosen(plan, job)
    compiles = not estimate and is_there()
    if not estimate and not compiles:
        say_aside(f"nothing is compiled, for MaxText is not here; nearest: {TARGET}")
    look = partial(layouts_of, most=layouts) if search else fits_of
    found = list(look(plan, jobs, utilisation, compiles=compiles, tell=_tell))
    if search and not any(isinstance(it, MaxTextTraining) for it in jobs.values()):
        raise VerbError("--search: no MaxText job among those; nearest: --job", ExitCode.NOT_FOUND)
    if as_json:
        print_json({"stack": stack, "fits": [asdict(it) for it in found]})
    else:
        show_fits(found, search=search)
    if (code := _code(found, search=search)) is not ExitCode.FINE:
        raise typer.Exit(code)


def _code(found: list[Fit], *, search: bool) -> ExitCode:
    """Of a search one layout that fits is enough; else all jobs have to."""
    from aistack.fit.report import Verdict

    verdicts = {it.verdict for it in found}
    if search:
        if Verdict.FITS in verdicts:
            return ExitCode.FINE
        return ExitCode.MAY_NOT_FIT if Verdict.MAYBE in verdicts else ExitCode.DOES_NOT_FIT
    if Verdict.NO in verdicts:
        return ExitCode.DOES_NOT_FIT
    return ExitCode.FINE if verdicts <= {Verdict.FITS} else ExitCode.MAY_NOT_FIT


def _tell(what: str) -> None:
    say_aside(f"{what} ...")
