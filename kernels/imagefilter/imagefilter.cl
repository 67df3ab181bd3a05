// Image filters on image objects: texture reads through samplers instead of addresses.
//
//   gaussian_image  (2 radius + 1)^2 mask from constant memory, sampler from the host
//   sobel_image     gradient magnitude per channel, nearest sampler fixed in the program
//   rotate_image    rotation about the centre, linear sampler: real-valued coordinates

__constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void gaussian_image(__read_only image2d_t src, __write_only image2d_t dst,
                             sampler_t sampler, __constant float *mask, const int radius)
{
    const int2 here = (int2)(get_global_id(0), get_global_id(1));
    if (any(here >= get_image_dim(dst))) {
        return;
    }
    const int side = 2 * radius + 1;
    float4 sum = (float4)(0.0f);
    for (int dy = -radius; dy <= radius; ++dy) {
        for (int dx = -radius; dx <= radius; ++dx) {
            const float weight = mask[(dy + radius) * side + dx + radius];
            sum += weight * read_imagef(src, sampler, here + (int2)(dx, dy));
        }
    }
    write_imagef(dst, here, sum);
}

__kernel void sobel_image(__read_only image2d_t src, __write_only image2d_t dst)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= get_image_width(dst) || y >= get_image_height(dst)) {
        return;
    }
    const float4 nw = read_imagef(src, nearest, (int2)(x - 1, y - 1));
    const float4 n = read_imagef(src, nearest, (int2)(x, y - 1));
    const float4 ne = read_imagef(src, nearest, (int2)(x + 1, y - 1));
    const float4 w = read_imagef(src, nearest, (int2)(x - 1, y));
    const float4 e = read_imagef(src, nearest, (int2)(x + 1, y));
    const float4 sw = read_imagef(src, nearest, (int2)(x - 1, y + 1));
    const float4 s = read_imagef(src, nearest, (int2)(x, y + 1));
    const float4 se = read_imagef(src, nearest, (int2)(x + 1, y + 1));

    const float4 gx = ne + 2.0f * e + se - nw - 2.0f * w - sw;
    const float4 gy = sw + 2.0f * s + se - nw - 2.0f * n - ne;
    float4 magnitude = clamp(hypot(gx, gy) * 0.25f, 0.0f, 1.0f);
    magnitude.w = 1.0f;
    write_imagef(dst, (int2)(x, y), magnitude);
}

__kernel void rotate_image(__read_only image2d_t src, __write_only image2d_t dst,
                           sampler_t sampler, const float angle)
{
    const int2 here = (int2)(get_global_id(0), get_global_id(1));
    const int2 size = get_image_dim(dst);
    if (here.x >= size.x || here.y >= size.y) {
        return;
    }
    const float2 centre = 0.5f * convert_float2(size);
    const float2 arm = convert_float2(here) + 0.5f - centre;
    float cosine;
    const float sine = sincos(angle, &cosine);
    const float2 from =
        (float2)(dot((float2)(cosine, sine), arm), dot((float2)(-sine, cosine), arm));
    write_imagef(dst, here, read_imagef(src, sampler, centre + from));
}
