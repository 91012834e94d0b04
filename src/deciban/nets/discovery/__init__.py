"""Graphs from tests of independence: IC; PC, its fast form; and FCI, which allows hidden common causes."""
