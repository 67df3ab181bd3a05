/* What gpu-benches' small-kernel benchmark measures: a stream of doubles, scaled. */
__kernel void scale(__global double *a, __global const double *restrict b, int size) {
  int i = get_global_id(0);
  if (i < size) a[i] = b[i] * 0.25;
}
