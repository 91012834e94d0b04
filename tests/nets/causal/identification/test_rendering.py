"""Formulas can be read aloud, typeset, and shown in a notebook."""

import deciban as db

FRONT = db.identify(
    db.DAG([("x", "tar_in_lungs"), ("tar_in_lungs", "y")]), cause="x", effect="y", confounded=[("x", "y")]
).estimand


def test_text():
    assert str(FRONT) == "P(y | do(x)) = Σ_tar_in_lungs P(tar_in_lungs | x) Σ_x′ P(y | x′, tar_in_lungs) P(x′)"
    assert repr(FRONT) == f"Estimand({FRONT})"


def test_latex():
    tar = r"\mathrm{tar\_in\_lungs}"
    assert FRONT.latex() == (
        rf"P(y \mid \mathrm{{do}}(x)) = \sum_{{{tar}}} P({tar} \mid x)\, \sum_{{x'}} P(y \mid x', {tar})\, P(x')"
    )
    assert FRONT._repr_latex_() == f"${FRONT.latex()}$"


def test_html_escapes_names():
    found = db.identify(db.DAG([("a<b", "y"), ("c", "a<b"), ("c", "y")]), cause="a<b", effect="y")
    assert found._repr_html_() == (
        "P(<i>y</i> | do(<i>a&lt;b</i>)) = Σ<sub><i>c</i></sub> P(<i>y</i> | <i>a&lt;b</i>, <i>c</i>) P(<i>c</i>)"
    )


def test_a_ratio_in_latex_is_a_fraction():
    napkin = db.DAG([("w", "z"), ("z", "x"), ("x", "y")])
    found = db.identify(napkin, cause="x", effect="y", confounded=[("w", "x"), ("w", "y")])
    assert r"\frac{\sum_{w} P(w)\, P(x, y \mid w, z)}{" in found.estimand.latex()


def test_a_sum_that_is_not_the_last_factor_stands_in_brackets():
    g = db.DAG([("x1", "a"), ("a", "y1"), ("x2", "b"), ("b", "y2")])
    found = db.identify(g, cause=["x1", "x2"], effect=["y1", "y2"], confounded=[("x1", "y1"), ("x2", "y2")])
    assert "(Σ_x1′ P(x1′) P(y1 | x1′, a)) Σ_x2′" in found.estimands["id"].formula
