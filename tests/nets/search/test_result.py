"""A result shows its graph, its score and how it came about."""

import deciban as db


def test_a_result_shows_itself(sprinkler):
    result = db.search(sprinkler, method="ges")
    assert repr(result).startswith("SearchResult(ges: bic = -")
    assert "CPDAG(" in repr(result) and "<svg" in result._repr_html_()
