//! V's part between the relay and the proof.

use volery_channel::Channel;

use super::relay::Relayed;
use super::secret::blind_root;
use super::{Error, ProxyStatement};
use crate::page::attestation::Mode;
use crate::page::claim::Vocabulary;
use crate::page::disclosure::{self, Connection, Observed, OrderEvidence, Pending, Server, Terms};
use crate::wire::server::Roots;

/// Receives P's message about a connection that V relayed, and checks everything in it that needs no proof:
/// certificates, host name, time (in seconds since 1970), signature, Finished messages, all tags, the
/// structure of request and response. `vocabulary` are the custom claims that V knows.
///
/// Returns the statement to verify next.
///
/// # Errors
/// [`disclosure::Error::Refused`], which P is told; the channel's.
pub fn receive(
    channel: &mut dyn Channel,
    relayed: &Relayed,
    roots: &Roots,
    time: u64,
    vocabulary: &dyn Vocabulary,
) -> Result<(ProxyStatement, Pending), Error> {
    let Relayed { host, port, client, server, marks, hidden, budget } = relayed;
    // V connected to this port, within its rules.
    let with = Server { host, port: Some(*port), ports: &[] };
    let seen = OrderEvidence::Relayed(marks);
    // V chose the port, so the server need not name its protocol.
    let terms = Terms { no_alpn: true, hidden: *hidden };
    let (mode, memory) = (Mode::Proxy, budget.share());
    let observed = Observed { mode, terms, with, client, server, seen, memory };
    let root = |connection: &Connection| Ok(blind_root(connection.version(), connection.suite()));
    let (statement, pending) = disclosure::receive(channel, observed, roots, time, vocabulary, &root)?;
    Ok((ProxyStatement { statement, secret: None }, pending))
}
