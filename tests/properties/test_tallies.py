"""All tallies are one family: whatever is counted, the same laws hold.

A tally that broke one of them would lose or double rows when models are merged, aged or unlearned.
"""

from dataclasses import fields, is_dataclass
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, NegativeCountError, ParameterError, PrecisionError
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.linear_gaussian import GaussianTally
from deciban.tallies.tally import SampleTally

WORDS = ["free prize", "see you at noon", "", "free lunch at noon", "prize"]
ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from([None, "u", "v"]), st.integers(-5, 5), st.sampled_from(WORDS)),
    min_size=1,
    max_size=12,
)
GRAPH = [("label", "number"), ("letter", "number")]
CHAINS = (
    db.KDB(members=2)
    .fit({"letter": ["u", "v", None, "u"] * 5, "number": [float(n % 7) for n in range(20)]}, list("aabb") * 5)
    .structure_
)
SCORES = (
    db.Discriminant()
    .fit({"letter": ["u", "v", None, "u"] * 5, "number": [float(n % 7) for n in range(20)]}, list("aabb") * 5)
    .structure_
)
TREES = (
    db.CountForest(n_trees=2)
    .fit({"letter": ["u", "v", None, "u"] * 5, "number": [float(n % 7) for n in range(20)]}, list("aabb") * 5)
    .structure_
)


def table(rows):
    """A table with a label, a letter (which may be missing), a number and a text."""
    label, letter, number, text = zip(*rows, strict=True)
    return {"label": list(label), "letter": list(letter), "number": [float(n) for n in number], "text": list(text)}


def columns(rows, *names):
    return {name: table(rows)[name] for name in names}


def mixed(rows):
    return db.tally(columns(rows, "label", "letter", "number"), target="label")


def fitted(model, *names):
    return lambda rows: model.fit(columns(rows, *names), table(rows)["label"]).tally_


def numbers(rows):
    doubled = np.array([[n, 2.0 * n + len(text)] for _, _, n, text in rows])
    return db.GaussianNB().fit(doubled, table(rows)["label"]).tally_


def terms(rows):
    counts = np.array([[abs(n), len(text)] for _, _, n, text in rows])
    return db.MultinomialNB().fit(counts, table(rows)["label"]).tally_


def documents(rows):
    texts = [f"{text} always" for text in table(rows)["text"]]
    return db.TextNB().fit(texts, table(rows)["label"]).tally_


def families(rows):
    data = {name: [str(v) for v in values] for name, values in table(rows).items()}
    return db.BayesNet(GRAPH).fit({name: data[name] for name in ("label", "letter", "number")}).tally_


def gaussian(rows):
    data = {"label": [ord(a) for a, *_ in rows], "letter": [len(t) for *_, t in rows], "number": table(rows)["number"]}
    values = {name: [float(v) for v in column] for name, column in data.items()}
    return db.GaussianNet(GRAPH).fit(values).tally_


KINDS = {
    "mixed columns": mixed,
    "missing values as evidence": fitted(db.NaiveBayes(missing="state"), "letter", "number"),
    "sketches": fitted(db.NaiveBayes({"number": db.Kernel()}), "letter", "number"),
    "moments of an array": numbers,
    "terms": terms,
    "pairs of columns": fitted(db.AODE(), "letter", "text"),
    "chains of columns": fitted(db.KDB(members=2, structure=CHAINS), "letter", "number"),
    "cross-products": fitted(db.Discriminant(structure=SCORES), "letter", "number"),
    "ends of trees": fitted(db.CountForest(structure=TREES), "letter", "number"),
    "documents": documents,
    "families of a net": families,
    "moments of a net": gaussian,
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def is_close(a, b):
    """Equal up to rounding: exactly for whole numbers, by the parts' own rule where they have one."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        is_text = a.dtype.kind not in "iufb"
        return a.shape == b.shape and (np.array_equal(a, b) if is_text else np.allclose(a, b, rtol=1e-9, atol=1e-9))
    if hasattr(a, "is_close"):
        return a.is_close(b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(is_close, a, b))
    return a == b or is_close(held(a), held(b)) if held(a) else a == pytest.approx(b)


def held(value):
    """What a value is made of, but for the low parts of double-doubles."""
    if isinstance(value, FamilyTally):
        return (value.rows, *value.counts.values(), *value.totals.values())
    if isinstance(value, GaussianTally):
        return (value.rows, *value.moments.values())
    names = [field.name for field in fields(value)] if is_dataclass(value) else []
    return tuple(getattr(value, name) for name in names if not name.endswith("_low"))


def is_difference(whole, part, rest):
    """Whether whole − part is the rest, or an error where a constant column is left of which no digit is certain."""
    try:
        return is_close(whole - part, rest)
    except PrecisionError:
        return any(not np.diag(moments.cross).all() for moments in rest.moments.values())


@every_kind
@settings(max_examples=15)
@given(ROWS, ROWS)
def test_tallies_form_a_group(kind, first, second):
    count = KINDS[kind]
    a, b, both = count(first), count(second), count(first + second)
    assert isinstance(a, SampleTally)
    assert is_close(a + b, both)
    assert is_close(a + b, b + a)
    assert is_difference(a + b, b, a)
    assert a == count(first)
    assert (a == b) <= is_close(a, b)
    assert (a + b).total == a.total + b.total == len(first) + len(second)


@every_kind
@settings(max_examples=10)
@given(ROWS, st.sampled_from([0.25, 0.5, 2.0, 3.0]))
def test_scaling_weighs_the_whole_sample(kind, rows, factor):
    a = KINDS[kind](rows)
    assert is_close(a.scaled(2.0), a.scaled(1.0) + a.scaled(1.0))
    assert is_close(a.scaled(factor).scaled(2.0), a.scaled(2.0 * factor))
    assert a.scaled(factor).total == pytest.approx(factor * a.total)
    assert a.scaled(0.0).is_empty and not a.is_empty
    assert (a - a).is_empty


@every_kind
@settings(max_examples=10)
@given(ROWS, ROWS)
def test_a_marginal_of_the_sum_is_the_sum_of_the_marginals(kind, first, second):
    a, b = KINDS[kind](first), KINDS[kind](second)
    name = a.names[0]
    assert (a + b).marginal(name).names == (name,)
    assert is_close((a + b).marginal(name), a.marginal(name) + b.marginal(name))
    assert (a + b).marginal(*a.names) == a + b


@every_kind
def test_taking_out_what_was_never_counted_is_an_error(kind):
    a = KINDS[kind]([("a", "u", 1, "prize"), ("b", "v", 2, "")])
    with pytest.raises(NegativeCountError):
        a - a.scaled(2.0)


@every_kind
@pytest.mark.parametrize("factor", [-1.0, float("nan"), float("inf")])
def test_a_factor_is_finite_and_not_negative(kind, factor):
    a = KINDS[kind]([("a", "u", 1, "prize"), ("b", "v", 2, "")])
    with pytest.raises(ParameterError, match="not negative"):
        a.scaled(factor)


@every_kind
def test_an_unknown_name_has_no_marginal(kind):
    a = KINDS[kind]([("a", "u", 1, "prize"), ("b", "v", 2, "")])
    with pytest.raises(ColumnMismatchError, match=r"there is no (column|node) 'nothing'"):
        a.marginal("nothing")


@every_kind
def test_a_tally_shows_itself_in_one_line_in_text_and_in_html(kind):
    a = KINDS[kind]([("a", "<u>", 1, "prize"), ("b", "v", 2, "")])
    assert "\n" not in repr(a) and len(repr(a)) < 100
    assert repr(a).startswith(f"{type(a).__name__}(2 rows, ")
    assert len(str(a).splitlines()) > 2
    assert a._repr_html_().count("<table>") == a._repr_html_().count("</table>") == 1
    assert "<u>" not in a._repr_html_()


def test_a_family_needs_its_parents():
    a = families([("a", "u", 1, "prize")])
    with pytest.raises(ColumnMismatchError, match="the counts of 'number' depend on its parent 'label'; name it, too"):
        a.marginal("number")
    assert a.marginal("label", "letter").names == ("label", "letter")


@every_kind
@settings(max_examples=5)
@given(ROWS)
def test_a_tally_is_saved_and_loaded(kind, rows):
    a = KINDS[kind](rows)
    with TemporaryDirectory() as folder:
        db.save(a, f"{folder}/rows.deciban")
        loaded = db.load(f"{folder}/rows.deciban")
    assert loaded == a
    assert is_close(loaded + a, a + a)
