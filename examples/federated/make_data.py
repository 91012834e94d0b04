"""Make clinic_a.csv, clinic_b.csv, clinic_c.csv and new_patients.csv: python examples/federated/make_data.py.

Patients of three clinics, made up for this example; they describe no clinic and no person. What is assumed:

- The same mechanism everywhere: diabetes is more frequent with age, with a high body mass index and in families.
- Thirst, tiredness and trouble with the eyes bring more patients with diabetes than others.
- Different patients: clinic a has many young patients, clinic b many old ones, and clinic c is small.
- The new patients come from all three clinics, in proportion to their size.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from random import Random

FOLDER, SEED = Path(__file__).parent, 14
COLUMNS = ["age", "family", "active", "pressure", "complaint", "bmi", "diabetes"]
AGES = ["under_40", "40_to_59", "60_or_more"]
CLINICS = {"a": (240, [50, 35, 15]), "b": (160, [10, 30, 60]), "c": (50, [30, 40, 30])}  # rows, and shares of the ages
NEW = 1000
COMPLAINTS = {  # how often a patient without and with diabetes comes for it, of 100
    "cough": (24, 10),
    "back pain": (20, 12),
    "headache": (16, 8),
    "skin": (14, 12),
    "injury": (12, 3),
    "tired": (8, 25),
    "eyes": (4, 15),
    "thirst": (2, 15),
}


def patient(rng: Random, ages: list[int]) -> list[str | float]:
    """Draw one patient."""
    age = rng.choices(AGES, ages)[0]
    old = AGES.index(age)
    family = rng.random() < 0.2
    active = rng.random() < 0.55 - 0.12 * old
    bmi = rng.gauss(25.5 + 0.8 * old - 1.2 * active, 3.8)
    risk = -2.7 + 0.9 * old + 1.1 * family - 0.4 * active + 0.16 * (bmi - 26)
    diabetes = rng.random() < 1 / (1 + math.exp(-risk))
    pressures = [60 - 15 * old - 12 * diabetes, 30, 10 + 10 * old + 15 * diabetes]
    pressure = rng.choices(["normal", "raised", "high"], pressures)[0]
    complaint = rng.choices(list(COMPLAINTS), [shares[diabetes] for shares in COMPLAINTS.values()])[0]
    answers = ["yes" if is_so else "no" for is_so in (family, active, diabetes)]
    return [age, answers[0], answers[1], pressure, complaint, round(bmi, 1), answers[2]]


def main() -> None:
    """Write the files."""
    rng = Random(SEED)  # noqa: S311
    files = {f"clinic_{name}.csv": [patient(rng, ages) for _ in range(n)] for name, (n, ages) in CLINICS.items()}
    clinics = rng.choices(list(CLINICS), [n for n, _ in CLINICS.values()], k=NEW)
    files["new_patients.csv"] = [patient(rng, CLINICS[name][1]) for name in clinics]
    for name, rows in files.items():
        with (FOLDER / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
