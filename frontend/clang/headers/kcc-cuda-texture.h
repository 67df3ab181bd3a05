/* Textures and surfaces: reads and writes of images. A texture object is the image's handle. */
#ifndef KCC_CUDA_TEXTURE_H
#define KCC_CUDA_TEXTURE_H

enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
struct cudaChannelFormatDesc { int x, y, z, w; cudaChannelFormatKind f; };
#define cudaTextureType1D 1
#define cudaTextureType2D 2
#define cudaTextureType3D 3
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2
struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
};
template <class T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture : textureReference {
    unsigned long long __object;
    texture() = default;
    template <class... A> __KCC_MHD constexpr texture(A...) : textureReference(), __object(0) {}
};
template <class T, int dimensions = 1> struct surface { unsigned long long __object; };
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;

/* The type and number of a texel's components. */
template <class T> struct __kcc_lanes { typedef T type; static constexpr int count = 0; };
#define __KCC_LANES(name, element)                                                                  \
    template <> struct __kcc_lanes<name##1> { typedef element type; static constexpr int count = 1; }; \
    template <> struct __kcc_lanes<name##2> { typedef element type; static constexpr int count = 2; }; \
    template <> struct __kcc_lanes<name##4> { typedef element type; static constexpr int count = 4; };
__KCC_LANES(char, signed char)
__KCC_LANES(uchar, unsigned char)
__KCC_LANES(short, short)
__KCC_LANES(ushort, unsigned short)
__KCC_LANES(int, int)
__KCC_LANES(uint, unsigned int)
__KCC_LANES(float, float)
template <class T, class V> __KCC_D T __kcc_texel(V v) {
    typedef typename __kcc_lanes<T>::type E;
    constexpr int count = __kcc_lanes<T>::count;
    if constexpr (count == 0) return (T)v.x;
    else {
        T r;
        r.x = (E)v.x;
        if constexpr (count > 1) r.y = (E)v.y;
        if constexpr (count > 2) { r.z = (E)v.z; r.w = (E)v.w; }
        return r;
    }
}
/* Normalised reads give floats. */
template <class T, cudaTextureReadMode mode> struct __kcc_read { typedef T type; };
#define __KCC_NORMALISED(from, to) template <> struct __kcc_read<from, cudaReadModeNormalizedFloat> { typedef to type; };
__KCC_NORMALISED(unsigned char, float)
__KCC_NORMALISED(signed char, float)
__KCC_NORMALISED(unsigned short, float)
__KCC_NORMALISED(short, float)
__KCC_NORMALISED(uchar2, float2)
__KCC_NORMALISED(ushort2, float2)
__KCC_NORMALISED(uchar4, float4)
__KCC_NORMALISED(ushort4, float4)
__KCC_NORMALISED(char4, float4)
__KCC_NORMALISED(short4, float4)

/* Reads of images of the dialect. How a texture is filtered and what lies beyond its edge says the
   host: here the sampler is nearest, clamped to the edge, by texels. */
typedef float __kcc_f2 __attribute__((ext_vector_type(2)));
typedef float __kcc_f4 __attribute__((ext_vector_type(4)));
typedef int __kcc_i2 __attribute__((ext_vector_type(2)));
typedef int __kcc_i4 __attribute__((ext_vector_type(4)));
typedef __attribute__((address_space(1))) void* __kcc_image;
typedef __attribute__((address_space(2))) void* __kcc_sampler;
extern "C" __device__ __attribute__((const, nothrow)) __kcc_sampler __translate_sampler_initializer(unsigned int);
#define __KCC_NEAREST __translate_sampler_initializer(18)
#define __KCC_READ(result, name, symbol, ...) __device__ __attribute__((pure, nothrow)) result name(__VA_ARGS__) __asm(symbol);
#define __KCC_READS(name, image, code, coordinate)                                                  \
    __KCC_READ(__kcc_f4, name##f, "_Z11read_imagef" image "11ocl_sampler" code, __kcc_image, __kcc_sampler, coordinate) \
    __KCC_READ(__kcc_i4, name##i, "_Z11read_imagei" image "11ocl_sampler" code, __kcc_image, __kcc_sampler, coordinate) \
    __KCC_READ(__kcc_uint4, name##ui, "_Z12read_imageui" image "11ocl_sampler" code, __kcc_image, __kcc_sampler, coordinate) \
    template <class T> __KCC_D T name(unsigned long long object, coordinate at) {                   \
        typedef typename __kcc_lanes<T>::type E;                                                    \
        if constexpr (__is_floating_point(E)) return __kcc_texel<T>(name##f((__kcc_image)object, __KCC_NEAREST, at)); \
        else if constexpr ((E)-1 < (E)0) return __kcc_texel<T>(name##i((__kcc_image)object, __KCC_NEAREST, at)); \
        else return __kcc_texel<T>(name##ui((__kcc_image)object, __KCC_NEAREST, at));               \
    }
__KCC_READS(__kcc_read1, "14ocl_image1d_ro", "f", float)
__KCC_READS(__kcc_read2, "14ocl_image2d_ro", "Dv2_f", __kcc_f2)
__KCC_READS(__kcc_read3, "14ocl_image3d_ro", "Dv4_f", __kcc_f4)
__KCC_READS(__kcc_read1a, "20ocl_image1d_array_ro", "Dv2_f", __kcc_f2)
__KCC_READS(__kcc_read2a, "20ocl_image2d_array_ro", "Dv4_f", __kcc_f4)
#define __KCC_FETCHES(name, image, code, coordinate)                                                \
    __KCC_READ(__kcc_f4, name##f, "_Z11read_imagef" image code, __kcc_image, coordinate)            \
    __KCC_READ(__kcc_i4, name##i, "_Z11read_imagei" image code, __kcc_image, coordinate)            \
    __KCC_READ(__kcc_uint4, name##ui, "_Z12read_imageui" image code, __kcc_image, coordinate)       \
    template <class T> __KCC_D T name(unsigned long long object, coordinate at) {                   \
        typedef typename __kcc_lanes<T>::type E;                                                    \
        if constexpr (__is_floating_point(E)) return __kcc_texel<T>(name##f((__kcc_image)object, at)); \
        else if constexpr ((E)-1 < (E)0) return __kcc_texel<T>(name##i((__kcc_image)object, at));   \
        else return __kcc_texel<T>(name##ui((__kcc_image)object, at));                              \
    }
__KCC_FETCHES(__kcc_fetch, "21ocl_image1d_buffer_ro", "i", int)
__KCC_FETCHES(__kcc_load1, "14ocl_image1d_ro", "i", int)
__KCC_FETCHES(__kcc_load2, "14ocl_image2d_ro", "Dv2_i", __kcc_i2)
__KCC_FETCHES(__kcc_load3, "14ocl_image3d_ro", "Dv4_i", __kcc_i4)
__KCC_FETCHES(__kcc_load2a, "20ocl_image2d_array_ro", "Dv4_i", __kcc_i4)

#define __KCC_EXPAND(...) __VA_ARGS__
#define __KCC_TEXTURE(name, parameters, read, at)                                                   \
    template <class T, int n, cudaTextureReadMode m> __KCC_D typename __kcc_read<T, m>::type name(const texture<T, n, m>& t, __KCC_EXPAND parameters) { return read<typename __kcc_read<T, m>::type>(t.__object, at); } \
    template <class T> __KCC_D T name(cudaTextureObject_t t, __KCC_EXPAND parameters) { return read<T>(t, at); } \
    template <class T> __KCC_D void name(T* to, cudaTextureObject_t t, __KCC_EXPAND parameters) { *to = read<T>(t, at); }
#define __KCC_AT2 (__kcc_f2{x, y})
#define __KCC_AT3 (__kcc_f4{x, y, z, 0.0f})
#define __KCC_AT1L (__kcc_f2{x, (float)layer})
#define __KCC_AT2L (__kcc_f4{x, y, (float)layer, 0.0f})
__KCC_TEXTURE(tex1Dfetch, (int x), __kcc_fetch, x)
__KCC_TEXTURE(tex1D, (float x), __kcc_read1, x)
__KCC_TEXTURE(tex2D, (float x, float y), __kcc_read2, __KCC_AT2)
__KCC_TEXTURE(tex3D, (float x, float y, float z), __kcc_read3, __KCC_AT3)
__KCC_TEXTURE(tex1DLayered, (float x, int layer), __kcc_read1a, __KCC_AT1L)
__KCC_TEXTURE(tex2DLayered, (float x, float y, int layer), __kcc_read2a, __KCC_AT2L)
__KCC_TEXTURE(tex1DLod, (float x, float), __kcc_read1, x)
__KCC_TEXTURE(tex2DLod, (float x, float y, float), __kcc_read2, __KCC_AT2)
__KCC_TEXTURE(tex3DLod, (float x, float y, float z, float), __kcc_read3, __KCC_AT3)
__KCC_TEXTURE(tex2DGrad, (float x, float y, float2, float2), __kcc_read2, __KCC_AT2)
#define __KCC_NO_TEXTURE(name)                                                                      \
    template <class T, int n, cudaTextureReadMode m, class... A>                                    \
    __KCC_D typename __kcc_read<T, m>::type name(texture<T, n, m>, A...) { __kcc_refuse_texture(); return {}; } \
    template <class T, class... A> __KCC_D T name(cudaTextureObject_t, A...) { __kcc_refuse_texture(); return T(); }
__KCC_NO_TEXTURE(texCubemap)
__KCC_NO_TEXTURE(texCubemapLod)
__KCC_NO_TEXTURE(texCubemapLayered)
__KCC_NO_TEXTURE(tex2Dgather)

/* Surfaces: x counts bytes. */
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
#define __KCC_WRITES(name, image, code, coordinate)                                                 \
    __device__ __attribute__((nothrow)) void name##f(__kcc_image, coordinate, __kcc_f4) __asm("_Z12write_imagef" image code "Dv4_f"); \
    __device__ __attribute__((nothrow)) void name##i(__kcc_image, coordinate, __kcc_i4) __asm("_Z12write_imagei" image code "Dv4_i"); \
    __device__ __attribute__((nothrow)) void name##ui(__kcc_image, coordinate, __kcc_uint4) __asm("_Z13write_imageui" image code "Dv4_j"); \
    template <class T> __KCC_D void name(unsigned long long object, coordinate at, T v) {           \
        typedef typename __kcc_lanes<T>::type E;                                                    \
        if constexpr (__is_floating_point(E)) name##f((__kcc_image)object, at, __kcc_spread<__kcc_f4>(v)); \
        else if constexpr ((E)-1 < (E)0) name##i((__kcc_image)object, at, __kcc_spread<__kcc_i4>(v)); \
        else name##ui((__kcc_image)object, at, __kcc_spread<__kcc_uint4>(v));                       \
    }
template <class V, class T> __KCC_D V __kcc_spread(T v) {
    constexpr int count = __kcc_lanes<T>::count;
    if constexpr (count == 0) return V{v, 0, 0, 0};
    else if constexpr (count == 1) return V{v.x, 0, 0, 0};
    else if constexpr (count == 2) return V{v.x, v.y, 0, 0};
    else return V{v.x, v.y, v.z, v.w};
}
__KCC_WRITES(__kcc_write1, "14ocl_image1d_wo", "i", int)
__KCC_WRITES(__kcc_write2, "14ocl_image2d_wo", "Dv2_i", __kcc_i2)
__KCC_WRITES(__kcc_write3, "14ocl_image3d_wo", "Dv4_i", __kcc_i4)
__KCC_WRITES(__kcc_write2a, "20ocl_image2d_array_wo", "Dv4_i", __kcc_i4)
#define __KCC_SURFACE(suffix, parameters, shape, at)                                                \
    template <class T> __KCC_D T surf##suffix##read(cudaSurfaceObject_t s, __KCC_EXPAND parameters, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { return __kcc_load##shape<T>(s, at); } \
    template <class T, int n> __KCC_D T surf##suffix##read(const surface<void, n>& s, __KCC_EXPAND parameters, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { return __kcc_load##shape<T>(s.__object, at); } \
    template <class T> __KCC_D void surf##suffix##read(T* to, cudaSurfaceObject_t s, __KCC_EXPAND parameters, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { *to = __kcc_load##shape<T>(s, at); } \
    template <class T> __KCC_D void surf##suffix##write(T v, cudaSurfaceObject_t s, __KCC_EXPAND parameters, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { __kcc_write##shape<T>(s, at, v); } \
    template <class T, int n> __KCC_D void surf##suffix##write(T v, const surface<void, n>& s, __KCC_EXPAND parameters, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { __kcc_write##shape<T>(s.__object, at, v); }
#define __KCC_TEXEL_X (int)(x / sizeof(T))
#define __KCC_SAT2 (__kcc_i2{__KCC_TEXEL_X, y})
#define __KCC_SAT3 (__kcc_i4{__KCC_TEXEL_X, y, z, 0})
__KCC_SURFACE(1D, (int x), 1, __KCC_TEXEL_X)
__KCC_SURFACE(2D, (int x, int y), 2, __KCC_SAT2)
__KCC_SURFACE(3D, (int x, int y, int z), 3, __KCC_SAT3)
__KCC_SURFACE(2DLayered, (int x, int y, int z), 2a, __KCC_SAT3)

#endif
