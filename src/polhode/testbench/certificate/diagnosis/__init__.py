"""What the failures point to: mistakes by their traces, oddities, and kin in the catalogue."""
