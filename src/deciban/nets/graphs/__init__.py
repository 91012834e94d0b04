"""Graphs: DAG, CPDAG, PDAG, MAG and PAG; separation, equivalence, orientation and drawing."""
