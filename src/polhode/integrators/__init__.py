"""How a body is stepped: Method, the families of integrators one idea a file, and their catalogue."""
