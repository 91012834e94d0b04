"""The effect of exercise where a line does not fit, by regression and by weighting."""

from clinic_table import patients

import deciban as db

graph = db.DAG([("age", "exercise"), ("age", "pressure"), ("exercise", "pressure")])
for method in ("regression", "aipw"):
    effect = db.effect(
        patients, graph, cause="exercise", effect="pressure", method=method
    )
    print(effect)
