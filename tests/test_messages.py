"""Errors say what was found, where, and what to do: the exact text of those that users meet first."""

import re

import numpy as np
import pandas as pd
import pytest

import deciban as db

TABLE = pd.DataFrame({"age": [20, 30, 40, 50, 25, 35], "sky": list("srsrsr")})
Y = ["yes", "no", "yes", "no", "yes", "no"]
ONE = pd.DataFrame({"age": [20], "sky": ["s"]})
RAIN = db.DAG([("rain", "wet")])


WET = pd.DataFrame({"rain": ["no", "yes"] * 5, "wet": ["no", "yes"] * 5})


def net():
    return db.BayesNet(RAIN).fit(WET)


def fitted(**parameters):
    return db.NaiveBayes(**parameters).fit(TABLE, Y)


LABELS = {"columns": db.Categorical()}
NOT_FITTED = (
    "This NaiveBayes instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
)
STR = "parameter of NaiveBayes must be a str among"
NEVER = "what is taken out was never counted."
MESSAGES = [
    # Parameters
    ("keyword", lambda: db.NaiveBayes(smothing=1), "NaiveBayes has no parameter 'smothing'. Did you mean 'smoothing'?"),
    ("keyword of a text model", lambda: db.TextNB(prior=1), "TextNB has no parameter 'prior'. Did you mean 'priors'?"),
    (
        "set_params",
        lambda: db.TAN().set_params(missin="skip"),
        "Invalid parameter 'missin' for TAN. Did you mean 'missing'?",
    ),
    (
        "missing",
        lambda: fitted(missing="skp"),
        f"The 'missing' {STR} {{'auto', 'error', 'skip', 'state'}}. Got 'skp' instead. Did you mean 'skip'?",
    ),
    (
        "rule",
        lambda: fitted(rule="mpa"),
        f"The 'rule' {STR} {{'map', 'ml'}}. Got 'mpa' instead. Did you mean 'map'?",
    ),
    (
        "criterion",
        lambda: db.BayesNetClassifier(criterion="bci").fit(TABLE, Y),
        "The 'criterion' parameter of BayesNetClassifier must be a str among {'bdeu', 'bic', 'k2'}. Got 'bci' instead. "
        "Did you mean 'bic'?",
    ),
    (
        "a class for a value",
        lambda: fitted(smoothing=db.Laplace),
        "The 'smoothing' parameter of NaiveBayes must be an instance of 'deciban.estimate.smoothing.Smoothing'. Got "
        "<class 'deciban.estimate.smoothing.Laplace'> instead. Did you mean Laplace()?",
    ),
    (
        "priors",
        lambda: fitted(priors="emprical"),
        "priors is 'empirical', 'uniform', a Smoothing or probabilities, not 'emprical'. Did you mean 'empirical'?",
    ),
    (
        "priors of a class",
        lambda: fitted(priors={"yes": 0.5, "noo": 0.5}),
        "priors names the classes ['noo', 'yes'], but they are ['no', 'yes']. Did you mean 'no'?",
    ),
    (
        "structure",
        lambda: db.BayesNetClassifier("serch").fit(TABLE, Y),
        "structure is one of 'search', 'augmented', 'discover', a DAG or its arrows, not 'serch'. "
        "Did you mean 'search'?",
    ),
    (
        "tie",
        lambda: db.Gaussian(tie="clas"),
        "tie is one of 'none', 'class', 'feature', 'both', not 'clas'. Did you mean 'class'?",
    ),
    ("how", lambda: db.Binned(how="mld"), "how is one of 'width', 'frequency', 'mdl', not 'mld'. Did you mean 'mdl'?"),
    (
        "unseen",
        lambda: db.Categorical(unseen="smoth"),
        "unseen is one of 'smooth', 'ignore', 'error', not 'smoth'. Did you mean 'smooth'?",
    ),
    (
        "measure",
        lambda: fitted().select(1, "chi"),
        "measure is one of 'mi', 'chi2', 'su', not 'chi'. Did you mean 'chi2'?",
    ),
    (
        "method of calibration",
        lambda: fitted().calibrate(TABLE, Y, method="isotone"),
        "method is 'temperature' or 'isotonic', not 'isotone'. Did you mean 'isotonic'?",
    ),
    # Losses
    (
        "loss of an unknown class",
        lambda: fitted(loss={"yess": {"no": 5}}).predict(TABLE),
        "loss names 'yess', which is not a class. Did you mean 'yes'?",
    ),
    (
        "loss of an unknown decision",
        lambda: fitted(loss={"yes": {"non": 5}}).predict(TABLE),
        "loss names 'non', which is not a class. Did you mean 'no'?",
    ),
    (
        "loss that is flat",
        lambda: fitted(loss={"yes": 5}).predict(TABLE),
        "loss['yes'] is a mapping of decisions to costs, not 5.",
    ),
    (
        "cost",
        lambda: fitted(loss={"yes": {"no": "much"}}).predict(TABLE),
        "loss['yes']['no'] is 'much', which is not a number.",
    ),
    (
        "loss of another shape",
        lambda: fitted(loss=[[0]]).predict(TABLE),
        "loss must be a 2 × 2 matrix (truth × decision), not of shape (1, 1).",
    ),
    # Columns
    (
        "column of a distribution",
        lambda: fitted(columns={"agee": db.Gaussian()}),
        "columns names 'agee', which is no column. Did you mean 'age'?",
    ),
    (
        "word for a distribution",
        lambda: fitted(columns={"age": "gaussian"}),
        "columns['age'] is 'gaussian', which is no distribution. Did you mean Gaussian()?",
    ),
    (
        "word for columns",
        lambda: fitted(columns="atuo"),
        "columns is 'auto', a distribution, a mapping of names to them or the schema_ of a model, not 'atuo'. Did you "
        "mean 'auto'?",
    ),
    (
        "column of a weight",
        lambda: fitted(weights={"aeg": 2.0}),
        "weights names 'aeg', which is no column. Did you mean 'age'?",
    ),
    ("selected column", lambda: fitted().select(columns=["agee"]), "there is no column 'agee'. Did you mean 'age'?"),
    ("explained column", lambda: fitted().explain({"agee": 20}), "there is no column 'agee'. Did you mean 'age'?"),
    ("predicted column", lambda: fitted().predict_one({"skye": "s"}), "there is no column 'skye'. Did you mean 'sky'?"),
    (
        "learned column",
        lambda: fitted().learn_one({"skye": "s"}, "no"),
        "there is no column 'skye'. Did you mean 'sky'?",
    ),
    ("column of the schema", lambda: fitted().schema_["agee"], "there is no column 'agee'. Did you mean 'age'?"),
    ("root", lambda: db.TAN(root="agee").fit(TABLE, Y), "root is 'agee', which is no column. Did you mean 'age'?"),
    ("values in order", lambda: fitted().predict_one([20]), "the row has 1 values, but there are 2 columns."),
    ("many rows", lambda: fitted().explain(TABLE), "one row is expected, not 6."),
    # Classes
    (
        "class of an explanation",
        lambda: fitted().explain(ONE, against="nno"),
        "there is no class 'nno'. Did you mean 'no'?",
    ),
    ("class of a nomogram", lambda: fitted().nomogram("yess"), "there is no class 'yess'. Did you mean 'yes'?"),
    # Forgetting
    (
        "forget a value",
        lambda: fitted(**LABELS).forget(ONE.assign(sky="q"), ["yes"]),
        f"the count of 'sky' = 'q' in class 'yes' would be -1: {NEVER}",
    ),
    (
        "forget a value of another class",
        lambda: fitted(**LABELS).forget(ONE, ["no"]),
        f"the count of 'age' = 20 in class 'no' would be -1: {NEVER}",
    ),
    (
        "forget a binned number",
        lambda: fitted(columns={"age": db.Binned()}).forget(ONE, ["no"]),
        f"the count of 'age' = 20 in class 'no' would be -1: {NEVER}",
    ),
    (
        "forget by TAN",
        lambda: db.TAN(**LABELS).fit(TABLE, Y).forget(ONE, ["no"]),
        f"the count of 'age' = 20 in class 'no' would be -1: {NEVER}",
    ),
    (
        "forget too many rows",
        lambda: db.GaussianNB().fit(TABLE[["age"]], Y).forget(TABLE[["age"]][:4], ["no"] * 4),
        f"the count of class 'no' would be -1: {NEVER}",
    ),
    (
        "forget a term",
        lambda: db.MultinomialNB().fit(TABLE[["age"]].to_numpy(), Y).forget(np.array([[999]]), ["no"]),
        f"the count of term 'x0' in class 'no' would be -884: {NEVER}",
    ),
    (
        "forget an unknown class",
        lambda: fitted().forget(ONE, ["maybe"]),
        "class 'maybe' was never learned, so it cannot be forgotten.",
    ),
    # Models and calibration
    ("not fitted", lambda: db.NaiveBayes().predict(TABLE), NOT_FITTED),
    (
        "calibrate with an unknown class",
        lambda: fitted().calibrate(TABLE, [*Y[:-1], "maybe"]),
        "y has the class 'maybe', which the model has not learned.",
    ),
    (
        "leave one out of other rows",
        lambda: fitted().loo_predict_proba(TABLE[:4], Y[:4]),
        "leave-one-out needs the rows that the model was fitted on, all of them, with the weights they had.",
    ),
    (
        "first row",
        lambda: db.NaiveBayes().learn_one(["s"], "no"),
        "the first row names the columns: pass a mapping of names to values.",
    ),
    (
        "no row",
        lambda: fitted().predict_one("s"),
        "a row is a mapping of names to values, a table of one row, or a list of values in the order of the columns, "
        "not a str.",
    ),
    # Nets, graphs and files
    (
        "node",
        lambda: db.d_separated(RAIN, "rain", "wett"),
        "the graph has no node 'wett'; its nodes are: 'rain', 'wet'. Did you mean 'wet'?",
    ),
    (
        "state",
        lambda: net().query("rain", {"wet": "yess"}),
        "'wet' has no state 'yess'; its states are: 'no', 'yes'. Did you mean 'yes'?",
    ),
    (
        "method of a search",
        lambda: db.search(WET, method="tabo"),
        "method is one of 'auto', 'boss', 'ges', 'hc', 'tabu', 'exact', 'chow_liu', not 'tabo'. Did you mean 'tabu'?",
    ),
    (
        "numbers as categories",
        lambda: db.discover({"x": np.linspace(0, 1, 200), "y": np.linspace(1, 2, 200)}, test="g2"),
        "column 'x' holds 200 different numbers in 200 rows, too many to count as categories. Bin it first "
        '(pandas.cut, pandas.qcut), leave it out, or, if all columns are numbers, pass test="fisher_z".',
    ),
    (
        "folder",
        lambda: db.save(fitted(), "/no-such-folder/model.deciban"),
        "/no-such-folder/model.deciban cannot be written: there is no folder /no-such-folder.",
    ),
    # Text
    (
        "no documents",
        lambda: db.TextNB().fit([], []),
        "there is nothing to learn from: X has no rows, or all sample weights are zero.",
    ),
    (
        "a missing document",
        lambda: db.TextNB().fit(["spam", None], [1, 0]),
        "document 1 is missing (None). Leave out the rows without a document, or pass an empty text for one that has "
        "no words.",
    ),
]


@pytest.mark.parametrize(("call", "message"), [case[1:] for case in MESSAGES], ids=[case[0] for case in MESSAGES])
def test_the_message_is(call, message):
    with pytest.raises(Exception, match=f"^{re.escape(message)}$"):
        call()


def test_there_are_enough_of_them():
    assert len(MESSAGES) >= 30 and len({case[0] for case in MESSAGES}) == len(MESSAGES)


def test_misspelt_attributes_are_left_to_python():
    """A traceback suggests the attribute, from the name and the object in the error."""
    with pytest.raises(AttributeError) as caught:
        fitted().predict_prob(TABLE)
    assert caught.value.name == "predict_prob" and isinstance(caught.value.obj, db.NaiveBayes)


def test_a_class_stands_for_its_usual_instance(tmp_path):
    for columns in ({"age": db.Gaussian}, db.Categorical):
        model = fitted(columns=columns)
        made = {"age": db.Gaussian()} if isinstance(columns, dict) else db.Categorical()
        assert model.schema_ == fitted(columns=made).schema_
        db.save(model, tmp_path / "model")
        assert db.load(tmp_path / "model").predict_proba(TABLE).tobytes() == model.predict_proba(TABLE).tobytes()


@pytest.mark.parametrize(
    "make", [db.NaiveBayes, db.TAN, db.AODE, db.KDB, db.Discriminant, db.CountForest, db.AutoBayes, db.JointBayes]
)
def test_a_loss_by_label_is_the_matrix(make, tmp_path):
    """{truth: {decision: cost}}; what is not named is the 0-1 loss."""
    by_label = make(loss={"no": {"yes": 9.0}}).fit(TABLE, Y)
    matrix = make(loss=[[0.0, 9.0], [1.0, 0.0]]).fit(TABLE, Y)  # no, yes
    other = make(loss=[[0.0, 1.0], [9.0, 0.0]]).fit(TABLE, Y)
    rows = {"age": np.arange(20, 50), "sky": ["s", "r"] * 15}
    assert by_label.predict(rows).tolist() == matrix.predict(rows).tolist()
    assert (by_label.predict(rows) == "no").sum() >= (other.predict(rows) == "no").sum()
    db.save(by_label, tmp_path / "model")
    assert db.load(tmp_path / "model").predict(rows).tolist() == matrix.predict(rows).tolist()
