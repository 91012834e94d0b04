"""Two treatments of kidney stones, without and with adjustment for the stone's size."""

import deciban as db

patients = {
    "size": ["small"] * 4 + ["large"] * 4,
    "treatment": ["open", "open", "puncture", "puncture"] * 2,
    "success": ["yes", "no"] * 4,
}
count = [81, 6, 234, 36, 192, 71, 55, 25]
graph = db.DAG([("size", "treatment"), ("size", "success"), ("treatment", "success")])

print(
    db.effect(
        patients,
        db.DAG([("treatment", "success")]),
        cause="treatment",
        effect="success",
        sample_weight=count,
    )
)
print(
    db.effect(patients, graph, cause="treatment", effect="success", sample_weight=count)
)

no_open_small = [0, 0, 234, 36, 192, 71, 55, 25]
print(
    db.effect(
        patients,
        graph,
        cause="treatment",
        effect="success",
        sample_weight=no_open_small,
    )
)
