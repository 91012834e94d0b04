"""Progress goes to the standard error, to a function, or nowhere."""

from deciban.nets.discovery.progress import shower
from deciban.nets.discovery.skeleton import Step

STEP = Step(1, 2000, 30)


def test_a_bar_a_function_or_nothing(capsys):
    shower(True)(STEP)
    out, err = capsys.readouterr()
    assert out == "" and "2,000 tests" in err and "30 edges" in err
    heard = []
    shower(heard.append)(STEP)
    assert heard == [STEP]
    assert shower(False) is None
