"""The hours of people over 62: some have no work, so the density has two peaks."""

from survey_net import net

hours = net.query("hours", {"age": (62, None)})
print(hours)
print(f"P(hours <= 10) = {hours.cdf(10):.3f}, P(hours > 45) = {hours.sf(45):.3f}")
