/* CoreMark on Volery's machine: types and choices. */
#ifndef CORE_PORTME_H
#define CORE_PORTME_H

#include <stddef.h>
#include <stdint.h>

typedef int16_t ee_s16;
typedef uint16_t ee_u16;
typedef int32_t ee_s32;
typedef uint8_t ee_u8;
typedef uint32_t ee_u32;
typedef uintptr_t ee_ptr_int;
typedef size_t ee_size_t;

#define align_mem(x) (void *)(((ee_ptr_int)(x) + 3) & ~(ee_ptr_int)3)

/* Numbers with a fraction would be computed by functions. */
#define HAS_FLOAT 0
/* core_portme.c has ee_printf(). */
#define HAS_STDIO 0
#define HAS_PRINTF 0
#define MAIN_HAS_NOARGC 1
#define MAIN_HAS_NORETURN 0
#define MULTITHREAD 1
#define MEM_METHOD MEM_STATIC
#define MEM_LOCATION "static"
/* By functions of core_portme.c, so the compiler does not know the seeds. */
#define SEED_METHOD SEED_FUNC

#define COMPILER_VERSION "gcc " __VERSION__
#ifndef COMPILER_FLAGS
#define COMPILER_FLAGS ""
#endif

typedef ee_u32 CORE_TICKS;

extern ee_u32 default_num_contexts;

typedef struct CORE_PORTABLE_S {
    ee_u8 unused;
} core_portable;

ee_s32 portme_sys1(void);
ee_s32 portme_sys2(void);
ee_s32 portme_sys3(void);
ee_s32 portme_sys4(void);
ee_s32 portme_sys5(void);

void portable_init(core_portable *port, int *argc, char *argv[]);
void portable_fini(core_portable *port);
int ee_printf(const char *format, ...);

#endif
