"""The command line: parse arguments, call the library, show the result."""

from deciban.cli.command import run_program
from deciban.cli.main import app
from deciban.cli.startup import defer_imports

__all__ = ["app", "run"]


def run() -> None:
    """The program ``deciban``: run the command that the arguments of the process name."""
    defer_imports()
    run_program(app)
