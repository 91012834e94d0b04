"""The program, and what a command is: a function whose arguments typer reads, its group, and an example.

Every command ends with one of the codes of `EXIT_CODES`. What goes wrong is one line on the standard error, and so are
warnings; results go to the standard output or to a file.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, NoReturn

import typer

from deciban import errors

__all__ = ["EXIT_CODES", "Command", "app", "command", "note", "run_program"]

DONE, UNUSABLE, WRONG_USAGE, NO_FILE, NO_EXTRA, INTERRUPTED = 0, 1, 2, 3, 4, 130

EXIT_CODES = {
    DONE: "done",
    UNUSABLE: "the data, the model or the question cannot be used; the message says why",
    WRONG_USAGE: "an argument or an option is wrong or missing",
    NO_FILE: "a file cannot be read or written",
    NO_EXTRA: "an optional package is not installed; the message names the extra",
    INTERRUPTED: "interrupted by Ctrl-C",
}


@dataclass(frozen=True)
class Command:
    """A function, the group under which ``deciban --help`` lists it, and an example that can be run as it is."""

    run: Callable[..., None]
    group: str
    example: str

    @property
    def name(self) -> str:
        return self.run.__name__.removesuffix("_")

    def register(self) -> None:
        """Add the command to the program; its help ends with the example."""
        lines = "\n\n".join(f"  {line}" for line in self.example.splitlines())
        text = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(self.run.__doc__ or ""))  # a line for each paragraph
        options = {"help": text, "epilog": f"Example:\n\n{lines}", "rich_help_panel": self.group}
        app.command(self.name, **options)(_guarded(self.run))  # type: ignore[arg-type]


def command(group: str, *, example: str) -> Callable[[Callable[..., None]], Command]:
    """Make a command of a function; one whose name Python does not permit ends with an underscore."""
    return lambda run: Command(run, group, example)


def note(message: str) -> None:
    """Print a note on the standard error, where it can be written."""
    with suppress(OSError):
        typer.echo(message, err=True)


app = typer.Typer(
    name="deciban",
    help="Bayesian classifiers and Bayes nets, by counting.",
    epilog="`deciban demo --files .` writes the files of all examples.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version  # it takes longer than most of the start

        typer.echo(f"deciban {version('deciban')}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Bayesian classifiers and Bayes nets, by counting."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # print "?" for characters that the terminal cannot encode
        sys.stdout.reconfigure(errors="replace")


def run_program() -> NoReturn:
    """Run the command that the arguments of the process name, and end the process.

    The standard output is flushed here, since Python at its end would show a traceback for a full disk.
    """
    code: int | str | None = DONE
    try:
        app()
    except SystemExit as end:
        code = end.code
    except OSError as error:  # help and examples are printed outside of `_guarded`
        code = _unwritten(error)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        code = code or _unwritten(error)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at the end of Python
    sys.exit(code)


def _unwritten(error: OSError) -> int:
    """Say which file cannot be read or written; the exit code."""
    if isinstance(error, BrokenPipeError):  # its reader has seen enough
        return UNUSABLE
    note(f"Error: {error.filename or 'the standard output'} cannot be read or written: {error.strerror}.")
    return NO_FILE


def _guarded(run: Callable[..., None]) -> Callable[..., None]:
    """The function, with errors and warnings as single lines, and with the exit codes."""

    @wraps(run)
    def guarded(*values: object, **named: object) -> None:
        options = inspect.signature(run).parameters
        with _noted_warnings(options):
            try:
                run(*values, **named)
            except KeyboardInterrupt:
                note("Interrupted.")
                raise typer.Exit(INTERRUPTED) from None
            except Exception as error:
                # an error that is not raised on purpose is a fault of ours, which needs its traceback
                code = None if isinstance(error, typer.Exit | typer.BadParameter) else _code(error)
                if code is None:
                    raise
                note(f"Error: {with_options(str(error), options)}")
                raise typer.Exit(code) from error

    return guarded


def with_options(message: str, names: Iterable[str]) -> str:
    """A message of the library with options of the command in place of arguments in Python.

    >>> with_options('Bin the numbers, or pass test="g2".', ["data", "test"])
    'Bin the numbers, or pass --test g2.'
    >>> with_options("rows.csv is read as UTF-16; encoding= names another.", ["encoding"])
    'rows.csv is read as UTF-16; --encoding names another.'
    """
    known = set(names)

    def option(argument: re.Match[str]) -> str:
        name, value = argument[1], argument[3] or argument[4] or ""
        return f"--{name.replace('_', '-')} {value}".rstrip() if name in known else argument[0]

    # a name with a value in quotes, with a number or "…", or with nothing before a space or the end of a clause
    return re.sub(r"""\b(\w+)=(?:(["'])([^"']*)\2|(…|[0-9.]*[0-9])|(?=[\s,.;:]))""", option, message)


def _code(error: Exception) -> int | None:
    """The exit code of an error that deciban raises on purpose; None for any other."""
    if not isinstance(error, errors.DecibanError):
        return None
    if isinstance(error, errors.MissingExtraError):
        return NO_EXTRA
    return NO_FILE if isinstance(error, errors.FileAccessError) else UNUSABLE


@contextmanager
def _noted_warnings(options: Iterable[str]) -> Iterator[None]:
    """Show each warning for the user as one line, in the command's words; those for developers are not shown."""
    with warnings.catch_warnings():
        if not sys.warnoptions:  # what `python -W` asks for is left as it is
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_, **__: note(f"Warning: {with_options(str(message), options)}")
        yield
