/* CoreMark on Volery's machine. The public input says how many iterations. The journal is CoreMark's report, in one call. The exit
   code is 0 only if CoreMark has found its checksums right, those that it knows for these seeds.

   The machine has no clock. CoreMark counts a run of less than 10 s as an error, so every time is 10 s here, and what CoreMark
   computes from it is left out of the report. A run gives no CoreMark score: `volery run` counts its steps. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "coremark.h"
#include "number.h"

ee_u32 default_num_contexts = 1;

static char report[2048];
static size_t length;
static int is_right;

/* The seeds of a run that is timed ("performance run"), the iterations, and which algorithms: 0 says all. */
ee_s32 portme_sys1(void) { return 0; }

ee_s32 portme_sys2(void) { return 0; }

ee_s32 portme_sys3(void) { return 0x66; }

ee_s32 portme_sys4(void) { return (ee_s32)next_number(); }

ee_s32 portme_sys5(void) { return 0; }

void start_time(void) {}

void stop_time(void) {}

CORE_TICKS get_time(void) { return 10; }

secs_ret time_in_secs(CORE_TICKS ticks) { return ticks; }

static int begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

int ee_printf(const char *format, ...) {
    va_list arguments;
    if (begins(format, "Total ticks") || begins(format, "Total time") || begins(format, "Iterations/Sec")) return 0;
    if (begins(format, "Correct operation validated")) is_right = 1;
    va_start(arguments, format);
    int count = vsnprintf(report + length, sizeof report - length, format, arguments);
    va_end(arguments);
    if (count > 0) length += (size_t)count;
    if (length > sizeof report - 1) length = sizeof report - 1;
    return count;
}

void portable_init(core_portable *port, int *argc, char *argv[]) {
    (void)port;
    (void)argc;
    (void)argv;
}

void portable_fini(core_portable *port) {
    (void)port;
    volery_commit(report, length);
    if (!is_right) volery_exit(1);
}
