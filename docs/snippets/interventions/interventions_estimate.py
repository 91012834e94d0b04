"""A front-door formula from the counts of 800 people (Pearl, Causality, table 3.1)."""

import deciban as db

people = {
    "smoking": ["no", "no", "yes", "yes", "no", "no", "yes", "yes"],
    "tar": ["no"] * 4 + ["yes"] * 4,
    "cancer": ["no", "yes"] * 4,
}
count = [342, 38, 2, 18, 19, 1, 57, 323]
graph = db.DAG([("smoking", "tar"), ("tar", "cancer")])

result = db.identify(
    graph, cause="smoking", effect="cancer", confounded=[("smoking", "cancer")]
)
effect = result.estimate(people, sample_weight=count)
print(effect)
print(
    f"effect of smoking: {effect.difference('yes', 'no')['yes']:.3f} "
    f"± {effect.error('yes', 'no')['yes']:.3f}"
)
