// Scores of local alignments (Smith and Waterman, Journal of Molecular Biology 147, 1981), a pair of
// strings for each work-item, a row of the matrix in a private array.
__kernel void align(__global const uchar *texts, __global const uchar *patterns, __global int *best,
                    int n, int length)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    int row[PATTERN + 1];
    for (int p = 0; p <= PATTERN; ++p) row[p] = 0;
    int most = 0;
    for (int t = 0; t < length; ++t) {
        const uchar letter = texts[t * n + i];
        int left = 0, above_left = 0;
        for (int p = 1; p <= PATTERN; ++p) {
            const int above = row[p];
            int score = above_left + (letter == patterns[(p - 1) * n + i] ? 3 : -2);
            score = max(score, max(above, left) - 2);
            score = max(score, 0);
            most = max(most, score);
            above_left = above;
            left = row[p] = score;
        }
    }
    best[i] = most;
}
