"""Make applications.csv: python examples/credit_risk/make_data.py.

2,000 applications for a loan, made up for this example; they describe no bank and no person. What is assumed:

- About a fifth of the loans are not repaid. The log-odds of a default rise with the instalment as a share of income,
  with late payments on earlier loans and with new employment, and fall with savings and with owning a home.
- Savings and late payments act together, and housing depends on income. So the columns are not independent given the
  outcome, as naive Bayes assumes, which is also so in real tables.
- 18% of the applicants do not state their savings; those without savings are twice as likely to say nothing.

Age, sex and origin are not among the columns. Many countries forbid their use in such decisions.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from random import Random

ROWS, SEED = 2000, 7
PATH = Path(__file__).with_name("applications.csv")
COLUMNS = ["income", "amount", "months", "purpose", "housing", "years_employed", "savings", "history", "outcome"]


def application(rng: Random) -> list[str | int | float]:
    """Draw one application with its outcome; an empty string is a missing value."""
    income = round(rng.lognormvariate(7.9, 0.45), -1)
    amount = round(rng.lognormvariate(8.5, 0.7), -2) + 500
    months = rng.choice([12, 24, 36, 48, 60])
    purpose = rng.choices(["car", "furniture", "education", "repairs", "business"], [35, 25, 12, 18, 10])[0]
    is_wealthy = income > 2700
    housing = rng.choices(["own", "rent", "family"], [55, 40, 5] if is_wealthy else [25, 60, 15])[0]
    years = round(min(rng.expovariate(1 / 6), 40), 1)
    savings = rng.choices(["none", "some", "ample"], [20, 45, 35] if is_wealthy else [45, 42, 13])[0]
    history = rng.choices(["none", "paid", "late"], [30, 55, 15])[0]
    share = amount / months / income
    risk = -2.5 + 9.0 * min(share, 0.4) + 1.2 * (history == "late") - 0.5 * (history == "paid")
    risk += {"none": 0.5, "some": 0.0, "ample": -0.9}[savings] + 0.5 * (years < 1) + 0.5 * (purpose == "business")
    risk += 0.9 * (history == "late" and savings == "none") - 0.4 * (housing == "own")
    outcome = "default" if rng.random() < 1 / (1 + math.exp(-risk)) else "repaid"
    stated = savings if rng.random() > (0.26 if savings == "none" else 0.13) else ""
    return [int(income), int(amount), months, purpose, housing, years, stated, history, outcome]


def main() -> None:
    """Write the file."""
    rng = Random(SEED)  # noqa: S311
    with PATH.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *(application(rng) for _ in range(ROWS))])


if __name__ == "__main__":
    main()
