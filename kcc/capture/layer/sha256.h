/* SHA-256 (NIST FIPS 180-4, sections 4 to 6): by what host data are known in a capture. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
} Sha256;

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void sha256_block(Sha256 *sum, const uint8_t *data) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++, data += 4)
        w[i] = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    memcpy(v, sum->state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t e = v[4], a = v[0];
        uint32_t one = v[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                       ((e & v[5]) ^ (~e & v[6])) + ROUND[i] + w[i];
        uint32_t two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) +
                       ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        sum->state[i] += v[i];
}

static void sha256_start(Sha256 *sum) {
    static const uint32_t first[8] = { /* of the square roots of the first 8 primes */
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memcpy(sum->state, first, sizeof first);
    sum->length = 0;
}

static void sha256_add(Sha256 *sum, const void *given, size_t size) {
    const uint8_t *data = given;
    size_t held = sum->length % 64;
    sum->length += size;
    if (held) {
        size_t taken = size < 64 - held ? size : 64 - held;
        memcpy(sum->block + held, data, taken);
        if (held + taken < 64)
            return;
        sha256_block(sum, sum->block);
        data += taken, size -= taken;
    }
    for (; size >= 64; data += 64, size -= 64)
        sha256_block(sum, data);
    memcpy(sum->block, data, size);
}

static void sha256_end(Sha256 *sum, uint8_t digest[32]) {
    uint64_t bits = sum->length * 8;
    uint8_t tail[72] = {0x80};
    size_t padding = (sum->length % 64 < 56 ? 56 : 120) - sum->length % 64;
    for (int i = 0; i < 8; i++)
        tail[padding + i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(sum, tail, padding + 8);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(sum->state[i / 4] >> (24 - 8 * (i % 4)));
}
