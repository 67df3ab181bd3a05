/* What device code uses of the C++ library, under std and cuda::std (libcu++). */
#ifndef KCC_CUDA_STD_H
#define KCC_CUDA_STD_H

namespace std {
template <bool c, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool c, class T = void> using enable_if_t = typename enable_if<c, T>::type;
template <bool c, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool c, class A, class B> using conditional_t = typename conditional<c, A, B>::type;
template <class T, T v> struct integral_constant { static constexpr T value = v; typedef T value_type; typedef integral_constant type; constexpr operator T() const { return v; } };
template <bool b> using bool_constant = integral_constant<bool, b>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;
template <class A, class B> struct is_same : bool_constant<__is_same(A, B)> {};
template <class A, class B> inline constexpr bool is_same_v = __is_same(A, B);
template <class T> using remove_cv_t = __remove_cv(T);
template <class T> struct remove_cv { typedef __remove_cv(T) type; };
template <class T> struct remove_const { typedef __remove_const(T) type; };
template <class T> using remove_const_t = __remove_const(T);
template <class T> struct remove_reference { typedef __remove_reference_t(T) type; };
template <class T> using remove_reference_t = __remove_reference_t(T);
template <class T> struct remove_pointer { typedef __remove_pointer(T) type; };
template <class T> using decay_t = __decay(T);
template <class T> struct decay { typedef __decay(T) type; };
template <__SIZE_TYPE__ size, __SIZE_TYPE__ align = 16> struct aligned_storage {
    struct type { alignas(align) unsigned char data[size]; };
};
template <__SIZE_TYPE__ size, __SIZE_TYPE__ align = 16> using aligned_storage_t = typename aligned_storage<size, align>::type;
template <class... T> struct common_type;
template <class T> struct common_type<T> { typedef __decay(T) type; };
template <class T, class U> struct common_type<T, U> {
    typedef decltype(false ? *(__decay(T)*)nullptr : *(__decay(U)*)nullptr) found;
    typedef __decay(found) type;
};
template <class T, class U, class... V> struct common_type<T, U, V...> : common_type<typename common_type<T, U>::type, V...> {};
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class T> struct make_unsigned { typedef __make_unsigned(T) type; };
template <class T> using make_unsigned_t = __make_unsigned(T);
template <class T> struct make_signed { typedef __make_signed(T) type; };
template <class T> using make_signed_t = __make_signed(T);
#define __KCC_TRAIT(name, builtin)                                                      \
    template <class T> struct name : bool_constant<builtin(T)> {};                      \
    template <class T> inline constexpr bool name##_v = builtin(T);
__KCC_TRAIT(is_integral, __is_integral)
__KCC_TRAIT(is_floating_point, __is_floating_point)
__KCC_TRAIT(is_arithmetic, __is_arithmetic)
__KCC_TRAIT(is_unsigned, __is_unsigned)
__KCC_TRAIT(is_signed, __is_signed)
__KCC_TRAIT(is_pointer, __is_pointer)
__KCC_TRAIT(is_void, __is_void)
__KCC_TRAIT(is_const, __is_const)
__KCC_TRAIT(is_trivially_copyable, __is_trivially_copyable)
template <class T> constexpr T&& forward(remove_reference_t<T>& v) { return static_cast<T&&>(v); }
template <class A, class B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
};
template <class A, class B> __KCC_HD pair<A, B> make_pair(A a, B b) { return pair<A, B>{a, b}; }
template <class T, size_t n> struct array {
    T __values[n ? n : 1];
    __KCC_MHD constexpr T& operator[](size_t i) { return __values[i]; }
    __KCC_MHD constexpr const T& operator[](size_t i) const { return __values[i]; }
    __KCC_MHD constexpr size_t size() const { return n; }
    __KCC_MHD constexpr T* data() { return __values; }
    __KCC_MHD constexpr T* begin() { return __values; }
    __KCC_MHD constexpr T* end() { return __values + n; }
};
template <class T> __KCC_HD constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __KCC_HD constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __KCC_HD constexpr const T& clamp(const T& v, const T& low, const T& high) { return v < low ? low : high < v ? high : v; }
__KCC_TRAIT(is_enum, __is_enum)
__KCC_TRAIT(is_class, __is_class)
__KCC_TRAIT(is_empty, __is_empty)
__KCC_TRAIT(is_array, __is_array)
__KCC_TRAIT(is_reference, __is_reference)
__KCC_TRAIT(is_fundamental, __is_fundamental)
__KCC_TRAIT(is_trivial, __is_trivial)
__KCC_TRAIT(is_standard_layout, __is_standard_layout)
template <class A, class B> struct is_convertible : bool_constant<__is_convertible(A, B)> {};
template <class A, class B> inline constexpr bool is_convertible_v = __is_convertible(A, B);
template <class A, class B> struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <class A, class B> inline constexpr bool is_base_of_v = __is_base_of(A, B);
template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> using underlying_type_t = __underlying_type(T);
template <class... T> using void_t = void;
template <class T> T&& declval() noexcept;
template <class T> struct add_const { typedef const T type; };
template <class T, T... n> struct integer_sequence { static constexpr size_t size() { return sizeof...(n); } };
template <size_t... n> using index_sequence = integer_sequence<size_t, n...>;
template <class T, T n> using make_integer_sequence = __make_integer_seq<integer_sequence, T, n>;
template <size_t n> using make_index_sequence = make_integer_sequence<size_t, n>;
template <class... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;

template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define __KCC_LIMITS_INTEGER(type, low, high)                                                \
    template <> struct numeric_limits<type> {                                                \
        static constexpr bool is_specialized = true, is_integer = true, is_signed = (type)-1 < (type)0; \
        static constexpr bool has_infinity = false, has_quiet_NaN = false;                   \
        static constexpr int digits = sizeof(type) * 8 - is_signed;                          \
        __KCC_MHD static constexpr type min() { return low; }                                 \
        __KCC_MHD static constexpr type lowest() { return low; }                              \
        __KCC_MHD static constexpr type max() { return high; }                                \
        __KCC_MHD static constexpr type epsilon() { return 0; }                               \
        __KCC_MHD static constexpr type infinity() { return 0; }                              \
    };
__KCC_LIMITS_INTEGER(bool, false, true)
__KCC_LIMITS_INTEGER(char, -128, 127)
__KCC_LIMITS_INTEGER(signed char, -128, 127)
__KCC_LIMITS_INTEGER(unsigned char, 0, 255)
__KCC_LIMITS_INTEGER(short, -32768, 32767)
__KCC_LIMITS_INTEGER(unsigned short, 0, 65535)
__KCC_LIMITS_INTEGER(int, -__INT_MAX__ - 1, __INT_MAX__)
__KCC_LIMITS_INTEGER(unsigned int, 0, ~0u)
__KCC_LIMITS_INTEGER(long, -__LONG_MAX__ - 1, __LONG_MAX__)
__KCC_LIMITS_INTEGER(unsigned long, 0, ~0ul)
__KCC_LIMITS_INTEGER(long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
__KCC_LIMITS_INTEGER(unsigned long long, 0, ~0ull)
#define __KCC_LIMITS_FLOAT(type, prefix, suffix)                                             \
    template <> struct numeric_limits<type> {                                                \
        static constexpr bool is_specialized = true, is_integer = false, is_signed = true;   \
        static constexpr bool has_infinity = true, has_quiet_NaN = true;                     \
        static constexpr int digits = __##prefix##_MANT_DIG__;                               \
        __KCC_MHD static constexpr type min() { return __##prefix##_MIN__; }                  \
        __KCC_MHD static constexpr type lowest() { return -__##prefix##_MAX__; }              \
        __KCC_MHD static constexpr type max() { return __##prefix##_MAX__; }                  \
        __KCC_MHD static constexpr type epsilon() { return __##prefix##_EPSILON__; }          \
        __KCC_MHD static constexpr type infinity() { return __builtin_inf##suffix(); }        \
        __KCC_MHD static constexpr type quiet_NaN() { return __builtin_nan##suffix(""); }     \
    };
__KCC_LIMITS_FLOAT(float, FLT, f)
__KCC_LIMITS_FLOAT(double, DBL, )
#define __KCC_FUNCTION(name, op)                                                              \
    template <class T = void> struct name { __KCC_MHD auto operator()(const T& a, const T& b) const { return a op b; } }; \
    template <> struct name<void> { template <class A, class B> __KCC_MHD auto operator()(const A& a, const B& b) const { return a op b; } };
__KCC_FUNCTION(plus, +)
__KCC_FUNCTION(minus, -)
__KCC_FUNCTION(multiplies, *)
__KCC_FUNCTION(divides, /)
__KCC_FUNCTION(modulus, %)
__KCC_FUNCTION(bit_and, &)
__KCC_FUNCTION(bit_or, |)
__KCC_FUNCTION(bit_xor, ^)
__KCC_FUNCTION(logical_and, &&)
__KCC_FUNCTION(logical_or, ||)
__KCC_FUNCTION(less, <)
__KCC_FUNCTION(less_equal, <=)
__KCC_FUNCTION(greater, >)
__KCC_FUNCTION(greater_equal, >=)
__KCC_FUNCTION(equal_to, ==)
__KCC_FUNCTION(not_equal_to, !=)
}
namespace cuda {
namespace std { using namespace ::std; }
template <class T = void> struct plus : ::std::plus<T> {};
template <class T = void> struct maximum { template <class U> __KCC_MHD U operator()(const U& a, const U& b) const { return a < b ? b : a; } };
template <class T = void> struct minimum { template <class U> __KCC_MHD U operator()(const U& a, const U& b) const { return b < a ? b : a; } };
}

#endif
