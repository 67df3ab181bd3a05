// Streams of doubles, as gpu-benches' gpu-stream times them: a work-item for each element, with the
// tests, the array that keeps further thread blocks off an SM (its size is given apart) and what is
// done if the argument `never` is set.
#define STREAM(NAME, OUTSIDE, ...)                                                              \
  extern "C" __global__ void stream_##NAME(double *a, const double *__restrict__ b,             \
                                           const double *__restrict__ c, size_t n, int never) { \
    __shared__ double kept[768];                                                                \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                              \
    if (OUTSIDE) return;                                                                        \
    if (never) kept[threadIdx.x] = b[threadIdx.x];                                              \
    __VA_ARGS__                                                                                 \
  }

STREAM(init, i >= n, a[i] = 0.23; if (never) a[i] = kept[i];)
STREAM(scale, i >= n, a[i] = b[i] * 1.2; if (never) a[i] = kept[i];)
STREAM(triad, i >= n, a[i] = b[i] * 1.2 + c[i]; if (never) a[i] = kept[i];)
STREAM(stencil3, i >= n - 1 || i == 0,
       a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1]; if (never) a[i] = kept[i];)
STREAM(stencil5, i >= n - 2 || i < 2,
       a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2];
       if (never) a[i] = kept[i];)

// The value that is read is never the one for which something is written.
extern "C" __global__ void stream_read(double *a, const double *__restrict__ b,
                                       const double *__restrict__ c, size_t n, int never) {
  __shared__ double kept[768];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (never) kept[threadIdx.x] = b[threadIdx.x];
  double x = b[i];
  if (never || x == 123.0) a[i] = x + kept[i];
}
