//! `volery demo`: the first thing to run.
//!
//! Both parties run in this process, each on its own thread, over a real loopback connection: an honest
//! proof, a larger one for the speed, and two provers that cheat ([`cheat`]) and that the usual verifier
//! catches. Then comes a proof about numbers ([`model`]), and another cheat. `volery demo web` ([`web`])
//! starts a website to try `volery web prove` on. `volery demo browser` ([`browser`]) serves a page in which
//! a web browser proves, also what that website says.

mod browser;
mod cheat;
mod model;
mod web;

use std::net::Ipv4Addr;
use std::time::Duration;

use rand_core::{CryptoRng, Rng as _};
use serde::Serialize;
use sha2::Digest as _;
use volery::statements::{Sha256Chain, Sha256Preimage};
use volery::{
    Address, Channel, Limits, Listener, Options, Prover, Statement, Verifier, Zeroizing, connect, os_rng,
    system,
};
use volery_channel::{Framed, Layered};
use volery_circuit::Evaluator;
use volery_field::F2;
use volery_statement::system::Done;
use volery_statement::{Watch, Wire};
use volery_zk::quicksilver;

use super::args::{DemoAct, DemoArgs};
use super::failure::Failure;
use super::outcome::{self, Good};
use super::session::{self, Figures};
use super::{output, terminal};
use cheat::{Flip, Impostor};

/// Blocks of SHA-256 in the proof that shows the speed.
const BLOCKS: u64 = 400;

/// All results, as `--json` prints them.
#[derive(Debug, Serialize)]
struct DemoReport {
    claim: String,
    honest: Figures,
    large: Figures,
    cheats: Vec<Caught>,
    /// The proof about numbers.
    numbers: DemoPart,
}

/// One part of the demo: a claim, an honest proof of it, and the cheats.
#[derive(Debug, Serialize)]
struct DemoPart {
    claim: String,
    honest: Figures,
    cheats: Vec<Caught>,
}

/// A prover that was rejected.
#[derive(Debug, Serialize)]
struct Caught {
    what: &'static str,
    reason: String,
}

/// Runs the command.
pub(crate) fn run(args: &DemoArgs) -> Result<(), Failure> {
    match &args.act {
        Some(DemoAct::Web(args)) => web::run(args),
        Some(DemoAct::Browser(args)) => browser::run(args),
        None => tour(args),
    }
}

fn tour(args: &DemoArgs) -> Result<(), Failure> {
    let say = |text: &str| if args.json { Ok(()) } else { output::result(text) };
    let length = u64::from(args.length);
    let message = random(args.length)?;
    let digest: [u8; 32] = sha2::Sha256::digest(&*message).into();
    let claim =
        format!("I know {} whose SHA-256 digest is {}", output::counted(length, "byte"), hex(&digest));

    say(&introduction(&claim))?;
    let public = Sha256Preimage::new(digest, length)?;
    let secret = Sha256Preimage::new(digest, length)?.with_message(message)?;
    let honest = accepted(meet_bits(&secret, &public, |channel| channel)?)?;
    say(&honest_text(&honest))?;

    let chain = Sha256Chain::new(BLOCKS)?;
    let large = accepted(meet_bits(&chain, &chain, |channel| channel)?)?;
    say(&large_text(&large))?;

    say("\n3. Two provers that cheat")?;
    let other = random(args.length)?;
    let claimed = Sha256Preimage::new(digest, length)?;
    let known = Sha256Preimage::new(sha2::Sha256::digest(&*other).into(), length)?.with_message(other)?;
    let impostor = Impostor { claimed: &claimed, known: &known };
    let first = Caught {
        what: "knows another message, and proves the digest of that one instead",
        reason: rejected(meet_bits(&impostor, &public, |channel| channel)?)?,
    };
    say(&first.text())?;
    let second = Caught {
        what: "knows the message, but flips the output of one AND gate",
        reason: rejected(meet_bits(&secret, &public, |channel| {
            Box::new(Layered { channel, layer: Flip::at(8 * length) })
        })?)?,
    };
    say(&second.text())?;
    say(
        "   A false claim is accepted with a probability below one in 2^100, and one in 2^127 more for each guess of\n   the verifier's key that a prover can compute while they talk.",
    )?;

    let numbers = model::run(&say)?;
    say("\nNext: volery help prove, volery bench, volery demo web")?;
    if args.json {
        outcome::json(Good::Done, &DemoReport { claim, honest, large, cheats: vec![first, second], numbers })
    } else {
        Ok(())
    }
}

fn introduction(claim: &str) -> String {
    format!(
        "Volery: proofs about secret data, without showing it\n\n\
         The claim       {claim}\n\
         The prover      has the message, drawn at random a moment ago\n\
         The verifier    has only the claim\n\
         They talk       over TCP on this machine, each on its own thread\n\n\
         1. An honest prover"
    )
}

fn honest_text(figures: &Figures) -> String {
    format!(
        "   verdict      ACCEPTED\n{}\n{}\n\
         \x20  learned      the verifier: that the prover knows such a message, and nothing else about it\n\
         \x20               the prover: that the verifier is convinced, and nothing else",
        speed(figures),
        table(figures)
    )
}

fn large_text(figures: &Figures) -> String {
    format!(
        "\n2. The same with {BLOCKS} blocks of SHA-256, to see the speed\n\
         \x20  verdict      ACCEPTED\n{}\n{}",
        speed(figures),
        table(figures)
    )
}

/// The figures of a session, as the verifier sees them.
fn table(figures: &Figures) -> String {
    let (set_up, proof) =
        (Duration::from_secs_f64(figures.seconds_setup), Duration::from_secs_f64(figures.seconds));
    format!(
        "   time         {} ({} set-up, {} proof)\n\
         \x20  prover sent  {}\n\
         \x20  verifier     sent {}\n\
         \x20  waits        the verifier waited {} for the prover",
        output::time(set_up + proof),
        output::time(set_up),
        output::time(proof),
        output::bytes(figures.bytes_received),
        output::bytes(figures.bytes_sent),
        output::counted(figures.waits, "time"),
    )
}

/// The speed in AND gates a second.
fn speed(figures: &Figures) -> String {
    format!(
        "   speed        {} AND gates a second ({} gates; XORs are free)",
        output::rate(figures.multiplications_per_second.unwrap_or_default()),
        output::count(figures.multiplications.unwrap_or_default()),
    )
}

impl Caught {
    fn text(&self) -> String {
        format!("   The prover   {}\n   verdict      REJECTED: {}", self.what, self.reason)
    }
}

/// Runs one session of two threads over loopback, and returns the verifier's result. `wrap` may tamper with
/// the prover's channel.
fn meet(
    prove: impl FnOnce(&mut Prover<Wire>, &mut dyn CryptoRng) -> Done + Send,
    verify: impl FnOnce(&mut Verifier<Wire>, &mut dyn CryptoRng) -> Done,
    wrap: impl FnOnce(Box<dyn Channel + Send>) -> Box<dyn Channel + Send> + Send,
) -> Result<Result<Figures, Failure>, Failure> {
    let (limits, options) = (Limits::default(), Options::default());
    // Nobody watches these proofs, so it makes no difference how long a value is.
    let wire = |channel| Watch::none().wire(channel, 1);
    let listener = Listener::bind(&Address::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port: 0 })?;
    let address = listener.address()?;
    terminal::during("proving and verifying", || {
        std::thread::scope(|scope| {
            let proving = scope.spawn(|| -> Result<Figures, Failure> {
                let channel = wrap(Box::new(connect(&address, &limits)?));
                session::prover(wire(channel), options, prove)
            });
            let socket = listener.accept(Some(limits.connect))?;
            let socket = socket.ok_or_else(|| Failure::session("the prover did not connect"))?;
            let channel = Box::new(Framed::new(socket, limits.clone()));
            let verdict = session::verifier(wire(channel), options, verify);
            let proved = proving.join().map_err(|_| Failure::session("internal error"))?;
            match (verdict, proved) {
                // Both parties have the same verdict. Anything else is a failure of the demo itself.
                // The prover alone knows its round trips.
                (Ok(verified), Ok(Figures { round_trips, .. })) => {
                    Ok(Ok(Figures { round_trips, ..verified }))
                }
                (Err(verdict @ Failure::Rejected(_)), Err(Failure::Rejected(_))) => Ok(Err(verdict)),
                (_, Err(failure)) | (Err(failure), Ok(_)) => Err(failure),
            }
        })
    })
}

/// Runs a session about bits.
fn meet_bits<P, V>(
    prover: &P,
    verifier: &V,
    wrap: impl FnOnce(Box<dyn Channel + Send>) -> Box<dyn Channel + Send> + Send,
) -> Result<Result<Figures, Failure>, Failure>
where
    P: for<'a> Statement<quicksilver::bits::Prover<'a>> + Statement<Evaluator<F2>>,
    V: for<'a> Statement<quicksilver::bits::Verifier<'a>>,
{
    meet(
        |session, rng| Ok(session.prove(system::Bits, prover, rng)?.into()),
        |session, rng| Ok(session.verify(system::Bits, verifier, rng)?.into()),
        wrap,
    )
}

fn accepted(verdict: Result<Figures, Failure>) -> Result<Figures, Failure> {
    verdict.map_err(|failure| Failure::session(format!("the honest proof was not accepted: {failure}")))
}

fn rejected(verdict: Result<Figures, Failure>) -> Result<String, Failure> {
    match verdict {
        Err(Failure::Rejected(reason)) => Ok(reason),
        Err(failure) => Err(failure),
        Ok(_) => Err(Failure::session("A FALSE CLAIM WAS ACCEPTED: do not use this build")),
    }
}

/// Random bytes that are wiped after use.
fn random(length: u32) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let mut bytes = Zeroizing::new(vec![0; length as usize]);
    os_rng()?.fill_bytes(&mut bytes);
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
