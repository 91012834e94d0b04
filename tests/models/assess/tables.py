"""A small table for the tests: Quinlan's days, on which one plays tennis or not."""

import pandas as pd

DAYS = pd.DataFrame(
    {
        "outlook": "sunny sunny overcast rain rain rain overcast sunny sunny rain sunny overcast overcast rain".split(),
        "temperature": "hot hot hot mild cool cool cool mild cool mild mild mild hot mild".split(),
        "humidity": "high high high high normal normal normal high normal normal normal high normal high".split(),
        "wind": "weak strong weak weak weak strong strong weak weak weak strong strong weak strong".split(),
        "play": "no no yes yes yes no yes no yes yes yes yes yes no".split(),
    }
)
