"""Tables from data."""
