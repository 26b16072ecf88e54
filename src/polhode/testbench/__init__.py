"""What integrators do: certificates, drift, advice, other packages' integrators, the papers measured again."""
