"""How often, and by which lanes, warps and thread blocks, each block of a program is executed.

In: a kernel's facts with its launch, or what a profile counted. Out: executions of blocks
(`launch_flow`, `executed_flow`), classes of warps, the sequences that warps issue (`sequences`),
and the list of what had to be guessed (`guesses`). Enter at `launch_flow`.
"""
