/* Inputs, journal and exit of a program that Volery runs. */
#ifndef VOLERY_H
#define VOLERY_H

#include <stddef.h>

/* The exit code of a program that gives up, as that of a panic in Rust: libc.c's abort() ends with it. */
#define VOLERY_ABORTED 101
/* The exit code if the machine refuses a call, which Volery's does not. */
#define VOLERY_REFUSED 102

/* The most bytes that a call moves: what one call moves is in one segment of the proof. */
#define VOLERY_MOST 65536

static inline long volery_part(size_t size) { return size < VOLERY_MOST ? (long)size : VOLERY_MOST; }

/* An environment call with Linux's number. */
static inline long volery_call(long number, long first, long second, long third) {
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a2 __asm__("a2") = third;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

/* Ends the program. Code 0 says that the claim holds. */
static inline void volery_exit(int code) {
    for (;;) volery_call(93, code, 0, 0);
}

/* Reads from a file until the buffer is full or the file ends. Returns how many bytes. */
static inline size_t volery_read(int file, void *buffer, size_t size) {
    size_t done = 0;
    while (done < size) {
        long count = volery_call(63, file, (long)((char *)buffer + done), volery_part(size - done));
        if (count < 0) volery_exit(VOLERY_REFUSED);
        if (count == 0) break;
        done += (size_t)count;
    }
    return done;
}

/* The next bytes of the secret input; fewer at its end. */
static inline size_t volery_secret(void *buffer, size_t size) { return volery_read(0, buffer, size); }

/* The next bytes of the public input; fewer at its end. */
static inline size_t volery_public(void *buffer, size_t size) { return volery_read(3, buffer, size); }

static inline void volery_write(int file, const void *buffer, size_t size) {
    size_t done = 0;
    while (done < size) {
        long count = volery_call(64, file, (long)((const char *)buffer + done), volery_part(size - done));
        if (count <= 0) volery_exit(VOLERY_REFUSED);
        done += (size_t)count;
    }
}

/* Appends to the journal, which everybody sees. */
static inline void volery_commit(const void *buffer, size_t size) { volery_write(1, buffer, size); }

/* Writes a text for debugging. */
static inline void volery_debug(const char *text) {
    size_t size = 0;
    while (text[size]) size++;
    volery_write(2, text, size);
}

#endif
