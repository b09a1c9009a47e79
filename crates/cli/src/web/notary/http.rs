//! One small page over HTTP, for programs that watch a notary.
//!
//! One thread serves all clients and waits for none of them. Each has [`REQUEST_TIME`], and one client more
//! than [`MAX_CLIENTS`] takes the place of the oldest. So connections on which nothing happens never keep a
//! watcher from its answer.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::failure::Failure;
use crate::terminal;

/// The most bytes of a request.
const MAX_REQUEST: usize = 1 << 13;
/// How long a client may take for its request and for reading the answer, together.
const REQUEST_TIME: Duration = Duration::from_secs(2);
/// The most clients at the same time.
const MAX_CLIENTS: usize = 64;
/// How often the thread looks for clients whose time is over, while there are clients.
const LOOK_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
/// The pause after an error of the listener, which may pass, like too many open files.
const PAUSE: Duration = Duration::from_millis(200);

/// The page.
pub(super) struct Page {
    pub(super) status: &'static str,
    pub(super) body: String,
}

/// A port with one page.
pub(super) struct HttpServer {
    listener: TcpListener,
    path: &'static str,
}

impl HttpServer {
    /// Binds the address of a command line's `option`. Nobody gets an answer before [`Self::serve`].
    pub(super) fn bind(option: &str, address: &str, path: &'static str) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::session(format!("{option} {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let what = option.trim_start_matches('-');
        terminal::message(&format!("{what} at http://{bound}{path}"));
        Ok(Self { listener, path })
    }

    /// Answers until the program ends.
    pub(super) fn serve(self, page: impl Fn() -> Page + Send + 'static) -> Result<(), Failure> {
        let run = move || {
            let answer = |request: &[u8]| answer(request, self.path, &page);
            let mut clients = Vec::new();
            loop {
                self.wait(&clients);
                self.accept(&mut clients);
                clients.retain_mut(|client| client.go_on(answer));
            }
        };
        Builder::new().spawn(run).map(drop).map_err(Failure::session)
    }

    /// Waits until something happens, or until a client's time may be over.
    fn wait(&self, clients: &[Client]) {
        let mut sources = vec![PollFd::new(&self.listener, PollFlags::IN)];
        sources.extend(clients.iter().map(|Client { socket, answer, .. }| {
            PollFd::new(socket, if answer.is_none() { PollFlags::IN } else { PollFlags::OUT })
        }));
        let time = (!clients.is_empty()).then_some(&LOOK_INTERVAL);
        if poll(&mut sources, time).is_err() {
            // Interrupted by a signal, or out of memory for a moment.
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Accepts those who wait, at most as many as there are places.
    fn accept(&self, clients: &mut Vec<Client>) {
        for _ in 0..MAX_CLIENTS {
            match self.listener.accept() {
                Ok((socket, _)) if socket.set_nonblocking(true).is_ok() => {
                    if clients.len() >= MAX_CLIENTS {
                        clients.remove(0);
                    }
                    let end = Instant::now() + REQUEST_TIME;
                    clients.push(Client { socket, request: Vec::new(), answer: None, end });
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => return thread::sleep(PAUSE),
            }
        }
    }
}

/// The answer to a request.
fn answer(request: &[u8], path: &str, page: impl Fn() -> Page) -> Vec<u8> {
    let target = request.strip_prefix(b"GET ").and_then(|rest| rest.split(|byte| *byte == b' ').next());
    let Page { status, body } = if target == Some(path.as_bytes()) {
        page()
    } else {
        Page { status: "404 Not Found", body: format!("there is only GET {path}\n") }
    };
    let head = "Content-Type: text/plain; version=0.0.4\r\nCache-Control: no-store\r\nConnection: close";
    format!("HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A connection.
struct Client {
    socket: TcpStream,
    request: Vec<u8>,
    /// What is still to be sent, once the request is here.
    answer: Option<Vec<u8>>,
    end: Instant,
}

impl Client {
    /// Reads and writes as much as is possible now; false if the connection is to be closed.
    fn go_on(&mut self, answer: impl Fn(&[u8]) -> Vec<u8>) -> bool {
        if Instant::now() >= self.end {
            return false;
        }
        match self.exchange(answer) {
            Ok(()) => false,
            Err(error) => matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
        }
    }

    /// Reads the request and writes the answer.
    fn exchange(&mut self, answer: impl Fn(&[u8]) -> Vec<u8>) -> io::Result<()> {
        if self.answer.is_none() {
            self.read_head()?;
        }
        let rest = self.answer.get_or_insert_with(|| answer(&self.request));
        while !rest.is_empty() {
            let count = self.socket.write(rest)?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            rest.drain(..count.min(rest.len()));
        }
        self.socket.shutdown(Shutdown::Write)
    }

    /// Reads a request up to its empty line, or as far as the client sends it.
    fn read_head(&mut self) -> io::Result<()> {
        let mut chunk = [0; 1024];
        loop {
            let count = self.socket.read(&mut chunk)?;
            let from = self.request.len().saturating_sub(3);
            self.request.extend_from_slice(chunk.get(..count).unwrap_or_default());
            let new = self.request.get(from..).unwrap_or_default();
            if count == 0 || new.windows(4).any(|end| end == b"\r\n\r\n") {
                return Ok(());
            }
            if self.request.len() > MAX_REQUEST {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client's socket and the server's end of it.
    fn pair() -> (TcpStream, Client) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let other = TcpStream::connect(listener.local_addr().expect("bound")).expect("connects");
        let (socket, _) = listener.accept().expect("it connects");
        socket.set_nonblocking(true).expect("a socket");
        let end = Instant::now() + Duration::from_secs(60);
        (other, Client { socket, request: Vec::new(), answer: None, end })
    }

    fn page(request: &[u8]) -> Vec<u8> {
        answer(request, "/healthz", || Page { status: "200 OK", body: "serving\n".into() })
    }

    /// Lets a client go on until its connection is to be closed.
    fn finish(client: &mut Client) {
        while client.go_on(page) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn one_page_is_served_and_no_other() {
        let status = |request: &[u8]| String::from_utf8(page(request)).expect("text")[9..12].to_owned();
        assert_eq!(status(b"GET /healthz HTTP/1.1\r\n\r\n"), "200");
        for other in ["GET / HTTP/1.1", "POST /healthz HTTP/1.1", "GET /healthz/ HTTP/1.1", "", "GET", "\0"] {
            assert_eq!(status(other.as_bytes()), "404", "{other}");
        }
    }

    #[test]
    fn bytes_that_trickle_in_gain_a_client_no_time() {
        let (mut other, mut client) = pair();
        client.end = Instant::now() + Duration::from_millis(100);
        let trickle = thread::spawn(move || {
            // This would take half a minute.
            (0..3000)
                .take_while(|_| {
                    thread::sleep(Duration::from_millis(10));
                    other.write_all(b"x").is_ok()
                })
                .count()
        });
        finish(&mut client);
        assert!(client.answer.is_none());
        drop(client);
        assert!(trickle.join().expect("no panic") < 3000);
    }

    #[test]
    fn a_request_without_an_end_is_not_gathered() {
        let (mut other, mut client) = pair();
        other.write_all(&[b'x'; 2 * MAX_REQUEST]).expect("there is room");
        finish(&mut client);
        assert!(client.answer.is_none() && client.request.len() <= MAX_REQUEST + 1024);
    }

    #[test]
    fn an_end_of_the_head_is_seen_across_reads() {
        let (mut other, mut client) = pair();
        for part in [&b"GET /healthz HTTP/1.1\r\n"[..], b"\r", b"\n"] {
            assert!(client.go_on(page));
            other.write_all(part).expect("sent");
            thread::sleep(Duration::from_millis(5));
        }
        finish(&mut client);
        let mut text = String::new();
        other.read_to_string(&mut text).expect("an answer");
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\nserving\n"), "{text}");
    }
}
