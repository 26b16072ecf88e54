"""What takes the steps: the protocol, and runners for kernels, Taylor's series, controllers, and mere functions."""
