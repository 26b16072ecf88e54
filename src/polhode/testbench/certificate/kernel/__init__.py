"""The certificate of a kernel: theorems in as many digits as it takes, and then floats."""
