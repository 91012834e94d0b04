"""Update docs/examples/index.md: python examples/update_page.py [NAME …].

Runs the examples, writes their pictures to docs/figures/examples, and what they print to the page. With
`--data`, the data of each example are made again first.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

EXAMPLES = Path(__file__).resolve().parent
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/run.py"))
DOCS = EXAMPLES.parent / "docs"
PAGE, FIGURES = DOCS / "examples" / "index.md", DOCS / "figures" / "examples"


def output_on_page(page: str, name: str) -> re.Match[str] | None:
    """Find what an example prints, after its command, in the text of the page."""
    return re.search(rf"^```console\n\$ python examples/{name}/run\.py\n(?P<output>.*?)^```$", page, re.M | re.S)


def run(name: str, folder: str) -> str:
    """Run an example in a folder; return what it prints."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / name / "run.py")]
    return subprocess.check_output(command, cwd=folder, encoding="utf-8")  # noqa: S603


def with_plain_ids(picture: str) -> str:
    """A picture with its ids numbered: matplotlib's are hashes of floats, whose last digits depend on the processor."""
    hashed = dict.fromkeys(re.findall(r'id="([a-z][0-9a-f]{10})"', picture))
    names = {old: f"id{number}" for number, old in enumerate(hashed, 1)}
    return re.sub("|".join(names), lambda found: names[found[0]], picture) if names else picture


def main() -> None:
    """Update the examples that are named, or all."""
    parser = argparse.ArgumentParser(description="Update the page of the examples and its pictures.")
    parser.add_argument("names", nargs="*", metavar="NAME", default=NAMES, help="the examples; all by default")
    parser.add_argument("--data", action="store_true", help="make their data again first")
    given = parser.parse_args()
    for name in given.names:
        if given.data:
            subprocess.check_call([sys.executable, str(EXAMPLES / name / "make_data.py")])  # noqa: S603
        with TemporaryDirectory() as folder:
            printed = run(name, folder)
            drawn = Path(folder, f"{name}.svg").read_text(encoding="utf-8")
            (FIGURES / f"{name}.svg").write_text(with_plain_ids(drawn), encoding="utf-8")
        page = PAGE.read_text(encoding="utf-8")
        found = output_on_page(page, name)
        if found is None:
            raise SystemExit(f"{PAGE} has no block for {name}.")
        PAGE.write_text(page[: found.start("output")] + printed + page[found.end("output") :], encoding="utf-8")


if __name__ == "__main__":
    main()
