"""Draw rows from a network, with and without evidence."""

import deciban as db

alarm = db.read_net("../shared/data/nets/alarm.bif.gz")
rows = alarm.sample(100_000, random_state=0)
print(type(rows).__name__, rows.shape, rows["HR"].slice(0, 4).to_pylist())

evidence = {"BP": "LOW", "HRBP": "HIGH"}
exact = alarm.sample(100_000, random_state=0, evidence=evidence)
print(f"exact:    {exact['LVFAILURE'].to_pylist().count('TRUE') / 100_000:.3f} of the rows have LVFAILURE = TRUE")

weighted = alarm.sample_weighted(100_000, evidence, random_state=0)
print(f"weighted: effective sample size {weighted.effective_size:,.0f}")

gibbs = alarm.sample_gibbs(100_000, evidence, random_state=0)
print(f"Gibbs:    R-hat up to {max(gibbs.r_hat.values()):.3f}, converged: {gibbs.is_converged}")

print(alarm.estimate("LVFAILURE", evidence, random_state=0))
