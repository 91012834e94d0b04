"""BIF: rows in any order, defaults, the order of 'table', and an error that names the line for whatever is wrong."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import FileError
from deciban.nets.io.bif import read_bif

VARIABLES = """network "a net" { property version 1; }
variable rain { type discrete [2] { no, yes }; property "seen {often}"; }
// a comment ; {
variable wind { type discrete[ 3 ] { 0, 1, 2.0 }; }
variable wet { /* many
lines */ type discrete [ 2 ] { "not wet", a/b }; }
"""
RAIN = "probability ( rain ) { table 0.8, 0.2; }\n"
WIND = "probability ( wind ) { table 0.5 0.25 0.25; }\n"
WET = """probability ( wet | rain, wind ) {
  (yes, 2.0) 0.1, 0.9;
  default 0.5, 0.5;
  property seen = ("{never}");
  ("no", 0) 1.0, 0; // first
  (no, 1) .75 2.5e-1;
}
"""
ALL = RAIN + WIND + WET


def read(text):
    return read_bif(text.encode(), "rain.bif")


def test_rows_come_in_any_order_and_default_fills_the_others():
    network = read(VARIABLES + ALL)
    assert network.states["wind"] == ("0", "1", "2.0")
    assert network.states["wet"] == ("not wet", "a/b")
    table = network.tables["wet"]
    assert table[0].tolist() == [[1, 0], [0.75, 0.25], [0.5, 0.5]]
    assert table[1].tolist() == [[0.5, 0.5], [0.5, 0.5], [0.1, 0.9]]
    assert read(ALL + VARIABLES) == network


def test_a_table_with_parents_has_the_last_parent_fastest_and_the_node_slowest():
    wet = "probability ( wet | rain, wind ) { table 0.1 0.2 0.3 0.4 0.5 0.6  0.9 0.8 0.7 0.6 0.5 0.4; }"
    table = read(VARIABLES + RAIN + WIND + wet).tables["wet"]
    assert table[..., 0].tolist() == [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
    without_bar = wet.replace("|", "")
    assert np.array_equal(read(VARIABLES + RAIN + WIND + without_bar).tables["wet"], table)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: expected 'network', 'variable' or 'probability', found the end of the file"),
        ("hello", "line 1: expected 'network', .*, found 'hello'"),
        (
            "variable a { type continuous; }",
            "expected 'discrete' as the type of 'a', the only one .* found 'continuous'",
        ),
        ("variable a { type discrete [3] { x, y }; }", "line 1: expected 3 states of 'a', not 2, found '}'"),
        ("variable a { type discrete [2] { x, x }; }", "line 1: the variable 'a' has the state 'x' twice"),
        ("variable a { property x; }", "line 1: the variable 'a' has no states"),
        (
            "variable a { kind discrete }",
            "line 1: expected 'type', 'property' or '}' in the variable 'a', found 'kind'",
        ),
        ("variable a { type discrete [1] { x } }", "line 1: expected ';' after the states, found '}'"),
        (VARIABLES + VARIABLES, "line 8: the variable 'rain' is defined a second time"),
        (VARIABLES + RAIN + WIND, "line 5: the variable 'wet' has no table"),
        (VARIABLES + RAIN + ALL, "line 8: 'rain' has a second table; the first is in line 7"),
        (VARIABLES + ALL[:-2], "line 9: expected '}' after this, found the end of the file"),
        (
            VARIABLES + ALL.replace("rain, wind", "rain, sun"),
            "line 9: the table of 'wet' names 'sun', which is not a var",
        ),
        (VARIABLES + ALL.replace("rain, wind", "rain, rain"), "line 9: .* names a variable twice: wet, rain, rain"),
        (
            VARIABLES + ALL.replace("(no, 1)", "(no, 7)"),
            "line 14: .* names the state '7' of 'wind', whose states are 0, 1",
        ),
        (VARIABLES + ALL.replace("(no, 1)", "(no)"), "line 14: .* needs a state of each of its 2 parents, not 1"),
        (VARIABLES + ALL.replace("(no, 1)", "(no, 0)"), "line 14: .* has a second row for the same states"),
        (VARIABLES + ALL.replace(".75 2.5e-1", ".75"), "line 14: the table of 'wet' needs 2 values here, not 1"),
        (VARIABLES + ALL.replace(".75 2.5e-1", ".75 x"), "line 14: expected numbers and then ';' .*, found 'x'"),
        (
            VARIABLES + ALL.replace(".75 2.5e-1", ".75 .75"),
            "line 14: the row of 'wet' given rain=no, wind=1 sums to 1.5",
        ),
        (
            VARIABLES + ALL.replace(".75 2.5e-1", "1.5 -.5"),
            "line 14: the row .* contains -0.5; probabilities are finite",
        ),
        (
            VARIABLES + ALL.replace(".75 2.5e-1", "0 1e999"),
            "line 14: the row .* contains inf; probabilities are finite",
        ),
        (VARIABLES + ALL.replace("  default 0.5, 0.5;\n", ""), r"line 9: .* has no row \(no, 2.0\) and no 'default'"),
        (VARIABLES + ALL.replace("table 0.8, 0.2;", ""), "line 7: the table of 'rain' has no 'table' and no 'default'"),
        (
            VARIABLES + ALL.replace("0.8, 0.2", "0.8, 0.1, 0.1"),
            "line 7: the table of 'rain' needs 2 values here, not 3",
        ),
        (
            VARIABLES + WIND + WET + "probability ( rain | wet ) { default 0.5 0.5; }",
            "line 15: .* cycle",
        ),
    ],
)
def test_whatever_is_wrong_is_named_with_its_line(text, says):
    with pytest.raises(FileError, match=r"^rain\.bif, " + ("" if says.startswith("line") else ".*") + says):
        read(text)


def test_a_row_read_at_once_is_blamed_by_its_line():
    wet = "probability ( wet | rain ) {\n (no) 0.5, 0.5;\n (yes) 0.5, 0.6;\n}"
    with pytest.raises(FileError, match=r"line 9: the row of 'wet' given rain=yes sums to 1\.1"):
        read(VARIABLES + wet + RAIN + WIND)


def test_a_byte_order_mark_is_no_word(tmp_path):
    (tmp_path / "rain.bif").write_bytes(b"\xef\xbb\xbf" + (VARIABLES + ALL).encode())
    assert len(db.read_net(tmp_path / "rain.bif").nodes) == 3
