"""The figures and tables of each paper as data, in the order of the paper."""
