"""What all sections share: paths, the machine, times, memory, rows of results and the page they are written to."""
