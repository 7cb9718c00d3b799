"""A mistake of whoever typed the command."""


class UserError(Exception):
    """A mistake in what the user typed or wrote; shown as one line, never as a traceback. `code` is
    the exit code."""

    code = 1
