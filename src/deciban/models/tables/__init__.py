"""Models of a mixed table: NaiveBayes, its schema and its selection of columns; JointBayes."""
