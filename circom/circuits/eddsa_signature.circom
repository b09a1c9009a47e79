pragma circom 2.1.0;

include "eddsaposeidon.circom";

// I know a signature of this message under this public key.
template Signed() {
    signal input publicKey[2];
    signal input message;
    signal input R8[2];
    signal input S;

    component verifier = EdDSAPoseidonVerifier();
    verifier.enabled <== 1;
    verifier.Ax <== publicKey[0];
    verifier.Ay <== publicKey[1];
    verifier.M <== message;
    verifier.R8x <== R8[0];
    verifier.R8y <== R8[1];
    verifier.S <== S;
}

component main {public [publicKey, message]} = Signed();
