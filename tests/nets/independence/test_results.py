"""A result of a test says in words what was tested and what was found."""

from deciban.nets import GSquared


def test_words():
    data = {"a": [0, 0, 1, 1] * 25, "b": [0, 1, 0, 1] * 25}
    assert str(GSquared(data).test("a", "b")) == "a and b are independent: G² = 0, df = 1, p = 1"
