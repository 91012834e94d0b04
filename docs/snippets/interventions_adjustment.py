"""What to adjust for: every minimal set, the best one, and one that is none."""

import deciban as db

arrows = [
    ("income", "training"), ("income", "diet"), ("diet", "health"),
    ("training", "fitness"), ("fitness", "health"), ("age", "health"),
]  # fmt: skip
found = db.identify(db.DAG(arrows), cause="training", effect="health")
print("minimal:", *(sorted(names) for names in found.adjustment_sets))
print("best:", sorted(found.optimal_adjustment))
print("fitness:", found.is_adjustment_set("fitness"))
for method, estimand in found.estimands.items():
    print(f"{method}: {estimand.formula}")
