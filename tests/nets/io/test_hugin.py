"""NET as Hugin writes it."""

import pytest

from deciban.errors import FileError
from deciban.nets.io.hugin import read_hugin

NET = """net
{
    node_size = (80 40); % a comment
    HR_Desc = "a { brace";
}
node rain
{
    label = "Rain?";
    position = (10 20);
    states = ("no" "yes");
}
discrete node wet { states = ("no" "yes" "soaked"); }
potential (rain) { }
potential (wet | rain)
{
    data = ((0.5 0.25 0.25) % rain=no
            (0 0.5 0.5)); % rain=yes
}
"""


def read(text):
    return read_hugin(text.encode(), "rain.net")


def test_a_net_with_comments_and_attributes_is_read():
    network = read(NET)
    assert network.tables["rain"].tolist() == [0.5, 0.5]
    assert network.tables["wet"].tolist() == [[0.5, 0.25, 0.25], [0, 0.5, 0.5]]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("discrete node", "utility node", "line 12: expected .*; only discrete chance nodes are read, found 'utility'"),
        ("node wet", "node rain", "line 12: the variable 'rain' is defined a second time"),
        ("(wet | rain)", "(wet | snow)", "line 14: the table of 'wet' names 'snow', which is not a variable"),
        ("(wet | rain)", "(wet rain)", r"line 14: expected '\|' or '\)' in the head of a potential"),
        ("(0 0.5 0.5))", "(0 0.5))", "line 14: the table of 'wet' needs 2 × 3 = 6 values, not 5"),
        ("(0 0.5 0.5))", "(0 0.5 0.6))", "line 14: the row of 'wet' given rain=yes sums to 1.1"),
        ("(0 0.5 0.5))", "(0 0.5 0.5)", r"line 17: expected '\)', found ';'"),
        ("(0 0.5 0.5))", "(0 0.5 x))", "line 17: expected numbers and parentheses, then ';', found 'x'"),
        ("data =", "model_data =", "line 16: expected 'data': tables defined by a model are not read"),
        ("states = (\"no\" \"yes\");", "states = ();", "line 6: the variable 'rain' has no states"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(old, new, says):
    assert old in NET
    with pytest.raises(FileError, match=r"rain\.net, " + says):
        read(NET.replace(old, new))
