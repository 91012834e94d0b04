"""Interventions and their effects."""
