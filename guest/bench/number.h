/* The numbers of a measurement, which are its public input. */
#ifndef NUMBER_H
#define NUMBER_H

#include "volery.h"

/* The next decimal number; 0 at the end of the input. */
static inline unsigned long next_number(void) {
    unsigned long number = 0;
    char digit;
    while (volery_public(&digit, 1) == 1 && digit >= '0' && digit <= '9') number = 10 * number + (unsigned long)(digit - '0');
    return number;
}

#endif
