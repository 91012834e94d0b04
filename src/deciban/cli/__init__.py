"""The command line: parse arguments, call the library, show the result."""

from deciban.cli.main import app

__all__ = ["app"]
