"""``deciban demo``: the lecture's example by hand, then a real table beside scikit-learn."""

from __future__ import annotations

from rich.console import Console

from deciban.cli.cancer import show_cancer
from deciban.cli.tennis import show_tennis

__all__ = ["run_demo"]


def run_demo(console: Console | None = None) -> None:
    """Show both examples on a console: the terminal's own when None."""
    console = console or Console(highlight=False)
    show_tennis(console)
    show_cancer(console)
