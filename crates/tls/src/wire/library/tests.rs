//! Both libraries against each other, and against answers of a third.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use p256::ecdsa::signature::hazmat::PrehashSigner;
use rand_chacha::rand_core::SeedableRng as _;
use rsa::pkcs8::DecodePrivateKey as _;
use rsa::traits::PublicKeyParts as _;
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::ServerName;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConnection, SupportedCipherSuite,
    SupportedProtocolVersion,
};
use rustls_pki_types::SignatureVerificationAlgorithm;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use super::{ring, rustcrypto};
use crate::wire::transcript::testing::{Authority, HOST, KeyAlgorithm, RSA_KEY, of_group, server};

type Algorithm = &'static dyn SignatureVerificationAlgorithm;

/// The algorithms of both libraries, by name.
macro_rules! both {
    ($($name:ident),* $(,)?) => {
        [$((stringify!($name), ring::signature::$name, rustcrypto::signature::$name)),*]
    };
}

fn algorithms() -> [(&'static str, Algorithm, Algorithm); 10] {
    both![
        ECDSA_P256_SHA256,
        ECDSA_P256_SHA384,
        ECDSA_P384_SHA256,
        ECDSA_P384_SHA384,
        RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_2048_8192_SHA384,
        RSA_PKCS1_2048_8192_SHA512,
        RSA_PSS_2048_8192_SHA256_LEGACY_KEY,
        RSA_PSS_2048_8192_SHA384_LEGACY_KEY,
        RSA_PSS_2048_8192_SHA512_LEGACY_KEY,
    ]
}

const MESSAGE: &[u8] = b"what a server signs";

/// Whether a signature of [`MESSAGE`] is accepted, on which both libraries have to agree.
fn accepted(name: &str, key: &[u8], signature: &[u8]) -> bool {
    said(name, key, MESSAGE, signature)
}

fn said(name: &str, key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let (_, ring, ours) = algorithms().into_iter().find(|(known, ..)| *known == name).unwrap();
    let [ring, ours] = [ring, ours].map(|library| library.verify_signature(key, message, signature).is_ok());
    assert_eq!(ring, ours, "{name}: ring says {ring}");
    ours
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2).map(|pair| core::str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// A key and a signature of [`MESSAGE`] for each algorithm.
fn signatures() -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let [sha256, sha384, sha512] = [
        Sha256::digest(MESSAGE).to_vec(),
        Sha384::digest(MESSAGE).to_vec(),
        Sha512::digest(MESSAGE).to_vec(),
    ];
    let p256 = p256::ecdsa::SigningKey::from_slice(&[7; 32]).unwrap();
    let p384 = p384::ecdsa::SigningKey::from_slice(&[7; 48]).unwrap();
    let keys = [
        p256.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
        p384.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
    ];
    let mut all = Vec::new();
    for (names, hash) in [
        (["ECDSA_P256_SHA256", "ECDSA_P384_SHA256"], &sha256),
        (["ECDSA_P256_SHA384", "ECDSA_P384_SHA384"], &sha384),
    ] {
        let on_p256: p256::ecdsa::Signature = p256.sign_prehash(hash).unwrap();
        let on_p384: p384::ecdsa::Signature = p384.sign_prehash(hash).unwrap();
        let made = [on_p256.to_der().as_bytes().to_vec(), on_p384.to_der().as_bytes().to_vec()];
        all.extend(
            names.into_iter().zip(keys.clone()).zip(made).map(|((name, key), made)| (name, key, made)),
        );
    }
    let pair = rcgen::KeyPair::from_pkcs8_pem_and_sign_algo(RSA_KEY, &rcgen::PKCS_RSA_SHA256).unwrap();
    let key = pair.public_key_raw().to_vec();
    let rsa = rsa::PrivateKey::from_pkcs8_der(pair.serialized_der()).unwrap();
    let rng = &mut rand_chacha::ChaCha20Rng::from_seed([3; 32]);
    let mut add = |name, made| all.push((name, key.clone(), made));
    add("RSA_PKCS1_2048_8192_SHA256", rsa.sign(rsa::Pkcs1v15Sign::new::<Sha256>(), &sha256).unwrap());
    add("RSA_PKCS1_2048_8192_SHA384", rsa.sign(rsa::Pkcs1v15Sign::new::<Sha384>(), &sha384).unwrap());
    add("RSA_PKCS1_2048_8192_SHA512", rsa.sign(rsa::Pkcs1v15Sign::new::<Sha512>(), &sha512).unwrap());
    add(
        "RSA_PSS_2048_8192_SHA256_LEGACY_KEY",
        rsa.sign_with_rng(rng, rsa::Pss::<Sha256>::new(), &sha256).unwrap(),
    );
    add(
        "RSA_PSS_2048_8192_SHA384_LEGACY_KEY",
        rsa.sign_with_rng(rng, rsa::Pss::<Sha384>::new(), &sha384).unwrap(),
    );
    add(
        "RSA_PSS_2048_8192_SHA512_LEGACY_KEY",
        rsa.sign_with_rng(rng, rsa::Pss::<Sha512>::new(), &sha512).unwrap(),
    );
    all
}

#[test]
fn algorithms_have_the_same_identifiers() {
    for (name, ring, ours) in algorithms() {
        assert_eq!(ring.public_key_alg_id(), ours.public_key_alg_id(), "{name}");
        assert_eq!(ring.signature_alg_id(), ours.signature_alg_id(), "{name}");
    }
    assert_eq!(rustcrypto::signature::ALL.len(), algorithms().len());
}

/// Keys at the limits of their sizes, exponents of 3, salts of another length, other hashes.
#[test]
fn known_answers_are_what_openssl_says() {
    let text = include_str!("known-answers.txt");
    let message = text.lines().find_map(|line| line.strip_prefix("message ")).unwrap();
    assert_eq!(unhex(message), MESSAGE);
    let mut seen = 0;
    for line in text.lines() {
        let [name, verdict @ ("good" | "bad"), key, signature] = line.split(' ').collect::<Vec<_>>()[..]
        else {
            continue;
        };
        assert_eq!(
            accepted(name, &unhex(key), &unhex(signature)),
            verdict == "good",
            "{verdict} {name} {}",
            &key[..12]
        );
        seen += 1;
    }
    assert_eq!(seen, 26);
}

#[test]
fn a_signature_is_accepted_for_its_message_and_key_alone() {
    let all = signatures();
    assert_eq!(all.len(), algorithms().len());
    for (name, key, signature) in &all {
        assert!(accepted(name, key, signature), "{name}");
        assert!(!said(name, key, b"what a server signs.", signature) && !said(name, key, b"", signature));
        for (_, other, made) in all.iter().filter(|(_, other, _)| other != key) {
            assert!(!accepted(name, other, signature) && !accepted(name, key, made), "{name}");
        }
        for (other, _, made) in all.iter().filter(|(other, same, _)| other != name && same == key) {
            assert!(!accepted(name, key, made), "{other} as {name}");
        }
    }
}

/// Every byte of a signature is bent, and some are cut off or added. RSA's take longer, so fewer of them.
#[test]
fn no_bent_signature_is_accepted() {
    for (name, key, signature) in signatures() {
        let step = if signature.len() > 128 { 9 } else { 1 };
        for place in (0..signature.len()).step_by(step) {
            for bit in [0x01, 0x80] {
                let mut bent = signature.clone();
                bent[place] ^= bit;
                assert!(!accepted(name, &key, &bent), "{name}, byte {place}");
            }
        }
        for wrong in [
            &[][..],
            &signature[..signature.len() - 1],
            &signature[1..],
            &[&signature[..], &[0]].concat(),
            &[&[0], &signature[..]].concat(),
            &vec![0; signature.len()],
            &vec![0xff; signature.len()],
        ] {
            assert!(!accepted(name, &key, wrong), "{name}, {} bytes", wrong.len());
        }
    }
}

/// The libraries agree about each of them, which [`accepted`] checks.
#[test]
fn no_bent_key_is_accepted() {
    for (name, key, signature) in signatures() {
        let step = if key.len() > 128 { 13 } else { 1 };
        for place in (0..key.len()).step_by(step) {
            let mut bent = key.clone();
            bent[place] ^= 1;
            assert!(!accepted(name, &bent, &signature), "{name}, byte {place}");
        }
        for wrong in [&[][..], &key[..key.len() - 1], &[&key[..], &[0]].concat(), &[0; 65], &[0]] {
            assert!(!accepted(name, wrong, &signature), "{name}");
        }
        if let [4, coordinates @ ..] = &key[..] {
            let (x, y) = coordinates.split_at(coordinates.len() / 2);
            let compressed = [&[2 + (y.last().unwrap() & 1)], x].concat();
            let hybrid = [&[6 + (y.last().unwrap() & 1)], coordinates].concat();
            assert!(!accepted(name, &compressed, &signature) && !accepted(name, &hybrid, &signature));
        }
    }
}

/// DER of two numbers.
fn pair(numbers: [&[u8]; 2]) -> Vec<u8> {
    let length = |count: usize| match count {
        0..128 => vec![count as u8],
        128..256 => vec![0x81, count as u8],
        _ => [&[0x82], &(count as u16).to_be_bytes()[..]].concat(),
    };
    let tagged = |tag: u8, content: &[u8]| [&[tag], &length(content.len())[..], content].concat();
    tagged(0x30, &numbers.map(|number| tagged(2, number)).concat())
}

/// A number of DER without a needless zero.
fn positive(bytes: &[u8]) -> Vec<u8> {
    let bytes = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
    if bytes.first().is_some_and(|byte| *byte < 128) { bytes.to_vec() } else { [&[0], bytes].concat() }
}

/// Zero, the order, numbers that are written in two ways; and the negative of `s`, which is as good as `s`.
#[test]
fn numbers_of_ecdsa_are_taken_as_ring_takes_them() {
    let (_, key, signature) = signatures().swap_remove(0);
    let made = p256::ecdsa::Signature::from_der(&signature).unwrap();
    let (r, s) = made.split_bytes();
    let (r, s) = (positive(&r), positive(&s));
    let order = unhex("00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
    let taken = |numbers: [&[u8]; 2]| accepted("ECDSA_P256_SHA256", &key, &pair(numbers));
    assert!(taken([&r, &s]));
    let negative = p256::ecdsa::Signature::from_scalars(made.r(), -*made.s()).unwrap();
    assert!(taken([&r, &positive(&negative.split_bytes().1)]), "-s");
    let long = [&[0], &r[..]].concat();
    for numbers in
        [[&[0][..], &s], [&r, &[0]], [&order, &s], [&r, &order], [&long, &s], [&[], &s], [&[0x81], &s]]
    {
        assert!(!taken(numbers), "{numbers:?}");
    }
    // A length in the long form.
    let mut long = signature.clone();
    long.splice(1..2, [0x81, signature[1]]);
    assert!(!accepted("ECDSA_P256_SHA256", &key, &long));
}

/// Exponents that prove nothing, and numbers that are written in two ways.
#[test]
fn keys_of_rsa_are_taken_as_ring_takes_them() {
    let name = "RSA_PKCS1_2048_8192_SHA256";
    let (_, key, signature) = signatures().into_iter().find(|(other, ..)| *other == name).unwrap();
    let parsed = <rsa::PublicKey as rsa::pkcs1::DecodeRsaPublicKey>::from_pkcs1_der(&key).unwrap();
    let modulus = positive(&parsed.n_bytes());
    let exponent = positive(&parsed.e_bytes());
    let taken = |numbers: [&[u8]; 2], signature: &[u8]| accepted(name, &pair(numbers), signature);
    assert!(taken([&modulus, &exponent], &signature));
    let long = [&[0], &exponent[..]].concat();
    let even = [&modulus[..modulus.len() - 1], &[modulus.last().unwrap() ^ 1]].concat();
    let huge = vec![1; 2000];
    for numbers in [
        [&modulus[..], &long],
        [&[&[0], &modulus[..]].concat(), &exponent],
        [&modulus[1..], &exponent],
        [&even, &exponent],
        [&modulus, &[0]],
        [&modulus, &[2]],
        [&modulus, &[2, 0, 0, 0, 1]],
        [&modulus, &huge],
        [&huge, &exponent],
        [&huge, &huge],
        [&[0], &exponent],
        [&[], &[]],
    ] {
        assert!(!taken(numbers, &signature));
    }
    // With the exponent 1 the padded hash is its own signature.
    let hash = Sha256::digest(MESSAGE);
    let info = unhex("003031300d060960864801650304020105000420");
    let padded = [&[0, 1], &vec![0xff; 256 - 2 - info.len() - 32][..], &info, &hash].concat();
    assert!(!taken([&modulus, &[1]], &padded));
    // A signature and the modulus more, if that has as many bytes: the same number to RSA.
    let sum = |number: &[u8]| {
        let (mut carry, mut sum) = (0, Vec::new());
        for (a, b) in number.iter().rev().zip(modulus.iter().rev()) {
            let both = u16::from(*a) + u16::from(*b) + carry;
            sum.push(both as u8);
            carry = both >> 8;
        }
        sum.reverse();
        (carry == 0).then_some(sum)
    };
    if let Some(more) = sum(&signature) {
        assert!(!taken([&modulus, &exponent], &more));
    }
}

#[test]
fn hashes_and_hmacs_are_equal() {
    use rustls::crypto::hmac::Hmac as _;
    let pairs = rustcrypto::cipher_suite::ALL.iter().map(|ours| (ours, of_ring(ours)));
    for (ours, ring) in pairs {
        let [ours, ring] = [*ours, ring].map(common);
        for message in [&b""[..], b"abc", &[5; 300]] {
            assert_eq!(ours.hash_provider.hash(message).as_ref(), ring.hash_provider.hash(message).as_ref());
            let mut running = ours.hash_provider.start();
            running.update(message);
            let before = running.fork_finish();
            let mut fork = running.fork();
            fork.update(b"more");
            assert_eq!(running.fork_finish().as_ref(), before.as_ref());
            let longer = ours.hash_provider.hash(&[message, b"more"].concat());
            assert_eq!(fork.finish().as_ref(), longer.as_ref());
        }
        assert_eq!(ours.hash_provider.algorithm(), ring.hash_provider.algorithm());
        assert_eq!(ours.hash_provider.output_len(), ring.hash_provider.output_len());
        assert_eq!(ours.confidentiality_limit, ring.confidentiality_limit);
    }
    // RFC 4231, test cases 2 and 6: a short key, and one that is longer than a block.
    let mac = |key: &[u8], message: &[u8]| {
        rustcrypto::SHA256.with_key(key).sign_concat(&message[..3], &[&message[3..5]], &message[5..])
    };
    assert_eq!(
        mac(b"Jefe", b"what do ya want for nothing?").as_ref(),
        unhex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    );
    assert_eq!(
        mac(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First").as_ref(),
        unhex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    );
}

fn common(suite: SupportedCipherSuite) -> &'static rustls::CipherSuiteCommon {
    match suite {
        SupportedCipherSuite::Tls12(suite) => &suite.common,
        SupportedCipherSuite::Tls13(suite) => &suite.common,
    }
}

/// ring's suite of this number.
fn of_ring(suite: &SupportedCipherSuite) -> SupportedCipherSuite {
    let all = ring::default_provider().cipher_suites;
    all.into_iter().find(|other| other.suite() == suite.suite()).expect("ring has it")
}

/// The groups of both libraries.
const GROUPS: [[&dyn SupportedKxGroup; 2]; 2] = [
    [ring::kx_group::SECP256R1, rustcrypto::kx_group::SECP256R1],
    [ring::kx_group::X25519, rustcrypto::kx_group::X25519],
];

#[test]
fn a_key_exchange_of_one_library_with_the_other_gives_both_the_same() {
    for [ring, ours] in GROUPS {
        assert_eq!(ring.name(), ours.name());
        for _ in 0..3 {
            let (theirs, own) = (ring.start().unwrap(), ours.start().unwrap());
            let (their_key, own_key) = (theirs.pub_key().to_vec(), own.pub_key().to_vec());
            let shared = own.complete(&their_key).unwrap();
            assert_eq!(theirs.complete(&own_key).unwrap().secret_bytes(), shared.secret_bytes());
            assert_ne!(ours.start().unwrap().pub_key(), own_key, "a key serves once");
        }
    }
}

#[test]
fn what_is_no_key_is_refused_in_a_key_exchange() {
    let key = |group: &dyn SupportedKxGroup| group.start().unwrap().pub_key().to_vec();
    let point = key(ring::kx_group::SECP256R1);
    let mut outside = point.clone();
    outside[64] ^= 1;
    let compressed = [&[2 + (point[64] & 1)], &point[1..33]].concat();
    let longer = [&point[..], &[0]].concat();
    let wrong = [&[][..], &[0], &[4], &point[..64], &longer, &compressed, &outside, &[4; 65], &[0; 65]];
    for libraries in GROUPS[0] {
        for wrong in wrong {
            assert!(libraries.start().unwrap().complete(wrong).is_err(), "{} bytes", wrong.len());
        }
    }
    // Points of small order, whose result is zero: 0, 1, -1, and both of order eight (RFC 7748, section 6.1).
    let mut one = [0; 32];
    one[0] = 1;
    let minus_one = unhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
    let eight = [
        unhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
        unhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    ];
    let wrong = [&[0; 32][..], &one, &minus_one, &eight[0], &eight[1], &[9; 31], &[9; 33], &[]];
    for libraries in GROUPS[1] {
        for wrong in wrong {
            assert!(libraries.start().unwrap().complete(wrong).is_err(), "{wrong:?}");
        }
    }
}

/// A client of ours and a server of ring's say something to each other.
fn speak(
    config: rustls::ServerConfig,
    authority: &Authority,
    provider: CryptoProvider,
    version: &'static SupportedProtocolVersion,
) {
    let (mut client, mut server) = connected(authority, provider, version, &Arc::new(config));
    // Several records, of which the last one is short.
    let (query, response) = (vec![b'q'; 300], vec![b'r'; 40_000]);
    client.writer().write_all(&query).unwrap();
    server.writer().write_all(&response).unwrap();
    let (mut heard, mut told) = (Vec::new(), Vec::new());
    carry(&mut client, &mut server, &mut told, &mut heard);
    assert!(heard == response && told == query);
}

#[test]
fn connections_of_one_library_to_the_other_work_in_every_suite_group_and_signature() {
    let authority = Authority::new();
    for kind in [KeyAlgorithm::P256, KeyAlgorithm::P384, KeyAlgorithm::Rsa] {
        let config = server(&authority.issue(kind, HOST));
        for suite in rustcrypto::cipher_suite::ALL {
            let (version, fits) = match suite {
                SupportedCipherSuite::Tls12(inner) => {
                    let rsa = inner.sign.contains(&rustls::SignatureScheme::RSA_PKCS1_SHA256);
                    (&rustls::version::TLS12, rsa == (kind == KeyAlgorithm::Rsa))
                }
                SupportedCipherSuite::Tls13(_) => (&rustls::version::TLS13, true),
            };
            for [_, group] in GROUPS.into_iter().filter(|_| fits) {
                let provider = CryptoProvider {
                    cipher_suites: vec![*suite],
                    kx_groups: vec![group],
                    ..rustcrypto::default_provider()
                };
                speak(of_group(&config, ring_group(group)), &authority, provider, version);
            }
        }
    }
}

fn ring_group(group: &dyn SupportedKxGroup) -> &'static dyn SupportedKxGroup {
    let [ring, _] = GROUPS.into_iter().find(|[ring, _]| ring.name() == group.name()).unwrap();
    ring
}

/// A record whose tag is wrong, one that is too short, and one that was sent before.
#[test]
fn bent_records_are_not_opened() {
    let authority = Authority::new();
    let config = Arc::new(server(&authority.issue(KeyAlgorithm::P256, HOST)));
    for suite in rustcrypto::cipher_suite::ALL {
        let version = match suite {
            SupportedCipherSuite::Tls12(inner)
                if inner.sign.contains(&rustls::SignatureScheme::RSA_PKCS1_SHA256) =>
            {
                continue;
            }
            SupportedCipherSuite::Tls12(_) => &rustls::version::TLS12,
            SupportedCipherSuite::Tls13(_) => &rustls::version::TLS13,
        };
        let bends: [fn(&mut Vec<u8>); 4] = [
            |record| *record.last_mut().unwrap() ^= 1,
            |record| record[5] ^= 1,
            |record| {
                record.truncate(5 + 15);
                record[3..5].copy_from_slice(&15_u16.to_be_bytes());
            },
            |record| record.extend_from_within(..),
        ];
        for bend in bends {
            let provider = CryptoProvider { cipher_suites: vec![*suite], ..rustcrypto::default_provider() };
            let (mut client, mut server) = connected(&authority, provider, version, &config);
            server.writer().write_all(b"a record").unwrap();
            let mut bytes = Vec::new();
            server.write_tls(&mut bytes).unwrap();
            bend(&mut bytes);
            client.read_tls(&mut &bytes[..]).unwrap();
            assert!(client.process_new_packets().is_err(), "{suite:?}");
        }
    }
}

/// Both ends of a connection whose handshake is over.
fn connected(
    authority: &Authority,
    provider: CryptoProvider,
    version: &'static SupportedProtocolVersion,
    config: &Arc<rustls::ServerConfig>,
) -> (ClientConnection, ServerConnection) {
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let client = ClientConfig::builder_with_provider(Arc::new(provider));
    let client = client.with_protocol_versions(&[version]).unwrap();
    let client = client.with_root_certificates(roots).with_no_client_auth();
    let mut client = ClientConnection::new(Arc::new(client), ServerName::try_from(HOST).unwrap()).unwrap();
    let mut server = ServerConnection::new(Arc::clone(config)).unwrap();
    while client.is_handshaking() || server.is_handshaking() || server.wants_write() {
        carry(&mut client, &mut server, &mut Vec::new(), &mut Vec::new());
    }
    (client, server)
}

/// Carries all bytes that wait, in both directions, and adds what the ends say to what was `told` the server
/// and `heard` by the client.
fn carry(
    client: &mut ClientConnection,
    server: &mut ServerConnection,
    told: &mut Vec<u8>,
    heard: &mut Vec<u8>,
) {
    let mut bytes = Vec::new();
    while client.wants_write() {
        client.write_tls(&mut bytes).unwrap();
    }
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        server.read_tls(&mut rest).unwrap();
        server.process_new_packets().unwrap();
        // Ends with an error, since more may come.
        let _ = server.reader().read_to_end(told);
    }
    bytes.clear();
    while server.wants_write() {
        server.write_tls(&mut bytes).unwrap();
    }
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        client.read_tls(&mut rest).unwrap();
        client.process_new_packets().unwrap();
        let _ = client.reader().read_to_end(heard);
    }
}

#[test]
fn a_client_of_ours_has_no_key() {
    let provider = rustcrypto::default_provider();
    let key = rcgen::KeyPair::generate().unwrap().serialize_der();
    assert!(provider.key_provider.load_private_key(key.try_into().unwrap()).is_err());
    let mut bytes = [0; 32];
    provider.secure_random.fill(&mut bytes).unwrap();
    assert_ne!(bytes, [0; 32]);
}
