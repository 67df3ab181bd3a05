/* OpenCL C 1.2 for clang: the types and macros that its built-in table leaves to a header.
   The macros are those of the built-in front end; a test compares the two. For 2.0 and later what
   the specification has beside them (section 6.13.11, atomics) follows at the end. */
#ifndef KCC_OPENCL_H
#define KCC_OPENCL_H

#define __opencl_c_named_address_space_builtins 1
#define __opencl_subgroup_builtins 1

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef uint cl_mem_fence_flags;

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

typedef char char2 __attribute__((ext_vector_type(2)));
typedef char char3 __attribute__((ext_vector_type(3)));
typedef char char4 __attribute__((ext_vector_type(4)));
typedef char char8 __attribute__((ext_vector_type(8)));
typedef char char16 __attribute__((ext_vector_type(16)));
typedef uchar uchar2 __attribute__((ext_vector_type(2)));
typedef uchar uchar3 __attribute__((ext_vector_type(3)));
typedef uchar uchar4 __attribute__((ext_vector_type(4)));
typedef uchar uchar8 __attribute__((ext_vector_type(8)));
typedef uchar uchar16 __attribute__((ext_vector_type(16)));
typedef short short2 __attribute__((ext_vector_type(2)));
typedef short short3 __attribute__((ext_vector_type(3)));
typedef short short4 __attribute__((ext_vector_type(4)));
typedef short short8 __attribute__((ext_vector_type(8)));
typedef short short16 __attribute__((ext_vector_type(16)));
typedef ushort ushort2 __attribute__((ext_vector_type(2)));
typedef ushort ushort3 __attribute__((ext_vector_type(3)));
typedef ushort ushort4 __attribute__((ext_vector_type(4)));
typedef ushort ushort8 __attribute__((ext_vector_type(8)));
typedef ushort ushort16 __attribute__((ext_vector_type(16)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int3 __attribute__((ext_vector_type(3)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef int int8 __attribute__((ext_vector_type(8)));
typedef int int16 __attribute__((ext_vector_type(16)));
typedef uint uint2 __attribute__((ext_vector_type(2)));
typedef uint uint3 __attribute__((ext_vector_type(3)));
typedef uint uint4 __attribute__((ext_vector_type(4)));
typedef uint uint8 __attribute__((ext_vector_type(8)));
typedef uint uint16 __attribute__((ext_vector_type(16)));
typedef long long2 __attribute__((ext_vector_type(2)));
typedef long long3 __attribute__((ext_vector_type(3)));
typedef long long4 __attribute__((ext_vector_type(4)));
typedef long long8 __attribute__((ext_vector_type(8)));
typedef long long16 __attribute__((ext_vector_type(16)));
typedef ulong ulong2 __attribute__((ext_vector_type(2)));
typedef ulong ulong3 __attribute__((ext_vector_type(3)));
typedef ulong ulong4 __attribute__((ext_vector_type(4)));
typedef ulong ulong8 __attribute__((ext_vector_type(8)));
typedef ulong ulong16 __attribute__((ext_vector_type(16)));
typedef half half2 __attribute__((ext_vector_type(2)));
typedef half half3 __attribute__((ext_vector_type(3)));
typedef half half4 __attribute__((ext_vector_type(4)));
typedef half half8 __attribute__((ext_vector_type(8)));
typedef half half16 __attribute__((ext_vector_type(16)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float3 __attribute__((ext_vector_type(3)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef double double2 __attribute__((ext_vector_type(2)));
typedef double double3 __attribute__((ext_vector_type(3)));
typedef double double4 __attribute__((ext_vector_type(4)));
typedef double double8 __attribute__((ext_vector_type(8)));
typedef double double16 __attribute__((ext_vector_type(16)));

uint __attribute__((overloadable, const)) get_max_sub_group_size(void);
uint __attribute__((overloadable, const)) get_num_sub_groups(void);
uint __attribute__((overloadable, const)) get_sub_group_id(void);
uint __attribute__((overloadable, const)) get_sub_group_local_id(void);
uint __attribute__((overloadable, const)) get_sub_group_size(void);

#ifndef CL_VERSION_1_0
#define CL_VERSION_1_0 100
#endif
#ifndef CL_VERSION_1_1
#define CL_VERSION_1_1 110
#endif
#ifndef CL_VERSION_1_2
#define CL_VERSION_1_2 120
#endif
#ifndef CL_VERSION_2_0
#define CL_VERSION_2_0 200
#endif
#ifndef CL_VERSION_3_0
#define CL_VERSION_3_0 300
#endif
#ifndef __OPENCL_VERSION__
#define __OPENCL_VERSION__ 120
#endif
#ifndef __OPENCL_C_VERSION__
#define __OPENCL_C_VERSION__ 120
#endif
#ifndef __ENDIAN_LITTLE__
#define __ENDIAN_LITTLE__ 1
#endif
#ifndef __IMAGE_SUPPORT__
#define __IMAGE_SUPPORT__ 1
#endif
#ifndef NULL
#define NULL ((void*)0)
#endif
#ifndef true
#define true 1
#endif
#ifndef false
#define false 0
#endif
#ifndef kernel_exec
#define kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))
#endif
#ifndef CHAR_BIT
#define CHAR_BIT 8
#endif
#ifndef CHAR_MAX
#define CHAR_MAX 127
#endif
#ifndef CHAR_MIN
#define CHAR_MIN (-128)
#endif
#ifndef SCHAR_MAX
#define SCHAR_MAX 127
#endif
#ifndef SCHAR_MIN
#define SCHAR_MIN (-128)
#endif
#ifndef UCHAR_MAX
#define UCHAR_MAX 255
#endif
#ifndef SHRT_MAX
#define SHRT_MAX 32767
#endif
#ifndef SHRT_MIN
#define SHRT_MIN (-32768)
#endif
#ifndef USHRT_MAX
#define USHRT_MAX 65535
#endif
#ifndef INT_MAX
#define INT_MAX 2147483647
#endif
#ifndef INT_MIN
#define INT_MIN (-2147483647 - 1)
#endif
#ifndef UINT_MAX
#define UINT_MAX 0xffffffffU
#endif
#ifndef LONG_MAX
#define LONG_MAX 0x7fffffffffffffffL
#endif
#ifndef LONG_MIN
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#endif
#ifndef ULONG_MAX
#define ULONG_MAX 0xffffffffffffffffUL
#endif
#ifndef FLT_DIG
#define FLT_DIG 6
#endif
#ifndef FLT_MANT_DIG
#define FLT_MANT_DIG 24
#endif
#ifndef FLT_MAX_10_EXP
#define FLT_MAX_10_EXP 38
#endif
#ifndef FLT_MAX_EXP
#define FLT_MAX_EXP 128
#endif
#ifndef FLT_MIN_10_EXP
#define FLT_MIN_10_EXP (-37)
#endif
#ifndef FLT_MIN_EXP
#define FLT_MIN_EXP (-125)
#endif
#ifndef FLT_RADIX
#define FLT_RADIX 2
#endif
#ifndef FLT_MAX
#define FLT_MAX 0x1.fffffep127f
#endif
#ifndef FLT_MIN
#define FLT_MIN 0x1.0p-126f
#endif
#ifndef FLT_EPSILON
#define FLT_EPSILON 0x1.0p-23f
#endif
#ifndef DBL_DIG
#define DBL_DIG 15
#endif
#ifndef DBL_MANT_DIG
#define DBL_MANT_DIG 53
#endif
#ifndef DBL_MAX_10_EXP
#define DBL_MAX_10_EXP 308
#endif
#ifndef DBL_MAX_EXP
#define DBL_MAX_EXP 1024
#endif
#ifndef DBL_MIN_10_EXP
#define DBL_MIN_10_EXP (-307)
#endif
#ifndef DBL_MIN_EXP
#define DBL_MIN_EXP (-1021)
#endif
#ifndef DBL_RADIX
#define DBL_RADIX 2
#endif
#ifndef DBL_MAX
#define DBL_MAX 0x1.fffffffffffffp1023
#endif
#ifndef DBL_MIN
#define DBL_MIN 0x1.0p-1022
#endif
#ifndef DBL_EPSILON
#define DBL_EPSILON 0x1.0p-52
#endif
#ifndef HALF_DIG
#define HALF_DIG 3
#endif
#ifndef HALF_MANT_DIG
#define HALF_MANT_DIG 11
#endif
#ifndef HALF_MAX_10_EXP
#define HALF_MAX_10_EXP 4
#endif
#ifndef HALF_MAX_EXP
#define HALF_MAX_EXP 16
#endif
#ifndef HALF_MIN_10_EXP
#define HALF_MIN_10_EXP (-4)
#endif
#ifndef HALF_MIN_EXP
#define HALF_MIN_EXP (-13)
#endif
#ifndef HALF_RADIX
#define HALF_RADIX 2
#endif
#ifndef HALF_MAX
#define HALF_MAX ((half)0x1.ffcp15f)
#endif
#ifndef HALF_MIN
#define HALF_MIN ((half)0x1.0p-14f)
#endif
#ifndef HALF_EPSILON
#define HALF_EPSILON ((half)0x1.0p-10f)
#endif
#ifndef FP_ILOGB0
#define FP_ILOGB0 (-2147483647 - 1)
#endif
#ifndef FP_ILOGBNAN
#define FP_ILOGBNAN 2147483647
#endif
#ifndef INFINITY
#define INFINITY 1e999f
#endif
#ifndef HUGE_VALF
#define HUGE_VALF 1e999f
#endif
#ifndef HUGE_VAL
#define HUGE_VAL 1e999
#endif
#ifndef NAN
#define NAN (1e999f - 1e999f)
#endif
#ifndef MAXFLOAT
#define MAXFLOAT 0x1.fffffep127f
#endif
#ifndef CLK_LOCAL_MEM_FENCE
#define CLK_LOCAL_MEM_FENCE 1
#endif
#ifndef CLK_GLOBAL_MEM_FENCE
#define CLK_GLOBAL_MEM_FENCE 2
#endif
#ifndef CLK_ADDRESS_NONE
#define CLK_ADDRESS_NONE 0
#endif
#ifndef CLK_ADDRESS_CLAMP_TO_EDGE
#define CLK_ADDRESS_CLAMP_TO_EDGE 2
#endif
#ifndef CLK_ADDRESS_CLAMP
#define CLK_ADDRESS_CLAMP 4
#endif
#ifndef CLK_ADDRESS_REPEAT
#define CLK_ADDRESS_REPEAT 6
#endif
#ifndef CLK_ADDRESS_MIRRORED_REPEAT
#define CLK_ADDRESS_MIRRORED_REPEAT 8
#endif
#ifndef CLK_NORMALIZED_COORDS_FALSE
#define CLK_NORMALIZED_COORDS_FALSE 0
#endif
#ifndef CLK_NORMALIZED_COORDS_TRUE
#define CLK_NORMALIZED_COORDS_TRUE 1
#endif
#ifndef CLK_FILTER_NEAREST
#define CLK_FILTER_NEAREST 16
#endif
#ifndef CLK_FILTER_LINEAR
#define CLK_FILTER_LINEAR 32
#endif
#ifndef M_E
#define M_E 2.718281828459045
#endif
#ifndef M_E_F
#define M_E_F 2.718281828459045f
#endif
#ifndef M_E_H
#define M_E_H ((half)2.718281828459045f)
#endif
#ifndef M_LOG2E
#define M_LOG2E 1.4426950408889634
#endif
#ifndef M_LOG2E_F
#define M_LOG2E_F 1.4426950408889634f
#endif
#ifndef M_LOG2E_H
#define M_LOG2E_H ((half)1.4426950408889634f)
#endif
#ifndef M_LOG10E
#define M_LOG10E 0.4342944819032518
#endif
#ifndef M_LOG10E_F
#define M_LOG10E_F 0.4342944819032518f
#endif
#ifndef M_LOG10E_H
#define M_LOG10E_H ((half)0.4342944819032518f)
#endif
#ifndef M_LN2
#define M_LN2 0.6931471805599453
#endif
#ifndef M_LN2_F
#define M_LN2_F 0.6931471805599453f
#endif
#ifndef M_LN2_H
#define M_LN2_H ((half)0.6931471805599453f)
#endif
#ifndef M_LN10
#define M_LN10 2.302585092994046
#endif
#ifndef M_LN10_F
#define M_LN10_F 2.302585092994046f
#endif
#ifndef M_LN10_H
#define M_LN10_H ((half)2.302585092994046f)
#endif
#ifndef M_PI
#define M_PI 3.141592653589793
#endif
#ifndef M_PI_F
#define M_PI_F 3.141592653589793f
#endif
#ifndef M_PI_H
#define M_PI_H ((half)3.141592653589793f)
#endif
#ifndef M_PI_2
#define M_PI_2 1.5707963267948966
#endif
#ifndef M_PI_2_F
#define M_PI_2_F 1.5707963267948966f
#endif
#ifndef M_PI_2_H
#define M_PI_2_H ((half)1.5707963267948966f)
#endif
#ifndef M_PI_4
#define M_PI_4 0.7853981633974483
#endif
#ifndef M_PI_4_F
#define M_PI_4_F 0.7853981633974483f
#endif
#ifndef M_PI_4_H
#define M_PI_4_H ((half)0.7853981633974483f)
#endif
#ifndef M_1_PI
#define M_1_PI 0.3183098861837907
#endif
#ifndef M_1_PI_F
#define M_1_PI_F 0.3183098861837907f
#endif
#ifndef M_1_PI_H
#define M_1_PI_H ((half)0.3183098861837907f)
#endif
#ifndef M_2_PI
#define M_2_PI 0.6366197723675814
#endif
#ifndef M_2_PI_F
#define M_2_PI_F 0.6366197723675814f
#endif
#ifndef M_2_PI_H
#define M_2_PI_H ((half)0.6366197723675814f)
#endif
#ifndef M_2_SQRTPI
#define M_2_SQRTPI 1.1283791670955126
#endif
#ifndef M_2_SQRTPI_F
#define M_2_SQRTPI_F 1.1283791670955126f
#endif
#ifndef M_2_SQRTPI_H
#define M_2_SQRTPI_H ((half)1.1283791670955126f)
#endif
#ifndef M_SQRT2
#define M_SQRT2 1.4142135623730951
#endif
#ifndef M_SQRT2_F
#define M_SQRT2_F 1.4142135623730951f
#endif
#ifndef M_SQRT2_H
#define M_SQRT2_H ((half)1.4142135623730951f)
#endif
#ifndef M_SQRT1_2
#define M_SQRT1_2 0.7071067811865476
#endif
#ifndef M_SQRT1_2_F
#define M_SQRT1_2_F 0.7071067811865476f
#endif
#ifndef M_SQRT1_2_H
#define M_SQRT1_2_H ((half)0.7071067811865476f)
#endif
#ifndef CLK_R
#define CLK_R 0x10b0
#endif
#ifndef CLK_A
#define CLK_A 0x10b1
#endif
#ifndef CLK_RG
#define CLK_RG 0x10b2
#endif
#ifndef CLK_RA
#define CLK_RA 0x10b3
#endif
#ifndef CLK_RGB
#define CLK_RGB 0x10b4
#endif
#ifndef CLK_RGBA
#define CLK_RGBA 0x10b5
#endif
#ifndef CLK_BGRA
#define CLK_BGRA 0x10b6
#endif
#ifndef CLK_ARGB
#define CLK_ARGB 0x10b7
#endif
#ifndef CLK_INTENSITY
#define CLK_INTENSITY 0x10b8
#endif
#ifndef CLK_LUMINANCE
#define CLK_LUMINANCE 0x10b9
#endif
#ifndef CLK_Rx
#define CLK_Rx 0x10ba
#endif
#ifndef CLK_RGx
#define CLK_RGx 0x10bb
#endif
#ifndef CLK_RGBx
#define CLK_RGBx 0x10bc
#endif
#ifndef CLK_SNORM_INT8
#define CLK_SNORM_INT8 0x10d0
#endif
#ifndef CLK_SNORM_INT16
#define CLK_SNORM_INT16 0x10d1
#endif
#ifndef CLK_UNORM_INT8
#define CLK_UNORM_INT8 0x10d2
#endif
#ifndef CLK_UNORM_INT16
#define CLK_UNORM_INT16 0x10d3
#endif
#ifndef CLK_UNORM_SHORT_565
#define CLK_UNORM_SHORT_565 0x10d4
#endif
#ifndef CLK_UNORM_SHORT_555
#define CLK_UNORM_SHORT_555 0x10d5
#endif
#ifndef CLK_UNORM_INT_101010
#define CLK_UNORM_INT_101010 0x10d6
#endif
#ifndef CLK_SIGNED_INT8
#define CLK_SIGNED_INT8 0x10d7
#endif
#ifndef CLK_SIGNED_INT16
#define CLK_SIGNED_INT16 0x10d8
#endif
#ifndef CLK_SIGNED_INT32
#define CLK_SIGNED_INT32 0x10d9
#endif
#ifndef CLK_UNSIGNED_INT8
#define CLK_UNSIGNED_INT8 0x10da
#endif
#ifndef CLK_UNSIGNED_INT16
#define CLK_UNSIGNED_INT16 0x10db
#endif
#ifndef CLK_UNSIGNED_INT32
#define CLK_UNSIGNED_INT32 0x10dc
#endif
#ifndef CLK_HALF_FLOAT
#define CLK_HALF_FLOAT 0x10dd
#endif
#ifndef CLK_FLOAT
#define CLK_FLOAT 0x10de
#endif
#ifndef cl_intel_required_subgroup_size
#define cl_intel_required_subgroup_size 1
#endif
#ifndef cl_intel_subgroups
#define cl_intel_subgroups 1
#endif
#ifndef cl_intel_subgroups_char
#define cl_intel_subgroups_char 1
#endif
#ifndef cl_intel_subgroups_long
#define cl_intel_subgroups_long 1
#endif
#ifndef cl_intel_subgroups_short
#define cl_intel_subgroups_short 1
#endif
#ifndef cl_khr_3d_image_writes
#define cl_khr_3d_image_writes 1
#endif
#ifndef cl_khr_byte_addressable_store
#define cl_khr_byte_addressable_store 1
#endif
#ifndef cl_khr_fp16
#define cl_khr_fp16 1
#endif
#ifndef cl_khr_fp64
#define cl_khr_fp64 1
#endif
#ifndef cl_khr_global_int32_base_atomics
#define cl_khr_global_int32_base_atomics 1
#endif
#ifndef cl_khr_global_int32_extended_atomics
#define cl_khr_global_int32_extended_atomics 1
#endif
#ifndef cl_khr_int64_base_atomics
#define cl_khr_int64_base_atomics 1
#endif
#ifndef cl_khr_int64_extended_atomics
#define cl_khr_int64_extended_atomics 1
#endif
#ifndef cl_khr_integer_dot_product
#define cl_khr_integer_dot_product 1
#endif
#ifndef cl_khr_local_int32_base_atomics
#define cl_khr_local_int32_base_atomics 1
#endif
#ifndef cl_khr_local_int32_extended_atomics
#define cl_khr_local_int32_extended_atomics 1
#endif
#ifndef cl_khr_subgroup_ballot
#define cl_khr_subgroup_ballot 1
#endif
#ifndef cl_khr_subgroup_clustered_reduce
#define cl_khr_subgroup_clustered_reduce 1
#endif
#ifndef cl_khr_subgroup_extended_types
#define cl_khr_subgroup_extended_types 1
#endif
#ifndef cl_khr_subgroup_non_uniform_arithmetic
#define cl_khr_subgroup_non_uniform_arithmetic 1
#endif
#ifndef cl_khr_subgroup_non_uniform_vote
#define cl_khr_subgroup_non_uniform_vote 1
#endif
#ifndef cl_khr_subgroup_rotate
#define cl_khr_subgroup_rotate 1
#endif
#ifndef cl_khr_subgroup_shuffle
#define cl_khr_subgroup_shuffle 1
#endif
#ifndef cl_khr_subgroup_shuffle_relative
#define cl_khr_subgroup_shuffle_relative 1
#endif
#ifndef cl_khr_subgroups
#define cl_khr_subgroups 1
#endif
#ifndef cl_qcom_reqd_sub_group_size
#define cl_qcom_reqd_sub_group_size 1
#endif

/* Reinterpretation (section 6.2.4). */
#define as_char(x) __builtin_astype((x), char)
#define as_char2(x) __builtin_astype((x), char2)
#define as_char3(x) __builtin_astype((x), char3)
#define as_char4(x) __builtin_astype((x), char4)
#define as_char8(x) __builtin_astype((x), char8)
#define as_char16(x) __builtin_astype((x), char16)
#define as_uchar(x) __builtin_astype((x), uchar)
#define as_uchar2(x) __builtin_astype((x), uchar2)
#define as_uchar3(x) __builtin_astype((x), uchar3)
#define as_uchar4(x) __builtin_astype((x), uchar4)
#define as_uchar8(x) __builtin_astype((x), uchar8)
#define as_uchar16(x) __builtin_astype((x), uchar16)
#define as_short(x) __builtin_astype((x), short)
#define as_short2(x) __builtin_astype((x), short2)
#define as_short3(x) __builtin_astype((x), short3)
#define as_short4(x) __builtin_astype((x), short4)
#define as_short8(x) __builtin_astype((x), short8)
#define as_short16(x) __builtin_astype((x), short16)
#define as_ushort(x) __builtin_astype((x), ushort)
#define as_ushort2(x) __builtin_astype((x), ushort2)
#define as_ushort3(x) __builtin_astype((x), ushort3)
#define as_ushort4(x) __builtin_astype((x), ushort4)
#define as_ushort8(x) __builtin_astype((x), ushort8)
#define as_ushort16(x) __builtin_astype((x), ushort16)
#define as_int(x) __builtin_astype((x), int)
#define as_int2(x) __builtin_astype((x), int2)
#define as_int3(x) __builtin_astype((x), int3)
#define as_int4(x) __builtin_astype((x), int4)
#define as_int8(x) __builtin_astype((x), int8)
#define as_int16(x) __builtin_astype((x), int16)
#define as_uint(x) __builtin_astype((x), uint)
#define as_uint2(x) __builtin_astype((x), uint2)
#define as_uint3(x) __builtin_astype((x), uint3)
#define as_uint4(x) __builtin_astype((x), uint4)
#define as_uint8(x) __builtin_astype((x), uint8)
#define as_uint16(x) __builtin_astype((x), uint16)
#define as_long(x) __builtin_astype((x), long)
#define as_long2(x) __builtin_astype((x), long2)
#define as_long3(x) __builtin_astype((x), long3)
#define as_long4(x) __builtin_astype((x), long4)
#define as_long8(x) __builtin_astype((x), long8)
#define as_long16(x) __builtin_astype((x), long16)
#define as_ulong(x) __builtin_astype((x), ulong)
#define as_ulong2(x) __builtin_astype((x), ulong2)
#define as_ulong3(x) __builtin_astype((x), ulong3)
#define as_ulong4(x) __builtin_astype((x), ulong4)
#define as_ulong8(x) __builtin_astype((x), ulong8)
#define as_ulong16(x) __builtin_astype((x), ulong16)
#define as_half(x) __builtin_astype((x), half)
#define as_half2(x) __builtin_astype((x), half2)
#define as_half3(x) __builtin_astype((x), half3)
#define as_half4(x) __builtin_astype((x), half4)
#define as_half8(x) __builtin_astype((x), half8)
#define as_half16(x) __builtin_astype((x), half16)
#define as_float(x) __builtin_astype((x), float)
#define as_float2(x) __builtin_astype((x), float2)
#define as_float3(x) __builtin_astype((x), float3)
#define as_float4(x) __builtin_astype((x), float4)
#define as_float8(x) __builtin_astype((x), float8)
#define as_float16(x) __builtin_astype((x), float16)
#define as_double(x) __builtin_astype((x), double)
#define as_double2(x) __builtin_astype((x), double2)
#define as_double3(x) __builtin_astype((x), double3)
#define as_double4(x) __builtin_astype((x), double4)
#define as_double8(x) __builtin_astype((x), double8)
#define as_double16(x) __builtin_astype((x), double16)
#define as_size_t(x) __builtin_astype((x), size_t)
#define as_ptrdiff_t(x) __builtin_astype((x), ptrdiff_t)
#define as_intptr_t(x) __builtin_astype((x), intptr_t)
#define as_uintptr_t(x) __builtin_astype((x), uintptr_t)

/* OpenCL C 2.0 and later: orders and scopes, atomics by clang's own (6.13.11), collective
   functions of work-groups and what else its table leaves out. */
#if __OPENCL_C_VERSION__ >= 200
typedef enum memory_order { memory_order_relaxed = 0, memory_order_acquire = 2, memory_order_release = 3,
               memory_order_acq_rel = 4, memory_order_seq_cst = 5 } memory_order;
typedef enum memory_scope { memory_scope_work_item = 0, memory_scope_work_group = 1, memory_scope_device = 2,
               memory_scope_all_svm_devices = 3, memory_scope_all_devices = 3,
               memory_scope_sub_group = 4 } memory_scope;
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
#define atomic_init(p, v) __opencl_atomic_init(p, v)
#define __kcc_order(order, scope, ...) order
#define __kcc_scope(order, scope, ...) scope
#define __kcc_atomic(name, p, v, ...) __opencl_atomic_##name(p, v, __kcc_order(__VA_ARGS__, memory_scope_device, 0), __kcc_scope(__VA_ARGS__, memory_scope_device, 0))
#define atomic_load_explicit(p, ...) __opencl_atomic_load(p, __kcc_order(__VA_ARGS__, memory_scope_device, 0), __kcc_scope(__VA_ARGS__, memory_scope_device, 0))
#define atomic_load(p) atomic_load_explicit(p, memory_order_seq_cst)
#define atomic_store_explicit(p, v, ...) __kcc_atomic(store, p, v, __VA_ARGS__)
#define atomic_store(p, v) atomic_store_explicit(p, v, memory_order_seq_cst)
#define atomic_exchange_explicit(p, v, ...) __kcc_atomic(exchange, p, v, __VA_ARGS__)
#define atomic_exchange(p, v) atomic_exchange_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_add_explicit(p, v, ...) __kcc_atomic(fetch_add, p, v, __VA_ARGS__)
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_sub_explicit(p, v, ...) __kcc_atomic(fetch_sub, p, v, __VA_ARGS__)
#define atomic_fetch_sub(p, v) atomic_fetch_sub_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_or_explicit(p, v, ...) __kcc_atomic(fetch_or, p, v, __VA_ARGS__)
#define atomic_fetch_or(p, v) atomic_fetch_or_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_xor_explicit(p, v, ...) __kcc_atomic(fetch_xor, p, v, __VA_ARGS__)
#define atomic_fetch_xor(p, v) atomic_fetch_xor_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_and_explicit(p, v, ...) __kcc_atomic(fetch_and, p, v, __VA_ARGS__)
#define atomic_fetch_and(p, v) atomic_fetch_and_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_min_explicit(p, v, ...) __kcc_atomic(fetch_min, p, v, __VA_ARGS__)
#define atomic_fetch_min(p, v) atomic_fetch_min_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_max_explicit(p, v, ...) __kcc_atomic(fetch_max, p, v, __VA_ARGS__)
#define atomic_fetch_max(p, v) atomic_fetch_max_explicit(p, v, memory_order_seq_cst)
#define __kcc_exchange(how, p, e, d, success, failure, ...) __opencl_atomic_compare_exchange_##how(p, e, d, success, failure, __kcc_order(__VA_ARGS__, 0))
#define atomic_compare_exchange_strong_explicit(p, e, d, success, ...) __kcc_exchange(strong, p, e, d, success, __kcc_order(__VA_ARGS__, 0), __kcc_scope(__VA_ARGS__, memory_scope_device, 0))
#define atomic_compare_exchange_weak_explicit(p, e, d, success, ...) __kcc_exchange(weak, p, e, d, success, __kcc_order(__VA_ARGS__, 0), __kcc_scope(__VA_ARGS__, memory_scope_device, 0))
#define atomic_compare_exchange_strong(p, e, d) __opencl_atomic_compare_exchange_strong(p, e, d, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device)
#define atomic_compare_exchange_weak(p, e, d) __opencl_atomic_compare_exchange_weak(p, e, d, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device)
#define atomic_flag_test_and_set_explicit(p, ...) (__kcc_atomic(exchange, p, 1, __VA_ARGS__) != 0)
#define atomic_flag_test_and_set(p) atomic_flag_test_and_set_explicit(p, memory_order_seq_cst)
#define atomic_flag_clear_explicit(p, ...) __kcc_atomic(store, p, 0, __VA_ARGS__)
#define atomic_flag_clear(p) atomic_flag_clear_explicit(p, memory_order_seq_cst)
#define atomic_work_item_fence(flags, order, scope) mem_fence(flags)
void __attribute__((overloadable, convergent)) barrier(uint);
void __attribute__((overloadable)) mem_fence(uint);
#define work_group_barrier(flags, ...) barrier(flags)
#define sub_group_barrier(flags, ...) sub_group_barrier(flags)
size_t __attribute__((overloadable, const)) get_local_id(uint);
size_t __attribute__((overloadable, const)) get_local_size(uint);
size_t __attribute__((overloadable, const)) get_global_id(uint);
size_t __attribute__((overloadable, const)) get_global_size(uint);
size_t __attribute__((overloadable, const)) get_global_offset(uint);
#define get_local_linear_id() ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))
#define get_global_linear_id() (((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0))
#define get_enqueued_local_size(dimension) get_local_size(dimension)
#define CLK_IMAGE_MEM_FENCE 4
#endif

#endif
