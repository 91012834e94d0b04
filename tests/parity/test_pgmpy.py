"""Tests of independence against pgmpy (1.1.2).

Known differences, each held below:

* Strata of two by two get Yates' correction there, and none here.
* A stratum that no row has makes pgmpy's G² NaN, and NaN counts as dependent; here it adds nothing.
* Without a degree of freedom pgmpy's p is NaN, and that counts as dependent; here p is 1 and there is no verdict, which
  counts as independent unless ``unsure="dependent"``.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from deciban.nets import ChiSquared, GSquared

pytestmark = pytest.mark.filterwarnings("ignore")  # the peer's own


@pytest.fixture
def tests():
    return pytest.importorskip("pgmpy.ci_tests")


@pytest.fixture
def table():
    """Columns of three states, all of which occur together, so that no table is two by two and no stratum empty."""
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 3, 900) for name in "abc"}
    columns["d"] = np.where(rng.random(900) < 0.5, columns["a"], rng.integers(0, 3, 900))
    return pd.DataFrame(columns)


@pytest.mark.parametrize(("name", "kind"), [("GSq", GSquared), ("ChiSquare", ChiSquared)])
def test_statistic_df_and_p_are_the_same(tests, table, name, kind):
    theirs, ours = getattr(tests, name)(table), kind(table)
    for x, y in combinations("abcd", 2):
        rest = [z for z in "abcd" if z not in (x, y)]
        for given in ([], rest[:1], rest):
            theirs(x, y, given, significance_level=0.01)
            found = ours.test(x, y, given)
            wanted = theirs.statistic_, theirs.dof_, theirs.p_value_
            assert (found.statistic, found.df, found.p) == pytest.approx(wanted, rel=1e-8)


def test_two_by_two_is_corrected_there_and_not_here(tests, table):
    small = (table > 0).astype(int)
    theirs = tests.GSq(small)
    theirs("a", "d", [], significance_level=0.01)
    counts = pd.crosstab(small["a"], small["d"])
    for is_corrected, found in ((True, theirs.statistic_), (False, GSquared(small).test("a", "d").statistic)):
        wanted = chi2_contingency(counts, correction=is_corrected, lambda_="log-likelihood").statistic
        assert found == pytest.approx(wanted)


def test_an_empty_stratum_is_no_number_there_and_nothing_here(tests, table):
    copied = table.assign(copy=table["c"])
    theirs = tests.GSq(copied)
    assert not theirs("a", "b", ["c", "copy"], significance_level=0.01) and np.isnan(theirs.p_value_)
    ours = GSquared(copied)
    assert ours.test("a", "b", ["c", "copy"]).p == pytest.approx(ours.test("a", "b", ["c"]).p)
    assert ours.independent("a", "b", ["c", "copy"])


def test_what_is_determined_is_dependent_there_and_untested_here(tests, table):
    copied = table.assign(copy=table["a"])
    theirs = tests.GSq(copied)
    assert not theirs("a", "b", ["copy"], significance_level=0.01) and np.isnan(theirs.p_value_)
    found = GSquared(copied).test("a", "b", ["copy"])
    assert (found.verdict, found.df, found.p) == ("none", 0.0, 1.0)
