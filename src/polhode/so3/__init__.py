"""The rotation group on tuples: vectors are triples, matrices nine numbers by rows, rotations quaternions."""
