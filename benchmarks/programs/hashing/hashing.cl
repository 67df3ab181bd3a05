// Look-ups in a table with open addressing and linear probing (Knuth, The Art of Computer
// Programming, volume 3, section 6.4, algorithm L).
__kernel void find(__global const uint *wanted, __global const uint *table, __global int *found,
                   int n, uint mask)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    const uint key = wanted[i];
    uint slot = (key * 2654435761u) >> 8 & mask;
    int place = -1;
    for (uint entry = table[slot]; entry != 0; entry = table[slot]) {
        if (entry == key) {
            place = slot;
            break;
        }
        slot = (slot + 1) & mask;
    }
    found[i] = place;
}
