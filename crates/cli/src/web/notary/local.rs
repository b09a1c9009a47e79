//! A notary in this process, for one website of this machine: that of `volery demo browser`.

use volery::notary::Way;
use volery::visit::{USUAL_WAIT, patience};
use volery::web::attestation::Statement;
use volery::web::joint::Limits;
use volery::web::relay::Rules;
use volery::web::server::Roots;
use volery::{Channel as _, Limits as ChannelLimits};
use volery_channel::hex;

use super::{Memory, Notary, PhaseTimes, SESSION_BYTES, Tokens, key, rules};
use crate::connection::ListenerChannel;
use crate::failure::Failure;
use crate::serve::{FIRST_MESSAGE, Pace, Paced, SESSION_TIME, client};

/// The memory of all sessions together. One client gets half of it.
const MEMORY: u64 = 1 << 30;

/// A notary that carries connections to one website, and signs with a key that it forgets when it ends.
pub(crate) struct LocalNotary {
    notary: Notary,
    memory: Memory,
}

impl LocalNotary {
    /// For the website `host`:`port` of this machine, whose certificate `root` (PEM) has signed. It connects
    /// to nothing else, whatever the name stands for.
    pub(crate) fn new(host: &str, port: u16, root: &str) -> Result<Self, Failure> {
        let mut roots = Roots::none();
        roots.add_pem(root.as_bytes()).map_err(Failure::session)?;
        let limits = Limits { ports: vec![port], ..Limits::default() };
        let rules = Rules {
            loopback: true,
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
        hex::encode(&self.notary.key.verifying_key().to_bytes())
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

    /// Runs one session with the prover at the address `peer`, within these limits. Provers that reach the
    /// website themselves are turned away: this notary is for pages.
    pub(crate) fn session(
        &self,
        mut channel: Box<dyn ListenerChannel>,
        limits: &ChannelLimits,
        peer: &str,
    ) -> Result<Statement, Failure> {
        // Whoever says nothing keeps no place for long.
        channel.renew(ChannelLimits { total_time: Some(limits.connect), ..limits.clone() });
        let way = self.notary.admit(&mut channel)?;
        // The session's first message comes together with the request.
        channel.await_frame(FIRST_MESSAGE)?;
        channel.renew(limits.clone());
        if way != Way::Carried {
            channel.fail("this notary carries the connections of its page, and takes part in no others");
            return Err(Failure::session("a prover with a connection of its own"));
        }
        let pace = Pace::default();
        let channel = Paced::new(channel, limits.clone(), &pace);
        self.notary.session(way, channel, &pace, &self.memory.of(client(peer)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use volery::memory_pair;
    use volery::notary::Greeting;

    use super::*;
    use crate::web::Site;

    fn notary() -> LocalNotary {
        let site = Site::new("127.0.0.1:0", &["localhost"]).expect("a website");
        LocalNotary::new("localhost", site.address().expect("bound").port(), site.root()).expect("a notary")
    }

    #[test]
    fn it_connects_to_its_website_on_this_machine_alone() {
        let Rules { private, loopback, ports, hosts, .. } = notary().notary.rules;
        assert!(loopback && !private && ports.len() == 1);
        assert_eq!(hosts, ["localhost"]);
    }

    #[test]
    fn whoever_says_nothing_is_not_waited_for_as_long_as_one_who_proves() {
        let long = Duration::from_secs(600);
        let connect = Duration::from_millis(50);
        let limits =
            ChannelLimits { connect, read: long, total_time: Some(long), ..ChannelLimits::default() };
        // One says nothing at all, one asks and then says nothing.
        for asks in [false, true] {
            let (mut prover, server) = memory_pair(&limits);
            if asks {
                let greeting = Greeting { way: Way::Carried, token: Default::default() };
                greeting.send(&mut prover).and_then(|()| prover.flush()).expect("sent");
            }
            let failure =
                notary().session(Box::new(server), &limits, "127.0.0.1").expect_err("nothing comes");
            assert!(failure.to_string().contains("50"), "{failure}");
        }
    }
}
