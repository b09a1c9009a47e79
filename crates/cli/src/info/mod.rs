//! `volery info`: what a statement is, and what a proof of it costs and is worth.

mod cost;
mod field;
mod many;
pub(crate) mod public;
mod ring;
mod speed;

use rand_core::CryptoRng;
use serde::Serialize;
use volery::public::Counts as PublicCounts;
use volery::{Error, Options, Profile, Prover, Report, Statement, builtin, system};
use volery_circuit::bristol::FileRing;
use volery_circuit::{BristolFile, Counter, Digest, Fold, Folded, Prove, Signature};
use volery_field::F2;

use super::args::InfoArgs;
use super::failure::Failure;
use super::many::Many;
use super::output;
use super::over;
use super::session::{Wire, rehearse};
use super::statement::{BitStatement, open_circuit};
use cost::{Cost, Way};
use field::FieldInfo;
use public::PublicCost;
use speed::Bits;

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

/// Runs the command.
pub(crate) fn run(args: &InfoArgs) -> Result<(), Failure> {
    if let Some(ring) = args.statement.ring {
        let info = ring::info(&args.statement, ring)?;
        return if args.json { output::json(&info) } else { output::result(&info.text()) };
    }
    if let Some(many) = Many::load(&args.statement)? {
        let counter = Counter::count(&many)?;
        let protocols = many::costs(&many)?;
        // No public proof: a file would have to show the views of one circuit.
        let info = Info::new(many.text(), &many.signature(), &counter, protocols, None)?;
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
        let bare = Bare(&file);
        let counter = Counter::count(&bare)?;
        let costs = costs(&|prover, rng| prover.prove(system::Bits, &bare, rng))?;
        return Info::new(text, file.signature(), &counter, costs, Some(PublicCounts::of(&counter.total())?));
    }
    let named = BitStatement::load(&args.statement)?;
    let counter = named.count()?;
    let public = PublicCounts::of(&counter.total())?;
    let costs = costs(&|prover, rng| prover.prove(system::Bits, &named, rng))?;
    Info::new(named.text(), &named.signature(), &counter, costs, Some(public))
}

/// How a statement about bits is proved, but for who talks to whom.
type Proving<'a> = &'a dyn Fn(&mut Prover<Wire>, &mut dyn CryptoRng) -> Result<Report, Error>;

/// QuickSilver on each kind of network.
fn costs(prove: Proving<'_>) -> Result<Vec<Cost>, Failure> {
    let cost = |profile: Profile| {
        let options = Options { profile, ..Options::default() };
        let way = Way { protocol: "quicksilver", options, memory: None, stands_hashes: true };
        Cost::new(&way, &rehearse(options, prove)?, &Bits)
    };
    [Profile::Lan, Profile::Wan].into_iter().map(cost).collect()
}

/// A circuit file with all inputs secret and all outputs open.
struct Bare<'a, R: FileRing>(&'a BristolFile<R>);

impl<R: FileRing, B: Prove<R>> Statement<B> for Bare<'_, R> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"circuit file without a claim").bytes("file", &self.0.hash());
    }

    fn commitments(&self) -> Option<u64> {
        // As a claim about it would.
        self.0
            .header()
            .inputs
            .iter()
            .try_fold(self.0.tally().mul, |sum, width| sum.checked_add(u64::from(*width)))
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
        protocols: Vec<Cost>,
        public: Option<PublicCounts>,
    ) -> Result<Self, Failure> {
        let total = counter.total();
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
            protocols,
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
