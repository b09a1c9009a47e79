//! A slow link without the system's help: a relay that passes every byte on when such a link would have.
//!
//! ```text
//! free(i)  =  max(free(i - 1), time of arrival) + bytes(i) / rate        the sender's end is busy until then
//! handed on at  free(i) + delay
//! ```
//!
//! Unlike `tc netem` it shapes the bytes that TCP carries and not its packets, so connections have no slow
//! start.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::args::Shape;
use crate::failure::Failure;

/// The most bytes to pass on at once: a millisecond's worth on the slowest link worth measuring.
const CHUNK: usize = 1 << 13;
/// The most parcels on their way.
const IN_FLIGHT: usize = 1 << 14;

/// Bytes on their way.
struct Parcel {
    arrived: Instant,
    bytes: Vec<u8>,
}

/// Starts a relay to `target` for one connection, and returns where it listens.
pub(super) fn start(target: &str, shape: Shape) -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(Failure::session)?;
    let address = listener.local_addr().map_err(Failure::session)?;
    let target = target.to_owned();
    // It ends with the connection. A party that is cut off reports that itself.
    thread::spawn(move || serve(&listener, &target, shape));
    Ok(address)
}

fn serve(listener: &TcpListener, target: &str, shape: Shape) -> io::Result<()> {
    let (near, _) = listener.accept()?;
    let far = TcpStream::connect(target)?;
    for socket in [&near, &far] {
        socket.set_nodelay(true)?;
    }
    pump(near.try_clone()?, far.try_clone()?, shape);
    pump(far, near, shape);
    Ok(())
}

/// Passes bytes from one socket on to the other.
fn pump(from: TcpStream, to: TcpStream, shape: Shape) {
    let (sender, receiver) = sync_channel(IN_FLIGHT);
    thread::spawn(move || take(from, &sender));
    thread::spawn(move || give(to, &receiver, shape));
}

fn take(mut from: TcpStream, sender: &SyncSender<Parcel>) -> io::Result<()> {
    loop {
        let mut bytes = vec![0; CHUNK];
        let count = from.read(&mut bytes)?;
        bytes.truncate(count);
        if count == 0 || sender.send(Parcel { arrived: Instant::now(), bytes }).is_err() {
            return Ok(());
        }
    }
}

fn give(mut to: TcpStream, receiver: &Receiver<Parcel>, shape: Shape) -> io::Result<()> {
    let mut free = Instant::now();
    for Parcel { arrived, bytes } in receiver {
        free = free.max(arrived) + shape.time(bytes.len());
        let due = free + shape.delay;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        to.write_all(&bytes)?;
    }
    to.shutdown(std::net::Shutdown::Write)
}

impl Shape {
    /// How long this many bytes keep the link busy.
    fn time(self, bytes: usize) -> Duration {
        Duration::from_secs_f64(bytes as f64 * 8.0 / self.bits_per_second as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_arrive_whole_in_order_and_not_before_they_can() {
        let far = TcpListener::bind("127.0.0.1:0").expect("a port");
        let target = far.local_addr().expect("bound").to_string();
        let shape = Shape { bits_per_second: 80_000_000, delay: Duration::from_millis(5) };
        let mut near = TcpStream::connect(start(&target, shape).expect("a relay")).expect("connects");
        let sent: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        let begun = Instant::now();
        near.write_all(&sent).expect("sent");
        let (mut end, _) = far.accept().expect("the relay connects");
        let mut received = vec![0; sent.len()];
        end.read_exact(&mut received).expect("all of it");
        // 10 ms for the bytes and 5 for the delay. A busy machine can only make it longer.
        assert!(begun.elapsed() >= Duration::from_millis(14));
        assert_eq!(received, sent);
        end.write_all(b"back").expect("sent");
        let mut back = [0; 4];
        near.read_exact(&mut back).expect("all of it");
        assert_eq!(&back, b"back");
        drop(near);
        assert_eq!(end.read(&mut back).expect("the end"), 0);
    }
}
