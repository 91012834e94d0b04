"""A Bayes net and AODE, whose families and pairs of columns DuckDB counts."""

from orders import connection

import deciban as db

net = db.BayesNet([("kind", "returned"), ("payment", "returned")])
net.fit_sql(connection, "orders", missing="skip")
print(net.query("returned", {"kind": "shoes", "payment": "invoice"}))

cuts = {"price": db.Cut(at=[25, 50, 55])}
model = db.AODE(cuts).fit_sql(connection, "orders", target="returned")
print(model.schema_)
