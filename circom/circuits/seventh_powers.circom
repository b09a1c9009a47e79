pragma circom 2.1.0;

// I know a number that so many rounds of x -> (x + round)^7 take to this one. Over the Goldilocks field the seventh
// power is a permutation: 7 does not divide p - 1.
template SeventhPowers(rounds) {
    signal input start;
    signal output end;

    signal x[rounds + 1];
    signal square[rounds];
    signal fourth[rounds];
    signal sixth[rounds];
    x[0] <== start;
    for (var i = 0; i < rounds; i++) {
        square[i] <== (x[i] + i) * (x[i] + i);
        fourth[i] <== square[i] * square[i];
        sixth[i] <== fourth[i] * square[i];
        x[i + 1] <== sixth[i] * (x[i] + i);
    }
    end <== x[rounds];
}

component main = SeventhPowers(100);
