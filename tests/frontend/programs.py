"""Small kernels, each about one corner of the language, for comparison with PoCL.

All have the form ``__kernel void k(__global int* out, __global const int* in,
__global float* fout, __global const float* fin)``; a work-item owns ``PER_ITEM`` elements of each
output and may read any input.
"""

from __future__ import annotations

PER_ITEM = 16

_HEAD = (
    "__kernel void k(__global int* out, __global const int* in, "
    "__global float* fout, __global const float* fin)\n"
    "{ int gid = get_global_id(0); out += gid * 16; fout += gid * 16; int n = in[gid] & 15;\n"
)

_BODIES: dict[str, str] = {
    "for": "int s = 0; for (int i = 0; i < n; i++) s += i * i; out[0] = s;",
    "for_without_parts": "int i = 0; for (;;) { if (i >= n) break; i += 3; } out[0] = i;",
    "for_continue": "int s = 0; for (int i = 0; i < 20; ++i) { if (i % 3 == n % 3) continue; s += i; } out[0] = s;",
    "while": "int s = 0, i = n; while (i--) { s = s * 3 + i; if (s > 500) break; } out[0] = s; out[1] = i;",
    "while_continue": "int s = 0, i = 0; while (i < n) { i++; if (i & 1) continue; s += i; } out[0] = s;",
    "do": "int s = 0; do { s += n; n >>= 1; } while (n > 0); out[0] = s;",
    "do_continue": "int s = 0, i = 0; do { i++; if (i == 4) continue; s += i; } while (i < n); out[0] = s;",
    "do_once": "int s = 1; do { s += 2; if (n > 3) break; s += 4; } while (0); out[0] = s;",
    "nested": "int s = 0; for (int i = 0; i < n; i++) for (int j = i; j < n; j += 2) { if (j == 5) break; s += i ^ j; } out[0] = s;",
    "switch": "int s; switch (n) { case 0: s = 5; break; case 1: case 2: s = 6; case 3: s = 7; break; default: s = -n; } out[0] = s;",
    "switch_no_default": "int s = 1; switch (n & 3) { case 1: s = 2; break; case 2: s += 3; } out[0] = s;",
    "switch_long": "long v = (long)n - 3; int s = 0; switch (v) { case -1L: s = 1; break; case 0: s = 2; break; case 4: s = 3; } out[0] = s;",
    "switch_uchar": "uchar v = (uchar)(n * 40); int s = 0; switch (v) { case 200: s = 1; break; case 120: s = 2; } out[0] = s;",
    "switch_nested": "int s = 0; for (int i = 0; i < n; i++) { switch (i % 4) { case 0: continue; case 1: switch (i) { case 5: s += 100; break; default: s += 7; } break; case 2: s++; } s *= 2; } out[0] = s;",
    "duff": "int s = 0, c = n + 1, r = (c + 3) / 4; switch (c % 4) { case 0: do { s += 1; case 3: s += 10; case 2: s += 100; case 1: s += 1000; } while (--r > 0); } out[0] = s;",
    "goto_back": "int s = 0, i = 0; again: s += i; if (++i < n) goto again; out[0] = s;",
    "goto_out": "int s = 0; for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) { if (i * j > n) goto done; s++; } done: out[0] = s;",
    "goto_into_block": "int s = 1; if (n > 7) goto inside; s = 2; { s += 10; inside: s += 100; } out[0] = s;",
    "unreachable": "out[0] = 1; if (n > 3) { out[1] = 2; return; out[1] = 3; } out[2] = 4;",
    "constant_conditions": "if (0) out[0] = 1; else out[0] = 2; if (1) out[1] = 3; while (0) out[2] = 4; for (; 0;) out[3] = 5; out[4] = 1 ? n : 7;",
    "short_circuit": "int c = 0; if (n > 3 && ++c && (n < 8 || ++c)) c += 10; out[0] = c; out[1] = n && c++; out[2] = c; out[3] = n || c++; out[4] = c;",
    "logical_values": "out[0] = (n > 2) + (n && 1) + !n + !!n + (n > 5 || n == 2) * 8; out[1] = !(n > 2 && n < 9);",
    "conditional_sides": "int c = 0; out[0] = n > 4 ? (c++, in[1]) : in[2] + 1; out[1] = c; out[2] = n & 1 ? n & 2 ? 1 : 2 : n & 4 ? 3 : 4;",
    "conditional_types": "out[0] = n > 4 ? 1 : -1; fout[0] = n > 4 ? 1 : fin[1]; uint u = n > 2 ? -1 : 2u; out[1] = u; out[2] = (n > 3 ? (char)200 : (char)3);",
    "conditional_void": "int c = 0; n > 4 ? (void)(c = 5) : (void)(c = 6); out[0] = c;",
    "comma": "int a, b; a = (b = n, b * 2), b += a; out[0] = a; out[1] = b; for (a = 0, b = 9; a < b; a++, b--) ; out[2] = a;",
    "increments": "int a = n; int b = a++ * 2; int c = --a + 3; char d = 127; d++; uchar e = 0; e--; short f = (short)n; f -= 300; out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; float g = 1.5f; g++; --g; fout[0] = g++; fout[1] = g;",
    "compound": "int a = n; a += 2.75f; out[0] = a; char c = 100; c += 100; out[1] = c; uint u = 7; u -= 9; out[2] = u; u >>= 3; out[3] = u; a <<= 33; out[4] = a; a %= 7; out[5] = a; a ^= -1; out[6] = a; float f = 10; f /= 4; f *= n; f -= 1; fout[0] = f; short s = -5; s >>= 1; out[7] = s; s *= 1000; out[8] = s; long l = 1; l <<= 40; l |= n; out[9] = l >> 38;",
    "compound_once": "int i = 0; int a[4] = {1, 2, 3, 4}; a[i++] += 10; a[i++] *= 5; a[++i]--; out[0] = a[0]; out[1] = a[1]; out[2] = a[2]; out[3] = a[3]; out[4] = i;",
    "bool": "bool b = n; bool c = 0.5f; b = b && c; out[0] = b; out[1] = b + c; bool d[3] = {n > 3, 7, 0}; out[2] = d[n % 3]; b ^= 1; out[3] = b; bool e = &out[0]; out[4] = e; b++; out[5] = b; out[6] = sizeof(bool); b = n; b--; out[7] = b; b += 5; out[8] = b;",
    "chars": "char c = 'a'; uchar u = '\\xff'; out[0] = c; out[1] = u; out[2] = '\\n' + '\\0' + '\\x41' + '\\101'; out[3] = (char)u; out[4] = c < u; out[5] = (char)200 == 200;",
    "integer_constants": "out[0] = 0x7fffffff; out[1] = 0xffffffff; out[2] = 010; out[3] = 1u > -1; out[4] = 4294967295 > 0; out[5] = -1 < 0u; out[6] = 0x80000000 > 0; out[7] = sizeof(4294967296); out[8] = (int)(2147483648 >> 4); out[9] = -2147483648 < 0;",
    "usual_conversions": "uchar a = 200, b = 100; out[0] = a + b; out[1] = (uchar)(a + b); ushort s = 65535; out[2] = s * 2; uint u = 1; out[3] = (n - 20) < u; long l = -1; out[4] = l < u; out[5] = (-1 >> 1); out[6] = (uint)-1 >> 31; out[7] = a << 8; out[8] = ~a; out[9] = -b;",
    "float_to_int": "float f = fin[gid]; out[0] = f; out[1] = (int)-f; out[2] = (uint)(f * f); out[3] = (char)f; out[4] = (long)(f * 100) >> 1; out[5] = (bool)f; out[6] = f > 0 ? f : -f;",
    "int_to_float": "fout[0] = in[gid]; fout[1] = (uint)in[gid]; fout[2] = (ulong)in[gid]; fout[3] = (uchar)in[gid]; fout[4] = (long)in[gid] * 1000; fout[5] = n > 3; fout[6] = (char)in[gid];",
    "double": "double d = fin[gid]; d = d / 3 + 1e-3; fout[0] = d; fout[1] = (float)(d * d); out[0] = d * 1000; out[1] = d > 0.1; out[2] = 0.1 == 0.1f; fout[2] = 1.0 / 3; fout[3] = (float)1 / 3;",
    "float_compare": "float z = 0, x = fin[gid]; float q = z / z; out[0] = q == q; out[1] = q != q; out[2] = x < q; out[3] = !(x < q); out[4] = !q; out[5] = q && 1; out[6] = x <= x; out[7] = -z == z; out[8] = 1 / z > x; out[9] = (x > 0) == (x >= 0);",
    "pointers": "__global const int* p = in + n; out[0] = *p; out[1] = p[1]; p++; out[2] = *p++; out[3] = *p--; out[4] = p - in; out[5] = &p[3] - p; p -= 2; out[6] = *p; p += 1; out[7] = p > in; out[8] = !p; out[9] = *(in + 2) + 2[in]; out[10] = (int)((__global const char*)p - (__global const char*)in); out[11] = *(__global const short*)p;",
    "private_pointers": "int a[6] = {1, 2, 3, 4, 5, 6}; int* p = a + 1; *p += 10; p[n & 3] = 7; int** q = &p; (*q)++; **q = n; int s = 0; for (int* r = a; r != a + 6; r++) s = s * 10 + *r; out[0] = s; out[1] = *p; out[2] = q == &p;",
    "char_punning": "int v = in[gid]; uchar* b = (uchar*)&v; out[0] = b[0] + b[1] * 2 + b[2] * 3 + b[3] * 4; b[2] = 7; out[1] = v; float f = fin[gid]; out[2] = *(int*)&f;",
    "pointer_integer": "ulong a = (ulong)(in + 3); __global const int* p = (__global const int*)a; out[0] = *p; out[1] = (size_t)(p + 1) - a; out[2] = p == 0; __global int* z = 0; out[3] = z == 0; out[4] = (intptr_t)z;",
    "arrays": "int a[3][4]; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) a[i][j] = i * 10 + j * n; int (*row)[4] = a + 1; out[0] = (*row)[2]; out[1] = row[1][3]; out[2] = *(*(a + 2) + 1); out[3] = sizeof(a) / sizeof(a[0]); out[4] = a[n % 3][n % 4]; out[5] = &a[2][0] - &a[0][0];",
    "array_initialisers": "int a[5] = {1, n}; int b[] = {3, 2, 1}; int c[2][3] = {{1}, {2, 3}}; int d[4] = {[2] = n, [0] = 4}; int e[2][2] = {1, 2, 3, 4}; out[0] = a[0] + a[1] * 2 + a[4]; out[1] = b[n % 3] + sizeof(b); out[2] = c[0][0] + c[0][2] + c[1][1]; out[3] = d[2] + d[0] + d[1]; out[4] = e[1][0]; char s[] = \"hey\"; out[5] = s[n & 3] + sizeof(s); char t[8] = \"ab\"; out[6] = t[1] + t[7];",
    "big_array": "int a[200] = {1, 2}; for (int i = 2; i < 200; i++) a[i] += a[i - 1] + a[i - 2] & 1023; out[0] = a[n * 10]; int b[200] = {[150] = 9}; out[1] = b[150] + b[n]; ",
    "vector_members": "int4 v = (int4)(1, 2, 3, 4); v.x = n; v.yz = (int2)(7, 8); v.wx = v.xy; out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w; v.s0 += 5; v.s3++; v.xy *= 2; out[4] = v.s0 + v.s1 * 3 + v.s3 * 5; int2 h = v.hi, l = v.lo, e = v.even, o = v.odd; out[5] = h.x + l.y * 3 + e.y * 5 + o.x * 7; int8 w = (int8)(v, v.wzyx); out[6] = w.s7 + w.s4; w.hi = v; w.odd = w.lo; out[7] = w.s1 + w.s3 * 10 + w.s5; out[8] = v.zyx.y;",
    "vector_global": "__global int4* p = (__global int4*)out; p[0] = (int4)(n); p[0].y = 5; p[1] = p[0].wzyx; p[1].xz = (int2)(1, 2); p[2] = p[1] + p[0]; p[2].s3 *= 3; __global int* q = (__global int*)&p[2]; p[3] = (int4)(q[1], p[2].z, p[1].w, 0);",
    "vector3": "int3 v = (int3)(1, n, 3); v.z += v.x; out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = sizeof(int3); int3 a[2] = {v, v * 2}; out[4] = a[n & 1].y; float3 f = (float3)(fin[0], fin[1], fin[2]) * 2.0f; fout[0] = f.x + f.y + f.z; uchar3 u = (uchar3)(255, 1, 2) + (uchar3)1; out[5] = u.x + u.y; int4 w = (int4)(v, 9); out[6] = w.w + w.z;",
    "vector_compare": "int4 a = (int4)(1, 2, 3, 4), b = (int4)(n & 3); int4 c = a < b; out[0] = c.x + c.y * 2 + c.z * 4 + c.w * 8; c = a == b || a > 3; out[1] = c.x + c.y * 2 + c.z * 4 + c.w * 8; c = !a; out[2] = c.x; float2 f = (float2)(fin[gid], 0.0f); int2 d = f != 0.0f; out[3] = d.x + d.y * 2; int4 e = c ? a : b; out[4] = e.x + e.y * 3; uchar2 u = (uchar2)(200, 3); char2 g = u > (uchar2)100; out[5] = g.x; long2 h = (double2)(1, 2) < (double2)(n); out[6] = h.x + h.y * 2; int2 t = n > 3 ? (int2)(1, 2) : (int2)(3, 4); out[7] = t.x;",
    "vector_ops": "uint4 a = (uint4)(n, 1, 2, 3); a = a * 3u + (uint4)(1, 2, 3, 4); a ^= 5u; a <<= (uint4)(1, 33, 2, 3); a >>= 1u; a %= 7u; a = -a; a = ~a; out[0] = a.x; out[1] = a.y; out[2] = a.z; out[3] = a.w; float4 f = (float4)(1, 2, 3, 4) / 2; f += n; f = -f; fout[0] = f.x; fout[1] = f.w; a++; --a; out[4] = (a++).x + a.y; short2 s = (short2)(30000, -5); s += (short)10000; out[5] = s.x; s = s / (short2)(3, 2); out[6] = s.x * 10 + s.y;",
    "vector_literals": "int16 v = (int16)((int4)(1, 2, 3, 4), (int8)(n), 5, 6, (int2)(7, 8)); out[0] = v.s0 + v.s4 * 2 + v.sc * 3 + v.sF * 5; float4 f = (float4)(1, n, 2.5, (char)3); fout[0] = f.y + f.w; uchar4 u = (uchar4)(300, -1, 2, 3); out[1] = u.x + u.y; int2 s = (int2)(7); out[2] = s.y; double2 d = (double2)(1, fin[gid]); fout[1] = d.y;",
    "vector_argument": "int2 v = (int2)(1, 2); out[0] = dotlike(v, (int2)(n, 3)); out[1] = swapped(v).x;",
    "functions": "out[0] = add3(1, n, 5); out[1] = early(n); out[2] = early(-n); set(&out[3], n * 2); int x = 4; set_private(&x, n); out[4] = x; no_result(out); out[7] = narrow(n + 300); fout[0] = half_of(n); out[8] = truth(n);",
    "records": "struct P a = {1, 2.5f, {3, n}}; struct P b = a; b.v[0] = 9; a.x += b.v[1]; out[0] = a.x; out[1] = b.v[0] + a.v[0]; fout[0] = b.f; struct P c = make(n, 2); out[2] = c.x + c.v[1]; out[3] = make(3, 4).v[0]; struct P* p = &b; p->x = 77; out[4] = b.x; out[5] = total(b); struct P d[2] = {{1}, {2, 3}}; d[n & 1] = a; out[6] = d[1].x; fout[1] = d[0].f; out[7] = sizeof(struct P); struct Q q = {{5, 6}, (int2)(7, 8), 'c'}; q.p.x++; q.v.y += n; out[8] = q.p.x + q.v.y + q.c; out[9] = sizeof(struct Q); p = &q.p; out[10] = p->x; b = n > 4 ? a : c; out[11] = b.x; (b = c).x; out[12] = b.v[1];",
    "records_global": "__global struct P* p = (__global struct P*)out; p[0].x = n; p[0].f = 1.5f; p[0].v[1] = 5; p[0].v[0] = p[0].x + 1; p[1] = p[0]; p[1].v[n & 1] += 3; struct P l = p[1]; p[2] = l; p[2].x = (p + 1)->v[1]; out[12] = offset(p + 1);",
    "packed": "struct K k = {1, n, 2, 3}; k.i += 5; out[0] = k.i; out[1] = sizeof(struct K); __global struct K* p = (__global struct K*)(out + 4); p[0] = k; p[1].s = 9; p[1].c = 4; p[1].i = n; p[1].l = 1L << 33; out[2] = p[0].l + p[0].s; out[3] = p[1].i;",
    "aligned": "struct A a = {1, 2}; out[0] = sizeof(struct A); struct A b[2] = {{3, 4}, {n, 6}}; out[1] = (char*)&b[1] - (char*)&b[0]; out[2] = b[n & 1].x + a.y; out[3] = ((ulong)&b[0] & 15);",
    "unions": "union U u; u.f = 1.0f; out[0] = u.i; u.i = n; out[1] = u.b[0]; u.v.y = 9; out[2] = u.v.y; union U w = {.f = 2.0f}; out[3] = w.i; w = u; out[4] = w.i; out[5] = sizeof(union U); struct T t = {1, {.i = n}}; t.u.b[1] = 1; out[6] = t.u.i; out[7] = t.tag; t.u = w; out[8] = t.u.i;",
    "anonymous": "struct N { int a; union { int b; float c; }; struct { int d, e; }; } x = {1, {2}, {3, n}}; x.c = 1.0f; out[0] = x.b + x.e + x.a; x.d++; out[1] = x.d;",
    "enums": "enum E { A, B = 5, C, D = -1 } e = n > 3 ? C : D; out[0] = e; out[1] = B + A; switch (e) { case C: out[2] = 1; break; case D: out[2] = 2; break; default: out[2] = 3; } e++; out[3] = e; out[4] = sizeof(enum E);",
    "typedefs": "typedef int T; typedef T Row[3]; Row r = {1, 2, n}; T* p = r; out[0] = p[2]; typedef struct { T a; } S; S s = {n}; out[1] = s.a; { typedef float T; T f = 1.5; fout[0] = f; } typedef float4 V; V v = (V)(1, 2, 3, n); fout[1] = v.w;",
    "compound_literals": "struct P p = (struct P){1, 2, {n, 4}}; out[0] = p.v[0] + p.x; out[1] = ((int[]){1, 2, n})[2] + (struct P){n, 2}.x; out[2] = (int4){1, n, 3, 4}.y; out[3] = total((struct P){n, 0, {1, 2}}); for (int i = 0; i < 2; i++) { struct P q = (struct P){i}; q.x += 3; out[4 + i] = q.x + q.v[1]; }",
    "constants": "out[0] = table[n]; out[1] = matrix[n & 1][n % 3]; fout[0] = weights[n & 3]; out[2] = points[n & 1].v[1] + points[0].x; out[3] = text[n & 3]; out[4] = vectors[n & 1].z; out[5] = *chosen; out[6] = name[1]; out[7] = unioned.i; out[8] = limit; out[9] = packed_row.i; fout[1] = nested.q.f; out[10] = names[n & 1][0]; out[11] = single;",
    "function_constants": "__constant int local_table[4] = {5, 6, 7, 8}; const int fixed[4] = {1, 2, 3, 4}; out[0] = local_table[n & 3] + fixed[n & 3]; const int size = 3; int a[size]; a[n % size] = 4; out[1] = a[n % size] + sizeof(a); __constant char* s = \"xyz\"; out[2] = s[n % 3];",
    "shadowing": "int x = 1; { int x = 2; x += n; out[0] = x; { int n = 9; out[1] = n; } } for (int x = 5; x < 6; x++) out[2] = x; out[3] = x; int v0 = 3, s1 = 4, entry = 5; out[4] = v0 + s1 + entry;",
    "volatile": "volatile int v = n; v += 2; v++; out[0] = v + v; volatile __global int* p = out; p[1] = 5; p[2] = p[1] + p[1];",
    "unsigned_division": "uint a = (uint)in[gid], b = (n & 7) + 1; out[0] = a / b; out[1] = a % b; int c = in[gid] | 1; out[2] = c / (n + 1); out[3] = c % (n + 1); out[4] = -7 / 2; out[5] = -7 % 3; ulong l = 0x123456789abcdefUL; out[6] = l / 1000003 % 65536; uchar u = 250; out[7] = u / (uchar)7;",
    "shifts": "out[0] = 1 << (n + 30); out[1] = in[gid] >> (n + 28); out[2] = (uint)in[gid] >> 36; out[3] = (uchar)200 >> 1; out[4] = (char)-100 >> 1; long l = 1; out[5] = (l << 65) + (l << (n + 60) >> 58); out[6] = 1 << n << n; short s = 1; out[7] = s << 20;",
    "sizeof": "out[0] = sizeof(int) + sizeof(long) * 10; out[1] = sizeof n; out[2] = sizeof(float3) + sizeof(char16); int a[7]; out[3] = sizeof a; out[4] = sizeof(a[0]) * 2; out[5] = sizeof(out); out[6] = sizeof(1.0f + n); out[7] = vec_step(int3); int i = 3; out[8] = sizeof(i++); out[9] = i; out[10] = sizeof(size_t); out[11] = sizeof('a');",
    "unroll": "int s = 0; _Pragma(\"unroll\")\nfor (int i = 0; i < 8; i++) s += in[i] & i;\n#pragma unroll 4\nfor (int i = 0; i < n; i++) s += i;\n#pragma unroll 1\nwhile (s > 1000) s -= 100;\nout[0] = s;",
    "work_items": "out[0] = get_global_id(0); out[1] = get_global_size(0); out[2] = get_local_size(0); out[3] = get_group_id(0) + get_local_id(0); out[4] = get_num_groups(0); out[5] = get_work_dim(); out[6] = get_global_id(1) + get_global_size(2) + get_global_offset(0);",
    "loads_and_stores": "vstore4((int4)(1, 2, 3, n), 0, out); int2 v = vload2(1, in); out[4] = v.x + v.y; int3 w = vload3(n, in); vstore3(w, 2, out); vstore2(v.yx, 6, out); float4 f = vload4(1, fin); vstore4(f * 2, 1, fout);",
    "casts_of_bits": "out[0] = as_int(fin[gid]); fout[0] = as_float(n << 23); int2 v = as_int2((double)fin[gid]); out[1] = v.y; uchar4 u = as_uchar4(in[gid]); out[2] = u.s2; short2 s = as_short2(in[gid]); out[3] = s.x; out[4] = as_uint(in[gid]) > 5; out[5] = as_char((uchar)200);",
    "conversions": "out[0] = convert_int(fin[gid]); out[1] = convert_uchar_sat(in[gid]); out[2] = convert_int_rte(fin[gid] * 0.5f); out[3] = convert_char_sat(fin[gid] * 10); int4 v = convert_int4((float4)(1.5f, -1.5f, 2.5f, fin[gid])); out[4] = v.x + v.y * 3 + v.w; out[5] = convert_int_rtp(1.25f) + convert_int_rtn(-1.25f); float2 f = convert_float2((int2)(n, 7)); fout[0] = f.x; out[6] = convert_ushort_sat(-5) + convert_short_sat(40000); out[7] = convert_uint_sat(-1.5f);",
    "integer_functions": "out[0] = min(n, 5) + max(n, 3) * 10; out[1] = abs(in[gid]); out[2] = clamp(n, 2, 7); out[3] = popcount(in[gid]); out[4] = clz(n | 1); out[5] = mul24(n, 3) + mad24(n, 2, 1); out[6] = mul_hi(in[gid], in[gid + 1]); out[7] = rotate(n, 5); out[8] = add_sat(in[gid], in[gid + 1]); out[9] = hadd(in[gid], n) + rhadd(n, 3); int2 v = max((int2)(n, 1), (int2)(3, 4)); out[10] = v.x + v.y; out[11] = abs_diff(n, -5); out[12] = upsample((short)n, (ushort)7); out[13] = sub_sat(in[gid], in[gid + 1]);",
    "float_functions": "float x = fin[gid]; fout[0] = fabs(x); fout[1] = fmin(x, 2.0f) + fmax(x, -2.0f); fout[2] = floor(x) + ceil(x); fout[3] = trunc(x) + rint(x); fout[4] = clamp(x, -1.0f, 1.0f); fout[5] = sqrt(fabs(x)); fout[6] = fma(x, x, 1.0f); fout[7] = copysign(2.0f, x); fout[8] = sign(x) + step(0.0f, x); out[0] = isnan(x) + isinf(x) + signbit(x); fout[9] = select(x, 1.0f, n > 3); fout[10] = mix(x, 2.0f, 0.5f); fout[11] = round(x * 0.5f);",
}

_PRELUDES: dict[str, str] = {
    "vector_argument": "int dotlike(int2 a, int2 b) { return a.x * b.x + a.y * b.y; } int2 swapped(int2 a) { return a.yx; }",
    "functions": "int add3(int a, int b, int c); int early(int n) { if (n > 5) return 1; if (n < -5) { n = -n; return n; } return 0; } void set(__global int* p, int v) { if (v > 10) return; *p = v; } void set_private(int* p, int v) { *p += v; } inline void no_result(__global int* p) { p[6] = 3; } uchar narrow(int v) { return v; } float half_of(int v) { return v * 0.5f; } bool truth(int v) { return v; } int add3(int a, int b, int c) { a += b; return a + c; }",
    "records": "struct P { int x; float f; int v[2]; }; struct Q { struct P p; int2 v; char c; }; struct P make(int a, int b) { struct P p = {a, b, {a, b}}; if (a > 5) p.v[1] = 50; return p; } int total(struct P p) { p.x += 1; return p.x + p.v[0] + p.v[1]; }",
    "records_global": "struct P { int x; float f; int v[2]; }; int offset(__global struct P* p) { return p->v - &p->x; }",
    "packed": "struct __attribute__((packed)) K { char c; int i; short s; long l; };",
    "aligned": "struct __attribute__((aligned(16))) A { int x; int y; };",
    "unions": "union U { float f; int i; uchar b[4]; int2 v; }; struct T { char tag; union U u; };",
    "compound_literals": "struct P { int x; float f; int v[2]; }; int total(struct P p) { return p.x + p.v[0] + p.v[1]; }",
    "constants": "struct P { int x; float f; int v[2]; }; union U { float f; int i; }; struct __attribute__((packed)) K { char c; int i; }; struct W { char c; struct P q; }; __constant int table[16] = {1, 2, 3, [8] = 4, 5}; __constant int matrix[2][3] = {{1, 2, 3}, {4}}; __constant float weights[] = {0.25f, 1, -2, 1e-3}; constant struct P points[2] = {{1, 2, {3, 4}}, {5, 6, {7, 8}}}; __constant char text[4] = \"abc\"; __constant int4 vectors[2] = {(int4)(1, 2, 3, 4), (int4)(5)}; __constant int* __constant chosen = &table[3 - 1]; __constant char* __constant name = \"named\"; __constant union U unioned = {1.0f}; __constant int limit = 1 << 4 | 3; __constant struct K packed_row = {'x', 7}; __constant struct W nested = {1, {2, 3.5f}}; __constant char* __constant names[2] = {\"one\", \"two\"}; __constant int single = {42};",
}


def programs() -> dict[str, str]:
    """Sources by name."""
    return {
        name: f"{_PRELUDES.get(name, '')}\n{_HEAD}{body}\n}}\n" for name, body in _BODIES.items()
    }
