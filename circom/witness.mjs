// Computes witnesses with the code that circom generated, and writes for each circuit
//
//   witness.wtns, public.json    a valid witness and its public values, as snarkjs writes them
//   changed.wtns, changed.json   the same with the last private value, or the first public one, changed by one
//
//   node witness.mjs FOLDER NAME...       FOLDER/NAME holds circuit.r1cs, circuit.wasm and calculator.cjs
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { readHeader } from "./header.mjs";

const load = createRequire(import.meta.url);
const [folder, ...names] = process.argv.slice(2);

// The order of Baby Jubjub's base point, which signatures are numbers modulo.
const ORDER = 2736030358979909402780800718157159386076813972158567259200215660948447373041n;
const SECRET_KEY = 1234567890123456789012345678901234567890123456789012345678901234567890123456n % ORDER;
const MESSAGE = Buffer.from("sixty-four bytes, that is two blocks of SHA-256 with the padding");

/** Bits of bytes, the most significant of each first. */
const bits = (bytes) => [...bytes].flatMap((byte) => [...byte.toString(2).padStart(8, "0")].map(Number));

/** What is raised to seventh powers over the Goldilocks field. */
const START = 1234567890123456789n;
const GOLDILOCKS = 2n ** 64n - 2n ** 32n + 1n;

/** The inputs of each circuit; those that take a computation are functions. */
const INPUTS = {
    "at-least": { threshold: 1_000_000, balance: 2n ** 63n + 5n },
    "at-least-bls12-381": { threshold: 1_000_000, balance: 1_000_000 },
    "at-least-bls12-377": { threshold: 1, balance: 2n ** 64n - 1n },
    "at-least-pallas": { threshold: 1_000_000, balance: 1_000_001 },
    "at-least-vesta": { threshold: 0, balance: 0 },
    "at-least-grumpkin": { threshold: 2n ** 63n, balance: 2n ** 63n },
    "at-least-p256": { threshold: 2n ** 64n - 1n, balance: 2n ** 64n - 1n },
    "seventh-powers": { start: START },
    "mimc-preimage": { numbers: [31415926535n, 2718281828n] },
    "key-pair": { secretKey: SECRET_KEY },
    "eddsa-signature": sign,
    "merkle-proof": {
        leaf: 42,
        siblings: Array.from({ length: 20 }, (_, level) => 1000003n ** BigInt(level + 1)),
        right: Array.from({ length: 20 }, (_, level) => (level * 7 + 3) % 5 % 2),
    },
    "poseidon-chain": { start: 2024 },
    "sha256-preimage": { message: bits(MESSAGE) },
};

/** What other software, or integers, say that public values are. */
const KNOWN = {
    "seventh-powers": [
        Array.from({ length: 100 }, (_, round) => BigInt(round)).reduce((x, round) => (x + round) ** 7n % GOLDILOCKS, START),
    ],
    "sha256-preimage": bits(createHash("sha256").update(MESSAGE).digest()).map(BigInt),
};

/** R8 = r B and S = r + 8 h s for the secret key s, a nonce r and h = Poseidon(R8, A, M). */
async function sign() {
    const message = 20241121;
    const nonce = 987654321098765432109876543210987654321098765432109876543210n;
    const { values } = await calculate("signature-parts", { secretKey: SECRET_KEY, nonce, message });
    const [Ax, Ay, Rx, Ry, challenge] = values.slice(1);
    return { publicKey: [Ax, Ay], message, R8: [Rx, Ry], S: (nonce + 8n * challenge * SECRET_KEY) % ORDER };
}

/** Runs the generated code: the witness as numbers and as a .wtns file, where its values are the last thing. */
async function calculate(name, inputs) {
    const build = load(join(folder, name, "calculator.cjs"));
    const calculator = await build(readFileSync(join(folder, name, "circuit.wasm")));
    const file = Buffer.from(await calculator.calculateWTNSBin(inputs, 0));
    const width = calculator.n32 * 4;
    const start = file.length - calculator.witnessSize * width;
    const values = Array.from({ length: calculator.witnessSize }, (_, index) => {
        const bytes = file.subarray(start + index * width, start + (index + 1) * width);
        return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
    });
    return { file, values, start, width };
}

function writePublic(name, file, values) {
    writeFileSync(join(folder, name, file), `${JSON.stringify(values.map(String), null, 1)}\n`);
}

async function write(name) {
    const inputs = INPUTS[name];
    const { file, values, start, width } = await calculate(name, typeof inputs === "function" ? await inputs() : inputs);
    const { publicValues } = readHeader(join(folder, name, "circuit.r1cs"));
    const known = values.slice(1, 1 + publicValues);
    if (KNOWN[name] && KNOWN[name].join() !== known.join()) {
        throw new Error(`${name}: the public values are not what they must be`);
    }
    writeFileSync(join(folder, name, "witness.wtns"), file);
    writePublic(name, "public.json", known);
    writePublic(name, "changed.json", [known[0] + 1n, ...known.slice(1)]);
    // The compiler keeps no value that is in no constraint.
    const last = start + (values.length - 1) * width;
    file.writeUInt8(file.readUInt8(last) ^ 1, last);
    writeFileSync(join(folder, name, "changed.wtns"), file);
}

for (const name of names) {
    await write(name);
}
