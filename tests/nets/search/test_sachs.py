"""The protein signals of Sachs et al. (2005): nine experiments, most of which set a protein."""

import numpy as np
import pandas as pd

import deciban as db

INTERVENTIONS = {
    "aktinhib": "akt", "g0076": "pkc", "psitect": "pip2", "u0126": "mek", "ly": "akt", "pma": "pkc", "b2camp": "pka",
    "cd3_cd28": None, "icam2": None,
}  # fmt: skip
ACTIVATED = {"pma", "b2camp"}


def test_most_accepted_arrows_are_found(shared_data):
    cells = pd.read_csv(shared_data / "nets" / "sachs.interventional.csv.gz")
    for name in cells.columns[:11]:
        cells[name] = np.searchsorted(cells[name].quantile([1 / 3, 2 / 3]), cells[name])
    for condition, protein in INTERVENTIONS.items():
        if protein is not None and condition != "ly":  # it acts on akt through another protein
            cells.loc[cells[condition] == 1, protein] = 2 * (condition in ACTIVATED)
    dag = db.read_net(shared_data / "nets" / "sachs.bif.gz").dag
    accepted = {tuple(node.lower().replace("plcg", "plc") for node in arrow) for arrow in dag.directed_edges}
    options = {"method": "boss", "score": "bdeu", "restarts": 20, "random_state": 0}
    found = db.search(cells, interventions=INTERVENTIONS, **options)
    arrows = set(found.graph.directed_edges)
    assert len(accepted) == 17
    assert len(arrows & accepted) >= 13
    assert len(arrows) <= 30
    assert set(found.interventions) == {frozenset([name]) for name in INTERVENTIONS.values() if name}
