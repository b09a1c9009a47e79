/* Touches words of memory over and over: to measure what a proof takes when a program uses much memory, and runs long.
   The public input: how many words, and about how many steps. */
#include <stdint.h>

#include "number.h"

/* The most words: 16 MiB. */
#define MOST 4194304

/* Steps of a round of the loop, about. */
#define ROUND 11

static uint32_t words[MOST];

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int main(void) {
    uint32_t count = next_number();
    uint32_t rounds = next_number() / ROUND;
    if (count == 0 || count > MOST) return 1;
    /* Steps over much of the memory at a time, and comes to every word before it comes to one again. */
    uint32_t stride = (uint32_t)(count * UINT64_C(2654435769) >> 32);
    while (common_divisor(stride, count) != 1) stride++;
    uint32_t sum = 0;
    for (uint32_t at = 0; rounds > 0; rounds--) {
        sum += words[at];
        words[at] = sum ^ rounds;
        at += stride;
        if (at >= count) at -= count;
    }
    volery_commit(&sum, sizeof sum);
    return 0;
}
