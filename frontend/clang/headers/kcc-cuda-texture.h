/* Textures and surfaces: declared so that the rest of a file compiles; each use is refused. */
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
    texture() = default;
    template <class... A> texture(A...) {}
};
template <class T, int dimensions = 1> struct surface {};
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

template <class T> __KCC_D T __kcc_texel() { __kcc_refuse_texture(); return T(); }
/* Normalised reads give floats; no value of a refused kernel is ever looked at. */
template <class T, cudaTextureReadMode mode> struct __kcc_read { typedef T type; };
template <> struct __kcc_read<unsigned char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct __kcc_read<unsigned short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct __kcc_read<signed char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct __kcc_read<uchar4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct __kcc_read<uchar2, cudaReadModeNormalizedFloat> { typedef float2 type; };
template <> struct __kcc_read<ushort4, cudaReadModeNormalizedFloat> { typedef float4 type; };
#define __KCC_TEXTURE(name)                                                                         \
    template <class T, int n, cudaTextureReadMode m, class... A>                                    \
    __KCC_D typename __kcc_read<T, m>::type name(texture<T, n, m>, A...) { return __kcc_texel<typename __kcc_read<T, m>::type>(); } \
    template <class T, class... A> __KCC_D T name(cudaTextureObject_t, A...) { return __kcc_texel<T>(); } \
    template <class T, class... A> __KCC_D void name(T*, cudaTextureObject_t, A...) { __kcc_refuse_texture(); }
__KCC_TEXTURE(tex1Dfetch)
__KCC_TEXTURE(tex1D)
__KCC_TEXTURE(tex2D)
__KCC_TEXTURE(tex3D)
__KCC_TEXTURE(tex1DLayered)
__KCC_TEXTURE(tex2DLayered)
__KCC_TEXTURE(texCubemap)
__KCC_TEXTURE(tex1DLod)
__KCC_TEXTURE(tex2DLod)
__KCC_TEXTURE(tex3DLod)
__KCC_TEXTURE(tex2DGrad)
__KCC_TEXTURE(tex2Dgather)
#define __KCC_SURFACE(suffix)                                                                       \
    template <class T, class S, class... A> __KCC_D T surf##suffix##read(S, A...) { __kcc_refuse_surface(); return T(); } \
    template <class T, class S, class... A> __KCC_D void surf##suffix##read(T*, S, A...) { __kcc_refuse_surface(); } \
    template <class T, class S, class... A> __KCC_D void surf##suffix##write(T, S, A...) { __kcc_refuse_surface(); }
__KCC_SURFACE(1D)
__KCC_SURFACE(2D)
__KCC_SURFACE(3D)
__KCC_SURFACE(2DLayered)

/* Warp matrix functions (mma.h). */
namespace nvcuda { namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision { struct tf32 {}; }
enum layout_t { mem_row_major, mem_col_major };
template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment {
    static constexpr int num_elements = 8;
    T x[8];
};
template <class F, class T> __KCC_D void fill_fragment(F&, T) { __kcc_refuse_tensor_core(); }
template <class F, class T> __KCC_D void load_matrix_sync(F&, const T*, unsigned) { __kcc_refuse_tensor_core(); }
template <class F, class T> __KCC_D void load_matrix_sync(F&, const T*, unsigned, layout_t) { __kcc_refuse_tensor_core(); }
template <class F, class T> __KCC_D void store_matrix_sync(T*, const F&, unsigned, layout_t) { __kcc_refuse_tensor_core(); }
template <class D, class A, class B, class C> __KCC_D void mma_sync(D&, const A&, const B&, const C&, bool = false) { __kcc_refuse_tensor_core(); }
} }

#endif
