pragma circom 2.1.0;

include "sha256/sha256.circom";

// I know 64 bytes with this SHA-256 hash: two blocks. Bits, the most significant of each byte first.
template Sha256Preimage(bits) {
    signal input message[bits];
    signal output hash[256];

    component sha256 = Sha256(bits);
    sha256.in <== message;
    hash <== sha256.out;
}

component main = Sha256Preimage(512);
