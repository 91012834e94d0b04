"""Make triage.bif and patients.csv: python examples/triage/make_data.py.

The tables of this net were made up for teaching. They have plausible orders of magnitude and no source, and they must
not be used for patients. What is assumed:

- Three dangerous causes of chest pain or of shortness of breath (`dyspnea`): a heart attack (`infarct`), a pulmonary
  embolism and pneumonia. Patients of 50 years or more are `old`.
- A patient who lay still for long (`immobile`) is more likely to have an embolism. Heparin prevents most embolisms, and
  is given mostly to those who lay still. So embolisms are more frequent among patients with heparin, although it
  prevents them.
- `danger` is a logical or of the three causes. It is what triage is about.

The patients are drawn from the net. Causes and tests are not known when they arrive, nor are some of the symptoms.
"""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import deciban as db

FOLDER = Path(__file__).parent
SEED, PATIENTS = 1, 8
KNOWN = ["age", "smoker", "immobile", "heparin", "pain", "dyspnea", "fever"]

STATES = {"age": ("young", "old"), "troponin": ("high", "low")}
STATES |= {"d_dimer": ("high", "low"), "xray": ("patch", "clear")}

# P(first state | parents); the states of the parents vary with the last parent fastest. The first state is "yes"
# where STATES has no other.
TABLES: dict[str, tuple[list[str], list[float]]] = {
    "age": ([], [0.45]),
    "smoker": ([], [0.25]),
    "immobile": ([], [0.10]),
    "heparin": (["immobile"], [0.60, 0.02]),
    "infarct": (["age", "smoker"], [0.02, 0.005, 0.15, 0.08]),
    "embolism": (["immobile", "heparin"], [0.08, 0.30, 0.005, 0.02]),
    "pneumonia": (["smoker"], [0.10, 0.05]),
    "pain": (["infarct", "embolism"], [0.95, 0.90, 0.65, 0.30]),
    "dyspnea": (["embolism", "pneumonia"], [0.95, 0.85, 0.75, 0.20]),
    "fever": (["pneumonia"], [0.85, 0.08]),
    "troponin": (["infarct"], [0.92, 0.06]),
    "d_dimer": (["embolism", "pneumonia"], [0.98, 0.96, 0.60, 0.25]),
    "xray": (["pneumonia"], [0.88, 0.06]),
    "danger": (["infarct", "embolism", "pneumonia"], [1, 1, 1, 1, 1, 1, 1, 0]),
}


def net() -> db.BayesNet:
    """Return the net of the tables."""
    arrows = [(parent, node) for node, (parents, _) in TABLES.items() for parent in parents]
    states = {node: STATES.get(node, ("yes", "no")) for node in TABLES}
    tables = {}
    for node, (parents, first) in TABLES.items():
        rows = [[p, 1 - p] for p, _ in zip(first, product(*(states[parent] for parent in parents)), strict=True)]
        tables[node] = _shaped(rows, len(parents))
    order = {node: parents for node, (parents, _) in TABLES.items()}
    return db.BayesNet.from_tables(db.DAG(arrows, list(TABLES)), states, tables, parents=order)


def _shaped(rows: list[list[float]], parents: int) -> object:
    """Return a table with an axis for each parent, all of two states."""
    shaped: list[object] = list(rows)
    for _ in range(parents):
        shaped = [shaped[i : i + 2] for i in range(0, len(shaped), 2)]
    return shaped[0]


def patients(drawn: db.BayesNet) -> list[dict[str, str]]:
    """Draw different patients with a complaint; one value of each patient's history is not known."""
    rows = drawn.sample(200, random_state=SEED).select(KNOWN).to_pylist()
    ill = [row for row in rows if "yes" in (row["pain"], row["dyspnea"])]
    distinct = list({tuple(row.values()): row for row in ill}.values())[:PATIENTS]
    for number, row in enumerate(distinct):
        row[KNOWN[number % 3]] = ""
    return distinct


def main() -> None:
    """Write both files."""
    made = net()
    made.write(FOLDER / "triage.bif")
    with (FOLDER / "patients.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, KNOWN, lineterminator="\n")
        writer.writeheader()
        writer.writerows(patients(made))


if __name__ == "__main__":
    main()
