"""`deciban demo` shows the numbers of the lecture, and every command has help."""

from __future__ import annotations

import io
import re
from fractions import Fraction
from math import log10
from typing import Any

import numpy as np
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

import deciban as db
from deciban.cli import app
from deciban.cli.demonstration import DAYS, SUNNY_DAY, TARGET, as_table, run_demo
from deciban.units import decibans_from_nats

WIDTHS = (80, 120)


def demo(width: int) -> str:
    result = CliRunner().invoke(app, ["demo"], env={"COLUMNS": str(width), "FORCE_COLOR": None})
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module", params=WIDTHS)
def shown(request: pytest.FixtureRequest) -> str:
    return demo(request.param)


@pytest.fixture(scope="module")
def model() -> db.CategoricalNB:
    return db.CategoricalNB.from_tally(db.tally(DAYS, target=TARGET), alpha=0)


def row_of(shown: str, name: str) -> list[str]:
    """The cells of the first table row that begins with `name`."""
    found = re.search(rf"^  {re.escape(name)}\s+(.*)$", shown, re.MULTILINE)
    assert found, f"no row {name!r}"
    return found[1].split()


# PlayTennis -------------------------------------------------------------------------------------------------------


def test_the_products_are_written_as_the_notes_write_them(shown: str) -> None:
    text = " ".join(shown.split())
    yes = "P(yes)·P(sunny|yes)·P(cool|yes)·P(high|yes)·P(strong|yes) = 9/14 · 2/9 · 3/9 · 3/9 · 3/9 = 0.0053"
    no = "P(no)·P(sunny|no)·P(cool|no)·P(high|no)·P(strong|no) = 5/14 · 3/5 · 1/5 · 4/5 · 3/5 = 0.0206"
    assert yes in text
    assert no in text
    assert "Prediction: PlayTennis = no" in text


def test_the_posterior_is_the_normalized_product(shown: str) -> None:
    text = " ".join(shown.split())
    assert "P(no|day) = 0.0206 / (0.0206 + 0.0053) = 0.795" in text
    assert "P(yes|day) = 0.0053 / (0.0206 + 0.0053) = 0.205" in text


def test_counts_and_estimates_stand_in_tables(shown: str) -> None:
    assert row_of(shown, "overcast")[:2] == ["0", "4"]
    assert re.search(r"overcast +0/5 +4/9", shown)
    assert re.search(r"strong +3/5 +3/9", shown)


def test_the_evidence_sums_to_the_log_odds(shown: str, model: db.CategoricalNB) -> None:
    day = as_table(SUNNY_DAY)
    evidence = model.evidence(day)
    total = evidence.prior_db("no", against="yes") + evidence.weights_db("no", against="yes")[0].sum()
    no, yes = model.predict_proba(day)[0]
    assert total == pytest.approx(10 * log10(no / yes), rel=1e-12)
    assert total == pytest.approx(decibans_from_nats(evidence.log_odds("no", against="yes")[0]), rel=1e-12)
    assert row_of(shown, "total")[0] == f"{total:+.1f}"
    assert f"10·log10(P(no|day) / P(yes|day)) = {total:+.1f}" in shown


def test_the_weights_that_are_shown_add_up(shown: str) -> None:
    weights = [row_of(shown, "prior")[0]]
    weights += [re.findall(rf"{name} +{value} +([+-]\d+\.\d)", shown)[0] for name, value in SUNNY_DAY.items()]
    assert sum(map(Fraction, weights)) == Fraction(row_of(shown, "total")[0])


def test_bars_lie_on_the_side_of_their_sign(shown: str) -> None:
    bars = re.findall(r"([+-]\d+\.\d)( *[▐█]*)│([█▏▎▍▌▋▊▉]*)", shown)
    assert len(bars) == 6
    for weight, left, right in bars:
        assert bool(right) == (weight[0] == "+")
        assert bool(left.strip()) == (weight[0] == "-")


def test_other_smoothings_come_from_the_same_tally(shown: str) -> None:
    no = Fraction(5, 14) * Fraction(4, 8) * Fraction(2, 8) * Fraction(5, 7) * Fraction(4, 7)
    yes = Fraction(9, 14) * Fraction(3, 12) * Fraction(4, 12) * Fraction(4, 11) * Fraction(4, 11)
    laplace = float(no / (no + yes))
    assert row_of(shown, "Laplace")[:3] == ["1", f"{1 - laplace:.3f}", f"{laplace:.3f}"]
    assert row_of(shown, "MLE")[1:3] == ["0.205", "0.795"]
    assert row_of(shown, "Jeffreys")[0] == "0.5"
    assert row_of(shown, "Lidstone(0.1)")[0] == "0.1"


def test_smoothing_keeps_possible_what_was_never_counted(shown: str) -> None:
    assert row_of(shown, "MLE")[3:] == ["0.000", "0.000"]
    assert float(row_of(shown, "Laplace")[3]) == 1 / 8
    assert float(row_of(shown, "Laplace")[4]) > 0


# Breast cancer -----------------------------------------------------------------------------------------------------


def test_both_classifiers_score_the_same(shown: str) -> None:
    ours = row_of(shown, "deciban GaussianNB")
    theirs = re.search(r"scikit-learn \S+ GaussianNB +(.*)$", shown, re.MULTILINE)
    assert theirs
    assert ours[:3] == theirs[1].split()[:3]
    assert 0.9 < float(ours[0]) < 1
    difference = re.search(r"difference of the posteriors: (\S+)\. ", shown)
    assert difference
    assert float(difference[1]) < 1e-9


# Layout ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    shown = demo(width)
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown.replace("cv=folds, …", "")  # no cell is cut off
    assert "\x1b" not in shown


def test_a_terminal_gets_colour() -> None:
    screen = io.StringIO()
    run_demo(Console(file=screen, force_terminal=True, color_system="standard", width=80, highlight=False))
    assert "\x1b[" in screen.getvalue()


# The command line --------------------------------------------------------------------------------------------------


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.output.strip() == f"deciban {db.__version__}"


def test_an_unknown_command_is_refused_with_a_hint() -> None:
    result = CliRunner().invoke(app, ["demi"])
    assert result.exit_code == 2
    assert "No such command 'demi'" in result.output
    assert "demo" in result.output


def commands() -> dict[str, Any]:
    root: Any = typer.main.get_command(app)
    return {"deciban": root, **root.commands}


@pytest.mark.parametrize("name", list(commands()))
def test_every_command_has_help(name: str) -> None:
    command = commands()[name]
    assert command.help
    assert all(getattr(option, "help", None) for option in command.params)
    result = CliRunner().invoke(app, [name, "--help"] if name != "deciban" else ["--help"])
    assert result.exit_code == 0
    assert command.help.split()[0] in result.output


def test_help_names_every_command() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    assert all(name in shown for name in commands() if name != "deciban")


def test_the_table_is_mitchells() -> None:
    counted = db.tally(DAYS, target=TARGET)
    assert counted.total == 14
    assert np.array_equal(counted.class_counts, [5, 9])


# The sprinkler network ---------------------------------------------------------------------------------------------


def test_the_sprinkler_graph_is_learned_and_interventions_differ_from_observations(shown: str) -> None:
    text = " ".join(shown.split())
    assert "rain → wet, sprinkler → wet, wet → slippery, rain — season, season — sprinkler" in text
    prior, wet, wet_and_on, do_wet = (
        [float(cell) for cell in row_of(shown, label)]
        for label in (
            "P(rain)",
            "P(rain | wet)",
            "P(rain | wet, sprinkler)",
            "P(rain | do(wet))",
        )
    )
    assert do_wet == prior, "an intervention on wet does not change the probability of rain"
    assert wet[0] > prior[0] > wet_and_on[0], "wet is evidence for rain, unless the sprinkler explains it"
    assert all(abs(learned - true) < 0.03 for learned, true in (prior, wet, wet_and_on))
