"""Predict, score and impute rows with missing values."""

from clinic import net

patients = {
    "smoke": ["yes", "no", None],
    "xray": ["yes", None, "yes"],
    "dysp": ["yes", "yes", "no"],
}
print(net.predict_proba(patients, "lung").round(3))
print(net.predict(patients, "bronc"))
print(net.log_likelihood(patients, per_row=True).round(3))
print(
    {name: column for name, column in net.impute(patients).items() if name in patients}
)
