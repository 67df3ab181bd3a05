// Gaussian elimination without pivoting, row-major; the host launches both kernels once per
// column t and solves the triangle itself.
//
//   Fan1  multipliers of column t
//   Fan2  subtracts multiples of row t from the rows below; dimension 0 runs over rows, so a warp
//         touches one column: every access is strided by the row length
// The grid covers the whole matrix whatever t is: late columns leave most work-items idle.

__kernel void Fan1(__global float *m_dev, __global float *a_dev, __global float *b_dev,
                   const int size, const int t)
{
    const int below = get_global_id(0);
    if (below < size - 1 - t) {
        const int row = below + t + 1;
        m_dev[size * row + t] = a_dev[size * row + t] / a_dev[size * t + t];
    }
}

__kernel void Fan2(__global float *m_dev, __global float *a_dev, __global float *b_dev,
                   const int size, const int t)
{
    const int below = get_global_id(0);
    const int right = get_global_id(1);
    if (below < size - 1 - t && right < size - t) {
        const int row = below + t + 1;
        const float multiplier = m_dev[size * row + t];
        a_dev[size * row + right + t] -= multiplier * a_dev[size * t + right + t];
        if (right == 0) {
            b_dev[row] -= multiplier * b_dev[t];
        }
    }
}
