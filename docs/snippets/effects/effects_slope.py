"""The effect of one unit of a drug on the blood pressure, adjusted for age and sex."""

from clinic_table import patients

import deciban as db

graph = db.DAG(
    [
        ("age", "dose"), ("sex", "dose"), ("age", "exercise"),
        ("age", "pressure"), ("sex", "pressure"),
        ("dose", "pressure"), ("exercise", "pressure"),
    ]
)  # fmt: skip
effect = db.effect(patients, graph, cause="dose", effect="pressure")
print(effect)
print("two units more:", effect.difference(7, 5))
print("with a dose of 5:", effect.mean(5))
print("90% interval: {:.2f} to {:.2f}".format(*effect.slope().interval(0.9)))
