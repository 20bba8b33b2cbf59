"""How kernels are compiled, cached and linked, and networks in compiled code."""
