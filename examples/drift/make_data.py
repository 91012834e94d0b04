"""Make stream.csv: python examples/drift/make_data.py.

3,000 parts from a machine, in the order in which they were made; made up for this example. What is assumed:

- Each part has a temperature and a vibration, measured while it is made, the tool that made it, and the result of a
  later check: ok or faulty. About three in ten are faulty.
- Rows 0 to 999: faulty parts are hot, and tool c makes more of them.
- Row 1,000, a sudden change: a new thermometer reads 8 degrees less. The parts are as before.
- Rows 2,000 to 2,400, a gradual change: tool c is replaced, and tool a wears out. More and more parts are made as after
  the change: tool a makes more faulty parts, which vibrate less than good ones, where they vibrated more before.
"""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

ROWS, SEED = 3000, 5
PATH = Path(__file__).with_name("stream.csv")


def part(rng: Random, row: int) -> list[str | float]:
    """Draw one part."""
    is_faulty = rng.random() < 0.3
    is_late = rng.random() < (row - 2000) / 400
    worst = "a" if is_late else "c"
    tool = worst if is_faulty and rng.random() < 0.45 else rng.choice("abc")
    temperature = rng.gauss(64.0 if is_faulty else 60.0, 3.0) - (8.0 if row >= 1000 else 0.0)
    shift = (-1.0 if is_late else 1.0) if is_faulty else 0.0
    return [round(temperature, 1), round(rng.gauss(5.0 + shift, 0.8), 2), tool, "faulty" if is_faulty else "ok"]


def main() -> None:
    """Write the file."""
    rng = Random(SEED)  # noqa: S311
    with PATH.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["temperature", "vibration", "tool", "check"])
        writer.writerows(part(rng, row) for row in range(ROWS))


if __name__ == "__main__":
    main()
