"""The engine of a search: Ctrl-C ends it, on whatever core it works."""

import signal
import subprocess
import sys
import time

import pytest

ENDLESS = """
import numpy as np, deciban as db
rng = np.random.default_rng(0)
hidden = rng.random((3_000, 1)) < 0.5
rows = (rng.random((3_000, {columns})) < np.where(hidden, 0.8, 0.2)).astype(int)  # nothing is ever separated
print("ready", flush=True)
{call}
"""

CALLS = {
    "the levels of PC": (40, "db.discover(rows)"),
    "the sets of an exact search": (22, "db.search(rows, score='bdeu', method='exact')"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize(("columns", "call"), CALLS.values(), ids=CALLS)
def test_ctrl_c_ends_a_long_search(columns, call):
    """A user who asked for too much gets the prompt back at once, not when the last test is done."""
    code = ENDLESS.format(columns=columns, call=call)
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)  # without an end to the work, it is killed
        finally:
            process.kill()
    assert "KeyboardInterrupt" in errors
