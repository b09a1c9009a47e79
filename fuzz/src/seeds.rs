//! What honest runs send, and files as they should be: the corpora that fuzzing starts from.
//!
//! Everything here is the same in every run, so the committed files can be compared with it: a difference
//! means that a wire or file format has changed.

mod web_data;

use std::fs;
use std::path::{Path, PathBuf};

use volery::public::Protocol;
use volery::public::voleith::Parameters as VoleithParameters;
use volery::stored::{ProverFile, preprocess};
use volery::{Options, Prover, Verifier};
use volery_channel::handshake::{Begin, Hello, Parameters, Role};
use volery_channel::{Limits, memory_pair};
use volery_circuit::r1cs;
use volery_field::{Bn254Scalar, F2, F32, F61, Gf256, Value, Z32, pack_elements};
use volery_garble::two_party::Garbling;
use volery_vole::base_ot;
use volery_vole::softspoken::FieldBits;

use crate::correlations::{cot_as_prover, cot_as_verifier, extension};
use crate::proofs::Chain;
use crate::replay::{payloads, record, rng};
use crate::{
    arithmetic, commitment, dealing, disjunction, garbling, proofs, public, sessions, stacked, subfield,
    voleith,
};

/// One input of a target.
pub struct Seed {
    /// The target.
    pub target: &'static str,
    /// The file's name in the target's corpus.
    pub name: String,
    /// The input.
    pub bytes: Vec<u8>,
}

/// All seeds of all targets.
#[must_use]
pub fn all() -> Vec<Seed> {
    let mut seeds = Vec::new();
    let mut add = |target, name: &str, bytes: &[u8]| {
        seeds.push(Seed { target, name: name.to_owned(), bytes: bytes.to_vec() });
    };
    for (target, name, text) in TEXTS {
        add(target, name, text.as_bytes());
    }
    for (name, file) in crate::machine::seeds() {
        add("elf", name, &file);
    }
    for (name, said) in crate::machine::said() {
        add("run", name, &said);
    }
    add("profile_class", "stopped", volery_machine::fuzz::a_profile_class().as_bytes());
    systems(&mut add);
    handshake(&mut add);
    base_ots(&mut add);
    extensions(&mut add);
    elements(&mut add);
    conversations(&mut add);
    conversations_over_fields(&mut add);
    disjunctions(&mut add);
    garblings(&mut add);
    commitments(&mut add);
    files(&mut add);
    public_proofs(&mut add);
    web_data::connections(&mut add);
    web_data::clients(&mut add);
    web_data::two_party_clients(&mut add);
    seeds
}

type Add<'a> = &'a mut dyn FnMut(&'static str, &str, &[u8]);

const TEXTS: &[(&str, &str, &str)] = &[
    (
        "bristol",
        "fashion-every-gate",
        "6 10\n2 2 2\n1 2\n\n2 1 0 2 4 XOR\n2 1 1 3 5 AND\n1 1 4 6 INV\n1 1 1 7 EQ\n1 1 5 8 EQW\n2 1 6 7 9 AND\n",
    ),
    ("bristol", "fashion-many-ands", "1 6\n2 2 2\n1 2\n\n4 2 0 1 2 3 4 5 MAND\n"),
    ("bristol", "old-two-inputs", "2 4\n1 1 1\n\n2 1 0 1 2 AND\n1 1 2 3 INV\n"),
    ("bristol", "old-one-input", "1 2\n1 0 1\n\n1 1 0 1 INV\n"),
    (
        "ring_circuit",
        "every-gate",
        "8 10\n2 1 1\n2 1 1\n\n2 1 0 1 2 MUL\n1 1 5 3 EQ\n2 1 0 3 4 MUL\n2 1 2 4 6 SUB\n1 1 4294967295 5 EQ\n1 1 6 8 EQW\n2 1 0 5 7 ADD\n1 1 7 9 EQW\n",
    ),
    ("ring_circuit", "long-constant", "1 2\n1 1\n1 1\n\n1 1 18446744073709551615 1 EQ\n"),
    ("ring_circuit", "claim", "input 0 = 5 -7   # public\noutput 0 = 4294967295 0 007\n"),
    ("ring_circuit", "numbers", "# three\n18446744073709551615 -1\n007\n"),
    ("values", "witness-in-order", "0b10110\n0x0123456789abcdef\n"),
    ("values", "witness-by-name", "# secret\ninput 2 = 0x0123456789abcdef\ninput 0 = 0x1f\n"),
    ("values", "claim", "input 1 = 0xA5   # public\noutput 0 = 0b101\n"),
    ("values", "claim-left-open", "output 0 = any\n"),
    ("public_json", "three", "[\n \"33\",\n \"0\",\n \"2305843009213693950\"\n]\n"),
    ("public_json", "above-the-prime", "[\"2305843009213693951\", \"1\", \"2\"]"),
    ("arguments", "address-name", "localhost:7000"),
    ("arguments", "address-v6", "[::1]:0"),
    ("arguments", "address-unix", "unix:/run/volery.sock"),
    ("arguments", "fingerprint", "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"),
    (
        "arguments",
        "sha256-preimage",
        "sha256-preimage\nlength=3\ndigest=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
    ),
    (
        "arguments",
        "aes128-key",
        "aes128-key\nplaintext=0x00112233445566778899aabbccddeeff\nciphertext=69c4e0d86a7b0430d8cdb78070b4c55a\n",
    ),
    (
        "curl_command",
        "chrome",
        "curl 'https://api.example/v1/account?id=7' \\\n  -H 'accept: application/json' \\\n  -b 'session=a1; theme=dark' \\\n  --data-raw $'{\"name\":\"O\\'Neil \\u0021\"}' --compressed\n",
    ),
    (
        "curl_command",
        "by-hand",
        "curl -sSXPUT -u me:pass -A x -e y -G -d a=1 --data-urlencode \"b= &\\\"3\" --json '{}' -H 'X-A;' -H B: https://a/",
    ),
    ("curl_command", "not-read", "curl -k --proxy x https://a/?b&c"),
    (
        "har",
        "two-entries",
        "{\"log\":{\"entries\":[{\"request\":{\"method\":\"POST\",\"url\":\"https://a/b?c\",\"headers\":[{\"name\":\":path\",\"value\":\"/\"},{\"name\":\"cookie\",\"value\":\"d=e\\nf=g\"}],\"postData\":{\"text\":\"{}\"}},\"response\":{\"status\":200,\"headers\":[],\"content\":{\"size\":2,\"text\":\"/wA=\",\"encoding\":\"base64\"}}},{\"request\":{\"method\":\"GET\",\"url\":\"https://a/\"},\"response\":null}]}}",
    ),
    ("har", "no-entries", "\u{feff}{\"log\":{\"entries\":[]}}"),
    ("frame", "hello-of-60-bytes", "\u{1}\u{3c}\0\0\0"),
    ("frame", "reason", "the proof is rejected"),
    ("json", "deep", "a.b[1].c\n{\"a\": {\"b\": [1, {\"c\": \"x\\u00e4\"}]}, \"d\": [null, true, -1.5e3]}"),
    ("json", "quoted-key", "[\"x.y\"]\n{\"x.y\": {}}"),
    ("json", "pattern", "a[*].stra\u{df}e\n{\"a\": [{\"stra\u{df}e\": 1}]}"),
    ("json", "duplicate", "a\n{\"a\": 1, \"\\u0061\": 2}"),
    ("json", "number", "-12.50e3\n0"),
];

fn systems(add: Add<'_>) {
    system::<F61>("f61-1", 0, add);
    system::<F61>("f61-4", 3, add);
    system::<Bn254Scalar>("bn254-2", 1, add);
}

fn system<F: r1cs::PrimeField>(name: &str, constraints: u32, add: Add<'_>) {
    let (system, assignment) = r1cs::sample::<F>(1, constraints).expect("few constraints");
    let (mut r1cs, mut wtns) = (Vec::new(), Vec::new());
    system.write(&mut r1cs).expect("memory");
    assignment.write(&mut wtns).expect("memory");
    add("r1cs", name, &r1cs);
    add("wtns", name, &wtns);
}

fn handshake(add: Add<'_>) {
    let parameters = || {
        let plain = Parameters::new().with("profile", "lan").and_then(|p| p.with("interval", 1_u64 << 17));
        plain.expect("parameters")
    };
    let (frames, _) = record(
        |channel| {
            let hello = Hello::new(Role::Prover, parameters(), &mut rng(1));
            hello.send(channel).expect("there is room");
            Begin::new([7; 32], parameters()).send(channel).expect("there is room");
        },
        |_| {},
    );
    let messages = payloads(&frames);
    add("hello", "prover", &messages[0]);
    add("begin", "two-parameters", &messages[1]);
    let (frames, _) = record(
        |channel| {
            let hello = Hello::new(Role::Prover, Parameters::new(), &mut rng(1));
            hello.send(channel).expect("there is room");
            Begin::new([0; 32], Parameters::new()).send(channel).expect("there is room");
            channel.send(volery_channel::tags::TEST, b"payload").expect("there is room");
        },
        |_| {},
    );
    add("stream", "hello-begin-message", &frames);
    let (frames, _) = record(
        |channel| {
            Hello::new(Role::Prover, Parameters::new(), &mut rng(1)).send(channel).expect("there is room");
            channel.send(volery_channel::tags::ERROR, b"the peer gives up").expect("there is room");
        },
        |_| {},
    );
    add("stream", "hello-error", &frames);
    add("websocket", "request-frames-ping-close", &web_page());
}

/// What a page's WebSocket sends: the example of RFC 6455, section 1.3, then a message in two fragments with
/// a ping between them, and a close. The mask is zero.
fn web_page() -> Vec<u8> {
    let mut bytes = b"GET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://example.com\r\nSec-WebSocket-Version: 13\r\n\r\n"
        .to_vec();
    let short = |payload: &'static [u8]| (payload, payload.len() as u8 | 0x80);
    for (first, (payload, length)) in
        [(0x02, short(b"VOL")), (0x89, short(b"ping")), (0x80, short(b"ERY")), (0x88, short(&[3, 232]))]
    {
        bytes.extend([first, length, 0, 0, 0, 0]);
        bytes.extend(payload);
    }
    bytes
}

fn base_ots(add: Add<'_>) {
    add("base_ot_receiver", "point", &base_ot::Sender::start(&mut rng(2)).message());
    let receiver = base_ot::Receiver::start(&[0, 1], &mut rng(2)).expect("two choices");
    add("base_ot_sender", "two-pairs", receiver.message());
}

fn extensions(add: Add<'_>) {
    for (kind, name, bits) in [(0, "trees-of-16", FieldBits::Four), (1, "trees-of-256", FieldBits::Eight)] {
        let honest = extension(bits);
        add("softspoken_trees", name, &[&[kind], honest.point.as_slice(), &honest.trees].concat());
        if bits == FieldBits::Four {
            add("softspoken_chunk", "200-rows", &honest.chunk);
        }
    }
}

fn branches(add: Add<'_>) {
    let delta = dealing::delta(&[]);
    for mode in stacked::Mode::all().chain([stacked::Mode(0b01_00_01), stacked::Mode(0b01_10_01)]) {
        let delta = delta.duplicate();
        let (prover, verifier) = record(
            move |channel| stacked::as_prover(channel, mode).expect("an honest run"),
            move |channel| stacked::as_verifier(channel, mode, &delta).expect("an honest run"),
        );
        let stacked::Mode(byte) = mode;
        add("macncheese_verifier", &format!("true-{byte:02x}"), &[&[byte], prover.as_slice()].concat());
        add("macncheese_verifier", &format!("false-{byte:02x}"), &[&[byte | 2], prover.as_slice()].concat());
        if byte & 1 == 0 {
            add("macncheese_prover", &format!("true-{byte:02x}"), &[&[byte], verifier.as_slice()].concat());
        }
    }
}

fn conversations(add: Add<'_>) {
    let delta = dealing::delta(&[]);
    let (prover, verifier) = record(
        |channel| cot_as_prover(channel).expect("an honest run"),
        |channel| cot_as_verifier(channel).expect("an honest run"),
    );
    add("cot_verifier", "two-rounds", &prover);
    add("cot_prover", "two-rounds", &verifier);
    for (hashed, name) in [(false, "interactive"), (true, "fiat-shamir")] {
        let (prover, verifier) = record(
            move |channel| proofs::as_prover(channel, hashed).expect("an honest run"),
            |channel| proofs::as_verifier(channel, hashed, &delta, &Chain::TRUE).expect("an honest run"),
        );
        let mode = u8::from(hashed);
        add("quicksilver_verifier", &format!("{name}-true"), &[&[mode], prover.as_slice()].concat());
        add("quicksilver_verifier", &format!("{name}-false"), &[&[mode | 2], prover.as_slice()].concat());
        if !hashed {
            add("quicksilver_prover", name, &verifier);
        }
    }
    branches(add);
    let (prover, verifier) = record(
        |channel| sessions::as_prover(channel).expect("an honest run"),
        |channel| sessions::as_verifier(channel, &Chain::TRUE).expect("an honest run"),
    );
    add("session_verifier", "true", &[&[0], prover.as_slice()].concat());
    add("session_verifier", "false", &[&[1], prover.as_slice()].concat());
    add("session_prover", "true", &verifier);
}

fn elements(add: Add<'_>) {
    fn packed<E: Value>(number: u8, digits: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number];
        pack_elements(&Vec::from_iter(digits.iter().copied().map(E::digit)), &mut bytes);
        bytes
    }
    add("elements", "f61-three", &packed::<F61>(0, &[1, 2, 255]));
    add("elements", "f61-not-canonical", &[&[0_u8], &((1_u64 << 61) - 1).to_le_bytes()[..]].concat());
    add("elements", "f32-five", &packed::<F32>(2, &[0, 1, 2, 3, 255]));
    add("elements", "gf256-two", &packed::<Gf256>(4, &[2, 255]));
    add("elements", "bn254-one", &packed::<Bn254Scalar>(6, &[200]));
}

fn conversations_over_fields(add: Add<'_>) {
    let delta = dealing::delta(&[]);
    let (prover, verifier) = record(
        |channel| subfield::as_prover(channel).expect("an honest run"),
        |channel| subfield::as_verifier(channel).expect("an honest run"),
    );
    add("subfield_verifier", "three-rounds", &prover);
    add("subfield_prover", "three-rounds", &verifier);
    for (hashed, name) in [(false, "interactive"), (true, "fiat-shamir")] {
        let mode = u8::from(hashed);
        for fields in 0..arithmetic::FIELDS {
            let (prover, verifier) = record(
                move |channel| arithmetic::as_prover(channel, fields, hashed).expect("an honest run"),
                |channel| {
                    arithmetic::as_verifier(channel, fields, hashed, &delta, false).expect("an honest run")
                },
            );
            for (lie, claim) in [(0, "true"), (2, "false")] {
                let bytes = [&[fields << 2 | lie | mode], prover.as_slice()].concat();
                add("arithmetic_verifier", &format!("{name}-{claim}-{fields}"), &bytes);
            }
            if !hashed {
                add(
                    "arithmetic_prover",
                    &format!("fields-{fields}"),
                    &[&[fields], verifier.as_slice()].concat(),
                );
            }
        }
        let (prover, verifier) = record(
            move |channel| arithmetic::as_mixed_prover(channel, hashed).expect("an honest run"),
            |channel| arithmetic::as_mixed_verifier(channel, hashed, &delta, false).expect("an honest run"),
        );
        for (lie, claim) in [(0, "true"), (2, "false")] {
            add("mixed_verifier", &format!("{name}-{claim}"), &[&[lie | mode], prover.as_slice()].concat());
        }
        if !hashed {
            add("mixed_prover", name, &verifier);
        }
    }
}

fn disjunctions(add: Add<'_>) {
    let delta = dealing::delta(&[]);
    for (hashed, name) in [(false, "interactive"), (true, "fiat-shamir")] {
        for kind in 0..disjunction::KINDS {
            let (prover, verifier) = record(
                move |channel| disjunction::as_prover(channel, kind, hashed).expect("an honest run"),
                |channel| {
                    disjunction::as_verifier(channel, kind, hashed, &delta, false).expect("an honest run")
                },
            );
            for (lie, claim) in [(0, "true"), (2, "false")] {
                let bytes = [&[kind << 2 | lie | u8::from(hashed)], prover.as_slice()].concat();
                add("disjunction_verifier", &format!("{name}-{claim}-{kind}"), &bytes);
            }
            if !hashed {
                let bytes = [&[kind], verifier.as_slice()].concat();
                add("disjunction_prover", &format!("kind-{kind}"), &bytes);
            }
        }
    }
}

fn garblings(add: Add<'_>) {
    let delta = dealing::delta(&[]);
    for (mode, garbling, name) in
        [(0, Garbling::ThreeHalves, "three-halves"), (4, Garbling::OneHot, "one-hot")]
    {
        let (prover, verifier) = record(
            move |channel| garbling::as_prover(channel, garbling).expect("an honest run"),
            |channel| garbling::as_verifier(channel, garbling, &delta, false).expect("an honest run"),
        );
        add("garbling_verifier", &format!("{name}-true"), &[&[mode], prover.as_slice()].concat());
        add("garbling_verifier", &format!("{name}-false"), &[&[mode | 2], prover.as_slice()].concat());
        add("garbling_prover", name, &[&[mode], verifier.as_slice()].concat());
    }
}

fn commitments(add: Add<'_>) {
    let (prover, verifier) = record(
        |channel| commitment::as_prover(channel).expect("an honest run"),
        |channel| commitment::as_verifier(channel, &dealing::delta(&[]), false).expect("an honest run"),
    );
    add("commitment_prover", "two-values", &verifier);
    for (mode, name) in [(0, "true"), (1, "false")] {
        add("commitment_verifier", name, &[&[mode], prover.as_slice()].concat());
    }
    add("openings", "three-places", &commitment::three_places().to_bytes());
    add("range_file", "10-to-20", &commitment::about(10, 20));
    add("range_file", "0-to-all", &commitment::about(0, u64::MAX));
    add("attestation", "commitment", &commitment::attestation().to_bytes());
    let proof = commitment::proof(10, 20);
    add("range_proof", "10-to-20", &proof);
    add("range_proof", "0-to-all", &commitment::proof(0, u64::MAX));
    // The same proof with bounds that it is not about.
    add("range_proof", "false", &[&16_u64.to_be_bytes(), &proof[8..]].concat());
}

/// A folder that goes away.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn files(add: Add<'_>) {
    let folder = Folder(std::env::temp_dir().join(format!("volery-fuzz-seeds-{}", std::process::id())));
    fs::create_dir_all(&folder.0).expect("a folder for temporary files");
    let [p, v, proof] = ["P.vole", "V.vole", "proof"].map(|name| folder.0.join(name));
    for path in [&p, &v, &proof] {
        let _ = fs::remove_file(path);
    }
    preprocess(&p, &v);
    let mut file = ProverFile::open(&p).expect("a fresh file");
    file.prove(volery::system::Bits, &Chain::KNOWN, &proof).expect("an honest proof");
    drop(file);
    let read = |path: &Path| fs::read(path).expect("a file made just now");
    // The last 32 bytes of each part are its checksum.
    for (kind, name, part) in [
        (0, "header-prover", &read(&p)[..4096]),
        (0, "header-verifier", &read(&v)[..4096]),
        (2, "proof", &read(&proof)[..174]),
    ] {
        add("stored", name, &[&[kind], part].concat());
        add("stored", &format!("{name}-sealed"), &[&[kind | 4], content(kind, part)].concat());
    }
    add("stored", "state-sealed", &[&[1 | 4], content(1, &read(&p)[4096..8192])].concat());
}

/// A part without its checksum, and where a decoder would fill up zeros, without those.
fn content(kind: u8, part: &[u8]) -> &[u8] {
    let content = &part[..part.len() - 32];
    let end = content.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if kind == 2 { content } else { &content[..end] }
}

fn preprocess(p: &Path, v: &Path) {
    let (a, b) = memory_pair(&Limits::default());
    let options = Options { fiat_shamir: true, ..Options::default() };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let session = Prover::start(a, options, &mut rng(3)).expect("an honest run");
            preprocess::prover(session, 512, p, &mut |_| {}).expect("an honest run");
        });
        let session = Verifier::start(b, options, &mut rng(2)).expect("an honest run");
        preprocess::verifier(session, 512, v, &mut |_| {}).expect("an honest run");
    });
}

/// The proofs from VOLE in the head, the end of their names, and what they are about.
pub const VOLEITH: [(VoleithParameters, &str, u8); 4] = [
    (VoleithParameters::Fast80, "", 0),
    (VoleithParameters::Small80, "", 0),
    (VoleithParameters::Fast80, "-one-of-two", 1),
    (VoleithParameters::Fast80, "-bound", 2),
];

fn public_proofs(add: Add<'_>) {
    for (parameters, kind, mode) in VOLEITH {
        let about = voleith::About::of(mode);
        let proof = voleith::proof(parameters, about);
        let (name, lie) = (format!("{}{kind}", parameters.name()), voleith::of_the_lie(&proof, about));
        add("voleith_proof", &format!("{name}-true"), &[&[mode], &proof[..]].concat());
        add("voleith_proof", &format!("{name}-false"), &[&[mode | 4], &lie[..]].concat());
    }
    for (protocol, mode) in [(Protocol::Zkbpp, 0), (Protocol::Zkboo, 8)] {
        let bound = public::bound_proof(protocol);
        add("public_proof", &format!("{protocol}-bound-true"), &[&[16], &bound[..]].concat());
        let lie = public::of_the_lie::<F2>(&bound);
        add("public_proof", &format!("{protocol}-bound-false"), &[&[16 | 4], &lie[..]].concat());
        let bits = public::proof::<F2>(protocol);
        let words = public::proof::<Z32>(protocol);
        let field = public::proof::<F61>(protocol);
        for (ring, name, lie, truth) in [
            (0, "bits", public::of_the_lie::<F2>(&bits), bits),
            (2, "words", public::of_the_lie::<Z32>(&words), words),
            (3, "field", public::of_the_lie::<F61>(&field), field),
        ] {
            add("public_proof", &format!("{protocol}-{name}-true"), &[&[ring], &truth[..]].concat());
            // Bit 2: the same proof for a false statement.
            add("public_proof", &format!("{protocol}-{name}-false"), &[&[ring | 4], &lie[..]].concat());
        }
        let (prover, verifier) = record(
            |channel| public::as_prover(channel, protocol).expect("an honest run"),
            |channel| public::as_verifier(channel, protocol, false).expect("an honest run"),
        );
        add("head_prover", protocol.name(), &[&[mode], &verifier[..]].concat());
        add("head_verifier", &format!("{protocol}-true"), &[&[mode], &prover[..]].concat());
        let lie = public::of_the_lie::<F2>(&prover);
        add("head_verifier", &format!("{protocol}-false"), &[&[mode | 4], &lie[..]].concat());
    }
}
