"""Random tables, and their scores by the books' formulas."""

import pandas as pd
from hypothesis import strategies as st

from deciban.nets.graphs.bits import bits
from deciban.nets.scores.discrete import BIC, BDeu
from tests.reference import scores as twin


@st.composite
def tables(draw, most_columns=4, most_states=5):
    count = draw(st.integers(1, most_columns))
    rows = draw(st.integers(1, 30))
    sizes = [draw(st.integers(1, most_states)) for _ in range(count)]
    columns = {
        f"v{i}": draw(st.lists(st.integers(0, size - 1), min_size=rows, max_size=rows)) for i, size in enumerate(sizes)
    }
    return pd.DataFrame(columns)


def families(count):
    return [(child, mask) for child in range(count) for mask in range(1 << count) if not mask >> child & 1]


def by_the_book(table, score, child, mask, weights=None):
    names = sorted(table.columns)
    rows = table.to_dict("records")
    states = {name: table[name].nunique() for name in names}
    parents = [names[place] for place in bits(mask)]
    if isinstance(score, BDeu):
        return twin.bdeu(rows, states, names[child], parents, score.ess, weights)
    return (twin.bic if isinstance(score, BIC) else twin.k2)(rows, states, names[child], parents, weights)
