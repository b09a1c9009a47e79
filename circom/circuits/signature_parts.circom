pragma circom 2.1.0;

include "babyjub.circom";
include "poseidon.circom";

// Nothing is proved about this one: its witness holds what a signature for eddsa_signature.circom is made of.
template SignatureParts() {
    signal input secretKey;
    signal input nonce;
    signal input message;
    signal output publicKey[2];
    signal output R8[2];
    signal output challenge;

    component key = BabyPbk();
    key.in <== secretKey;
    publicKey[0] <== key.Ax;
    publicKey[1] <== key.Ay;

    component commitment = BabyPbk();
    commitment.in <== nonce;
    R8[0] <== commitment.Ax;
    R8[1] <== commitment.Ay;

    component hash = Poseidon(5);
    hash.inputs[0] <== R8[0];
    hash.inputs[1] <== R8[1];
    hash.inputs[2] <== publicKey[0];
    hash.inputs[3] <== publicKey[1];
    hash.inputs[4] <== message;
    challenge <== hash.out;
}

component main = SignatureParts();
