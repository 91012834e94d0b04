"""Rows drawn from a net: forward, given evidence, and by Gibbs sampling."""
