pragma circom 2.1.0;

include "babyjub.circom";

// I know the secret key of this public key: a multiplication of Baby Jubjub's base point.
template KeyPair() {
    signal input secretKey;
    signal output publicKey[2];

    component key = BabyPbk();
    key.in <== secretKey;
    publicKey[0] <== key.Ax;
    publicKey[1] <== key.Ay;
}

component main = KeyPair();
