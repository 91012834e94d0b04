"""Graphs from scores: hill climbing, tabu search, greedy equivalence search, exact search and trees."""
