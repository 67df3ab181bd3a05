// Longest matches of queries in a reference, by walking down its suffix tree. A query has as many
// suffixes as symbols; of each, the tree is followed from its root as far as it agrees.
//
//   children   four of each node, one for each symbol; 0 where there is none (the root is node 0)
//   starts     of each node, where in the reference the text of the edge above it begins
//   ends       and where it ends, exclusive
//   matches    of each suffix, where the match lies first in the reference, and its length

__kernel void suffix_match(__global const uchar *reference, __global const int *children,
                           __global const int *starts, __global const int *ends,
                           __global const uchar *queries, int count, int length,
                           __global int2 *matches)
{
    const int query = get_global_id(0);
    if (query >= count) {
        return;
    }
    const int first = query * length;
    for (int suffix = 0; suffix < length; ++suffix) {
        int node = 0;
        int matched = 0;
        int place = 0;
        while (suffix + matched < length) {
            const int child = children[4 * node + queries[first + suffix + matched]];
            if (child == 0) {
                break;
            }
            const int end = ends[child];
            int at = starts[child];
            place = at - matched;
            while (at < end && suffix + matched < length &&
                   reference[at] == queries[first + suffix + matched]) {
                ++at;
                ++matched;
            }
            if (at < end) {
                break;
            }
            node = child;
        }
        matches[first + suffix] = (int2)(place, matched);
    }
}
