"""The command line: parse, call the library, show the result. Nothing is computed here that the library could."""

from deciban.cli.main import app

__all__ = ["app"]
