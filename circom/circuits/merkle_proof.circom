pragma circom 2.1.0;

include "poseidon.circom";
include "switcher.circom";

// I know a leaf of the tree with this root, and its path.
template MerkleProof(depth) {
    signal input leaf;
    signal input siblings[depth];
    // 1 where the path comes from the right.
    signal input right[depth];
    signal output root;

    component order[depth];
    component hash[depth];
    for (var i = 0; i < depth; i++) {
        right[i] * (right[i] - 1) === 0;
        order[i] = Switcher();
        order[i].sel <== right[i];
        order[i].L <== i == 0 ? leaf : hash[i - 1].out;
        order[i].R <== siblings[i];
        hash[i] = Poseidon(2);
        hash[i].inputs[0] <== order[i].outL;
        hash[i].inputs[1] <== order[i].outR;
    }
    root <== hash[depth - 1].out;
}

component main = MerkleProof(20);
