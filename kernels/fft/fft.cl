// Complex-to-complex fast Fourier transforms, unscaled, by Stockham's self-sorting scheme.
//
//   fft_radix2_pass  one pass over a batch of transforms of length n in global memory; the host
//                    runs it for p = 1, 2, 4, ... n / 2, swapping the buffers
//   fft256           a transform of length 256 per work-group of 64: four radix-4 passes in
//                    registers, exchanges through local memory with real and imaginary parts apart
// `sign` is -1 for the forward transform, 1 for the inverse.

#define POINTS 256
#define QUARTER (POINTS / 4)

float2 multiply(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// exp(i pi angle)
float2 unit_root(float angle)
{
    return (float2)(cospi(angle), sinpi(angle));
}

__kernel void fft_radix2_pass(__global float2 *out, __global const float2 *in, const int n,
                              const int p, const float sign)
{
    const int t = get_global_id(0);
    const int batch = get_global_id(1);
    if (t >= n / 2) {
        return;
    }
    in += batch * n;
    out += batch * n;

    const int k = t & (p - 1); // index within the transforms of length p done so far
    const float2 a = in[t];
    const float2 b = multiply(in[t + n / 2], unit_root(sign * (float)k / (float)p));
    const int target = 2 * t - k;
    out[target] = a + b;
    out[target + p] = a - b;
}

// a + i sign b
float2 turn_add(float2 a, float2 b, float sign)
{
    return (float2)(a.x - sign * b.y, a.y + sign * b.x);
}

__kernel __attribute__((reqd_work_group_size(QUARTER, 1, 1)))
void fft256(__global float2 *data, const float sign)
{
    __local float real[POINTS];
    __local float imaginary[POINTS];

    const int t = get_local_id(0);
    data += get_group_id(0) * POINTS;

    float2 x0 = data[t + 0 * QUARTER];
    float2 x1 = data[t + 1 * QUARTER];
    float2 x2 = data[t + 2 * QUARTER];
    float2 x3 = data[t + 3 * QUARTER];

    for (int p = 1; p < POINTS; p *= 4) {
        const int k = t & (p - 1);
        const float angle = sign * (float)k / (float)(2 * p);
        x1 = multiply(x1, unit_root(angle));
        x2 = multiply(x2, unit_root(2.0f * angle));
        x3 = multiply(x3, unit_root(3.0f * angle));

        const float2 even_sum = x0 + x2;
        const float2 even_difference = x0 - x2;
        const float2 odd_sum = x1 + x3;
        const float2 odd_difference = x1 - x3;
        const float2 y0 = even_sum + odd_sum;
        const float2 y1 = turn_add(even_difference, odd_difference, sign);
        const float2 y2 = even_sum - odd_sum;
        const float2 y3 = turn_add(even_difference, odd_difference, -sign);

        const int target = 4 * (t - k) + k;
        if (p == QUARTER) { // the last pass: in order, nothing to exchange
            data[target + 0 * p] = y0;
            data[target + 1 * p] = y1;
            data[target + 2 * p] = y2;
            data[target + 3 * p] = y3;
        } else {
            real[target + 0 * p] = y0.x;
            real[target + 1 * p] = y1.x;
            real[target + 2 * p] = y2.x;
            real[target + 3 * p] = y3.x;
            imaginary[target + 0 * p] = y0.y;
            imaginary[target + 1 * p] = y1.y;
            imaginary[target + 2 * p] = y2.y;
            imaginary[target + 3 * p] = y3.y;
            barrier(CLK_LOCAL_MEM_FENCE);
            x0 = (float2)(real[t + 0 * QUARTER], imaginary[t + 0 * QUARTER]);
            x1 = (float2)(real[t + 1 * QUARTER], imaginary[t + 1 * QUARTER]);
            x2 = (float2)(real[t + 2 * QUARTER], imaginary[t + 2 * QUARTER]);
            x3 = (float2)(real[t + 3 * QUARTER], imaginary[t + 3 * QUARTER]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
