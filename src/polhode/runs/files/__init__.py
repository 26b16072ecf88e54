"""Files of runs: netCDF, checkpoints, tables, and how each is written and read safely."""
