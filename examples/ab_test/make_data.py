"""Make log.csv and experiment.csv: python examples/ab_test/make_data.py.

Visits of a web shop with an old and a new checkout page, made up for this example. What is assumed:

- Returning visitors buy more often than new ones, and visitors with a computer more often than those with a phone.
- The new page raises the probability of a purchase by 1 to 4 percentage points in every group of visitors.
- In the log, a setting decided who saw the new page: mostly new visitors, and mostly phones. They buy less anyway.
- In the experiment a coin decided. Nothing else was different.

Both files have a row for each combination of values, with the number of visits.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from random import Random

FOLDER = Path(__file__).parent
SEED, LOG, EXPERIMENT = 3, 20_000, 20_000

SHARES = {
    ("new", "phone"): 0.35,
    ("new", "computer"): 0.20,
    ("returning", "phone"): 0.20,
    ("returning", "computer"): 0.25,
}
SHOWN = {
    ("new", "phone"): 0.85,
    ("new", "computer"): 0.45,
    ("returning", "phone"): 0.50,
    ("returning", "computer"): 0.10,
}
BUYS = {
    ("new", "phone"): 0.03,
    ("new", "computer"): 0.07,
    ("returning", "phone"): 0.12,
    ("returning", "computer"): 0.22,
}
GAIN = {
    ("new", "phone"): 0.01,
    ("new", "computer"): 0.02,
    ("returning", "phone"): 0.04,
    ("returning", "computer"): 0.03,
}


def visits(rng: Random, n: int, *, is_randomized: bool) -> Counter[tuple[str, str, str, str]]:
    """Draw visits, and count them by visitor, device, page and purchase."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for group in rng.choices(list(SHARES), list(SHARES.values()), k=n):
        is_new = rng.random() < (0.5 if is_randomized else SHOWN[group])
        is_bought = rng.random() < BUYS[group] + GAIN[group] * is_new
        counts[(*group, "new" if is_new else "old", "yes" if is_bought else "no")] += 1
    return counts


def main() -> None:
    """Write both files."""
    rng = Random(SEED)  # noqa: S311
    for name, n, is_randomized in (("log.csv", LOG, False), ("experiment.csv", EXPERIMENT, True)):
        counts = visits(rng, n, is_randomized=is_randomized)
        with (FOLDER / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["visitor", "device", "page", "bought", "visits"])
            writer.writerows([*key, counts[key]] for key in sorted(counts))


if __name__ == "__main__":
    main()
