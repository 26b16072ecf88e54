"""Answers one can trust: closed forms, Taylor series of any precision, DOP853."""
