/* The capture file. A line each call, `WORD key=value ... #checksum`; before the first line that
 * needs them, the bytes of sources and host data, once for each content:
 * `data sha256=HEX size=N #checksum`, the bytes, a line break. The checksum is the first four bytes
 * of the line's SHA-256, in hexadecimal. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sha256.h"

#define LINE_BYTES (64 << 10)
#define NAME_BYTES 65 /* of a SHA-256 in hexadecimal */

static struct {
    FILE *file;
    pid_t owner; /* what a child process does is not logged */
    uint64_t written, limit;
    uint8_t (*known)[32]; /* the contents that are in the file: a hash table, 0 for a free place */
    size_t places, used;
} capture;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void start_log(const char *path, uint64_t limit) {
    capture.file = fopen(path, "wbx");
    capture.owner = getpid();
    capture.limit = limit;
    if (!capture.file)
        fprintf(stderr, "kcc capture: cannot write '%s'\n", path);
}

static int is_logging(void) { return capture.file && capture.owner == getpid(); }

static void stop_log(void) {
    if (fclose(capture.file))
        perror("kcc capture");
    capture.file = NULL;
}

static void hexadecimal(char *text, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        sprintf(text + 2 * i, "%02x", ((const uint8_t *)bytes)[i]);
    text[2 * size] = 0;
}

static void put_line(char *text) {
    uint8_t digest[32];
    Sha256 sum;
    sha256_start(&sum);
    sha256_add(&sum, text, strlen(text));
    sha256_end(&sum, digest);
    char check[9];
    hexadecimal(check, digest, 4);
    int size = fprintf(capture.file, "%s #%s\n", text, check);
    if (size < 0) {
        perror("kcc capture");
        stop_log();
    } else
        capture.written += (uint64_t)size;
}

/* Whether so many bytes more are within --max-size; if not, the log ends here. */
static int has_room(uint64_t size) {
    if (!is_logging())
        return 0;
    if (capture.written + size + 1024 <= capture.limit)
        return 1;
    put_line((char[]){"cut reason=max-size"});
    if (capture.file)
        stop_log();
    return 0;
}

static void log_line(const char *format, ...) {
    static char text[LINE_BYTES];
    va_list values;
    va_start(values, format);
    int size = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (has_room((uint64_t)size) && size < LINE_BYTES)
        put_line(text);
}

static int is_known(const uint8_t digest[32]) {
    static const uint8_t nothing[32];
    if (2 * capture.used >= capture.places) {
        size_t before = capture.places;
        uint8_t(*old)[32] = capture.known;
        uint8_t(*grown)[32] = calloc(before ? 2 * before : 1024, 32);
        if (!grown)
            return 0; /* the content is written again */
        capture.known = grown, capture.places = before ? 2 * before : 1024, capture.used = 0;
        for (size_t i = 0; i < before; i++)
            if (memcmp(old[i], nothing, 32))
                is_known(old[i]);
        free(old);
    }
    size_t place;
    memcpy(&place, digest, sizeof place);
    for (place %= capture.places; memcmp(capture.known[place], nothing, 32);
         place = (place + 1) % capture.places)
        if (!memcmp(capture.known[place], digest, 32))
            return 1;
    memcpy(capture.known[place], digest, 32);
    capture.used++;
    return 0;
}

/* Put bytes into the file unless they are there; gives the name that lines call them by, or "-". */
static const char *put_data(char name[NAME_BYTES], const void *bytes, size_t size) {
    uint8_t digest[32];
    Sha256 sum;
    if (!bytes || !is_logging())
        return "-";
    sha256_start(&sum);
    sha256_add(&sum, bytes, size);
    sha256_end(&sum, digest);
    hexadecimal(name, digest, 32);
    if (is_known(digest))
        return name;
    if (!has_room(size + 128))
        return "-";
    log_line("data sha256=%s size=%zu", name, size);
    if (capture.file && (fwrite(bytes, 1, size, capture.file) != size || putc('\n', capture.file) < 0)) {
        perror("kcc capture");
        stop_log();
    }
    capture.written += size + 1;
    return name;
}
