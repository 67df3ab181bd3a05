// One training step of a three-layer perceptron between the input layer (in + 1 nodes, node 0 is
// the bias) and the hidden layer (hid + 1 nodes). Weights are row-major, one row per input node.
//
//   bpnn_layerforward_ocl    per HEIGHT input nodes: the partial sums of all hidden nodes, by a
//                            tree over the rows; the products stay in input_hidden_cuda
//   bpnn_adjust_weights_ocl  gradient step with momentum on all weights
// A work-group is WIDTH x HEIGHT; hid is WIDTH and in is a multiple of HEIGHT.

#define WIDTH 16
#define HEIGHT 16

#define ETA 0.3f
#define MOMENTUM 0.3f

__kernel void bpnn_layerforward_ocl(__global float *input_cuda, __global float *output_hidden_cuda,
                                    __global float *input_hidden_cuda,
                                    __global float *hidden_partial_sum,
                                    __local float *input_node, __local float *weight_matrix,
                                    int in, int hid)
{
    const int by = get_group_id(1);
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);

    const int node = HEIGHT * by + ty + 1;
    const int weight = (hid + 1) * node + tx + 1;
    const int here = ty * WIDTH + tx;

    if (tx == 0) {
        input_node[ty] = input_cuda[node];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    weight_matrix[here] = input_hidden_cuda[weight];
    barrier(CLK_LOCAL_MEM_FENCE);

    weight_matrix[here] = weight_matrix[here] * input_node[ty];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int span = 2; span <= HEIGHT; span *= 2) {
        if (ty % span == 0) {
            weight_matrix[here] += weight_matrix[here + span / 2 * WIDTH];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    input_hidden_cuda[weight] = weight_matrix[here];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (tx == 0) {
        hidden_partial_sum[by * hid + ty] = weight_matrix[tx * WIDTH + ty];
    }
}

__kernel void bpnn_adjust_weights_ocl(__global float *delta, int hid, __global float *ly, int in,
                                      __global float *w, __global float *oldw)
{
    const int by = get_group_id(1);
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);

    const int to = tx + 1;
    const int from = HEIGHT * by + ty + 1;
    const int weight = (hid + 1) * from + to;

    const float change = ETA * delta[to] * ly[from] + MOMENTUM * oldw[weight];
    w[weight] += change;
    oldw[weight] = change;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (ty == 0 && by == 0) { // the weights of the bias, whose input is one
        const float bias_change = ETA * delta[to] + MOMENTUM * oldw[to];
        w[to] += bias_change;
        oldw[to] = bias_change;
    }
}
