//! A notary in this process, for one website of this machine: that of `volery demo browser`.

use volery::Limits as ChannelLimits;
use volery::notary::Way;
use volery::web::attestation::Statement;
use volery::web::joint::Limits;
use volery::web::relay::Rules;
use volery::web::server::Roots;

use super::{Memory, Notary, PhaseTimes, SESSION_BYTES, Tokens, key, rules};
use crate::connection::{ListenerChannel, patience};
use crate::failure::Failure;
use crate::serve::{Pace, Paced, SESSION_TIME, client};
use crate::web::terms::USUAL_WAIT;

/// The memory of all sessions together. One client gets half of it.
const MEMORY: u64 = 1 << 30;

/// A notary that carries connections to one website, and signs with a key that it forgets when it ends.
pub(crate) struct LocalNotary {
    notary: Notary,
    memory: Memory,
}

impl LocalNotary {
    /// For the website `host`:`port`, whose certificate `root` (PEM) has signed.
    pub(crate) fn new(host: &str, port: u16, root: &str) -> Result<Self, Failure> {
        let mut roots = Roots::none();
        roots.add_pem(root.as_bytes()).map_err(Failure::session)?;
        let limits = Limits { ports: vec![port], ..Limits::default() };
        let rules = Rules {
            private: true,
            ports: vec![port],
            hosts: vec![host.to_owned()],
            hidden: limits.hidden,
            max_received: limits.received,
            ..rules(USUAL_WAIT)
        };
        let notary = Notary {
            key: key::fresh()?,
            contract_key: None,
            roots,
            limits,
            rules,
            carries: true,
            tokens: Tokens::default(),
            phases: PhaseTimes::waiting(USUAL_WAIT),
        };
        Ok(Self { notary, memory: Memory::new(MEMORY, MEMORY / 2) })
    }

    /// The key that its attestations are verified with, in hexadecimal digits.
    pub(crate) fn public_key(&self) -> String {
        key::hex(&self.notary.key.verifying_key().to_bytes())
    }

    /// What a channel to a prover is bound by.
    pub(crate) fn channel_limits() -> ChannelLimits {
        let usual = ChannelLimits::default();
        ChannelLimits {
            read: usual.read.max(patience(USUAL_WAIT)),
            total_time: Some(SESSION_TIME.saturating_add(USUAL_WAIT)),
            total_bytes: Some(SESSION_BYTES),
            ..usual
        }
    }

    /// Runs one session with the prover at the address `peer`. Provers that reach the website themselves are
    /// turned away: this notary is for pages.
    pub(crate) fn session(
        &self,
        mut channel: Box<dyn ListenerChannel>,
        peer: &str,
    ) -> Result<Statement, Failure> {
        let way = self.notary.admit(&mut channel)?;
        if way != Way::Carried {
            channel.fail("this notary carries the connections of its page, and takes part in no others");
            return Err(Failure::session("a prover with a connection of its own"));
        }
        let pace = Pace::default();
        let channel = Paced::new(channel, Self::channel_limits(), &pace);
        self.notary.session(way, channel, &pace, &self.memory.of(client(peer)))
    }
}
