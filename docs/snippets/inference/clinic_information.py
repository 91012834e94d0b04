"""The most informative observation about lung cancer, given shortness of breath."""

from clinic import net

print(net.information("lung", {"dysp": "yes"}))

utility = {"treat": {"yes": 10, "no": -2}, "wait": {"yes": -8, "no": 0}}
print(
    net.information(
        "lung", {"dysp": "yes"}, utility=utility, among=["xray", "smoke", "asia"]
    )
)
