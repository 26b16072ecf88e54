"""Which method to take: measured costs and errors, and the ranking that follows."""
