"""Reports on Bayes nets: the graph, its edges, tables and probabilities, and the evidence for them."""
