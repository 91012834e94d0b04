"""How a posterior depends on each parameter of the network."""

from clinic import net

evidence = {"asia": "yes", "xray": "yes"}
for entry in net.sensitivity({"lung": "yes"}, evidence)[:4]:
    print(entry)

false_positives = net.sensitivity(
    {"lung": "yes"}, evidence, parameter=("xray", "yes", {"either": "no"})
)
print([round(false_positives(theta), 3) for theta in (0.0, 0.05, 0.1, 0.2)])
