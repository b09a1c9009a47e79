//! An attacker on the way of a web proof in TLS 1.3: between the website and whoever connects to it, and
//! between prover and notary. It flips, drops, repeats, cuts and holds back bytes at random places, in both
//! directions.
//!
//! Whatever it does, the program ends with 0 or 3, nobody panics, and what is attested is what the website
//! said. The website's certificate and the notary's key are right, so a changed byte that anybody reads ends
//! the proof. (Nobody has to read the last bytes of a connection.)

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

use crate::faults::{End, Fault, Kind, Outcome};
use crate::fixture::{FIELDS, Fixture, page};
use crate::site::site;
use crate::support::*;

/// To the listener, and back.
const DIRECTIONS: [usize; 2] = [0, 1];

/// What happens on a leg in one run, over all of its connections.
#[derive(Default)]
struct Traffic {
    fault: Option<(usize, Fault)>,
    /// The bytes sent in each direction.
    sent: [usize; 2],
}

/// A way to a listener that passes bytes on, with at most one fault in a run.
struct Leg {
    port: u16,
    traffic: Arc<Mutex<Traffic>>,
}

impl Leg {
    fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let traffic = Arc::new(Mutex::new(Traffic::default()));
        let shared = Arc::clone(&traffic);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                for direction in DIRECTIONS {
                    let copies = [&client, &server].map(|stream| stream.try_clone().expect("a socket"));
                    let [client, server] = copies;
                    let (from, to) = if direction == 0 { (client, server) } else { (server, client) };
                    let traffic = Arc::clone(&shared);
                    std::thread::spawn(move || pass(&traffic, direction, from, to));
                }
            }
        });
        Self { port, traffic }
    }

    fn traffic(&self) -> std::sync::MutexGuard<'_, Traffic> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a run with this fault. Returns the bytes that were sent in the one before.
    fn begin(&self, fault: Option<(usize, Fault)>) -> [usize; 2] {
        std::mem::replace(&mut *self.traffic(), Traffic { fault, sent: [0; 2] }).sent
    }
}

/// Passes a direction of a connection on.
fn pass(traffic: &Mutex<Traffic>, direction: usize, mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = [0; 1 << 14];
    let mut open = true;
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let mut traffic = traffic.lock().unwrap_or_else(PoisonError::into_inner);
        let before = traffic.sent[direction];
        traffic.sent[direction] += count;
        let fault = traffic.fault.filter(|(place, _)| *place == direction);
        drop(traffic);
        let bytes = &bytes[..count];
        let outcome =
            fault.map_or_else(|| Outcome::faithful(bytes), |(_, fault)| Outcome::of(bytes, before, &fault));
        if let Some((_, time)) = outcome.pause {
            std::thread::sleep(time);
        }
        open = open && to.write_all(&outcome.bytes).is_ok();
        match outcome.end {
            Some(End::Cut) => break,
            // Bytes are still read, and the connection stays open.
            Some(End::Silence) => open = false,
            None => {}
        }
    }
    if open {
        let _ = to.shutdown(Shutdown::Write);
    }
}

/// Runs with a fault each, of proofs in this mode.
fn attacks(mode: &str, runs: u64, kinds: impl Fn(&Kind) -> bool) {
    let (port, _, pem) = site(page());
    let website = Leg::to(port);
    let fixture = Fixture::at(website.port, &pem, &["--timeout", "5"]);
    let notary = Leg::to(fixture.notary.address.rsplit(':').next().expect("a port").parse().expect("a port"));
    let options = ["--mode", mode, "--tls", "1.3", "--timeout", "2", "--notary-timeout", "5"];
    let prove = |out: &str| {
        let through = format!("127.0.0.1:{}", notary.port);
        let arguments = fixture.arguments(out, &options).into_iter();
        let to_notary = |word| if word == fixture.notary.address { through.clone() } else { word };
        run(&arguments.map(to_notary).collect::<Vec<_>>(), FIELDS)
    };
    prove("honest").expect(0, "");
    let lengths = [&website, &notary].map(|leg| leg.begin(None));
    let mut noticed = 0;
    for number in 0..runs {
        let mut rng = ChaCha20Rng::seed_from_u64(number);
        let leg = rng.next_u32() as usize % 2;
        let direction = rng.next_u32() as usize % 2;
        let fault = core::iter::repeat_with(|| Fault::random(lengths[leg][direction], &mut rng))
            .find(|fault| kinds(&fault.kind))
            .expect("one of them");
        [&website, &notary][leg].begin(Some((direction, fault)));
        let out = format!("page-{number}");
        let ended = prove(&out);
        let context = format!("run {number}: leg {leg}, direction {direction}, {fault:?}: {ended:?}");
        for leg in [&website, &notary] {
            leg.begin(None);
        }
        assert!(!ended.stderr.contains("panic"), "{context}");
        let file = fixture.path(&out);
        match ended.code {
            0 => {
                let verify = ["attestation", "verify", &file, "--key", &fixture.public];
                let text = run(&verify, "").expect(0, "").stdout;
                assert!(text.contains("EUR") && text.contains("5120.75"), "{context}: {text}");
            }
            3 => {
                noticed += 1;
                let told = ended.object();
                let message = told["error"]["message"].as_str().unwrap_or_default();
                assert!(message.len() > 20 && !std::path::Path::new(&file).exists(), "{context}");
            }
            _ => panic!("{context}"),
        }
    }
    assert!(2 * noticed > runs, "{noticed} of {runs}: the test has lost its teeth");
    // The notary still serves.
    prove("last").expect(0, "");
    assert!(fixture.lines().iter().all(|line| !line.to_string().contains("panic")));
}

fn at_once(kind: &Kind) -> bool {
    !matches!(kind, Kind::Silence | Kind::Pause(_))
}

#[test]
fn faults_on_the_way_of_a_web_proof_end_it() {
    attacks("proxy", 10, at_once);
    attacks("two-party", 5, at_once);
}

#[test]
#[ignore = "long: hundreds of connections"]
fn long_any_fault_on_the_way_of_a_web_proof_ends_it() {
    attacks("proxy", 120, |_| true);
    attacks("two-party", 60, |_| true);
}
