pragma circom 2.1.0;

include "mimcsponge.circom";

// I know two numbers with this hash.
template MimcPreimage() {
    signal input numbers[2];
    signal output hash;

    component sponge = MiMCSponge(2, 220, 1);
    sponge.ins <== numbers;
    sponge.k <== 0;
    hash <== sponge.outs[0];
}

component main = MimcPreimage();
