// One assignment step of Lloyd's k-means clustering.
//
//   kmeans_kernel_c  nearest centre of every point; features are feature-major, so that a warp
//                    reads neighbouring points, while the centres are uniform loads
//   kmeans_swap      makes that layout from the point-major input

#ifndef FLT_MAX
#define FLT_MAX 3.40282347e+38F
#endif

__global__ void kmeans_kernel_c(float *feature, float *clusters,
                              int *membership, int npoints, int nclusters,
                              int nfeatures, int offset, int size)
{
    const int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point < npoints) {
        int nearest = 0;
        float min_dist = FLT_MAX;
        for (int c = 0; c < nclusters; ++c) {
            float dist = 0.0f; // squared: the order is the same
            for (int f = 0; f < nfeatures; ++f) {
                const float d = feature[f * npoints + point] - clusters[c * nfeatures + f];
                dist += d * d;
            }
            if (dist < min_dist) {
                min_dist = dist;
                nearest = c;
            }
        }
        membership[point] = nearest;
    }
}

__global__ void kmeans_swap(float *feature, float *feature_swap, int npoints,
                          int nfeatures)
{
    const int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point < npoints) {
        for (int f = 0; f < nfeatures; ++f) {
            feature_swap[f * npoints + point] = feature[point * nfeatures + f];
        }
    }
}
