/* A parser with a bug: "I know an archive on which this program traps at this place." Such a proof says that somebody knows how to
   trigger the bug, and does not show the archive.

   An archive begins with `VARC` and the number of its members. For each member follow two numbers: where its content begins in the
   archive, and how many bytes it has. All numbers have 32 bits, little-endian. The program reads an archive from the secret input,
   and writes a checksum of each member to the journal. */
#include <stdint.h>
#include <string.h>

#include "volery.h"

static uint8_t archive[65536];

static uint32_t number(const uint8_t *bytes) {
    return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Not inlined, so that a trap in it is at a place with its name. */
__attribute__((noinline)) static uint32_t checksum(const uint8_t *content, uint32_t length) {
    uint32_t sum = 1;
    for (uint32_t i = 0; i < length; i++) sum = sum * 31 + content[i];
    return sum;
}

int main(void) {
    size_t size = volery_secret(archive, sizeof archive);
    if (size < 8 || memcmp(archive, "VARC", 4) != 0) return 1;
    uint32_t members = number(archive + 4);
    if (members > (size - 8) / 8) return 1;
    for (uint32_t i = 0; i < members; i++) {
        uint32_t begin = number(archive + 8 + 8 * i);
        uint32_t length = number(archive + 12 + 8 * i);
        /* The bug: the sum wraps around. `length > size || begin > size - length` would be right. */
        if (begin + length > size) return 1;
        uint32_t sum = checksum(archive + begin, length);
        uint8_t said[4] = {sum & 255, sum >> 8 & 255, sum >> 16 & 255, sum >> 24};
        volery_commit(said, 4);
    }
    return 0;
}
