"""An accuracy in place of a step: which methods are tried, how, and what is chosen."""
