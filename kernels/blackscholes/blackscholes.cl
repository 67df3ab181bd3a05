// Prices of European call and put options by the Black-Scholes formula: long chains of arithmetic
// and special functions, five streams of memory. Work-items stride over the options.

#define A1 0.319381530f
#define A2 -0.356563782f
#define A3 1.781477937f
#define A4 -1.821255978f
#define A5 1.330274429f
#define ONE_OVER_SQRT_2PI 0.39894228040143267794f

// Cumulative normal distribution by the polynomial 26.2.17 of Abramowitz and Stegun.
float CND(float d)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    const float polynomial = k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5))));
    const float tail = ONE_OVER_SQRT_2PI * exp(-0.5f * d * d) * polynomial;
    return (d > 0) ? 1.0f - tail : tail;
}

__kernel void BlackScholes(__global float *d_Call, __global float *d_Put, __global float *d_S,
                           __global float *d_X, __global float *d_T, float R, float V,
                           unsigned int optN)
{
    for (unsigned int opt = get_global_id(0); opt < optN; opt += get_global_size(0)) {
        const float S = d_S[opt]; // price of the stock
        const float X = d_X[opt]; // strike
        const float T = d_T[opt]; // years

        const float spread = V * sqrt(T);
        const float d1 = (log(S / X) + (R + 0.5f * V * V) * T) / spread;
        const float d2 = d1 - spread;
        const float in_call = CND(d1);
        const float in_strike = CND(d2);
        const float discounted = X * exp(-R * T);

        d_Call[opt] = S * in_call - discounted * in_strike;
        d_Put[opt] = discounted * (1.0f - in_strike) - S * (1.0f - in_call);
    }
}
