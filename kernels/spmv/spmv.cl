// Sparse matrix times dense vector, out = M * vec, in three storage schemes.
//
//   spmv_csr_scalar_kernel  compressed rows, one work-item per row: lanes walk different rows,
//                           loads are uncoalesced and trip counts differ within a warp
//   spmv_csr_vector_kernel  compressed rows, vecWidth lanes per row with a tree at the end
//   spmv_ellpackr_kernel    ELLPACK-R, column-major padded rows: coalesced, one work-item per row

__kernel void spmv_csr_scalar_kernel(__global const float *restrict val,
                                     __global const float *restrict vec,
                                     __global const int *restrict cols,
                                     __global const int *restrict rowDelimiters, const int dim,
                                     __global float *restrict out)
{
    const int row = get_global_id(0);
    if (row < dim) {
        float sum = 0.0f;
        const int end = rowDelimiters[row + 1];
        for (int j = rowDelimiters[row]; j < end; ++j) {
            sum += val[j] * vec[cols[j]];
        }
        out[row] = sum;
    }
}

#ifndef GROUP
#define GROUP 128
#endif

// vecWidth is a power of two that divides GROUP.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void spmv_csr_vector_kernel(__global const float *restrict val,
                            __global const float *restrict vec,
                            __global const int *restrict cols,
                            __global const int *restrict rowDelimiters, const int dim,
                            const int vecWidth, __global float *restrict out)
{
    __local float partialSums[GROUP];

    const int t = get_local_id(0);
    const int lane = t & (vecWidth - 1);
    const int row = get_group_id(0) * (GROUP / vecWidth) + t / vecWidth;

    float sum = 0.0f;
    if (row < dim) {
        const int end = rowDelimiters[row + 1];
        for (int j = rowDelimiters[row] + lane; j < end; j += vecWidth) {
            sum += val[j] * vec[cols[j]];
        }
    }
    partialSums[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int reach = vecWidth / 2; reach > 0; reach /= 2) {
        if (lane < reach) {
            partialSums[t] += partialSums[t + reach];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < dim) {
        out[row] = partialSums[t];
    }
}

__kernel void spmv_ellpackr_kernel(__global const float *restrict val,
                                   __global const float *restrict vec,
                                   __global const int *restrict cols,
                                   __global const int *restrict rowLengths, const int dim,
                                   __global float *restrict out)
{
    const int row = get_global_id(0);
    if (row < dim) {
        float sum = 0.0f;
        const int length = rowLengths[row];
        for (int i = 0; i < length; ++i) {
            const int at = i * dim + row;
            sum += val[at] * vec[cols[at]];
        }
        out[row] = sum;
    }
}
