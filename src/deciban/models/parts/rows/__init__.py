"""Single rows: learned, predicted and explained one at a time."""
