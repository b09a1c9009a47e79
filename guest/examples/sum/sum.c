/* "I know bytes whose sum is the number in the public input": says how many they are. */
#include <stdio.h>
#include <stdlib.h>

#include "volery.h"

static unsigned char bytes[65536];

int main(void) {
    char claimed[16] = "";
    volery_public(claimed, sizeof claimed - 1);
    size_t count = volery_secret(bytes, sizeof bytes);
    unsigned long sum = 0;
    for (size_t i = 0; i < count; i++) sum += bytes[i];
    if (sum != strtoul(claimed, NULL, 10)) {
        fprintf(stderr, "another sum\n");
        return 1;
    }
    printf("%u bytes\n", (unsigned)count);
    return 0;
}
