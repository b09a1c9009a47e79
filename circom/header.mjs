// The header of a .r1cs file: sections of (kind u32, length u64, bytes) after 12 bytes; kind 1 holds the
// counts.
import { readFileSync } from "node:fs";

const CURVES = {
    "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001": "bn128",
    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001": "bls12381",
};

/** Curve (as snarkjs calls it, else the prime in hex), number of constraints, and number of public values: outputs and public inputs. */
export function readHeader(path) {
    const file = readFileSync(path);
    for (let at = 12; at < file.length; ) {
        const kind = file.readUInt32LE(at);
        const start = at + 12;
        if (kind === 1) {
            const counts = start + 4 + file.readUInt32LE(start);
            const prime = Buffer.from(file.subarray(start + 4, counts)).reverse().toString("hex");
            return {
                curve: CURVES[prime] ?? prime,
                publicValues: file.readUInt32LE(counts + 4) + file.readUInt32LE(counts + 8),
                constraints: file.readUInt32LE(counts + 24),
            };
        }
        at = start + Number(file.readBigUInt64LE(at + 4));
    }
    throw new Error(`${path}: no header`);
}
