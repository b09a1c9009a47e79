//! Accepts connections of anybody. Peers that say nothing hold up nobody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use volery_channel::Listener;
use volery_channel::transport::Socket;

/// The most connections at once whose owners are not known yet. While there are as many, others
/// wait in the listener's queue.
const MOST_UNIDENTIFIED: usize = 64;

/// A connection whose owner is not known yet has one, until it is dropped.
pub(super) type Unidentified = Arc<()>;

/// Has `serve` serve each connection in a thread of its own, until it is `closed`.
pub(super) fn accept_all(
    listener: &Listener,
    closed: &AtomicBool,
    unidentified: &Unidentified,
    serve: impl Fn(Socket, Unidentified) + Send + Sync + 'static,
) {
    const PAUSE: Duration = Duration::from_millis(100);
    let serve = Arc::new(serve);
    while !closed.load(Ordering::Relaxed) {
        if Arc::strong_count(unidentified) > MOST_UNIDENTIFIED {
            std::thread::sleep(PAUSE / 10);
            continue;
        }
        match listener.accept(Some(PAUSE)) {
            Ok(None) => {}
            Ok(Some(socket)) => {
                let (serve, unidentified) = (Arc::clone(&serve), Arc::clone(unidentified));
                // If there are too many threads, this connection is lost, and no other.
                if std::thread::Builder::new().spawn(move || serve(socket, unidentified)).is_err() {
                    std::thread::sleep(PAUSE);
                }
            }
            // Too many open files, say: that passes.
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use volery_channel::Limits;
    use volery_channel::tls::{Tls, raw_key_server_config};

    use super::*;

    #[test]
    fn no_more_strangers_than_allowed_are_served_at_once() {
        let listener = Listener::bind(&"127.0.0.1:0".parse().expect("an address")).expect("bound");
        let address = listener.address().expect("an address");
        let config = raw_key_server_config(&[1; 32]).expect("a configuration");
        let (closed, unidentified) = (AtomicBool::new(false), Arc::new(()));
        let limits = Limits { connect: Duration::from_millis(300), ..Limits::default() };
        let serve = move |socket, _stranger| drop(Tls::accept(socket, Arc::clone(&config), &limits));
        std::thread::scope(|scope| {
            scope.spawn(|| accept_all(&listener, &closed, &unidentified, serve));
            let connect = |_| Socket::connect(&address, Duration::from_secs(5)).expect("in the queue");
            let _silent: Vec<Socket> = (0..2 * MOST_UNIDENTIFIED).map(connect).collect();
            // All are turned away in the end, and never are there more at once.
            let mut most = 0;
            loop {
                let now = Arc::strong_count(&unidentified) - 1;
                most = most.max(now);
                if now == 0 && most > 0 {
                    break;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            closed.store(true, Ordering::Relaxed);
            assert!((1..=MOST_UNIDENTIFIED).contains(&most), "{most}");
        });
    }
}
