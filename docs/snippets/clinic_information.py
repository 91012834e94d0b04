"""What to look at next, when someone is short of breath."""

from clinic import net

print(net.information("lung", {"dysp": "yes"}))

worth = {"treat": {"yes": 10, "no": -2}, "wait": {"yes": -8, "no": 0}}
print(net.information("lung", {"dysp": "yes"}, utility=worth, among=["xray", "smoke", "asia"]))
