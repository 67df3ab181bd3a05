"""The machine code of a GPU's own compiler, without the GPU: SASS by ptxas, AMD's by LLVM.

    canonical IR --numbering--> its instructions' numbers as lines --nvidia, amd--> assembly
    assembly --sass, amd_assembly--> MachineCode: instructions that know their number

In: a :class:`kcc.frontend.kernel.CompiledUnit` at -O2. Out: :class:`model.MachineCode` by kernel
symbol. Enter at `nvidia` and `amd`. NVIDIA's tools are an extra of kcc; where they are is told,
never looked for here.
"""
