"""Ask for categories and numbers, given categories, numbers and intervals."""

from survey_net import net

print(net.query("income", {"education": "degree", "age": 40}))
print(net.query("income", {"education": "degree", "age": (62, None)}))
print(net.query(["income", "owns_home"], {"age": 40, "hours": 45}))

commute = net.query("commute", {"occupation": "teaching"})
print(commute)
print(f"median {commute.quantile(0.5):.1f}, P(commute > 60) = {commute.sf(60):.3f}")
print(f"P(hours > 40 | income = high) = {net.ask('P(hours > 40 | income=high)'):.3f}")
