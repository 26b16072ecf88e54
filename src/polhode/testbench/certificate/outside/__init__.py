"""The certificate of what can only be run: a plain function, or a black box."""
