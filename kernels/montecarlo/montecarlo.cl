// Monte Carlo price of a down-and-out call option.
//
//   mc_paths  one path per work-item, with normal steps from a per-item generator; a path that
//             falls below the barrier ends early, so trip counts are data and warps diverge; the
//             payoffs are summed per work-group
//   mc_moro   normal variates from uniform ones by Moro's rational approximations, coefficients in
//             constant memory, with a branch for the tails
//   mc_mean   discounted mean of the groups' sums, one work-group

#ifndef GROUP
#define GROUP 128
#endif

typedef struct {
    float spot;
    float strike;
    float barrier;
    float rate;
    float volatility;
    float years;
} Option;

// Marsaglia's xorshift with shifts 13, 17, 5; the state is never zero.
uint xorshift(uint state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

// Uniform in (0, 1): 24 bits, centred in their intervals.
float uniform_of(uint state)
{
    return ((float)(state >> 8) + 0.5f) * 5.9604644775390625e-8f;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void mc_paths(__global uint *states, __global float *payoffs, __global float *sums,
              const Option option, const int paths, const int steps)
{
    __local float partial[GROUP];

    const int lid = get_local_id(0);
    const int i = get_global_id(0);

    float payoff = 0.0f;
    if (i < paths) {
        const float dt = option.years / (float)steps;
        const float drift = (option.rate - 0.5f * option.volatility * option.volatility) * dt;
        const float spread = option.volatility * sqrt(dt);

        uint state = states[i];
        float price = option.spot;
        bool alive = true;
        for (int step = 0; step < steps; step += 2) {
            // Two normal variates at a time, by Box and Muller.
            state = xorshift(state);
            const float radius = sqrt(-2.0f * log(uniform_of(state)));
            state = xorshift(state);
            float cosine;
            const float sine = sincos(6.2831853071795864f * uniform_of(state), &cosine);

            price *= exp(drift + spread * radius * cosine);
            if (price <= option.barrier) {
                alive = false;
                break;
            }
            price *= exp(drift + spread * radius * sine);
            if (price <= option.barrier) {
                alive = false;
                break;
            }
        }
        if (alive) {
            payoff = fmax(price - option.strike, 0.0f);
        }
        states[i] = state;
        payoffs[i] = payoff;
    }

    partial[lid] = payoff;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        if (lid < reach) {
            partial[lid] += partial[lid + reach];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        sums[get_group_id(0)] = partial[0];
    }
}

// Moro's coefficients: numerator and denominator of the centre, and the polynomial of the tails.
__constant float centre_above[4] = {2.50662823884f, -18.61500062529f, 41.39119773534f,
                                    -25.44106049637f};
__constant float centre_below[4] = {-8.4735109309f, 23.08336743743f, -21.06224101826f,
                                    3.13082909833f};
__constant float tail[9] = {0.3374754822726147f,    0.9761690190917186f,    0.1607979714918209f,
                            0.0276438810333863f,    0.0038405729373609f,    0.0003951896511919f,
                            0.0000321767881768f,    0.0000002888167364f,    0.0000003960315187f};

float moro(float u)
{
    const float x = u - 0.5f;
    if (fabs(x) < 0.42f) {
        const float r = x * x;
        const float above = ((centre_above[3] * r + centre_above[2]) * r + centre_above[1]) * r +
                            centre_above[0];
        const float below =
            (((centre_below[3] * r + centre_below[2]) * r + centre_below[1]) * r +
             centre_below[0]) * r + 1.0f;
        return x * above / below;
    }
    const float r = log(-log((x > 0.0f) ? 1.0f - u : u));
    float power = 1.0f;
    float sum = 0.0f;
    for (int i = 0; i < 9; ++i) {
        sum += tail[i] * power;
        power *= r;
    }
    return (x < 0.0f) ? -sum : sum;
}

__kernel void mc_moro(__global float *normal, __global const float *uniform_draws, const int n)
{
    const int i = get_global_id(0);
    if (i < n) {
        normal[i] = moro(uniform_draws[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void mc_mean(__global float *price, __global const float *sums, const int groups, const int paths,
             const Option option)
{
    __local float partial[GROUP];

    const int lid = get_local_id(0);
    float sum = 0.0f;
    for (int i = lid; i < groups; i += GROUP) {
        sum += sums[i];
    }
    partial[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        if (lid < reach) {
            partial[lid] += partial[lid + reach];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        *price = exp(-option.rate * option.years) * partial[0] / (float)paths;
    }
}
