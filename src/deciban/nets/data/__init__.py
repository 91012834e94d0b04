"""The one door from a table to the codes and numbers that nets count."""
