"""Series computed exactly: rational polynomials, and the free body's motion over one step as power series."""
