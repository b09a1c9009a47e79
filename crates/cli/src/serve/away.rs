//! Telling clients why they are turned away.
//!
//! A client hears a reason only after TLS, which costs a server far more than a closed connection. So each
//! client hears at most [`EACH`] reasons in a [`PERIOD`], and all together [`ALL`]. Further connections are
//! closed without one, and counted.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How many connections are told a reason in a period.
const ALL: usize = 64;
/// How many of them may be of one client.
const EACH: usize = 4;
/// The shortest time that a telling counts.
const PERIOD: Duration = Duration::from_secs(1);
/// How long telling may take, with TLS.
pub(super) const TIME: Duration = Duration::from_secs(2);

/// The connections that are being told a reason, or were within the period.
#[derive(Default)]
pub(super) struct Away {
    told: Vec<Notice>,
    /// Connections that were closed without a reason since the last report.
    silent: u64,
    reported: Option<Instant>,
}

struct Notice {
    client: Option<IpAddr>,
    since: Instant,
    over: Arc<AtomicBool>,
}

/// Permission to tell one client a reason. Dropping it ends the telling.
pub(super) struct Telling(Arc<AtomicBool>);

impl Drop for Telling {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Away {
    /// Permission to tell a client a reason, or none if there is too much to tell already.
    pub(super) fn tell(&mut self, client: Option<IpAddr>, now: Instant) -> Option<Telling> {
        self.told.retain(|told| !told.over.load(Ordering::Relaxed) || now < told.since + PERIOD);
        let same = self.told.iter().filter(|told| told.client == client).count();
        if self.told.len() >= ALL || same >= EACH {
            self.silent += 1;
            return None;
        }
        let over = Arc::new(AtomicBool::new(false));
        self.told.push(Notice { client, since: now, over: Arc::clone(&over) });
        Some(Telling(over))
    }

    /// How many connections were closed without a reason since the last report: at most one report in a
    /// period, and none of nothing.
    pub(super) fn report(&mut self, now: Instant) -> Option<u64> {
        if self.silent == 0 || self.reported.is_some_and(|last| now < last + PERIOD) {
            return None;
        }
        self.reported = Some(now);
        Some(core::mem::take(&mut self.silent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_and_all_together_hear_so_many_reasons_in_a_period() {
        let (mut away, now) = (Away::default(), Instant::now());
        let client = |last: u8| Some(IpAddr::from([10, 0, 0, last]));
        let count = |away: &mut Away, last, at| {
            (0..100).filter_map(|_| away.tell(client(last), at)).map(drop).count()
        };
        assert_eq!(away.report(now), None);
        assert_eq!(count(&mut away, 1, now), EACH);
        assert_eq!(away.report(now), Some(100 - EACH as u64));
        assert_eq!(away.report(now + 2 * PERIOD), None);
        let others: usize = (2..100).map(|last| count(&mut away, last, now)).sum();
        assert_eq!(others, ALL - EACH);
        assert!(away.report(now).is_none() && away.report(now + PERIOD).is_some());
        assert_eq!(count(&mut away, 1, now + PERIOD), EACH);
    }

    #[test]
    fn a_telling_that_lasts_counts_for_longer() {
        let (mut away, now) = (Away::default(), Instant::now());
        let lasting: Vec<_> = (0..EACH).filter_map(|_| away.tell(None, now)).collect();
        assert_eq!(lasting.len(), EACH);
        assert!(away.tell(None, now + 9 * PERIOD).is_none());
        drop(lasting);
        assert!(away.tell(None, now + 9 * PERIOD).is_some());
    }
}
