/* "I know bytes whose sum is the number in the public input": commits to how many they are. */
#include "volery.h"

static unsigned char bytes[65536];

int main(void) {
    unsigned char claimed[4];
    if (volery_public(claimed, 4) != 4) return 2;
    size_t count = volery_secret(bytes, sizeof bytes);
    unsigned sum = 0;
    for (size_t i = 0; i < count; i++) sum += bytes[i];
    for (int i = 0; i < 4; i++) {
        if (claimed[i] != (sum >> (8 * i) & 255)) {
            volery_debug("another sum\n");
            return 1;
        }
    }
    unsigned char said[4] = {count & 255, count >> 8 & 255, count >> 16 & 255, count >> 24};
    volery_commit(said, 4);
    return 0;
}
