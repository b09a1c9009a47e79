/* What picolibc needs of the machine: its files, its end, and abort(), so that a failed assert() ends with the exit code that a
   panic has in Rust. Its allocator takes the heap of volery.ld by itself. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "volery.h"

/* Each character is a call of its own: write long journals with volery_commit(). */
static int to_journal(char byte, FILE *file) {
    (void)file;
    volery_commit(&byte, 1);
    return (unsigned char)byte;
}

static int to_debug(char byte, FILE *file) {
    (void)file;
    volery_write(2, &byte, 1);
    return (unsigned char)byte;
}

static int from_secret(FILE *file) {
    unsigned char byte;
    (void)file;
    return volery_secret(&byte, 1) == 1 ? byte : _FDEV_EOF;
}

static FILE secret = FDEV_SETUP_STREAM(NULL, from_secret, NULL, _FDEV_SETUP_READ);
static FILE journal = FDEV_SETUP_STREAM(to_journal, NULL, NULL, _FDEV_SETUP_WRITE);
static FILE debug = FDEV_SETUP_STREAM(to_debug, NULL, NULL, _FDEV_SETUP_WRITE);

FILE *const stdin = &secret;
FILE *const stdout = &journal;
FILE *const stderr = &debug;

void _exit(int code) {
    volery_exit(code);
    for (;;) {
    }
}

void abort(void) { _exit(VOLERY_ABORTED); }
