"""The effect in a class of graphs, without and with background knowledge."""

from clinic_table import patients

import deciban as db

arrows = [
    ("age", "dose"), ("sex", "dose"), ("age", "pressure"), ("sex", "pressure"),
]  # fmt: skip
found = db.CPDAG(arrows, [("dose", "pressure")])
print(db.identify(found, cause="dose", effect="pressure"))
known = db.PDAG([*arrows, ("dose", "pressure")])
print(db.effect(patients, known, cause="dose", effect="pressure"))
