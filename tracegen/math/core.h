// What the functions of the math library have in common. None of it loops: the engine computes both
// sides of every branch and
// widens all to whole warps. Polynomials are Taylor series, cut where the next term is below 2^-60
// of the sum on the reduced range; error-free steps (two_sum, fma remainders) carry what a plain
// product would lose. Float functions are computed in double and rounded once.

#define LN2_HI 0x1.62e42fefa38p-1            // ln 2, its first 43 bits: times a small integer exact
#define LN2_LO 0x1.ef35793c7673p-45          // ln 2 - LN2_HI
#define LN2 0x1.62e42fefa39efp-1
#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define PIO2_HI 0x1.921fb54442d18p+0         // pi / 2 in three doubles
#define PIO2_MID 0x1.1a62633145c07p-54
#define PIO2_LO -0x1.f1976b7ed8fbcp-110
#define SIGN 0x8000000000000000UL

typedef struct { double hi, lo; } pair;

double magnitude(double x) { return as_double(as_ulong(x) & ~SIGN); }

double with_sign(double x, double sign) {
    return as_double((as_ulong(x) & ~SIGN) | (as_ulong(sign) & SIGN));
}

double nan_value(void) { return as_double(0x7ff8000000000000UL); }

double infinity(void) { return as_double(0x7ff0000000000000UL); }

bool is_odd(double x) { return magnitude(x) < 0x1p53 && magnitude(x - 2.0 * floor(0.5 * x)) == 1.0; }

// x times 2^n, rounded once unless the result is subnormal; n from -2200 to 2200.
double scaled(double x, int n) {
    int a = n / 3;
    int b = (n - a) / 2;
    int c = n - a - b;
    double fa = as_double((ulong)(a + 1023) << 52);
    double fb = as_double((ulong)(b + 1023) << 52);
    double fc = as_double((ulong)(c + 1023) << 52);
    return x * fa * fb * fc;
}

// e^r - 1 for |r| <= 0.35.
double expm1_series(double r) {
    double p = 1.0 / 87178291200.0;
    p = fma(p, r, 1.0 / 6227020800.0);
    p = fma(p, r, 1.0 / 479001600.0);
    p = fma(p, r, 1.0 / 39916800.0);
    p = fma(p, r, 1.0 / 3628800.0);
    p = fma(p, r, 1.0 / 362880.0);
    p = fma(p, r, 1.0 / 40320.0);
    p = fma(p, r, 1.0 / 5040.0);
    p = fma(p, r, 1.0 / 720.0);
    p = fma(p, r, 1.0 / 120.0);
    p = fma(p, r, 1.0 / 24.0);
    p = fma(p, r, 1.0 / 6.0);
    p = fma(p, r, 0.5);
    return fma(r * r, p, r);
}

// e^(x + rest), rest small against x.
double exp_core(double x, double rest) {
    double t = clamp(x, -800.0, 800.0);
    double k = rint(t * (1.0 / LN2));
    double r = fma(-k, LN2_LO, fma(-k, LN2_HI, t) + rest);
    double y = scaled(1.0 + expm1_series(r), (int)k);
    return isnan(x) ? x : y;
}

double exp2_core(double x) {
    double t = clamp(x, -1100.0, 1100.0);
    double k = rint(t);
    double y = scaled(1.0 + expm1_series((t - k) * LN2), (int)k);
    return isnan(x) ? x : y;
}

double exp10_core(double x) {
    double t = clamp(x, -400.0, 400.0);
    double k = rint(t * 3.32192809488736234787);      // log2(10)
    double r = fma(-k, 0x1.34413509f79ffp-2, t);      // log10(2), high part
    r = fma(k, 0x1.9dc1da994fd21p-59, r);             // minus its low part, which is negative
    double high = r * 2.30258509299404568402;         // ln(10)
    double low = fma(r, 2.30258509299404568402, -high) + r * -2.1707562233822494e-16;
    double y = scaled(1.0 + expm1_series(high + low), (int)k);
    return isnan(x) ? x : y;
}

double expm1_core(double x) {
    double t = clamp(x, -60.0, 800.0);
    double k = rint(t * (1.0 / LN2));
    double r = fma(-k, LN2_LO, fma(-k, LN2_HI, t));
    double q = expm1_series(r);
    double half_power = scaled(0.5, (int)k);
    double y = k == 0 ? q : (half_power * q + (half_power - 0.5)) * 2.0;
    y = x == 0 ? x : y;
    return isnan(x) ? x : y;
}

// x = 2^exponent * mantissa with mantissa from sqrt(1/2) to sqrt(2), for finite x > 0.
typedef struct { double mantissa, exponent; } split;

split split_double(double x) {
    bool tiny = x < 0x1p-1022;
    double y = tiny ? x * 0x1p54 : x;
    ulong bits = as_ulong(y);
    ulong shifted = bits - 0x3fe6a09e667f3bcdUL;      // the bits of sqrt(1/2)
    long exponent = (long)shifted >> 52;
    split result;
    result.mantissa = as_double(bits - ((ulong)exponent << 52));
    result.exponent = (double)exponent - (tiny ? 54.0 : 0.0);
    return result;
}

// 2 * (atanh(s) - s) / s^3 for s^2 = z <= 0.0295.
double atanh_tail(double z) {
    double p = 2.0 / 23.0;
    p = fma(p, z, 2.0 / 21.0);
    p = fma(p, z, 2.0 / 19.0);
    p = fma(p, z, 2.0 / 17.0);
    p = fma(p, z, 2.0 / 15.0);
    p = fma(p, z, 2.0 / 13.0);
    p = fma(p, z, 2.0 / 11.0);
    p = fma(p, z, 2.0 / 9.0);
    p = fma(p, z, 2.0 / 7.0);
    p = fma(p, z, 2.0 / 5.0);
    return fma(p, z, 2.0 / 3.0);
}

pair quick_sum(double a, double b) {
    pair s;
    s.hi = a + b;
    s.lo = b - (s.hi - a);
    return s;
}

// ln of a mantissa, in two doubles: log m = 2 atanh((m - 1) / (m + 1)).
pair log_mantissa(double m) {
    double f = m - 1.0;
    double d = m + 1.0;
    double d_rest = m - (d - 1.0);
    double s = f / d;
    double s_rest = (fma(-s, d, f) - s * d_rest) / d;
    double z = s * s;
    double tail = fma(s * z, atanh_tail(z), 2.0 * s_rest);
    return quick_sum(2.0 * s, tail);
}

// ln x in two doubles, for finite x > 0.
pair log_pair(double x) {
    split parts = split_double(x);
    pair m = log_mantissa(parts.mantissa);
    double k = parts.exponent;
    pair sum = quick_sum(k * LN2_HI, m.hi);           // |k LN2_HI| > |m.hi| unless k is 0
    pair whole = quick_sum(sum.hi, sum.lo + (m.lo + k * LN2_LO));
    pair small = m;
    whole.hi = k == 0 ? small.hi : whole.hi;
    whole.lo = k == 0 ? small.lo : whole.lo;
    return whole;
}

// The special cases of every logarithm: 0, negative numbers, infinity, NaN.
double log_special(double x, double y) {
    y = x == 0 ? -infinity() : y;
    y = x < 0 ? nan_value() : y;
    y = x == infinity() ? x : y;
    return isnan(x) ? x : y;
}

double positive_finite(double x) { return x > 0 && x < infinity() ? x : 1.0; }

double log_core(double x) {
    pair l = log_pair(positive_finite(x));
    return log_special(x, l.hi + l.lo);
}

double log2_core(double x) {
    split parts = split_double(positive_finite(x));
    pair m = log_mantissa(parts.mantissa);
    double high = m.hi * 0x1.71547652b82fep+0;        // 1 / ln 2
    double low = fma(m.hi, 0x1.71547652b82fep+0, -high) +
                 (m.hi * 0x1.777d0ffda0d24p-56 + m.lo * 0x1.71547652b82fep+0);
    return log_special(x, parts.exponent + high + low);
}

double log10_core(double x) {
    pair l = log_pair(positive_finite(x));
    double high = l.hi * 0x1.bcb7b1526e50ep-2;        // 1 / ln 10
    double low = fma(l.hi, 0x1.bcb7b1526e50ep-2, -high) +
                 (l.hi * 0x1.95355baaafad3p-57 + l.lo * 0x1.bcb7b1526e50ep-2);
    return log_special(x, high + low);
}

double log1p_core(double x) {
    double u = 1.0 + x;
    double safe = positive_finite(u);
    double rest = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    pair l = log_pair(safe);
    double y = l.hi + (l.lo + rest / safe);
    y = x == -1.0 ? -infinity() : y;
    y = x < -1.0 ? nan_value() : y;
    y = x == infinity() || x == 0 ? x : y;
    return isnan(x) ? x : y;
}

// x^y for x > 0 by logarithm and exponential in two doubles.
double power_core(double x, double y) {
    pair l = log_pair(positive_finite(x));
    double high = y * l.hi;
    double low = fma(y, l.hi, -high) + y * l.lo;
    bool fine = magnitude(high) < 1000.0;
    return exp_core(high, fine ? low : 0.0);
}

// The cases of IEEE 754's pow (OpenCL 1.2, section 7.5.1).
double pow_core(double x, double y) {
    double a = magnitude(x);
    double r = power_core(a, y);
    bool whole = rint(y) == y;
    bool odd = whole && is_odd(y);
    bool shrinks = (a < 1.0) == (y > 0);
    r = a == 0 ? (y > 0 ? 0.0 : infinity()) : r;
    r = a == infinity() ? (y > 0 ? a : 0.0) : r;
    r = magnitude(y) == infinity() ? (shrinks ? 0.0 : infinity()) : r;
    r = magnitude(y) == infinity() && a == 1.0 ? 1.0 : r;
    r = as_long(x) < 0 && odd ? -r : r;
    r = x < 0 && !whole && magnitude(y) < infinity() && a < infinity() ? nan_value() : r;
    r = isnan(x) || isnan(y) ? nan_value() : r;
    return x == 1.0 || y == 0 ? 1.0 : r;
}

double powr_core(double x, double y) {
    double r = pow_core(x, y);
    bool strange = x < 0 || (x == 0 && y == 0) || (x == infinity() && y == 0) ||
                   (x == 1.0 && magnitude(y) == infinity());
    r = x == 0 ? magnitude(r) : r;
    return strange || isnan(x) || isnan(y) ? nan_value() : r;
}

double rootn_core(double x, int n) {
    double a = magnitude(x);
    double d = (double)n;
    pair l = log_pair(positive_finite(a));
    double high = l.hi / d;
    double low = (fma(-high, d, l.hi) + l.lo) / d;
    double r = exp_core(high, low);
    bool odd = n & 1;
    r = a == 0 ? (n > 0 ? 0.0 : infinity()) : r;
    r = a == infinity() ? (n > 0 ? a : 0.0) : r;
    r = odd ? with_sign(r, x) : r;
    r = (x < 0 && !odd) || n == 0 ? nan_value() : r;
    return isnan(x) ? x : r;
}
