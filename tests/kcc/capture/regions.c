/* A host of buffers in pieces: a map, rectangles, a fill, a sub-buffer; with WITH_IMAGE an image. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define OK(x) do { cl_int s_ = (x); if (s_) { printf("%s: %d\n", #x, s_); return 1; } } while (0)
static const char *text =
"kernel void twice(global const float *a, global float *b) { int i = get_global_id(0); b[i] = 2 * a[i]; }";
int main(void) {
    cl_platform_id p; cl_device_id d; cl_int s; float host[64], rect[9];
    OK(clGetPlatformIDs(1, &p, NULL));
    OK(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL));
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &s); OK(s);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, &s); OK(s);
    cl_program g = clCreateProgramWithSource(c, 1, &text, NULL, &s); OK(s);
    OK(clBuildProgram(g, 0, NULL, "", NULL, NULL));
    cl_kernel k = clCreateKernel(g, "twice", &s); OK(s);
    for (int i = 0; i < 64; i++) host[i] = (float)i;
    for (int i = 0; i < 9; i++) rect[i] = 100.0f + i;
    cl_mem a = clCreateBuffer(c, CL_MEM_READ_WRITE, 256, NULL, &s); OK(s);
    cl_mem b = clCreateBuffer(c, CL_MEM_READ_WRITE, 256, NULL, &s); OK(s);
    float *m = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_WRITE, 0, 256, 0, NULL, NULL, &s); OK(s);
    memcpy(m, host, 256);
    OK(clEnqueueUnmapMemObject(q, a, m, 0, NULL, NULL));
    size_t bo[3] = {4, 2, 0}, ho[3] = {0, 0, 0}, r[3] = {12, 3, 1}, to[3] = {24, 0, 0}, r2[3] = {8, 2, 1};
    OK(clEnqueueWriteBufferRect(q, a, CL_TRUE, bo, ho, r, 32, 0, 12, 0, rect, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(q, a, a, bo, to, r2, 32, 0, 32, 0, 0, NULL, NULL));
    float half = 0.5f; OK(clEnqueueFillBuffer(q, a, &half, 4, 224, 32, 0, NULL, NULL));
    cl_buffer_region region = {128, 128};
    cl_mem sub = clCreateSubBuffer(a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &s); OK(s);
    OK(clEnqueueCopyBuffer(q, a, sub, 64, 64, 16, 0, NULL, NULL));
    OK(clSetKernelArg(k, 0, sizeof a, &a)); OK(clSetKernelArg(k, 1, sizeof b, &b));
    size_t n = 64, l = 32; OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &l, 0, NULL, NULL));
    OK(clSetKernelArg(k, 0, sizeof sub, &sub)); n = 32;
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &l, 0, NULL, NULL));
    OK(clFinish(q));
    if (getenv("WITH_IMAGE")) {
        cl_image_format f = {CL_RGBA, CL_FLOAT}; cl_image_desc e = {0};
        e.image_type = CL_MEM_OBJECT_IMAGE2D, e.image_width = e.image_height = 4;
        clCreateImage(c, CL_MEM_READ_ONLY, &f, &e, NULL, &s); OK(s);
    }
    puts("done");
    return 0;
}
