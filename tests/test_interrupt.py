"""Ctrl-C ends long work within about a second: in one long task of a kernel, in a loop of it, and between kernels."""

import signal
import subprocess
import sys
import time

import pytest

NET = """
net = db.BayesNet.from_tables(
    [("rain", "wet")], {"rain": (0, 1), "wet": (0, 1)}, {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}
)
"""
HIDDEN = """
hidden = rng.random((3_000, 1)) < 0.5
rows = (rng.random((3_000, {columns})) < np.where(hidden, 0.8, 0.2)).astype(int)  # nothing is ever separated
"""
CALLS = {
    "the levels of PC": HIDDEN.format(columns=40) + "call = lambda: db.discover(rows)",
    "the levels of PC on numbers": """
rows = rng.normal(size=(3_000, 1)) + rng.normal(size=(3_000, 60))  # one hidden factor: nothing is ever separated
call = lambda: db.discover(rows)
""",
    "the sets of an exact search": HIDDEN.format(columns=22)
    + "call = lambda: db.search(rows, score='bdeu', method='exact')",
    "the sweeps of BOSS": HIDDEN.format(columns=60) + "call = lambda: db.search(rows, method='boss', penalty=0)",
    "one chain of Gibbs sampling": NET + "call = lambda: net.sample_gibbs(10, chains=1, burn_in=10**12)",
    "four chains of Gibbs sampling": NET + "call = lambda: net.sample_gibbs(10, chains=4, burn_in=10**12)",
    "cuts by description length": """
from deciban.tallies.kernels import description_cuts
counts = rng.integers(0, 2, (400_000, 200)).astype(float)
call = lambda: description_cuts(counts, 0.0)
""",
    "expectation maximization": """
rows = {"a": rng.integers(0, 2, 20_000).tolist(), "b": [None] * 20_000}
call = lambda: db.BayesNet([("b", "a")]).fit(
    rows, missing="em", states={"b": 3}, max_iter=10**9, tol=0.0, starts=10**6, random_state=0
)
""",
    "a bootstrap of PC": """
rows = rng.integers(0, 2, (2_000, 12))
found = db.discover(rows)
call = lambda: found.bootstrap(10**6)
""",
}
MAIN = """
import numpy as np, deciban as db
rng = np.random.default_rng(0)
{code}
print("ready", flush=True)
call()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize("code", CALLS.values(), ids=CALLS)
def test_ctrl_c_ends(code):
    """A user who asked for too much gets the prompt back at once, not when the work is done."""
    with subprocess.Popen([sys.executable, "-c", MAIN.format(code=code)], stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)  # without an end to the work, it is killed
        finally:
            process.kill()
    assert "KeyboardInterrupt" in errors
