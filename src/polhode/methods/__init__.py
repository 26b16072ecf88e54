"""The methods, one file per idea."""
