pragma circom 2.1.0;

include "bitify.circom";
include "comparators.circom";

// I know a balance of at least this much. Sound over every prime of 66 bits or more; tested over those of 253 bits and more that circom knows.
template AtLeast(bits) {
    signal input threshold;
    signal input balance;

    // The comparator believes that its inputs are this short.
    component short[2];
    for (var i = 0; i < 2; i++) {
        short[i] = Num2Bits(bits);
        short[i].in <== i == 0 ? threshold : balance;
    }
    component enough = GreaterEqThan(bits);
    enough.in <== [balance, threshold];
    enough.out === 1;
}

component main {public [threshold]} = AtLeast(64);
