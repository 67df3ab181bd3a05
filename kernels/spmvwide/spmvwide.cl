// Sparse matrix times dense vector from compressed rows, one work-item per row:
//
//   spmv_scalar      loads an index and a value in each round
//   spmv_vectorised  loads four of each at once, where four begin at a multiple of sixteen bytes;
//                    rows begin and end with up to three single ones

__kernel void spmv_scalar(__global const float *restrict val, __global const float *restrict y,
                          __global const uint *restrict indices,
                          __global const uint *restrict rowIndices, const uint numRows,
                          __global float *restrict x)
{
    const uint row = get_global_id(0);
    if (row < numRows) {
        float t = 0.0f;
        const uint lb = rowIndices[row];
        const uint ub = rowIndices[row + 1];
#pragma unroll 1
        for (uint j = lb; j < ub; ++j) {
            const uint ind = indices[j];
            const float yval = y[ind];
            t += val[j] * yval;
        }
        x[row] = t;
    }
}

__kernel void spmv_vectorised(__global const float4 *restrict val, __global const float *restrict y,
                              __global const uint4 *restrict indices,
                              __global const uint *restrict rowIndices, const uint numRows,
                              __global float *restrict x)
{
    const uint row = get_global_id(0);
    if (row < numRows) {
        float t = 0.0f;
        const uint lb = rowIndices[row];
        const uint ub = rowIndices[row + 1];
        const uint first = min((lb + 3) & ~3u, ub);
        const uint last = max(ub & ~3u, first);
        __global const float *val1 = (__global const float *)val;
        __global const uint *indices1 = (__global const uint *)indices;
#pragma unroll 1
        for (uint j = lb; j < first; ++j) {
            t += val1[j] * y[indices1[j]];
        }
#pragma unroll 1
        for (uint j = first; j < last; j += 4) {
            const uint4 ind = indices[j / 4];
            const float4 value = val[j / 4];
            float yval = y[ind.x];
            t += value.x * yval;
            yval = y[ind.y];
            t += value.y * yval;
            yval = y[ind.z];
            t += value.z * yval;
            yval = y[ind.w];
            t += value.w * yval;
        }
#pragma unroll 1
        for (uint j = last; j < ub; ++j) {
            t += val1[j] * y[indices1[j]];
        }
        x[row] = t;
    }
}
