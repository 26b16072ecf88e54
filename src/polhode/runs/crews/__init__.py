"""Who does the work of many runs: this process, a pool of processes, a Dask cluster."""
