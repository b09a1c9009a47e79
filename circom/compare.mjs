// Measures what circom/compare is about; runs in the folder that circom/prepare filled.
//
//   node compare.mjs VOLERY RUNS NAME...
//
// snarkjs: `groth16 prove` from start to end of its process. volery: from the start of the prover's process,
// reading of files and its own check of the witness included, to the end of both processes; the verifier is
// listening when it starts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

import { readHeader } from "./header.mjs";

const [volery, runs, ...given] = process.argv.slice(2);
const headers = new Map(given.map((name) => [name, readHeader(join(name, "circuit.r1cs"))]));
// snarkjs knows no other curves.
const names = given.filter((name) => ["bn128", "bls12381"].includes(headers.get(name).curve));
const SNARKJS = "snarkjs/node_modules/snarkjs/cli.js";

/** A process: what it said, and how its peak memory grew. The kernel's mark never falls, so the last reading counts. */
class Watched {
    constructor(command, args) {
        this.what = `${command} ${args.join(" ")}`;
        this.output = "";
        this.megabytes = 0;
        this.child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
        for (const stream of [this.child.stdout, this.child.stderr]) {
            stream.on("data", (data) => (this.output += data));
        }
        const timer = setInterval(() => this.#look(), 5);
        this.ended = once(this.child, "close").then(([code]) => {
            clearInterval(timer);
            if (code !== 0) throw new Error(`${this.what}: exit code ${code}\n${this.output}`);
            return performance.now();
        });
    }

    #look() {
        try {
            const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
            const peak = /^VmHWM:\s*(\d+) kB/m.exec(status);
            if (peak) this.megabytes = Number(peak[1]) / 1024;
        } catch {
            // It has ended.
        }
    }

    /** Resolves to what the pattern captures in the output. */
    async says(pattern) {
        let match;
        while (!(match = pattern.exec(this.output))) {
            await Promise.race([once(this.child.stderr, "data"), this.ended.then(() => Promise.reject(this.output))]);
        }
        return match[1];
    }
}

const snarkjs = (...args) => new Watched(process.execPath, [SNARKJS, ...args]);

/** Makes `file` with what `make` runs on it, unless it is there and newer than `source`. */
async function cached(file, source, make) {
    if (existsSync(file) && (!source || statSync(file).mtimeMs > statSync(source).mtimeMs)) return;
    process.stderr.write(`making ${file}\n`);
    await make(`${file}.part`);
    renameSync(`${file}.part`, file);
}

/** A powers-of-tau file with one contribution, so that its points are as random as those of a ceremony. */
async function powersOfTau(curve, power) {
    const file = `snarkjs/${curve}-${power}.ptau`;
    const [fresh, contributed] = ["snarkjs/fresh.ptau", "snarkjs/contributed.ptau"];
    await cached(file, null, async (part) => {
        await snarkjs("powersoftau", "new", curve, String(power), fresh).ended;
        await snarkjs("powersoftau", "contribute", fresh, contributed, "--name=comparison", "-e=for measurements only").ended;
        await snarkjs("powersoftau", "prepare", "phase2", contributed, part).ended;
    });
    return file;
}

/** What is large enough for all these circuits; one file for each curve, because making it takes longest. */
function powerFor(headers) {
    const most = Math.max(...headers.map(({ constraints, publicValues }) => constraints + publicValues + 1));
    return Math.max(8, Math.ceil(Math.log2(most)));
}

async function groth16Key(name, { curve }) {
    const circuit = join(name, "circuit.r1cs");
    const key = join(name, "groth16.zkey");
    await cached(key, circuit, async (part) => {
        const tau = await powersOfTau(curve, powerFor([...headers.values()].filter((header) => header.curve === curve)));
        await snarkjs("groth16", "setup", circuit, tau, part).ended;
    });
    await cached(join(name, "groth16.json"), key, (part) => snarkjs("zkey", "export", "verificationkey", key, part).ended);
}

async function groth16(name) {
    const [proof, known] = [join(name, "groth16-proof.json"), join(name, "groth16-public.json")];
    const start = performance.now();
    const prover = snarkjs("groth16", "prove", join(name, "groth16.zkey"), join(name, "witness.wtns"), proof, known);
    const seconds = ((await prover.ended) - start) / 1000;
    await snarkjs("groth16", "verify", join(name, "groth16.json"), known, proof).ended;
    return { seconds, megabytes: prover.megabytes };
}

async function session(name) {
    const circuit = join(name, "circuit.r1cs");
    const known = ["--public", join(name, "public.json")];
    const verifier = new Watched(volery, ["verify", circuit, ...known, "--listen", "127.0.0.1:0"]);
    const address = await verifier.says(/^listening at (.*)$/m);
    const start = performance.now();
    const witness = ["--witness", join(name, "witness.wtns")];
    const prover = new Watched(volery, ["prove", circuit, ...known, ...witness, "--connect", address, "--json"]);
    const ends = await Promise.all([prover.ended, verifier.ended]);
    const told = JSON.parse(/^\{.*\}$/m.exec(prover.output)[0]);
    return {
        seconds: (Math.max(...ends) - start) / 1000,
        connected: told.seconds_setup + told.seconds,
        sent: (told.bytes_sent + told.bytes_received) / 1e6,
        prover: prover.megabytes,
        verifier: verifier.megabytes,
    };
}

/** The median of each figure. */
function medians(results) {
    const middle = (key) => results.map((result) => result[key]).sort((a, b) => a - b)[results.length >> 1];
    return Object.fromEntries(Object.keys(results[0]).map((key) => [key, middle(key)]));
}

async function measure(name) {
    const header = headers.get(name);
    const results = { groth16: [], session: [] };
    for (let run = 0; run < Number(runs); run++) {
        results.groth16.push(await groth16(name));
        results.session.push(await session(name));
    }
    const [theirs, ours] = [medians(results.groth16), medians(results.session)];
    const cells = [
        name,
        header.constraints.toLocaleString("en"),
        theirs.seconds.toFixed(2),
        theirs.megabytes.toFixed(0),
        ours.seconds.toFixed(2),
        ours.connected.toFixed(2),
        ours.sent.toFixed(2),
        `${ours.prover.toFixed(0)} / ${ours.verifier.toFixed(0)}`,
        (theirs.seconds / ours.seconds).toFixed(1),
    ];
    return `| ${cells.join(" | ")} |`;
}

const version = JSON.parse(readFileSync("snarkjs/node_modules/snarkjs/package.json", "utf8")).version;
console.log(`snarkjs ${version} (all ${cpus().length} cores), volery (one thread a party); ${cpus()[0].model}; medians of ${runs}\n`);
console.log("| circuit | constraints | snarkjs, s | MB resident | volery, s | of it from connect to verdict | MB sent, both | MB resident, prover / verifier | snarkjs / volery |");
console.log("|---|---|---|---|---|---|---|---|---|");
for (const name of names) {
    await groth16Key(name, headers.get(name));
}
for (const name of names) {
    console.log(await measure(name));
}
// snarkjs leaves nothing behind; this ends timers of streams.
process.exit(0);
