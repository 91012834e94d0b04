"""Run the benchmarks and write docs/benchmarks.md, or compare with another build of deciban."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.against import compare_builds
from benchmarks.harness.options import Options
from benchmarks.harness.parity import ParityError
from benchmarks.harness.paths import PAGE
from benchmarks.harness.report import write_sections
from benchmarks.sections import SECTIONS, Section

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sections that were chosen; 1 when the libraries disagree, or a row is slower than in another build."""
    given, console = _parser().parse_args(arguments), Console()
    if given.against:
        return compare_builds(given.against, given.only or (), console)
    try:
        texts = {section.name: _run(section, given, console) for section in _chosen(given.only)}
    except ParityError as error:
        console.print(f"[red]not timed:[/] {error}")
        return 1
    whole = {name: text for name, text in texts.items() if text is not None}
    if whole:
        write_sections(PAGE, [section.name for section in SECTIONS], whole)
    console.print(f"Sections written to docs/benchmarks.md: {', '.join(whole) or 'none'}.")
    return 0


def _chosen(names: Sequence[str] | None) -> list[Section]:
    return [section for section in SECTIONS if not names or {section.name, *section.parts} & set(names)]


def _run(section: Section, given: argparse.Namespace, console: Console) -> str | None:
    """Run a section, or some of its parts; its text if it was measured whole."""
    names = given.only or [section.name]
    parts = () if section.name in names else tuple(part for part in section.parts if part in names)
    text = section.run(Options(given.quick, parts, console, given.fresh))
    return None if text is None or given.quick else f"## {section.title}\n\n{text}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [name for section in SECTIONS for name in (section.name, *section.parts)]
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"some of: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="a small part of each section, to try it out")
    parser.add_argument("--fresh", action="store_true", help="ignore the results that benchmarks/.results has")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="PYTHON",
        help="compare with the deciban that another interpreter imports; peers are not run",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
