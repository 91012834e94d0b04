"""Random tables for tests of independence."""

from hypothesis import strategies as st


@st.composite
def coded(draw):
    """Small tables with missing values, and weights or none."""
    rows, columns = draw(st.integers(1, 30)), draw(st.integers(2, 5))
    cells = st.one_of(st.none(), st.integers(0, 3))
    table = [[draw(cells) for _ in range(columns)] for _ in range(rows)]
    for c in range(columns):
        table[0][c] = table[0][c] or 0  # a column without any value is an error
    weights = draw(st.one_of(st.none(), st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=rows, max_size=rows)))
    return table, weights
