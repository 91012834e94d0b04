"""Tables from which little can be learned, and which must not be an error."""

import numpy as np
import pandas as pd

POOR_TABLES = {
    "constant": {"a": [1] * 50, "b": [0, 1] * 25},
    "duplicate": {"a": [0, 1] * 25, "b": [0, 1] * 25, "c": [0, 1, 1, 1, 0] * 10},
    "one row": {"a": [0], "b": [1]},
    "more columns than rows": pd.DataFrame(np.random.default_rng(0).integers(0, 2, (5, 12))).add_prefix("v"),
    "one column": {"a": [0, 1] * 10},
}
MANY_STATES = {"a": list(range(300)) * 2, "b": [0, 1] * 300, "c": list(range(300)) * 2}
