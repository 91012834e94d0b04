"""The HTTP service, under load, against FastAPI and a scikit-learn pipeline."""
