# ruff: noqa: TID253
# pyright: basic, reportMissingTypeStubs=false, reportOptionalMemberAccess=false, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false
"""A host program over PyOpenCL's own modules; its results go to the file that it is given."""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
from pyopencl import clmath
from pyopencl.algorithm import RadixSort, copy_if, unique
from pyopencl.clrandom import PhiloxGenerator
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel, InclusiveScanKernel
from pyopencl.tools import SVMAllocator, SVMPool

found = {}
platforms = [p for p in cl.get_platforms() if p.name in ("kcc", "Portable Computing Language")]
context = cl.Context([platforms[0].get_devices()[0]])
queue = cl.CommandQueue(context)
random = np.random.default_rng(3)
n = 5000
a_host = random.random(n, dtype=np.float32) + 0.5
b_host = random.random(n, dtype=np.float32) + 0.5
k_host = random.integers(-1000, 1000, n, dtype=np.int32)
a, b, k = (cla.to_device(queue, each) for each in (a_host, b_host, k_host))

found["sum"] = (a + b).get()
found["expression"] = (2 * a - b / 3 + a * b).get()
found["power"] = (a**2).get()
found["slice"] = a[10:500].get()
found["negated"] = (-a[5:]).get()
found["integers"] = (k * 3 - (k & 0xFF)).get()
found["less"] = (a < b).get()
found["where"] = cla.if_positive(k, a, b).get()
found["maximum"] = cla.maximum(a, b).get()
found["matrix"] = cla.to_device(queue, a_host[:4900].reshape(70, 70)).T.get()
found["whole sum"] = cla.sum(k).get()
found["dot"] = cla.dot(a, b).get()
found["most"] = cla.max(a).get()
found["cumulative"] = cla.cumsum(k).get()
found["complex"] = ((a + 1j * b) * (b - 1j * a)).get()
found["sine"] = clmath.sin(a).get()
found["fill"] = cla.zeros(queue, 17, np.float64).fill(2.5).get()

axpy = ElementwiseKernel(
    context, "float s, float *x, float *y, float *z", "z[i] = s * x[i] + y[i]", "axpy"
)
z = cla.empty_like(a)
axpy(3, a, b, z)
found["elementwise"] = z.get()
axpy(np.float32(3), a[100:200], b[200:300], z[300:400])
found["elementwise with offsets"] = z.get()

count = ReductionKernel(
    context,
    np.int32,
    neutral="0",
    reduce_expr="a+b",
    map_expr="x[i] > 0 ? 1 : 0",
    arguments="__global int *x",
)
found["reduction"] = count(k).get()

scan = InclusiveScanKernel(context, np.int32, "a > b ? a : b", neutral="-2000")
highest = k.copy()
scan(highest)
found["scan"] = highest.get()
places = cla.zeros(queue, n, np.int32)
GenericScanKernel(
    context,
    np.int32,
    arguments="__global int *x, __global int *out",
    input_expr="x[i] % 2 == 0 ? 1 : 0",
    scan_expr="a+b",
    neutral="0",
    output_statement="out[i] = item",
)(k, places)
found["generic scan"] = places.get()
chosen, number, _ = copy_if(k, "ary[i] > 500")
found["copied"] = chosen.get()[: int(number.get())]
once, number, _ = unique(cla.to_device(queue, np.sort(k_host)))
found["unique"] = once.get()[: int(number.get())]
sort = RadixSort(context, "uint *ary", key_expr="ary[i]", sort_arg_names=["ary"])
(ordered,), _ = sort(cla.to_device(queue, (k_host + 1000).astype(np.uint32)))
found["sorted"] = ordered.get()
drawn = PhiloxGenerator(context, seed=7).uniform(queue, 1000, np.float32).get()
found["random numbers"] = np.array(
    [drawn.min() >= 0, drawn.max() < 1, abs(drawn.mean() - 0.5) < 0.05]
)

pool = SVMPool(SVMAllocator(context, queue=queue))
shared = cla.to_device(queue, a_host, allocator=pool)
found["shared memory"] = (shared * 2).get()
svm = cl.SVM(cl.csvm_empty(context, 10, np.float32))
with svm.map_rw(queue) as array:
    array.fill(17)
twice = cl.Program(
    context, "__kernel void twice(__global float *a) { a[get_global_id(0)] *= 2; }"
).build()
twice.twice(queue, svm.mem.shape, None, svm)
queue.finish()
with svm.map_ro(queue) as array:
    found["mapped"] = array.copy()

np.savez(sys.argv[1], **found)
