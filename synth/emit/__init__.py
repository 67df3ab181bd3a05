"""A miniature's source: OpenCL C, CUDA, LLVM IR, and its host program."""
