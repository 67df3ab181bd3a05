// Images as OpenCL C 1.2 describes them: section 6.12.14 and, for the arithmetic, chapter 8. The
// engine compiles this file with kcc's own front end for the host and calls it lane by lane.
// Where the specification leaves a result undefined (CLK_ADDRESS_NONE outside the image), the
// border colour is read.

typedef struct {
    ulong data;
    int width, height, depth, layers;
    int order, type;
    int texel_bytes, row_bytes, slice_bytes;
    int dimensions;  // of a layer: 1, 2 or 3
} Image;

int channel_count(int order) {
    switch (order) {
    case CLK_RG: case CLK_RA: case CLK_RGx: return 2;
    case CLK_RGB: case CLK_RGBx: return 3;
    case CLK_RGBA: case CLK_BGRA: case CLK_ARGB: return 4;
    default: return 1;
    }
}

bool has_opaque_border(int order) {
    return order == CLK_R || order == CLK_RG || order == CLK_RGB || order == CLK_LUMINANCE;
}

global uchar *texel_place(global const Image *image, int x, int y, int z) {
    return (global uchar *)image->data + (long)z * image->slice_bytes + (long)y * image->row_bytes +
           (long)x * image->texel_bytes;
}

float channel_float(global const uchar *place, int type, int i) {
    switch (type) {
    case CLK_UNORM_INT8: return place[i] / 255.0f;
    case CLK_UNORM_INT16: return ((global const ushort *)place)[i] / 65535.0f;
    case CLK_SNORM_INT8: return max(((global const char *)place)[i] / 127.0f, -1.0f);
    case CLK_SNORM_INT16: return max(((global const short *)place)[i] / 32767.0f, -1.0f);
    case CLK_HALF_FLOAT: return vload_half(i, (global const half *)place);
    default: return ((global const float *)place)[i];
    }
}

int channel_int(global const uchar *place, int type, int i) {
    switch (type) {
    case CLK_SIGNED_INT8: return ((global const char *)place)[i];
    case CLK_SIGNED_INT16: return ((global const short *)place)[i];
    case CLK_UNSIGNED_INT8: return place[i];
    case CLK_UNSIGNED_INT16: return ((global const ushort *)place)[i];
    default: return ((global const int *)place)[i];
    }
}

// Components by the order of the channels: what is absent is 0, alpha 1.
float4 ordered_float(int order, float4 c) {
    switch (order) {
    case CLK_R: case CLK_Rx: return (float4)(c.x, 0, 0, 1);
    case CLK_A: return (float4)(0, 0, 0, c.x);
    case CLK_RG: case CLK_RGx: return (float4)(c.xy, 0, 1);
    case CLK_RA: return (float4)(c.x, 0, 0, c.y);
    case CLK_RGB: case CLK_RGBx: return (float4)(c.xyz, 1);
    case CLK_BGRA: return c.zyxw;
    case CLK_ARGB: return c.yzwx;
    case CLK_INTENSITY: return c.xxxx;
    case CLK_LUMINANCE: return (float4)(c.xxx, 1);
    default: return c;
    }
}

int4 ordered_int(int order, int4 c) {
    switch (order) {
    case CLK_R: case CLK_Rx: return (int4)(c.x, 0, 0, 1);
    case CLK_A: return (int4)(0, 0, 0, c.x);
    case CLK_RG: case CLK_RGx: return (int4)(c.xy, 0, 1);
    case CLK_RA: return (int4)(c.x, 0, 0, c.y);
    case CLK_RGB: case CLK_RGBx: return (int4)(c.xyz, 1);
    case CLK_BGRA: return c.zyxw;
    case CLK_ARGB: return c.yzwx;
    default: return c;
    }
}

// The channels as they are stored from the components of a colour.
float4 stored_float(int order, float4 c) {
    switch (order) {
    case CLK_A: return c.wwww;
    case CLK_RA: return c.xwxw;
    case CLK_BGRA: return c.zyxw;
    case CLK_ARGB: return c.wxyz;
    default: return c;
    }
}

int4 stored_int(int order, int4 c) {
    switch (order) {
    case CLK_A: return c.wwww;
    case CLK_RA: return c.xwxw;
    case CLK_BGRA: return c.zyxw;
    case CLK_ARGB: return c.wxyz;
    default: return c;
    }
}

bool is_inside(global const Image *image, int x, int y, int z) {
    int deep = image->dimensions == 3 ? image->depth : image->layers;
    return x >= 0 && x < image->width && y >= 0 && y < image->height && z >= 0 && z < deep;
}

float4 fetch_float(global const Image *image, int x, int y, int z) {
    if (!is_inside(image, x, y, z))
        return (float4)(0, 0, 0, has_opaque_border(image->order) ? 1 : 0);
    global const uchar *place = texel_place(image, x, y, z);
    float4 c = 0;
    if (image->type == CLK_UNORM_SHORT_565) {
        ushort v = *(global const ushort *)place;
        c = (float4)((v >> 11) / 31.0f, (v >> 5 & 63) / 63.0f, (v & 31) / 31.0f, 1);
    } else if (image->type == CLK_UNORM_SHORT_555) {
        ushort v = *(global const ushort *)place;
        c = (float4)((v >> 10 & 31) / 31.0f, (v >> 5 & 31) / 31.0f, (v & 31) / 31.0f, 1);
    } else if (image->type == CLK_UNORM_INT_101010) {
        uint v = *(global const uint *)place;
        c = (float4)((v >> 20 & 1023) / 1023.0f, (v >> 10 & 1023) / 1023.0f, (v & 1023) / 1023.0f, 1);
    } else {
        int count = channel_count(image->order);
        c.x = channel_float(place, image->type, 0);
        if (count > 1) c.y = channel_float(place, image->type, 1);
        if (count > 2) c.z = channel_float(place, image->type, 2);
        if (count > 3) c.w = channel_float(place, image->type, 3);
    }
    return ordered_float(image->order, c);
}

int4 fetch_int(global const Image *image, int x, int y, int z) {
    if (!is_inside(image, x, y, z))
        return (int4)(0, 0, 0, has_opaque_border(image->order) ? 1 : 0);
    global const uchar *place = texel_place(image, x, y, z);
    int count = channel_count(image->order);
    int4 c = 0;
    c.x = channel_int(place, image->type, 0);
    if (count > 1) c.y = channel_int(place, image->type, 1);
    if (count > 2) c.z = channel_int(place, image->type, 2);
    if (count > 3) c.w = channel_int(place, image->type, 3);
    return ordered_int(image->order, c);
}

// A coordinate in texels, before filtering (section 8.2).
float in_texels(float s, int size, uint sampler) {
    uint mode = sampler & 14;
    if (!(sampler & CLK_NORMALIZED_COORDS_TRUE)) return s;
    if (mode == CLK_ADDRESS_REPEAT) return (s - floor(s)) * size;
    if (mode == CLK_ADDRESS_MIRRORED_REPEAT) return fabs(s - 2.0f * rint(0.5f * s)) * size;
    return s * size;
}

// The index of a texel by the addressing mode; outside the image for the border colour.
int addressed(int i, int size, uint sampler) {
    switch (sampler & 14) {
    case CLK_ADDRESS_REPEAT: return i < 0 ? i + size : i > size - 1 ? i - size : i;
    case CLK_ADDRESS_CLAMP_TO_EDGE: case CLK_ADDRESS_MIRRORED_REPEAT: return clamp(i, 0, size - 1);
    default: return clamp(i, -1, size);
    }
}

int nearest(float u, int size, uint sampler) {
    return addressed(convert_int_sat(floor(u)), size, sampler);
}

int layer_of(global const Image *image, float z) {
    return clamp(convert_int_sat(rint(z)), 0, image->layers - 1);
}

float4 blend(global const Image *image, uint sampler, float3 u) {
    float3 low = floor(u - 0.5f);
    float3 part = (u - 0.5f) - low;
    float4 sum = 0;
    int corners = 1 << image->dimensions;
    for (int corner = 0; corner < corners; ++corner) {
        int3 step = (int3)(corner & 1, corner >> 1 & 1, corner >> 2);
        int x = addressed((int)low.x + step.x, image->width, sampler);
        int y = image->dimensions > 1 ? addressed((int)low.y + step.y, image->height, sampler) : 0;
        int z = image->dimensions > 2 ? addressed((int)low.z + step.z, image->depth, sampler) : (int)u.z;
        float weight = step.x ? part.x : 1 - part.x;
        if (image->dimensions > 1) weight *= step.y ? part.y : 1 - part.y;
        if (image->dimensions > 2) weight *= step.z ? part.z : 1 - part.z;
        sum += weight * fetch_float(image, x, y, z);
    }
    return sum;
}

float3 texel_coordinates(global const Image *image, uint sampler, float x, float y, float z) {
    float3 u = (float3)(in_texels(x, image->width, sampler), 0, 0);
    if (image->dimensions > 1) u.y = in_texels(y, image->height, sampler);
    if (image->dimensions > 2) u.z = in_texels(z, image->depth, sampler);
    else u.z = layer_of(image, image->dimensions > 1 ? z : y);
    return u;
}

int3 nearest_texel(global const Image *image, uint sampler, float x, float y, float z) {
    float3 u = texel_coordinates(image, sampler, x, y, z);
    int3 i = (int3)(nearest(u.x, image->width, sampler), 0, (int)u.z);
    if (image->dimensions > 1) i.y = nearest(u.y, image->height, sampler);
    if (image->dimensions > 2) i.z = nearest(u.z, image->depth, sampler);
    return i;
}

int3 plain_texel(global const Image *image, int x, int y, int z) {
    return image->dimensions == 1 ? (int3)(x, 0, y) : (int3)(x, y, z);
}

kernel void sample_float(global const Image *image, uint sampler, float x, float y, float z,
                         global float4 *result) {
    if (sampler & CLK_FILTER_LINEAR) {
        *result = blend(image, sampler, texel_coordinates(image, sampler, x, y, z));
    } else {
        int3 i = nearest_texel(image, sampler, x, y, z);
        *result = fetch_float(image, i.x, i.y, i.z);
    }
}

kernel void sample_int(global const Image *image, uint sampler, float x, float y, float z,
                       global int4 *result) {
    int3 i = nearest_texel(image, sampler, x, y, z);
    *result = fetch_int(image, i.x, i.y, i.z);
}

kernel void load_float(global const Image *image, uint sampler, int x, int y, int z,
                       global float4 *result) {
    int3 i = plain_texel(image, x, y, z);
    i.x = addressed(i.x, image->width, sampler);
    if (image->dimensions > 1) i.y = addressed(i.y, image->height, sampler);
    if (image->dimensions > 2) i.z = addressed(i.z, image->depth, sampler);
    else i.z = clamp(i.z, 0, image->layers - 1);
    *result = fetch_float(image, i.x, i.y, i.z);
}

kernel void load_int(global const Image *image, uint sampler, int x, int y, int z,
                     global int4 *result) {
    int3 i = plain_texel(image, x, y, z);
    i.x = addressed(i.x, image->width, sampler);
    if (image->dimensions > 1) i.y = addressed(i.y, image->height, sampler);
    if (image->dimensions > 2) i.z = addressed(i.z, image->depth, sampler);
    else i.z = clamp(i.z, 0, image->layers - 1);
    *result = fetch_int(image, i.x, i.y, i.z);
}

void store_channel_float(global uchar *place, int type, int i, float value) {
    switch (type) {
    case CLK_UNORM_INT8: place[i] = convert_uchar_sat_rte(value * 255.0f); break;
    case CLK_UNORM_INT16: ((global ushort *)place)[i] = convert_ushort_sat_rte(value * 65535.0f); break;
    case CLK_SNORM_INT8: ((global char *)place)[i] = convert_char_sat_rte(value * 127.0f); break;
    case CLK_SNORM_INT16: ((global short *)place)[i] = convert_short_sat_rte(value * 32767.0f); break;
    case CLK_HALF_FLOAT: vstore_half_rte(value, i, (global half *)place); break;
    default: ((global float *)place)[i] = value;
    }
}

void store_channel_int(global uchar *place, int type, int i, int value) {
    switch (type) {
    case CLK_SIGNED_INT8: ((global char *)place)[i] = convert_char_sat(value); break;
    case CLK_SIGNED_INT16: ((global short *)place)[i] = convert_short_sat(value); break;
    case CLK_UNSIGNED_INT8: place[i] = convert_uchar_sat(as_uint(value)); break;
    case CLK_UNSIGNED_INT16: ((global ushort *)place)[i] = convert_ushort_sat(as_uint(value)); break;
    default: ((global int *)place)[i] = value;
    }
}

// Writing gives whether the texel is inside the image; outside nothing is written.
kernel void store_float(global const Image *image, int x, int y, int z, float4 colour,
                        global int *inside) {
    int3 i = plain_texel(image, x, y, z);
    *inside = is_inside(image, i.x, i.y, i.z);
    if (!*inside) return;
    global uchar *place = texel_place(image, i.x, i.y, i.z);
    float4 c = stored_float(image->order, colour);
    if (image->type == CLK_UNORM_SHORT_565) {
        *(global ushort *)place = convert_ushort_sat_rte(clamp(c.x, 0.0f, 1.0f) * 31) << 11 |
            convert_ushort_sat_rte(clamp(c.y, 0.0f, 1.0f) * 63) << 5 |
            convert_ushort_sat_rte(clamp(c.z, 0.0f, 1.0f) * 31);
    } else if (image->type == CLK_UNORM_SHORT_555) {
        *(global ushort *)place = convert_ushort_sat_rte(clamp(c.x, 0.0f, 1.0f) * 31) << 10 |
            convert_ushort_sat_rte(clamp(c.y, 0.0f, 1.0f) * 31) << 5 |
            convert_ushort_sat_rte(clamp(c.z, 0.0f, 1.0f) * 31);
    } else if (image->type == CLK_UNORM_INT_101010) {
        *(global uint *)place = convert_uint_sat_rte(clamp(c.x, 0.0f, 1.0f) * 1023) << 20 |
            convert_uint_sat_rte(clamp(c.y, 0.0f, 1.0f) * 1023) << 10 |
            convert_uint_sat_rte(clamp(c.z, 0.0f, 1.0f) * 1023);
    } else {
        int count = channel_count(image->order);
        store_channel_float(place, image->type, 0, c.x);
        if (count > 1) store_channel_float(place, image->type, 1, c.y);
        if (count > 2) store_channel_float(place, image->type, 2, c.z);
        if (count > 3) store_channel_float(place, image->type, 3, c.w);
    }
}

kernel void store_int(global const Image *image, int x, int y, int z, int4 colour,
                      global int *inside) {
    int3 i = plain_texel(image, x, y, z);
    *inside = is_inside(image, i.x, i.y, i.z);
    if (!*inside) return;
    global uchar *place = texel_place(image, i.x, i.y, i.z);
    int4 c = stored_int(image->order, colour);
    int count = channel_count(image->order);
    store_channel_int(place, image->type, 0, c.x);
    if (count > 1) store_channel_int(place, image->type, 1, c.y);
    if (count > 2) store_channel_int(place, image->type, 2, c.z);
    if (count > 3) store_channel_int(place, image->type, 3, c.w);
}

kernel void query_image(global const Image *image, int what, global int *result) {
    switch (what) {
    case 0: *result = image->width; break;
    case 1: *result = image->height; break;
    case 2: *result = image->depth; break;
    case 3: *result = image->layers; break;
    case 4: *result = image->type; break;
    default: *result = image->order;
    }
}
