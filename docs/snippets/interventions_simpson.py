"""Two treatments of kidney stones: by all patients, and by the size of the stone."""

import deciban as db

patients = {
    "size": ["small"] * 4 + ["large"] * 4,
    "treatment": ["open", "open", "puncture", "puncture"] * 2,
    "success": ["yes", "no"] * 4,
}
count = [81, 6, 234, 36, 192, 71, 55, 25]
graph = db.DAG([("size", "treatment"), ("size", "success"), ("treatment", "success")])

print(db.effect(patients, db.DAG([("treatment", "success")]), effect="success", cause="treatment", sample_weight=count))
print(db.effect(patients, graph, effect="success", cause="treatment", sample_weight=count))

only_large_opened = [0, 0, 234, 36, 192, 71, 55, 25]
print(db.effect(patients, graph, effect="success", cause="treatment", sample_weight=only_large_opened))
