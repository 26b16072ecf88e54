"""The certificate's adversary: integrators whose properties are known by theorem, right, wrong, and wrong elsewhere."""
