"""What the service does with each kind of model: classifiers of rows, classifiers of documents, Bayes nets."""
