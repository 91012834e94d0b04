"""800 people: whether they smoke, have tar in their lungs, and have cancer."""

import deciban as db

people = {
    "smoking": ["no", "no", "yes", "yes", "no", "no", "yes", "yes"],
    "tar": ["no"] * 4 + ["yes"] * 4,
    "cancer": ["no", "yes"] * 4,
}
count = [342, 38, 2, 18, 19, 1, 57, 323]
graph = db.DAG([("smoking", "tar"), ("tar", "cancer")])

found = db.identify(graph, cause="smoking", effect="cancer", confounded=[("smoking", "cancer")])
effect = found.estimate(people, sample_weight=count)
print(effect)
print(f"{effect.difference('yes', 'no')['yes']:.3f} ± {effect.error('yes', 'no')['yes']:.3f}")
