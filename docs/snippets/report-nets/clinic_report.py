"""Write pages about a net, a net with rows, and a graph that was discovered."""

from tempfile import TemporaryDirectory

from clinic import net

import deciban as db

rows = net.sample(2000, random_state=0)
fitted = db.BayesNet(net.dag).fit(rows)
reports = {
    "clinic": db.report(net, evidence={"xray": "yes"}, title="Chest clinic"),
    "fitted": db.report(fitted, rows, bootstrap=20),
    "found": db.report(db.discover(rows), bootstrap=20),
}
with TemporaryDirectory() as folder:
    for name, report in reports.items():
        path = report.save(f"{folder}/{name}.html")
        print(path.name, report.title, sep=": ")
