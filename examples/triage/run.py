"""Medical triage with a Bayes net: who is seen first, which test is worth doing, what an action would change.

    python examples/triage/run.py
    python examples/triage/run.py --net my.bif --patients my.csv

The net was made up for teaching (make_data.py), and must not be used for patients. A net of your own needs the nodes
that are named at the top of this file; each row of the CSV is a patient, an empty cell is a value that is not known.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import deciban as db
from deciban.errors import DecibanError

FOLDER = Path(__file__).parent
TARGET = "danger"
CAUSES = ["infarct", "embolism", "pneumonia"]
TESTS = ["troponin", "d_dimer", "xray"]

LOSS = {  # decision: its loss where the patient is in danger, and where not; a test costs TEST_COST
    "now": {"yes": 0.0, "no": 2.0},
    "within the hour": {"yes": 4.0, "no": 0.5},
    "can wait": {"yes": 20.0, "no": 0.0},
}
TEST_COST = 0.05

Findings = dict[str, str]


class Case(NamedTuple):
    """A patient: what is known, the probability of danger, the decision and its loss, and the most useful test."""

    number: int
    known: Findings
    danger: float
    decision: str
    loss: float
    test: str
    gain: float


def read_patients(path: Path) -> list[Findings]:
    """Return what is known of each patient."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{node: state for node, state in row.items() if state} for row in csv.DictReader(file)]


def decide(danger: float) -> tuple[str, float]:
    """Return the decision of least expected loss, and that loss."""
    expected = {name: danger * loss["yes"] + (1 - danger) * loss["no"] for name, loss in LOSS.items()}
    best = min(expected, key=lambda name: expected[name])
    return best, expected[best]


def assess(net: db.BayesNet, number: int, known: Findings) -> Case:
    """Return what the net says about a patient."""
    danger = net.query(TARGET, known)["yes"]
    test = net.information(TARGET, known, among=TESTS, loss=LOSS)[0]
    return Case(number, known, danger, *decide(danger), test.node, test.gain)


# The account ---------------------------------------------------------------------------------------------------------


def account(net: db.BayesNet, patients: list[Findings], picture: Path) -> Iterator[str]:
    """Yield the lines of the account, and draw the picture of the first patient of the queue."""
    cases = [assess(net, number, known) for number, known in enumerate(patients, start=1)]
    queue = sorted(cases, key=lambda case: -case.danger)
    yield "patient  P(danger)  to be seen       best test  what it saves"
    for case in queue:
        worth = "" if case.gain > TEST_COST else " (not worth it)"
        yield f"{case.number:7}  {case.danger:9.3f}  {case.decision:15}  {case.test:9}  {case.gain:.3f}{worth}"
    most_useful = max(cases, key=lambda case: case.gain)
    yield ""
    yield from next_test(net, most_useful)
    yield ""
    yield from actions(net)
    result = net.states[most_useful.test][0]
    picture.write_text(net.beliefs({**most_useful.known, most_useful.test: result}).to_svg(), encoding="utf-8")
    yield f"\npicture: {picture} (patient {most_useful.number}, {most_useful.test} {result})"


def next_test(net: db.BayesNet, case: Case) -> Iterator[str]:
    """Yield the tests by their value for a patient, and what each result of the best one changes."""
    known = ", ".join(f"{node} {state}" for node, state in case.known.items())
    yield fill(f"patient {case.number}: {known}", 76, subsequent_indent="  ")
    yield str(net.information(TARGET, case.known, among=TESTS, loss=LOSS))
    for state in net.states[case.test]:
        observed = {**case.known, case.test: state}
        danger = net.query(TARGET, observed)["yes"]
        best = net.map(CAUSES, observed)
        causes = " and ".join(cause for cause in CAUSES if best[cause] == "yes") or "no dangerous cause"
        yield f"{case.test} {state}: P(danger) {danger:.3f}, {decide(danger)[0]}; {causes} ({best.posterior:.2f})"


def actions(net: db.BayesNet) -> Iterator[str]:
    """Yield the difference between patients who have heparin and giving heparin."""
    yield "P(embolism=yes | …)    heparin    do(heparin)"
    for state in ("yes", "no"):
        seen = net.ask(f"P(embolism=yes | heparin={state})")
        done = net.ask(f"P(embolism=yes | do(heparin={state}))")
        yield f"  {state:17}{seen:11.4f}{done:15.4f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the account."""
    parser = argparse.ArgumentParser(description="Triage of patients with a Bayes net that was made up for teaching.")
    parser.add_argument("--net", default=FOLDER / "triage.bif", help="a net in any format of db.read_net")
    parser.add_argument("--patients", type=Path, default=FOLDER / "patients.csv", help="a CSV with a row per patient")
    parser.add_argument("--picture", type=Path, default=Path("triage.svg"), help="where to draw")
    given = parser.parse_args(arguments)
    try:
        print(*account(db.read_net(given.net), read_patients(given.patients), given.picture), sep="\n")
    except (DecibanError, OSError) as error:
        raise SystemExit(f"triage: {error}") from None


if __name__ == "__main__":
    main()
