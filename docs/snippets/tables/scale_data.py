"""Six files of CSV with 3,000 visits of a shop; the device is not always known."""

import tempfile
from pathlib import Path

import numpy as np

folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(1)
for part in range(6):
    rows = ["age,device,seconds,buys"]
    for buys in rng.random(500) < 0.3:
        device = rng.choice(
            ["phone", "phone", "desktop"]
            if buys
            else ["phone", "desktop", "tablet", ""]
        )
        seconds = round(rng.gamma(3 if buys else 2, 30), 1)
        rows.append(
            f"{rng.integers(18, 80)},{device},{seconds},{'yes' if buys else 'no'}"
        )
    (folder / f"visits-{part}.csv").write_text("\n".join(rows) + "\n")
