"""Pictures show the weights that the text shows."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ParameterError

mpl.use("Agg")

rng = np.random.default_rng(0)
Y = rng.choice(["no", "yes"], 200)
TABLE = pd.DataFrame(
    {"sky": np.where(Y == "yes", "sun", rng.choice(["sun", "rain"], 200)), "warm": rng.normal(size=200)}
)


@pytest.fixture
def model():
    return db.NaiveBayes().fit(TABLE, Y)


def test_the_bars_are_the_weights(model):
    explanation = model.explain({"sky": "sun", "warm": 0.3})
    axes = explanation.plot()
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([weight for _, weight in explanation.weights()])
    assert axes.get_xlabel() == f"decibans for {explanation.label} against {explanation.against}"


def test_the_nomogram_shows_each_value_at_its_weight(model):
    nomogram = model.nomogram()
    assert (nomogram.label, nomogram.against) == ("yes", "no")
    assert nomogram.scales[0].name == "sky"  # it says most
    weights = dict(nomogram.scales[0].points)
    expected = model.explain({"sky": "rain", "warm": 0.0}, against="yes")
    assert weights["rain"] == pytest.approx(-expected.reasons[0].weight_db)
    assert "rain" in nomogram.to_text()
    with pytest.raises(ParameterError, match=r"there is no class 'yess'\. Did you mean 'yes'\?"):
        model.nomogram("yess")


def drawn(axes):
    """The names of the rows, and what is written in each of them."""
    figure = axes.figure
    figure.draw_without_rendering()
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    texts = {name: [note for note in axes.texts if note.xy[1] == y] for y, name in enumerate(names)}
    return {name: [note.get_text() for note in notes] for name, notes in texts.items()}


def test_the_axis_is_linear_and_the_widest_range_comes_first(model):
    axes = model.nomogram().plot()
    assert axes.get_xscale() == "linear"
    assert axes.get_xlabel() == "decibans for yes against no"
    assert list(drawn(axes)) == ["prior", "sky", "warm"]
    assert axes.yaxis_inverted()  # so that the first stands above
    reaches = [scale.reach for scale in model.nomogram().scales]
    assert reaches == sorted(reaches, reverse=True)


def test_bins_are_written_and_tokens_are():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    table = {
        "size": rng.exponential(1.0 + 9.0 * y),
        "note": [f"{'win a prize' if label else 'see you later'} at the place no {i}" for i, label in enumerate(y)],
    }
    model = db.NaiveBayes({"note": db.Text(), "size": db.Binned(how="mdl")}).fit(table, y)
    written = drawn(model.nomogram().plot())
    cuts = model.schema_["size"].distribution.cuts(model.tally_.parts[0])
    assert f"≤ {cuts[0]:.4g}" in written["size"] and f"> {cuts[-1]:.4g}" in written["size"]
    assert {"prize", "later"} <= set(dict(next(s for s in model.nomogram().scales if s.name == "note").points))
    assert {"prize", "win"} & set(written["note"]) and {"later", "see", "you"} & set(written["note"])
    weights = dict(next(s for s in model.nomogram().scales if s.name == "note").points)
    alone = model.explain({"note": "prize"}, against=0)
    assert weights["prize"] == pytest.approx(alone.reasons[1].weight_db)


def test_columns_and_values_are_limited_and_long_names_are_shortened():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    table = {f"a column with a very long name, number {i}": rng.choice(list("abcdefgh"), 300) for i in range(6)}
    table["x"] = [f"a label that is much too long to be written {v}" for v in y]
    nomogram = db.NaiveBayes(db.Categorical()).fit(table, y).nomogram(max_columns=3, max_values=4)
    assert [len(scale.points) for scale in nomogram.scales] == [2, 4, 4]
    assert nomogram.hidden == 4
    assert nomogram.to_text().endswith("and 4 more columns")
    axes = nomogram.plot()
    assert "4 columns of smaller range not shown" in axes.get_xlabel()
    written = drawn(axes)
    assert all(len(name) <= 24 for name in written) and list(written)[2].endswith("…")
    assert all(len(text) <= 20 for texts in written.values() for text in texts)
    with pytest.raises(ParameterError, match="at least 1"):
        db.NaiveBayes(db.Categorical()).fit(table, y).nomogram(max_columns=0)


def test_no_value_is_written_upon_another():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 500)
    table = {f"c{i}": [f"label {v}" for v in rng.integers(0, 30, 500)] for i in range(4)}
    axes = db.NaiveBayes().fit(table, y).nomogram(max_values=30).plot()
    axes.figure.draw_without_rendering()
    boxes = [note.get_window_extent() for note in axes.texts]
    assert len(boxes) > 8
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_only_values_that_can_occur_are_shown():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 200)
    columns = {"count": db.Poisson(), "wait": db.Exponential(), "pay": db.LogNormal(), "age": db.Gaussian()}
    columns |= {"near": db.Kernel(), "on": db.Bernoulli(), "even": db.Binned(bins=50)}
    table = {
        "count": rng.poisson(0.5 + y),
        "wait": rng.exponential(1 + y),
        "pay": rng.lognormal(y),
        "age": rng.integers(18, 60, 200),
        "near": rng.choice([1.5, 2.5, 90.0], 200),
        "on": y == 1,
        "even": rng.choice([0.0, 100.0], 200),
    }
    scales = {s.name: [text for text, _ in s.points] for s in db.NaiveBayes(columns).fit(table, y).nomogram().scales}
    assert set(scales["count"]) <= set(map(str, range(9)))
    assert all(float(text) > 0 for text in scales["pay"]) and all(float(text) >= 0 for text in scales["wait"])
    assert all(text == str(int(text)) and 15 <= int(text) <= 62 for text in scales["age"])
    assert set(scales["near"]) <= {"1.5", "2.5", "90"}
    assert set(scales["on"]) == {"False", "True"}
    assert len(scales["even"]) == 2  # of fifty bins, those that hold a row
    gapped = db.NaiveBayes({"age": db.Gaussian(missing="state")}).fit({"age": table["age"]}, y)
    assert "(missing)" not in gapped.nomogram().to_text()
