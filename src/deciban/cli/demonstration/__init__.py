"""The examples of `deciban demo`."""
