"""The model that compares the others, and combines them."""
