"""scikit-learn's own tests of naive Bayes, run on deciban's classes."""

import os
import subprocess
import sys
from pathlib import Path

LEFT_OUT = {
    "test_gnb_check_update_with_no_data": "calls the private helper GaussianNB._update_mean_variance",
    "test_gnb_array_api_compliance": "array-API dispatch: deciban computes on numpy arrays in its own core",
}


def test_scikit_learns_own_tests_pass(tmp_path):
    chosen = " and ".join(f"not {name}" for name in LEFT_OUT)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(tmp_path), "-p", "sklearn_swap",
         "-p", "no:cacheprovider", "-k", chosen, "--pyargs", "sklearn.tests.test_naive_bayes"],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent), "SKLEARN_RUN_FLOAT32_TESTS": "1"},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-4000:]
    passed = int(result.stdout.split(" passed")[0].split()[-1])
    assert passed >= 80, result.stdout[-500:]
