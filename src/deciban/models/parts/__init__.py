"""Parts of a classifier: deciding, column weights, learning row by row, leave-one-out, calibration."""
