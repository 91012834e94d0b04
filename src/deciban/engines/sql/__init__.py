"""Tables in databases: SQL is built with sqlglot, and rows stay where they are."""
