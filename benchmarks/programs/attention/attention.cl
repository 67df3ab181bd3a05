// Attention of one head with an online softmax (Dao et al., FlashAttention, NeurIPS 2022, algorithm
// 1): a work-item has a query and its output in private arrays; keys and values pass in tiles.
__kernel void attention(__global const float *q, __global const float *k, __global const float *v,
                        __global float *out, int n)
{
    __local float keys[TILE * DIM], values[TILE * DIM];
    float query[DIM], sum[DIM];
    const int row = get_global_id(0), lane = get_local_id(0);
    for (int d = 0; d < DIM; ++d) {
        query[d] = q[row * DIM + d];
        sum[d] = 0.0f;
    }
    float most = -1e30f, weight = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        for (int e = lane; e < TILE * DIM; e += get_local_size(0)) {
            keys[e] = k[first * DIM + e];
            values[e] = v[first * DIM + e];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < TILE; ++j) {
            float score = 0.0f;
            for (int d = 0; d < DIM; ++d) score += query[d] * keys[j * DIM + d];
            const float above = fmax(most, score);
            const float scale = exp(most - above), own = exp(score - above);
            weight = weight * scale + own;
            for (int d = 0; d < DIM; ++d) sum[d] = sum[d] * scale + own * values[j * DIM + d];
            most = above;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int d = 0; d < DIM; ++d) out[row * DIM + d] = sum[d] / weight;
}
