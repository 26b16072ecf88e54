"""Certificates: properties measured by their theorems, one row each."""
