"""Draw rows from a network, with and without evidence."""

import deciban as db

clinic = db.read_net("clinic.bif")
rows = clinic.sample(100_000, random_state=0)
print(type(rows).__name__, rows.shape, rows["bronc"].slice(0, 4).to_pylist())

evidence = {"asia": "yes", "xray": "yes"}
exact = clinic.sample(100_000, random_state=0, evidence=evidence)
print(
    f"exact:    {exact['lung'].to_pylist().count('yes') / 100_000:.3f} "
    "of the rows have lung = yes"
)

weighted = clinic.sample_weighted(100_000, evidence, random_state=0)
print(f"weighted: effective sample size {weighted.effective_size:,.0f}")

gibbs = clinic.sample_gibbs(100_000, evidence, random_state=0)
print(
    f"Gibbs:    R-hat up to {max(gibbs.r_hat.values()):.3f}, "
    f"converged: {gibbs.is_converged}"
)

print(clinic.estimate("lung", evidence, random_state=0))
