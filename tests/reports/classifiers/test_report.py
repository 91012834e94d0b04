"""A report on a classifier: what each section says, and that text from the data stays text."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import DecibanError, InputError, InputTypeError, UnfittedError
from deciban.models.fitting import summarize_fit
from tests.models.assess.tables import DAYS
from tests.reports.test_page import Outline

SECTIONS = [
    "scores", "data", "balance", "curves", "reliability", "confusion", "evidence", "nomogram", "rows",
    "what-if-section", "dependence", "making",
]  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return db.NaiveBayes().fit(DAYS, "play")


@pytest.fixture(scope="module")
def html(model):
    return db.report(model, DAYS, "play").html


def section(html, key):
    return re.search(rf'<section id="{key}".*?</section>', html, re.DOTALL).group(0)


def words(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_the_page_is_whole(html):
    found = Outline(html)
    assert found.open == [] and len(found.ids) == len(set(found.ids))
    assert re.findall(r'<section id="([^"]+)"', html) == SECTIONS
    assert all(link.startswith(("#", "data:")) for link in found.links)
    assert html.count('role="img"') >= 6


def test_scores_are_those_of_leave_one_out(model, html):
    scores = db.evaluate(DAYS["play"], posterior=model.loo_predict_proba(DAYS, "play"))
    shown = words(section(html, "scores"))
    assert "as if it had not been learned" in shown
    for _, interval, baseline in scores.summary():
        assert f"{interval.value:.4f}" in shown and f"{interval.low:.4f} to {interval.high:.4f}" in shown
        assert baseline is None or f"{baseline:.4f}" in shown
    assert "Always saying yes is right in 64.3%" in shown


def test_other_rows_are_called_so(model):
    shown = db.report(model, DAYS.head(8), "play").html
    assert "not the rows that the model was fitted on" in section(shown, "scores")


def test_the_target_may_be_left_out_where_it_was_named(model, html):
    assert db.report(model, DAYS).html == html


def test_columns_have_distributions_and_reasons(html):
    shown = words(section(html, "data"))
    assert "outlook" in shown and "Categorical" in shown and "labels: 3 distinct" in shown


def test_identifiers_and_copies_are_warned_of():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    X = {"key": [f"k{i}" for i in range(60)], "copy": [f"c{k}" for k in y], "x": rng.normal(size=60) + y}
    with pytest.warns(db.errors.DecibanWarning):
        model = db.NaiveBayes().fit(X, y)
    shown = section(db.report(model, X, y).html, "data")
    assert "<b>key</b>: nearly every row has a value of its own" in shown
    assert "<b>copy</b>: each value belongs to one class" in shown


def test_ten_rows_are_explained(model, html):
    shown = section(html, "rows")
    assert shown.count("<details") == 10 and "wrong, with the highest probability" in words(shown)
    row = int(re.search(r"Row (\d+)", shown).group(1))
    total = model.explain(DAYS.drop(columns="play").iloc[row]).total_db
    assert f"{abs(total):.2f}" in shown


def named_rows():
    """A table with a column that nearly names the row, as a ticket does, which says less of new rows than it seems."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    sex = np.where(rng.random(400) < 0.2, 1 - y, y)
    return {
        "sex": np.array(["male", "female"])[sex].tolist(),
        "ticket": [f"t{k}" for k in rng.integers(0, 500, 400)],
        "lived": y.tolist(),
    }


def test_a_column_that_names_the_row_carries_the_evidence_that_fit_says():
    X = named_rows()
    model = db.NaiveBayes({"ticket": db.Categorical()}, weights=None).fit(X, "lived")
    html = db.report(model, X, "lived").html
    shown = words(section(html, "evidence")).split("Which columns carry the evidence")[1]
    strengths = summarize_fit(model, X, "lived").strengths
    found = dict(re.findall(r"(sex|ticket) ([+−][0-9.]+)", shown))
    assert list(found) == list(strengths) == ["sex", "ticket"]
    assert {name: f"{db:+.2f}".replace("-", "−") for name, db in strengths.items()} == found
    assert "without its own counts" in shown
    others = {name: values[:300] for name, values in X.items()}
    assert "without its own counts" not in db.report(model, others, "lived").html


def test_the_headline_the_weights_and_the_panel_of_a_row_have_one_basis():
    X = named_rows()
    model = db.NaiveBayes({"ticket": db.Categorical()}, weights=None).fit(X, "lived")
    html = db.report(model, X, "lived").html
    left_out = model.loo_predict_proba(X, "lived")
    held = json.loads(re.search(r'id="what-if-model"[^>]*>(.*?)</script>', html, re.DOTALL)[1])
    parts = re.findall(r"<details.*?</details>", section(html, "rows"), re.DOTALL)
    assert len(parts) == len(held["rows"]) == 10
    for part, start in zip(parts, held["rows"], strict=True):
        said = words(part)
        row, label, p, other, q = re.search(
            r"Row (\d+) .*?: (\d) with probability ([0-9.]+) . · left out: (\d) with probability ([0-9.]+)", said
        ).groups()
        one = {name: X[name][int(row)] for name in ("sex", "ticket")}
        posterior = model.predict_proba_one(one)
        assert start["name"].startswith(f"row {row} ") and float(p) == pytest.approx(posterior[int(label)], abs=6e-4)
        total = float(re.search(r"total ([+−][0-9.]+)", said)[1].replace("−", "-"))
        assert 1 / (1 + 10 ** (-total / 10)) == pytest.approx(float(p), abs=2e-3)
        assert float(q) == pytest.approx(left_out[int(row), int(other)], abs=6e-4)
    assert "those of the model as it is" in words(section(html, "rows"))


def test_rows_that_were_not_learned_have_one_probability(model):
    shown = words(section(db.report(model, DAYS.head(5), "play").html, "rows"))
    assert "left out" not in shown and "with probability" in shown


def test_costs_and_rejection():
    model = db.NaiveBayes(loss={"no": {"yes": 5}}, reject=0.6).fit(DAYS, "play")
    shown = words(section(db.report(model, DAYS, "play").html, "confusion"))
    assert "(none)" in shown and "were not decided" in shown and "the cheapest single decision" in shown


def test_tan_is_compared(html):
    shown = words(section(html, "dependence"))
    assert "What TAN would gain" in shown and "Both were fitted on these 14 rows" in shown


def test_how_it_was_made(html):
    shown = words(section(html, "making"))
    assert "db.NaiveBayes().fit(X, &#x27;play&#x27;)" in shown and "Laplace()" in shown
    assert f"deciban {db.__version__}" in shown and "deciban fit data.csv --target play" in shown


def test_text_from_the_data_stays_text():
    evil = "</script><script>alert(1)</script>"
    X = DAYS.rename(columns={"wind": evil}).replace({"sunny": evil, "yes": f"{evil}&"})
    html = db.report(db.NaiveBayes().fit(X, "play"), X, "play", title=evil).html
    assert html.count("<script>") == 1 and "alert(1)</script>" not in html
    assert Outline(html).open == []


@pytest.mark.parametrize(
    "rows", [DAYS.head(1), DAYS[DAYS["play"] == "no"], DAYS.assign(wind=None)], ids=["one row", "one class", "missing"]
)
def test_few_rows_one_class_and_missing_values(model, rows):
    html = db.report(model, rows, "play").html
    assert re.findall(r'<section id="([^"]+)"', html) == SECTIONS and "nan" not in words(html).lower().split()


def test_one_class_and_one_column():
    X = pd.DataFrame({"wind": ["weak", "strong"] * 3, "play": ["yes"] * 6})
    html = db.report(db.NaiveBayes().fit(X, "play"), X, "play").html
    assert "There is only one column" in html and "All rows are of one class" in html


def test_many_classes_and_columns(monkeypatch):
    monkeypatch.setattr("deciban.reports.classifiers.data._MOST_COLUMNS", 3)
    X, y = {f"x{i}": [i * k % 7 for k in range(90)] for i in range(5)}, [k % 45 for k in range(90)]
    html = db.report(db.NaiveBayes(columns=dict.fromkeys(X, db.Categorical())).fit(X, y), X, y).html
    assert "45 classes are too many for a matrix" in html and "2 more columns" in html and "15 more classes" in html


@pytest.mark.parametrize("kind", [db.TAN(), db.AODE(), db.KDB(), db.JointBayes(), db.CategoricalNB()])
def test_other_models(kind):
    X, y = DAYS.drop(columns="play"), DAYS["play"]
    html = db.report(kind.fit(X, y), X, y).html
    assert re.findall(r'<section id="([^"]+)"', html) == [key for key in SECTIONS if key != "nomogram"]


@pytest.mark.parametrize("kind", [db.TextNB(), db.LogCountRatio()])
def test_documents(kind):
    documents = ["win <b>cash</b> now", "see you at noon", "cash prize", "lunch at noon " + "x" * 3000] * 4
    y = ["spam", "ham"] * 8
    html = db.report(kind.fit(documents, y), documents, y).html
    shown = words(section(html, "evidence"))
    assert "Evidence for spam" in shown and "cash" in shown
    assert "Document 0" in section(html, "rows") or "Document 1" in section(html, "rows")
    assert "<b>cash" not in html and "The first 2,000 letters" in html


def test_it_is_written_whole_and_shown(model, tmp_path):
    made = db.report(model, DAYS, "play", path=tmp_path / "r.html", title="Tennis")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == made.html and made.title == "Tennis"
    assert "<h1>Tennis</h1>" in made.html and list(tmp_path.iterdir()) == [tmp_path / "r.html"]


def test_wrong_input_is_one_clear_error(model):
    with pytest.raises(UnfittedError):
        db.report(db.NaiveBayes(), DAYS, "play")
    with pytest.raises(InputTypeError, match="not about a dict"):
        db.report({}, DAYS)
    with pytest.raises(InputError, match="pass y"):
        db.report(db.NaiveBayes().fit(DAYS.drop(columns="play"), DAYS["play"]), DAYS.drop(columns="play"))
    with pytest.raises(DecibanError, match="column"):
        db.report(model, DAYS, "plya")
    with pytest.raises(DecibanError):
        db.report(model, DAYS.drop(columns="wind"), "play")
    with pytest.raises(DecibanError):
        db.report(model, None)


def test_ignored_columns_are_not_among_the_reasons_of_a_row():
    table = {"sky": ["sun", "sun", "rain", "rain"] * 5, "note": list("abcdefghijklmnopqrst")}
    model = db.NaiveBayes({"note": db.Ignore()}, weights={"sky": 0.5}).fit(table, ["yes", "yes", "no", "no"] * 5)
    html = db.report(model, table, ["yes", "yes", "no", "no"] * 5).html
    rows, columns = (html.split(f'<section id="{key}"')[1].split("</section>")[0] for key in ("rows", "data"))
    assert ">note<" not in rows and ">sky<" in rows
    (line,) = [line for line in columns.split("<tr>") if ">note<" in line]
    assert line.split("</tr>")[0].endswith('<td class="number"></td>'), "no weight beside an ignored column"
