"""Documents → tokens → counts."""
