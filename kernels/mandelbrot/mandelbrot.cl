// Escape-time fractals: loops whose trip count is data, from 1 to max_iterations.
//
//   mandelbrot  one pixel per work-item, coloured in one of three ways
//   julia4      four pixels per work-item in vectors: the loop runs until all four have escaped
// Contraction is off, so that escape times are the same wherever IEEE arithmetic is.

#pragma OPENCL FP_CONTRACT OFF

#define COLOUR_BANDS 0
#define COLOUR_GREY 1
#define COLOUR_INSIDE 2

__constant uchar4 palette[8] = {
    (uchar4)(66, 30, 15, 255),    (uchar4)(25, 7, 26, 255),     (uchar4)(4, 4, 73, 255),
    (uchar4)(12, 44, 138, 255),   (uchar4)(57, 125, 209, 255),  (uchar4)(211, 236, 248, 255),
    (uchar4)(248, 201, 95, 255),  (uchar4)(153, 87, 0, 255),
};

// The number of steps z -> z^2 + c from z = 0 until |z| > 2, at most `limit`.
int escape_time(float cx, float cy, int limit)
{
    float x = 0.0f;
    float y = 0.0f;
    int n = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        const float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++n;
    }
    return n;
}

uchar4 colour_of(int n, int limit, int mode)
{
    switch (mode) {
    case COLOUR_BANDS:
        return (n == limit) ? (uchar4)(0, 0, 0, 255) : palette[n & 7];
    case COLOUR_GREY: {
        const uchar level = (uchar)(255 * n / limit);
        return (uchar4)(level, level, level, 255);
    }
    case COLOUR_INSIDE:
    default:
        return (n == limit) ? (uchar4)(255) : (uchar4)(0, 0, 0, 255);
    }
}

__kernel void mandelbrot(__global uchar4 *out, const int width, const int height,
                         const float left, const float top, const float pitch,
                         const int max_iterations, const int mode)
{
    const int px = get_global_id(0);
    const int py = get_global_id(1);
    if (px >= width || py >= height) {
        return;
    }
    const float cx = left + (float)px * pitch;
    const float cy = top - (float)py * pitch;
    out[py * width + px] = colour_of(escape_time(cx, cy, max_iterations), max_iterations, mode);
}

// width is a multiple of four.
__kernel void julia4(__global int4 *out, const int width, const int height, const float2 c,
                     const float left, const float top, const float pitch,
                     const int max_iterations)
{
    const int quad = get_global_id(0);
    const int py = get_global_id(1);
    if (4 * quad >= width || py >= height) {
        return;
    }
    float4 x = left + convert_float4((int4)(4 * quad) + (int4)(0, 1, 2, 3)) * pitch;
    float4 y = (float4)(top - (float)py * pitch);
    int4 times = (int4)(0);
    for (int n = 0; n < max_iterations; ++n) {
        const int4 inside = islessequal(x * x + y * y, (float4)(4.0f));
        if (!any(inside)) {
            break;
        }
        const float4 next = x * x - y * y + c.x;
        y = select(y, 2.0f * x * y + c.y, inside); // escaped ones stay where they are
        x = select(x, next, inside);
        times -= inside; // true is -1
    }
    out[py * (width / 4) + quad] = times;
}
