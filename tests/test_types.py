"""Results that are mappings behave as mappings: users loop over them, ask for keys and compare them."""

import pytest

from deciban.types import ResultMapping


class Ages(ResultMapping[str, int]):
    def __init__(self, values):
        self._values = values


def test_a_result_is_a_mapping():
    ages = Ages({"ann": 41, "bob": 7})
    assert (ages["ann"], list(ages), len(ages), "bob" in ages) == (41, ["ann", "bob"], 2, True)
    assert dict(ages) == ages == {"ann": 41, "bob": 7}
    with pytest.raises(KeyError):
        ages["eve"]
