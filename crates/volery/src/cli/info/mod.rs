//! `volery info`: what a statement is, and what a proof of it costs and is worth.

mod field;
mod many;
pub(crate) mod predict;
pub(crate) mod public;
mod ring;
mod speed;

use std::time::Duration;

use serde::Serialize;
use volery::public::Counts as PublicCounts;
use volery::{Options, Profile, Statement, builtin};
use volery_circuit::bristol::FileRing;
use volery_circuit::{BristolFile, Counter, Digest, Fold, Folded, Prove, Signature};
use volery_field::F2;
use volery_zk::quicksilver::Program;

use super::args::InfoArgs;
use super::failure::Failure;
use super::many::Many;
use super::output;
use super::over;
use super::settle::bit_soundness;
use super::statement::{BitStatement, open_circuit};
use field::FieldInfo;
use predict::Prediction;
use public::PublicCost;
use speed::Speed;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Info {
    statement: String,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
    secret_bits: u64,
    ands: u64,
    xors: u64,
    nots: u64,
    assertions: u64,
    /// Those among the assertions that are of polynomials, and the greatest degree of one.
    polynomials: u64,
    polynomial_degree: usize,
    /// The greatest number of ANDs on any path.
    depth: u32,
    parts: Vec<Part>,
    protocols: Vec<Cost>,
    public_proofs: Vec<PublicCost>,
}

#[derive(Debug, Serialize)]
struct Value {
    name: String,
    bits: u32,
    public: bool,
}

#[derive(Debug, Serialize)]
struct Part {
    path: String,
    entered: u64,
    ands: u64,
    xors: u64,
}

/// What one way of proving costs.
#[derive(Debug, Serialize)]
struct Cost {
    protocol: &'static str,
    profile: &'static str,
    correlations: u64,
    bytes_prover: u64,
    bytes_verifier: u64,
    round_trips: u64,
    /// Bytes of memory for what a check holds, where that grows with the branches.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_prover: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_verifier: Option<u64>,
    /// From a short run on this machine, both parties on it.
    seconds_estimated: f64,
    soundness_bits: f64,
    /// With `--fiat-shamir`, against each hash computation.
    soundness_bits_fiat_shamir: f64,
}

/// Runs the command.
pub(crate) fn run(args: &InfoArgs) -> Result<(), Failure> {
    if let Some(ring) = args.statement.ring {
        let info = ring::info(&args.statement, ring)?;
        return if args.json { output::json(&info) } else { output::result(&info.text()) };
    }
    if let Some(many) = Many::load(&args.statement)? {
        let counter = Counter::count(&many)?;
        // No public proof: a file would have to show the views of one circuit.
        let info = Info::new(many.text(), &many.signature(), &counter, true, None)?;
        let protocols = many::costs(&many, &counter.total(), &speed::measure()?);
        let info = Info { protocols, ..info };
        return if args.json { output::json(&info) } else { output::result(&info.text()) };
    }
    if let Some(statement) = over::load(&args.statement)? {
        let info = FieldInfo::new(&*statement)?;
        return if args.json { output::json(&info) } else { output::result(&info.text()) };
    }
    let info = bits(args)?;
    if args.json { output::json(&info) } else { output::result(&info.text()) }
}

/// Of a statement about bits.
fn bits(args: &InfoArgs) -> Result<Info, Failure> {
    // A circuit without a claim has no assertions yet, but everything else.
    if builtin::find(&args.statement.name).is_none() && args.statement.public.is_none() {
        let file = open_circuit(&args.statement)?;
        let text = "circuit file, nothing claimed about it yet".to_owned();
        let public = PublicCounts::of::<F2>(&Bare(&file))?;
        return Info::new(text, file.signature(), &Counter::count(&Bare(&file))?, true, Some(public));
    }
    let named = BitStatement::load(&args.statement)?;
    let public = PublicCounts::of::<F2>(&named)?;
    Info::new(named.text(), &named.signature(), &named.count()?, named.announced(), Some(public))
}

/// A circuit file with all inputs secret and all outputs open.
struct Bare<'a, R: FileRing>(&'a BristolFile<R>);

impl<R: FileRing, B: Prove<R>> Statement<B> for Bare<'_, R> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"circuit file without a claim").bytes("file", &self.0.hash());
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let wires = self.0.header().inputs.iter().map(|width| *width as usize).sum();
        let inputs = backend.secret(wires, &mut |_| Ok(vec![R::ZERO; wires]))?;
        if self.0.tally().constant > 0 {
            let inputs = inputs.into_iter().map(Folded::Wire).collect();
            return self.0.compute(&mut Fold::new(backend), inputs).map(drop);
        }
        self.0.compute(backend, inputs).map(drop)
    }
}

impl Info {
    fn new(
        statement: String,
        signature: &Signature,
        counter: &Counter<F2>,
        announced: bool,
        public: Option<PublicCounts>,
    ) -> Result<Self, Failure> {
        let total = counter.total();
        let program = Program::from(&total);
        let speed = speed::measure()?;
        let cost = |profile: Profile| {
            let options = Options { profile, ..Options::default() };
            let hashed = Options { fiat_shamir: true, ..options };
            let predicted = Prediction::bits(&options, &total, announced);
            Cost {
                protocol: "quicksilver",
                profile: profile.name(),
                correlations: predicted.correlations,
                bytes_prover: predicted.bytes_prover,
                bytes_verifier: predicted.bytes_verifier,
                round_trips: predicted.round_trips,
                memory_prover: None,
                memory_verifier: None,
                seconds_estimated: speed.seconds(predicted.correlations),
                soundness_bits: bit_soundness(&options, program),
                soundness_bits_fiat_shamir: bit_soundness(&hashed, program),
            }
        };
        let part = |part: volery_circuit::PartCounts| Part {
            path: part.path,
            entered: part.entered,
            ands: part.counts.multiplications,
            xors: part.counts.additions,
        };
        let input = |input: &volery_circuit::Input| Value {
            name: input.name.clone(),
            bits: input.width,
            public: input.public,
        };
        let output = |output: &volery_circuit::Output| Value {
            name: output.name.clone(),
            bits: output.width,
            public: true,
        };
        Ok(Self {
            statement,
            inputs: signature.inputs.iter().map(input).collect(),
            outputs: signature.outputs.iter().map(output).collect(),
            secret_bits: total.inputs,
            ands: total.multiplications,
            xors: total.additions,
            nots: total.affine,
            assertions: total.assertions,
            polynomials: total.polynomials,
            polynomial_degree: total.degree,
            depth: counter.depth(),
            parts: counter.parts().into_iter().map(part).collect(),
            protocols: [Profile::Lan, Profile::Wan].map(cost).into(),
            public_proofs: public.map_or(Ok(Vec::new()), PublicCost::all::<F2>)?,
        })
    }

    fn text(&self) -> String {
        let mut lines = vec![self.statement.clone(), String::new()];
        let mut line = |name: &str, value: String| lines.push(format!("{name:<14}{value}"));
        for value in &self.inputs {
            let kind = if value.public { "public" } else { "secret" };
            line("input", format!("{}, {} bits, {kind}", value.name, output::count(value.bits.into())));
        }
        for value in &self.outputs {
            line("output", format!("{}, {} bits", value.name, output::count(value.bits.into())));
        }
        line("secret bits", output::count(self.secret_bits));
        line("ANDs", output::count(self.ands));
        line("XORs", output::count(self.xors));
        line("NOTs", output::count(self.nots));
        line("assertions", output::count(self.assertions));
        if self.polynomials > 0 {
            let polynomials = output::count(self.polynomials);
            line("polynomials", format!("{polynomials} of degree {} or less", self.polynomial_degree));
        }
        line("depth", format!("{} ANDs", output::count(self.depth.into())));
        lines.push(String::new());
        lines.extend(self.protocols.iter().map(Cost::text));
        lines.extend(self.public_proofs.iter().map(PublicCost::text));
        lines.join("\n")
    }
}

impl Cost {
    fn text(&self) -> String {
        let memory = match (self.memory_prover, self.memory_verifier) {
            (Some(prover), Some(verifier)) => {
                let [prover, verifier] = [prover, verifier].map(output::bytes);
                format!("; about {prover} of memory for the prover's checks, {verifier} for the verifier's")
            }
            _ => String::new(),
        };
        format!(
            "{} --profile {}: the prover sends {}, the verifier {}{memory}; about {} on this machine; soundness {:.0} bits \
             (--fiat-shamir: {:.0} against each hash computation)",
            self.protocol,
            self.profile,
            output::bytes(self.bytes_prover),
            output::bytes(self.bytes_verifier),
            output::time(Duration::from_secs_f64(self.seconds_estimated)),
            self.soundness_bits,
            self.soundness_bits_fiat_shamir
        )
    }
}
