"""The clang front end: OpenCL C, CUDA and LLVM IR through clang into the canonical dialect.

    source --find, invoke--> clang's IR --canonical, cuda_ir--> dialect --unit--> CompiledUnit

clang is any of the versions the wheel or the system offers; what it needs of headers is ours, in
``headers/``.
"""
