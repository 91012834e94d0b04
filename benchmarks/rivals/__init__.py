"""AutoBayes beside boosting, forests and linear models on tables that no choice was made on."""
