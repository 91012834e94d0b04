"""How much the answer hangs on each number of the tables."""

from clinic import net

seen = {"asia": "yes", "xray": "yes"}
for entry in net.sensitivity({"lung": "yes"}, seen)[:4]:
    print(entry)

wrong_alarms = net.sensitivity({"lung": "yes"}, seen, parameter=("xray", "yes", {"either": "no"}))
print([round(wrong_alarms(theta), 3) for theta in (0.0, 0.05, 0.1, 0.2)])
