"""Formulas are simplified by the axioms of probability, and stay the same functions."""

from deciban.nets.causal.terms import TEXT, Sum, divide, mentioned, multiply, probability, sum_out, tidy, write

P = probability


def shown(term, free=()):
    return write(term, TEXT, "xyzw", free or term.free)


def test_what_sums_to_one_goes():
    assert shown(sum_out("y", P("yz", "x"))) == "P(z | x)"
    assert shown(sum_out("yz", multiply([P("y", "xz"), P("z")]))) == "1"
    assert shown(sum_out("y", multiply([P("y", "xz"), P("z")]))) == "P(z)"


def test_what_does_not_depend_on_a_sum_stands_before_it():
    assert shown(sum_out("z", multiply([P("y", "z"), P("x"), P("z")]))) == "P(x) Σ_z P(y | z) P(z)"


def test_sums_in_sums_are_one():
    inner = multiply([P("y", "zw"), P("z", "w"), P("w", "x")])
    assert shown(sum_out("w", Sum(frozenset("z"), inner))) == "Σ_{z, w} P(y | z, w) P(z | w) P(w | x)"


def test_ratios_are_shortened():
    assert shown(divide(P("yz", "x"), P("z", "x"))) == "P(y | x, z)"
    assert shown(divide(multiply([P("y", "x"), P("x")]), P("x"))) == "P(y | x)"
    assert shown(divide(P("x"), P("x", "z"))) == "[P(x)] / [P(x | z)]"


def test_chains_are_joined():
    assert shown(tidy(multiply([P("x", "z"), P("y", "xz"), P("w")]))) == "P(x, y | z) P(w)"


def test_a_name_that_stands_for_two_values_gets_a_prime():
    front = sum_out("z", multiply([P("z", "x"), sum_out("x", multiply([P("y", "xz"), P("x")]))]))
    assert shown(front) == "Σ_z P(z | x) Σ_x′ P(y | x′, z) P(x′)"
    assert mentioned(front) == set("xyz")
    assert front.free == {"x", "y"}
