"""Exact answers: queries, most probable explanations, information and sensitivity."""
