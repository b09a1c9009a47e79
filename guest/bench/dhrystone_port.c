/* Dhrystone on Volery's machine: the exit code is 0 only if the variables are at the end what its authors say. They print the
   values for a person to compare. */
#include "dhrystone.h"
#include "number.h"
#include "util.h"

extern Rec_Pointer Ptr_Glob, Next_Ptr_Glob;
extern int Int_Glob;
extern Boolean Bool_Glob;
extern char Ch_1_Glob, Ch_2_Glob;
extern int Arr_1_Glob[50], Arr_2_Glob[50][50];

static int runs;

int dhrystone_runs(void) {
    runs = (int)next_number();
    return runs;
}

long dhrystone_reading(void) {
    static long readings;
    return readings++;
}

static void expect(int is_right, const char *what) {
    if (is_right) return;
    volery_debug(what);
    volery_debug(": another value\n");
    volery_exit(1);
}

static void expect_record(const Rec_Type *record, Enumeration component, int number, const char *what) {
    expect(record->Discr == Ident_1, what);
    expect(record->variant.var_1.Enum_Comp == component, what);
    expect(record->variant.var_1.Int_Comp == number, what);
    expect(strcmp(record->variant.var_1.Str_Comp, "DHRYSTONE PROGRAM, SOME STRING") == 0, what);
}

/* Called with 1 before the runs and with 0 after them, while the records are still there. */
void setStats(int enable) {
    if (enable) return;
    expect(Int_Glob == 5, "Int_Glob");
    expect(Bool_Glob == 1, "Bool_Glob");
    expect(Ch_1_Glob == 'A' && Ch_2_Glob == 'B', "Ch_1_Glob, Ch_2_Glob");
    expect(Arr_1_Glob[8] == 7, "Arr_1_Glob[8]");
    expect(Arr_2_Glob[8][7] == runs + 10, "Arr_2_Glob[8][7]");
    expect_record(Ptr_Glob, Ident_3, 17, "Ptr_Glob");
    expect_record(Next_Ptr_Glob, Ident_2, 18, "Next_Ptr_Glob");
}
