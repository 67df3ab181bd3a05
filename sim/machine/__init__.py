"""A GPU as the timing models see it: what each mechanism of its description costs, in cycles and
bytes.

In: a :class:`~kcc.base.gpu.description.GpuDescription`. Out: costs of operations (`costs`), of the
load/store port (`load_port`), of the way to L2 (`l2_path`), of caches at the memory's side
(`memory_side`), of DRAM under load (`dram_load`), of a launch (`launch_overhead`). Enter at `costs`
for what an instruction costs, at `load_port` for what a load costs.
"""
