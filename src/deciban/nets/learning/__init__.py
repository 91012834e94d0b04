"""Parameters of a net from data: counts, EM and linear regressions."""
