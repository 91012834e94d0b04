"""scikit-learn's own tests of naive Bayes and of its vectorizers, run on deciban's classes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn.naive_bayes
from sklearn.feature_extraction import text

LEFT_OUT = {
    "sklearn.tests.test_naive_bayes": {
        "test_gnb_check_update_with_no_data": "calls the private helper GaussianNB._update_mean_variance",
        "test_gnb_array_api_compliance": "array-API dispatch: deciban computes on numpy arrays in its own core",
    },
    "sklearn.feature_extraction.tests.test_text": {
        "test_hashingvectorizer_nan_in_docs": "wants the error's words; deciban's ValueError names the row",
    },
}
FEWEST = {"sklearn.tests.test_naive_bayes": 80, "sklearn.feature_extraction.tests.test_text": 120}


@pytest.mark.parametrize("module", list(LEFT_OUT))
def test_scikit_learns_own_tests_pass(module, tmp_path):
    chosen = " and ".join(f"not {name}" for name in LEFT_OUT[module])
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(tmp_path), "-p", "sklearn_swap",
         "-p", "no:cacheprovider", "-k", chosen, "--pyargs", module],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent), "SKLEARN_RUN_FLOAT32_TESTS": "1"},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-4000:]
    passed = int(result.stdout.split(" passed")[0].split()[-1])
    assert passed >= FEWEST[module], result.stdout[-500:]


def test_the_peer_is_scikit_learn():
    """The other tests of parity compare with scikit-learn's classes, whatever has been imported before."""
    assert sklearn.naive_bayes.GaussianNB.__module__ == "sklearn.naive_bayes"
    assert text.CountVectorizer.__module__ == "sklearn.feature_extraction.text"
