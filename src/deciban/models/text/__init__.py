"""Models of documents: TextNB, LogCountRatio, TextEM, and documents as a column."""
