//! What a website said, proved to a notary: "my account has at least 5000 euros", without showing how many.
//!
//! Run it with `cargo run -p volery --example website`. It starts the website by itself, on this machine.
//!
//! Prover and notary are the website's client together. While the connection lives, neither has its keys: the
//! prover cannot forge what the website says, and the notary cannot read it. When the connection has ended,
//! the prover shows the notary the parts that it picks, proves its claims about the others, and the notary
//! signs what it believes. Whoever trusts the notary can then read the attestation. The website notices
//! nothing: it speaks ordinary TLS.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::SystemTime;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use volery::web::Side;
use volery::web::attestation::{Attestation, SigningKey};
use volery::web::claim::{Assertion, Interval};
use volery::web::disclosure::{Part, Redaction};
use volery::web::joint::client::{ConnectionLimits, Target};
use volery::web::joint::{self, Sizes};
use volery::web::server::Roots;
use volery::{Framed, Limits, Listener, Options, Prover, Verifier, connect, os_rng};

/// What the website answers.
const BODY: &str = r#"{"holder": "Ada Lovelace", "currency": "EUR", "balance": 5120}"#;

fn response() -> String {
    let length = BODY.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{BODY}")
}

/// The request. `Host` names the port, which is how the notary learns it.
fn request(port: u16) -> String {
    format!(
        "GET /account HTTP/1.1\r\nHost: localhost:{port}\r\nCookie: session=42\r\nAccept-Encoding: identity\r\n\
         Connection: close\r\n\r\n"
    )
}

/// Starts a website on this machine. Returns its port, and the authorities that vouch for its certificate:
/// here the certificate itself. For websites on the internet `Roots::public` has the usual authorities.
fn website() -> Result<(u16, Roots), Box<dyn Error>> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])?;
    let mut roots = Roots::none();
    roots.add_der(made.cert.der())?;
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der())?;
    let config = ServerConfig::builder().with_no_client_auth();
    let mut config = config.with_single_cert(vec![made.cert.der().clone()], key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let Ok(connection) = ServerConnection::new(Arc::clone(&config)) else { continue };
            let mut stream = StreamOwned::new(connection, socket);
            let (mut asked, mut chunk) = (Vec::new(), [0; 1024]);
            while !asked.ends_with(b"\r\n\r\n") {
                match stream.read(&mut chunk) {
                    Ok(count @ 1..) => asked.extend(&chunk[..count]),
                    _ => break,
                }
            }
            let _ = stream.write_all(response().as_bytes());
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    Ok((port, roots))
}

/// What stays hidden of the page: the cookie, whose holder the account is, and the balance, of which there is
/// something to prove. All else is shown.
fn hidden(least: u64) -> Vec<Redaction> {
    let enough = vec![Assertion::Number(Interval::at_least(least))];
    vec![
        Redaction::new(Side::Client, Part::Header("Cookie".into())),
        Redaction::new(Side::Server, Part::Json("holder".into())),
        Redaction { claims: enough, ..Redaction::new(Side::Server, Part::Json("balance".into())) },
    ]
}

/// The prover: fetches the page with the notary at this address, and proves that the balance is at least
/// this.
fn prove(
    notary: &volery::Address,
    notary_key: &[u8; 32],
    (port, roots): (u16, &Roots),
    least: u64,
) -> Result<Attestation, volery::Error> {
    let channel = connect(notary, &Limits::default())?;
    let mut rng = os_rng()?;
    let prover = Prover::start(channel, Options::default(), &mut rng)?;
    let request = request(port);
    // Nearly all of the time and bytes go here. It only needs to know how long request and response will be.
    let prepared = prover.prepare_web(Sizes::one(request.len(), response().len()), rng)?;
    let target = Target {
        host: "localhost",
        roots,
        probed: false,
        limits: ConnectionLimits::default(),
        no_alpn: false,
    };
    let fetched = prepared.fetch(&target, port, request.as_bytes())?;
    // The prover can read the page now. The notary has ciphertexts.
    Ok(fetched.prove(&hidden(least))?.attestation(notary_key)?.attestation)
}

/// The notary: serves one prover, and signs what it believes.
fn notarise(
    listener: &Listener,
    key: &SigningKey,
    roots: &Roots,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let socket = listener.accept(None)?.ok_or("nobody came")?;
    let channel = Framed::new(socket, Limits::default());
    let mut rng = os_rng()?;
    let verifier = Verifier::start(channel, Options::default(), &mut rng)?;
    // Ports other than 443 are allowed only because the website here has some port.
    let limits = joint::Limits { ports: Vec::new(), ..joint::Limits::default() };
    let watched = verifier.prepare_web(limits, &mut rng)?.watch(&mut rng)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
    watched.verify(roots, now, &mut rng)?.attest(key)?;
    Ok(())
}

/// Prover and notary, over a connection on this machine.
fn attested(website: (u16, &Roots), key: &SigningKey, least: u64) -> Result<Attestation, Box<dyn Error>> {
    let listener = Listener::bind(&"127.0.0.1:0".parse()?)?;
    let address = listener.address()?;
    std::thread::scope(|scope| {
        // Whatever goes wrong at the notary, the prover hears of it.
        scope.spawn(|| notarise(&listener, key, website.1));
        Ok(prove(&address, &key.verifying_key().to_bytes(), website, least)?)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let (port, roots) = website()?;
    // A real notary draws its key at random, once, and tells everybody the public half.
    let key = SigningKey::from_bytes(&[7; 32]);

    let attestation = attested((port, &roots), &key, 5000)?;
    // Anyone who has the notary's public key reads what it has signed.
    let statement = attestation.verify(&key.verifying_key().to_bytes())?.to_string();
    println!("{statement}");
    if !statement.contains("balance: is a number of at least 5000") || statement.contains("Lovelace") {
        return Err("the attestation does not say that, or it says too much".into());
    }

    // It is not 6000.
    let refused = attested((port, &roots), &key, 6000).err().ok_or("6000 were attested")?;
    println!("at least 6000: {refused}");
    // And nobody else can sign in the notary's name.
    let other = SigningKey::from_bytes(&[8; 32]).verifying_key().to_bytes();
    let refused = attestation.verify(&other).err().ok_or("another key's signature")?;
    println!("another notary: {refused}");
    Ok(())
}

#[test]
fn the_example_ends_well() -> Result<(), Box<dyn Error>> {
    main()
}
