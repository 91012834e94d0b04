"""UAI files, which have numbers for names."""

import pytest

from deciban.errors import FileError
from deciban.nets.io.uai import read_uai

ASIA = "BAYES\n2\n2 3\n2\n1 0\n2 0 1\n\n2\n 0.8 0.2\n\n6\n 0.5 0.25 0.25\n 0 0.5 0.5\n"


def read(text):
    return read_uai(text.encode(), "x.uai")


def test_nodes_and_states_are_numbered():
    network = read(ASIA)
    assert dict(network.states) == {"0": ("0", "1"), "1": ("0", "1", "2")}
    assert network.tables["1"].tolist() == [[0.5, 0.25, 0.25], [0, 0.5, 0.5]]
    assert read("BAYES # a net\n" + ASIA[6:]) == network


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ASIA.replace("BAYES", "MARKOV"), "line 1: expected 'BAYES', .* found 'MARKOV'"),
        (ASIA.replace("2 0 1", "2 0 7"), "line 6: expected the number of a variable, found 7"),
        (ASIA.replace("2 3", "2 0"), "line 3: expected the number of states, found 0"),
        (ASIA.replace("0.8", "x"), "line 9: expected a number, found 'x'"),
        (ASIA.replace("0.8", "0.9"), "line 8: the row of '0' sums to 1.1"),
        (ASIA.replace("\n2\n 0.8", "\n1\n 0.8"), "line 8: the table of '0' needs 2 values, not 1"),
        (ASIA[:-5], "line 13: expected 1 more numbers, found the end of the file"),
        (ASIA + "1", "line 14: expected the end of the file, found more numbers"),
        (ASIA + '# deciban names {"nodes": ["a"]}', "line 14: the names cannot be read"),
        (ASIA + '# deciban names {"nodes": ["a"], "states": [["b"]]}', "line 14: the names do not fit this net"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text, says):
    with pytest.raises(FileError, match=r"x\.uai, " + says):
        read(text)
