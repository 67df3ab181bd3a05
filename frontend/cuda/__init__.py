"""CUDA for the built-in front end: C-like kernels read as OpenCL C, without clang."""
