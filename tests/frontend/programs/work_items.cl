void work_items(__global int* out, __global const int* in, __global float* fout,
                __global const float* fin, int gid, int n) {
    out[0] = get_global_id(0);
    out[1] = get_global_size(0);
    out[2] = get_local_size(0);
    out[3] = get_group_id(0) + get_local_id(0);
    out[4] = get_num_groups(0);
    out[5] = get_work_dim();
    out[6] = get_global_id(1) + get_global_size(2) + get_global_offset(0);
}
