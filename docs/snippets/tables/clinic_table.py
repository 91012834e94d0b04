"""Patients of a clinic: age, sex, dose of a drug, exercise and blood pressure."""

import numpy as np

# The numbers are invented: a unit of the drug lowers the pressure by 2, exercise by 5.
rng = np.random.default_rng(0)
n = 1000
age = rng.normal(55, 12, n)
sex = rng.choice(["f", "m"], n)
dose = 2 + 0.05 * age + (sex == "m") + rng.normal(size=n)
# People around 55 exercise less.
likes = 1 / (1 + np.exp(1 - ((age - 55) / 12) ** 2))
exercise = np.where(rng.random(n) < likes, "yes", "no")
pressure = (
    110
    + 0.4 * age
    + 0.03 * (age - 55) ** 2
    + 3 * (sex == "m")
    - 2 * dose
    - 5 * (exercise == "yes")
    + rng.normal(0, 6, n)
)
patients = {
    "age": age,
    "sex": sex,
    "dose": dose,
    "exercise": exercise,
    "pressure": pressure,
}
