"""The branches of a user's own code: which were taken where, and states that take the others."""
