//! The demonstration's own website, and a notary that carries the page's connections to it.

use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};
use volery_channel::Framed;
use volery_channel::websocket::{Origins, WebSocket};

use super::http::Request;
use crate::demo::web;
use crate::failure::Failure;
use crate::output;
use crate::serve::catching_panics;
use crate::web::{LocalNotary, Site};

/// The website's name. Its certificate is for this one, and the notary connects to no other.
const HOST: &str = "localhost";

/// A website and its notary, which end with the program.
pub(super) struct Website {
    port: u16,
    /// The website's certificate in PEM, which no browser trusts.
    root: String,
    notary: LocalNotary,
}

impl Website {
    /// Starts both. The website listens on this machine alone.
    pub(super) fn start() -> Result<Self, Failure> {
        let site = Site::new("127.0.0.1:0", &[HOST])?;
        let (port, root) = (site.address()?.port(), site.root().to_owned());
        let notary = LocalNotary::new(HOST, port, &root)?;
        thread::Builder::new()
            .spawn(move || site.serve(|request| web::response(request).into_bytes()))
            .map_err(Failure::session)?;
        Ok(Self { port, root, notary })
    }

    /// Where the website is.
    pub(super) fn address(&self) -> String {
        format!("https://{HOST}:{}", self.port)
    }

    /// The key that the notary's attestations are verified with.
    pub(super) fn notary_key(&self) -> String {
        self.notary.public_key()
    }

    /// What the page has to know of both.
    pub(super) fn told(&self) -> Value {
        json!({
            "website": self.address(),
            "root": self.root,
            "cookie": web::COOKIE,
            "notaryKey": self.notary_key(),
        })
    }

    /// Is the notary of one session, and prints how it ended.
    pub(super) fn notarise(
        &self,
        request: Request,
        stream: TcpStream,
        origins: &Origins,
    ) -> Result<(), Failure> {
        let peer = stream.peer_addr().map_or_else(|_| "the page".to_owned(), |address| address.to_string());
        let attested = catching_panics(|| {
            let limits = LocalNotary::channel_limits();
            let (socket, received) = request.into_socket(stream).map_err(Failure::session)?;
            let socket = WebSocket::accept(socket, received, origins, &limits)?;
            self.notary.session(Box::new(Framed::new(socket, limits.clone())), &limits, &peer)
        });
        output::result(&match attested {
            Ok(statement) => format!("attested: {peer}: {}", statement.summary().join("; ")),
            Err(failure) if failure.is_rejection() => format!("rejected: {peer}: {}", failure.reason()),
            Err(failure) => format!("failed: {peer}: {failure}"),
        })
    }
}
