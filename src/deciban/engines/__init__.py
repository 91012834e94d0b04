"""Tables that are not in memory: files, databases and clusters. Each engine gives the tally that the kernels give."""
