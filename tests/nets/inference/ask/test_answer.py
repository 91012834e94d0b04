"""The answer to a question is that of the method of the net which it stands for."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import deciban as db
from deciban.errors import ImpossibleEvidenceError, QuestionError
from deciban.nets.inference.ask import parse_question, read_assignments, read_nodes
from tests.nets.inference.ask.pointing import check_refused
from tests.nets.inference.networks import NETS

YES_NO = ("yes", "no")
NET = db.BayesNet.from_tables(
    [("smoke", "lung"), ("lung", "xray"), ("smoke", "age")],
    {"smoke": YES_NO, "lung": YES_NO, "xray": YES_NO, "age": (20, 60)},
    {
        "smoke": [0.5, 0.5],
        "lung": [[0.25, 0.75], [0.0, 1.0]],
        "xray": [[0.75, 0.25], [0.25, 0.75]],
        "age": [[0.25, 0.75], [0.5, 0.5]],
    },
)
BODY = db.GaussianNet.from_parameters(
    [("height", "weight")],
    {"height": db.LinearGaussian(170.0, {}, 64.0), "weight": db.LinearGaussian(-100.0, {"height": 1.0}, 36.0)},
)

SAME = [
    ("P(lung)", lambda: NET.query("lung")),
    ("P(lung | xray=yes)", lambda: NET.query("lung", {"xray": "yes"})),
    ("P(lung | xray=yes, do(smoke=yes))", lambda: NET.do({"smoke": "yes"}).query("lung", {"xray": "yes"})),
    ("P(smoke | do(lung=yes))", lambda: NET.query("smoke")),
    ("P(lung, xray | age=60)", lambda: NET.query(["lung", "xray"], {"age": 60})),
    ("P(lung=yes | xray=yes)", lambda: NET.query("lung", {"xray": "yes"})["yes"]),
    ("P(lung=yes | do(smoke=no))", lambda: 0.0),
    ("E(age | smoke=yes)", lambda: 50.0),
    ("P(age > 20 | smoke=yes)", lambda: 0.75),
    ("P(age >= 20 | do(smoke=yes))", lambda: 1.0),
    ("P(age < 20)", lambda: 0.0),
    ("P(age <= 4e1 | smoke=no)", lambda: 0.5),
    ("argmax P(* | xray=yes)", lambda: NET.mpe({"xray": "yes"})),
    ("argmax P(lung, smoke | xray=yes)", lambda: NET.map(["lung", "smoke"], {"xray": "yes"})),
    ("smoke _||_ xray | lung", lambda: True),
    ("smoke _||_ xray", lambda: False),
    ("age _||_ lung, xray | smoke", lambda: True),
]


@pytest.mark.parametrize(("text", "same"), SAME, ids=[text for text, _ in SAME])
def test_a_question_is_a_method(text, same):
    assert NET.ask(text) == same()
    assert NET.ask(parse_question(text)) == same()


def test_the_probability_of_several_states_is_that_of_the_joint_table():
    joint = NET.query(["smoke", "lung", "age"], {"xray": "yes"})
    for smoke, lung, age in joint:
        found = NET.ask(f"P(smoke={smoke}, lung={lung}, age={age} | xray=yes)")
        assert found == pytest.approx(joint[smoke, lung, age], abs=1e-15)


def test_the_probability_of_a_whole_row_needs_no_joint_table():
    path = NETS / "alarm.bif.gz"
    if not path.exists():
        pytest.skip("the net is not here")
    net = db.read_net(path)
    row = net.mpe({"BP": "LOW"})
    states = ", ".join(f"{node}={state}" for node, state in row.items() if node != "BP")
    assert net.ask(f"P({states} | BP=LOW)") == pytest.approx(row.posterior, rel=1e-9)


def test_impossible_evidence_is_the_error_of_the_library():
    with pytest.raises(ImpossibleEvidenceError):
        NET.ask("P(xray=yes, age=20 | smoke=no, lung=yes)")
    with pytest.raises(ImpossibleEvidenceError, match=r"lung=yes cannot be true in this net after do\(smoke=no\)"):
        NET.ask("P(xray | lung=yes, do(smoke=no))")


WORDS = [
    "P(",
    "E(",
    "argmax P(",
    "do(",
    ")",
    "|",
    ",",
    "=",
    ">",
    "_||_",
    "*",
    "smoke",
    "lung",
    "xray",
    "age",
    "yes",
    "no",
    "20",
]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
@settings(max_examples=200)
@example("P( lung , xray | smoke = no , do( age = 20 ) )")
def test_any_words_are_a_question_or_an_error_of_deciban(text):
    with suppress(QuestionError, ImpossibleEvidenceError):
        NET.ask(text)


def test_an_expected_value_needs_numbers():
    with pytest.raises(QuestionError, match="needs states that are numbers") as raised:
        NET.ask("E(lung | age=20)")
    assert raised.value.position == 2


def test_a_gaussian_net_answers_with_normal_distributions():
    assert BODY.ask("P(height | weight=80)") == BODY.query("height", {"weight": 80})
    assert BODY.ask("E(height | do(weight=80))") == 170
    assert BODY.ask("E(weight | height=1.8e2)") == 80
    both = BODY.ask("P(height, weight)")
    assert both["weight"].sd == pytest.approx(10) and both["weight"].mean == 70


def test_a_number_is_compared():
    assert BODY.ask("P(height > 180 | do(weight=1))") == pytest.approx(norm(170, 8).sf(180), rel=1e-12)
    assert 0 < BODY.ask("P(height <= 90)") == pytest.approx(norm(170, 8).cdf(90), rel=1e-9)
    assert BODY.ask("P(height < 180)") + BODY.ask("P(height >= 180)") == pytest.approx(1)
    certain = BODY.do({"height": 180})
    assert certain.ask("P(height < 180)") == 0 and certain.ask("P(height <= 180)") == 1


def test_states_of_files_may_be_texts_of_numbers():
    net = db.BayesNet.from_tables(db.DAG(nodes=["dice"]), {"dice": ("1", "2", "3", "4")}, {"dice": [0.25] * 4})
    assert net.ask("E(dice)") == 2.5 and net.ask("P(dice > 1.5)") == 0.75


def test_only_numbers_are_compared():
    with pytest.raises(QuestionError, match="needs states that are numbers"):
        NET.ask("P(lung > 3)")
    with pytest.raises(QuestionError, match="'age' is compared with a number, not with 'old'") as raised:
        NET.ask("P(age > old)")
    assert raised.value.position == 8


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("P(height=170)", 9, "one value of a number has probability 0"),
        ("P(height > tall)", 11, "'height' is compared with a number, not with 'tall'"),
        ("P(height | weight=heavy)", 18, "the value of 'weight' is a number, not 'heavy'"),
        ("argmax P(height)", 0, "a Gaussian net answers P"),
        ("P(hight)", 2, "Did you mean 'height'?"),
    ],
)
def test_a_gaussian_net_points_at_what_it_cannot_answer(text, position, reason):
    check_refused(BODY, text, position, reason)


def test_states_are_read_by_the_net():
    assert read_assignments(NET, "age=60, smoke=no") == {"age": 60, "smoke": "no"}
    assert read_assignments(BODY, "height=180") == {"height": 180.0}
    with pytest.raises(QuestionError, match="Did you mean 'smoke'"):
        read_assignments(NET, "smok=no")


def test_nodes_are_read_by_the_net():
    assert read_nodes(NET, "age, 'smoke'") == ["age", "smoke"]
    with pytest.raises(QuestionError, match="expected the end, found '='"):
        read_nodes(NET, "age=60")
