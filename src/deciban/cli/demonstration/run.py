"""``deciban demo``: naive Bayes step by step, a comparison with scikit-learn, and a Bayes net."""

from __future__ import annotations

from rich.console import Console

from deciban.cli.demonstration.cancer import show_cancer
from deciban.cli.demonstration.sprinkler import show_sprinkler
from deciban.cli.demonstration.tennis import show_tennis

__all__ = ["run_demo"]


def run_demo(console: Console | None = None) -> None:
    """Show the examples on a console; on the terminal if None."""
    console = console or Console(highlight=False)
    show_tennis(console)
    show_cancer(console)
    show_sprinkler(console)
