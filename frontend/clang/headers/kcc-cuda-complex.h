/* Complex numbers: cuComplex.h, and thrust::complex and cuda::std::complex, which share one class. */
#ifndef KCC_CUDA_COMPLEX_H
#define KCC_CUDA_COMPLEX_H

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
#define __KCC_COMPLEX(type, real, make, f, suffix)                                                    \
    __KCC_HD type make_cu##make(real x, real y) { type r; r.x = x; r.y = y; return r; }               \
    __KCC_HD real cuCreal##f(type a) { return a.x; }                                                  \
    __KCC_HD real cuCimag##f(type a) { return a.y; }                                                  \
    __KCC_HD type cuConj##f(type a) { return make_cu##make(a.x, -a.y); }                              \
    __KCC_HD type cuCadd##f(type a, type b) { return make_cu##make(a.x + b.x, a.y + b.y); }           \
    __KCC_HD type cuCsub##f(type a, type b) { return make_cu##make(a.x - b.x, a.y - b.y); }           \
    __KCC_HD type cuCmul##f(type a, type b) { return make_cu##make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
    __KCC_HD type cuCfma##f(type a, type b, type c) { return cuCadd##f(cuCmul##f(a, b), c); }         \
    __KCC_HD type cuCdiv##f(type a, type b) {                                                         \
        real s = (real)1 / (fabs##suffix(b.x) + fabs##suffix(b.y)), ax = a.x * s, ay = a.y * s, bx = b.x * s, by = b.y * s; \
        real d = (real)1 / (bx * bx + by * by);                                                       \
        return make_cu##make((ax * bx + ay * by) * d, (ay * bx - ax * by) * d);                       \
    }                                                                                                 \
    __KCC_HD real cuCabs##f(type a) { return hypot##suffix(a.x, a.y); }
__KCC_COMPLEX(cuFloatComplex, float, FloatComplex, f, f)
__KCC_COMPLEX(cuDoubleComplex, double, DoubleComplex, , )
#define make_cuComplex make_cuFloatComplex
__KCC_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return make_cuDoubleComplex(a.x, a.y); }
__KCC_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return make_cuFloatComplex((float)a.x, (float)a.y); }

namespace thrust {
template <class T> struct alignas(2 * sizeof(T)) complex {
    typedef T value_type;
    T __re, __im;
    __KCC_MHD constexpr complex(T re = T(), T im = T()) : __re(re), __im(im) {}
    template <class U> __KCC_MHD complex(const complex<U>& o) : __re((T)o.__re), __im((T)o.__im) {}
    __KCC_MHD constexpr T real() const { return __re; }
    __KCC_MHD constexpr T imag() const { return __im; }
    __KCC_MHD void real(T v) { __re = v; }
    __KCC_MHD void imag(T v) { __im = v; }
    __KCC_MHD complex& operator+=(const complex& b) { __re += b.__re; __im += b.__im; return *this; }
    __KCC_MHD complex& operator-=(const complex& b) { __re -= b.__re; __im -= b.__im; return *this; }
    __KCC_MHD complex& operator*=(const complex& b) { return *this = complex(__re * b.__re - __im * b.__im, __re * b.__im + __im * b.__re); }
    __KCC_MHD complex& operator/=(const complex& b) {
        T d = T(1) / (b.__re * b.__re + b.__im * b.__im);
        return *this = complex((__re * b.__re + __im * b.__im) * d, (__im * b.__re - __re * b.__im) * d);
    }
    friend __KCC_MHD complex operator+(complex a, const complex& b) { return a += b; }
    friend __KCC_MHD complex operator-(complex a, const complex& b) { return a -= b; }
    friend __KCC_MHD complex operator*(complex a, const complex& b) { return a *= b; }
    friend __KCC_MHD complex operator/(complex a, const complex& b) { return a /= b; }
    friend __KCC_MHD complex operator-(const complex& a) { return complex(-a.__re, -a.__im); }
    friend __KCC_MHD bool operator==(const complex& a, const complex& b) { return a.__re == b.__re && a.__im == b.__im; }
    friend __KCC_MHD bool operator!=(const complex& a, const complex& b) { return !(a == b); }
};
template <class T> __KCC_HD T norm(const complex<T>& a) { return a.__re * a.__re + a.__im * a.__im; }
template <class T> __KCC_HD T abs(const complex<T>& a) { return ::hypot(a.__re, a.__im); }
template <class T> __KCC_HD T arg(const complex<T>& a) { return ::atan2(a.__im, a.__re); }
template <class T> __KCC_HD complex<T> conj(const complex<T>& a) { return complex<T>(a.__re, -a.__im); }
template <class T> __KCC_HD complex<T> polar(T r, T t = T()) { return complex<T>(r * ::cos(t), r * ::sin(t)); }
template <class T> __KCC_HD complex<T> exp(const complex<T>& a) { return polar(::exp(a.__re), a.__im); }
template <class T> __KCC_HD complex<T> log(const complex<T>& a) { return complex<T>(::log(abs(a)), arg(a)); }
template <class T> __KCC_HD complex<T> sqrt(const complex<T>& a) { return polar(::sqrt(abs(a)), arg(a) / 2); }
template <class T> __KCC_HD complex<T> pow(const complex<T>& a, T n) { return polar(::pow(abs(a), n), arg(a) * n); }
}

#endif
