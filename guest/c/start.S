/* Start-up: global pointer, the one thread's variables, stack, `main`, and its result as the exit code. The loader has cleared
   what is to be zero. */
    /* Otherwise the linker names the symbols of this file after a temporary one. */
    .file "start.S"
    .section .text.start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la tp, __tls_base
    la sp, __stack
    call main
    li a7, 93
    ecall
