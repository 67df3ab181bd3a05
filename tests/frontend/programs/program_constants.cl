struct ProgramConstantsPair {
    int x;
    float f;
    int v[2];
};
union ProgramConstantsBits {
    float f;
    int i;
};
struct __attribute__((packed)) ProgramConstantsPacked {
    char c;
    int i;
};
struct ProgramConstantsNest {
    char c;
    struct ProgramConstantsPair q;
};
__constant int program_constants_table[16] = {1, 2, 3, [8] = 4, 5};
__constant int program_constants_matrix[2][3] = {{1, 2, 3}, {4}};
__constant float program_constants_weights[] = {0.25f, 1, -2, 1e-3};
constant struct ProgramConstantsPair program_constants_points[2] = {{1, 2, {3, 4}}, {5, 6, {7, 8}}};
__constant char program_constants_text[4] = "abc";
__constant int4 program_constants_vectors[2] = {(int4)(1, 2, 3, 4), (int4)(5)};
__constant int* __constant program_constants_chosen = &program_constants_table[3 - 1];
__constant char* __constant program_constants_name = "named";
__constant union ProgramConstantsBits unioned = {1.0f};
__constant int program_constants_limit = 1 << 4 | 3;
__constant struct ProgramConstantsPacked program_constants_packed_row = {'x', 7};
__constant struct ProgramConstantsNest program_constants_nested = {1, {2, 3.5f}};
__constant char* __constant program_constants_names[2] = {"one", "two"};
__constant int program_constants_single = {42};

void program_constants(__global int* out, __global const int* in, __global float* fout,
                       __global const float* fin, int gid, int n) {
    out[0] = program_constants_table[n];
    out[1] = program_constants_matrix[n & 1][n % 3];
    fout[0] = program_constants_weights[n & 3];
    out[2] = program_constants_points[n & 1].v[1] + program_constants_points[0].x;
    out[3] = program_constants_text[n & 3];
    out[4] = program_constants_vectors[n & 1].z;
    out[5] = *program_constants_chosen;
    out[6] = program_constants_name[1];
    out[7] = unioned.i;
    out[8] = program_constants_limit;
    out[9] = program_constants_packed_row.i;
    fout[1] = program_constants_nested.q.f;
    out[10] = program_constants_names[n & 1][0];
    out[11] = program_constants_single;
}
