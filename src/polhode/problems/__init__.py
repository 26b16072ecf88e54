"""The problems on which integrators are judged, one file each."""
