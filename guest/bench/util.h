/* What Dhrystone's main file takes from the folder of all benchmarks: here, from dhrystone_port.c. */
#ifndef UTIL_H
#define UTIL_H

void setStats(int enable);

/* The public input says how many runs. */
int dhrystone_runs(void);
#undef NUMBER_OF_RUNS
#define NUMBER_OF_RUNS dhrystone_runs()

/* The machine has no clock and no counters. Dhrystone begins again with ten times the runs if no time has passed, so each
   reading is one more than the last. What it prints of times is left out: `volery run` counts the steps. */
long dhrystone_reading(void);
#define read_csr(counter) dhrystone_reading()
#define printf(...) ((void)0)

#endif
