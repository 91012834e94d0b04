from deciban.choices import did_you_mean


def test_the_closest_name_is_suggested_whatever_its_case():
    assert did_you_mean("survived", ["Survived", "Age"]) == " Did you mean 'Survived'?"


def test_many_names_without_a_close_one_are_not_listed():
    assert did_you_mean("zzz", range(100)) == ""


def test_names_may_be_any_values():
    assert did_you_mean(("a", 1), [("a", 2), 7]) == " Did you mean ('a', 2)?"
