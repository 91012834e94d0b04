"""Counters that several processes add to."""

import os
import subprocess
import sys

from deciban.serve.metrics import SHARED_FOLDER

WORKER = """
from deciban.serve.metrics import Metrics
metrics = Metrics()
metrics.add_rows("predict", 11)
metrics.observe("/predict", 200, 0.3)
print(metrics.render({"journal_position": 2.0}))
"""


def count(folder):
    """What a worker answers that has counted in a folder."""
    variables = os.environ | {SHARED_FOLDER: str(folder)}
    done = subprocess.run([sys.executable, "-c", WORKER], env=variables, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_sums_are_those_of_all_processes_also_of_those_that_ended(tmp_path):
    first, second = count(tmp_path), count(tmp_path)
    for lines, times in ((first, 1), (second, 2)):
        assert f'deciban_rows_total{{verb="predict"}} {11 * times}.0' in lines
        assert 'deciban_rows_total{verb="learn"} 0.0' in lines
        assert f'deciban_requests_total{{route="/predict",status="200"}} {times}.0' in lines
        assert f'deciban_request_seconds_bucket{{le="0.5",route="/predict"}} {times}.0' in lines
        assert "deciban_journal_position 2.0" in lines
    assert len(list(tmp_path.iterdir())) == 4  # of each process its counters and its histograms
