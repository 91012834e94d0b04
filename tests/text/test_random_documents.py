"""Random documents in the tests' own process, where ``make sanitize`` looks on; `tests.fuzz` has memory limits, too."""

import os

from tests.fuzz import texts

SECONDS = float(os.environ.get("DECIBAN_FUZZ_SECONDS", "2"))


def test_random_documents_are_read_as_by_twin_and_peer():
    assert texts.run(SECONDS, 6) > 10
