// Runs the contracts in a virtual machine: an attestation that Volery signed is taken, and each change of it
// refused.
//
//   node test.mjs FOLDER_OF_CONTRACTS TYPED_DATA.json
//
// The typed data is what `volery attestation typed-data` prints. Digest and signer are computed by three
// programs that share no code: Volery, ethers, and the contract.

import { createEVM } from "@ethereumjs/evm";
import { createAddressFromString, hexToBytes, bytesToHex } from "@ethereumjs/util";
import { Interface, Signature, TypedDataEncoder, getCreateAddress, recoverAddress } from "ethers";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const solc = createRequire(import.meta.url)("solc");
const [folder, file] = process.argv.slice(2);
// The attestation's context has this account, its first contract, and chain 1.
const ACCOUNT = "0x1111111111111111111111111111111111111111";
const OTHER = "0x2222222222222222222222222222222222222222";

const { types, domain, message, signature, signer } = JSON.parse(readFileSync(file, "utf8"));
const { EIP712Domain, ...structs } = types;
assert.deepEqual(EIP712Domain, [{ name: "name", type: "string" }, { name: "version", type: "string" }]);
const digest = TypedDataEncoder.hash(domain, structs, message);
assert.equal(recoverAddress(digest, signature).toLowerCase(), signer);

function compile() {
    const names = ["VoleryAttestation.sol", "BalanceGate.sol"];
    const sources = Object.fromEntries(names.map((name) => [name, { content: readFileSync(`${folder}/${name}`, "utf8") }]));
    const settings = {
        optimizer: { enabled: true, runs: 200 },
        outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    };
    const out = JSON.parse(solc.compile(JSON.stringify({ language: "Solidity", sources, settings })));
    assert.deepEqual(out.errors ?? [], []);
    return out.contracts["BalanceGate.sol"].BalanceGate;
}

const { abi, evm: { bytecode } } = compile();
const gate = new Interface(abi);
const evm = await createEVM();
const address = (text) => createAddressFromString(text);

/** What a call returns, or the rule that it breaks. */
async function call(caller, to, data, timestamp) {
    const header = {
        number: 1n, timestamp, coinbase: address(OTHER), difficulty: 0n, prevRandao: new Uint8Array(32),
        gasLimit: 30_000_000n, baseFeePerGas: 0n, getBlobGasPrice: () => 1n,
    };
    const { createdAddress, execResult } = await evm.runCall({
        caller: address(caller), to: to && address(to), data: hexToBytes(data), gasLimit: 10_000_000n, block: { header },
    });
    const { exceptionError, returnValue, executionGasUsed } = execResult;
    if (exceptionError === undefined) return { createdAddress, returned: bytesToHex(returnValue), gas: executionGasUsed };
    const error = returnValue.length > 0 && gate.parseError(bytesToHex(returnValue));
    return { broken: error ? error.args.rule : exceptionError.error };
}

const deployed = await call(ACCOUNT, undefined, `0x${bytecode.object}${gate.encodeDeploy([signer]).slice(2)}`, 0n);
const gateAddress = deployed.createdAddress.toString();
assert.equal(gateAddress, getCreateAddress({ from: ACCOUNT, nonce: 0 }).toLowerCase());

const time = BigInt(message.time);
const show = ({ told = message, signed = signature, caller = ACCOUNT, at = time + 60n } = {}) =>
    call(caller, gateAddress, gate.encodeFunctionData("show", [told, signed]), at);
const shownAt = async (account) => {
    const { returned } = await call(OTHER, gateAddress, gate.encodeFunctionData("shownAt", [account]), time);
    return BigInt(returned);
};
let refused = 0;
async function refuse(rule, change) {
    const { broken } = await show(change);
    assert.equal(broken, rule, JSON.stringify(change, (_, value) => (typeof value === "bigint" ? `${value}` : value)));
    refused += 1;
}

// Every member, and every text and list within, changed.
const changed = [];
for (const { name, type } of types.Attestation) {
    const value = message[name];
    if (type === "bool") changed.push({ [name]: !value });
    else if (type.startsWith("uint")) changed.push({ [name]: value + 1 });
    else if (type === "string") changed.push({ [name]: `${value}x` });
    else if (type === "bytes") changed.push({ [name]: `${value}00` });
    else if (type === "bytes32") changed.push({ [name]: `0x${"00".repeat(32)}` });
    else if (type === "string[]") changed.push({ [name]: [...value, "X-Original-URL"] });
    else {
        const inner = types[type.replace("[]", "")];
        assert.ok(value.length > 0, `the attestation has ${name}`);
        changed.push({ [name]: value.slice(1) }, { [name]: [...value, value[0]] });
        for (const { name: part } of inner) {
            changed.push({ [name]: value.map((one, at) => (at === 0 ? { ...one, [part]: `${one[part]}x` } : one)) });
        }
    }
}
for (const change of changed) await refuse("signer", { told: { ...message, ...change } });

// Another encoding of the signature, and none.
const { r, s, v } = Signature.from(signature);
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const word = (number) => number.toString(16).padStart(64, "0");
const high = `0x${r.slice(2)}${word(order - BigInt(s))}${(55 - v).toString(16)}`;
for (const signed of [high, `${signature.slice(0, -2)}00`, `${signature.slice(0, -2)}1d`, `${signature}00`, signature.slice(0, -2), "0x",
    `0x${"00".repeat(65)}`, `0x${"00".repeat(64)}1b`]) {
    await refuse("signer", { signed });
}

// For somebody else, too late, too early.
await refuse("context", { caller: OTHER });
await refuse("time", { at: time + 3601n });
await refuse("time", { at: time - 301n });
assert.equal(await shownAt(ACCOUNT), 0n);

const { broken, gas } = await show();
assert.equal(broken, undefined);
assert.equal(await shownAt(ACCOUNT), time);
assert.equal(await shownAt(OTHER), 0n);

// A contract with another notary.
const strange = await call(OTHER, undefined, `0x${bytecode.object}${gate.encodeDeploy([OTHER]).slice(2)}`, 0n);
const other = await call(ACCOUNT, strange.createdAddress.toString(), gate.encodeFunctionData("show", [message, signature]), time);
assert.equal(other.broken, "signer");

console.log(`digest ${digest}: taken for ${gas} gas, and ${refused + 1} changes refused`);
