"""Taylor series of a motion as machine code: where numbers lie, what is written, the loop, and what is kept."""
