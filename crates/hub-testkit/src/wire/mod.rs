//! HTTP/1.1 on the loopback interface, small enough to break on purpose: an answer can be slow, cut off, or never come.

mod reply;
mod request;

use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

pub use reply::{Content, Delivery, Reply};
pub use request::Request;

/// Whoever answers requests.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request; of its body as much is read as the handler wants.
    fn handle(&self, request: &mut Request<'_>) -> Reply;
}

impl<F: Fn(&mut Request<'_>) -> Reply + Send + Sync + 'static> Handler for F {
    fn handle(&self, request: &mut Request<'_>) -> Reply {
        self(request)
    }
}

/// A running server; it ends when dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    ends: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server on a free port of the loopback interface.
    pub fn start(handler: impl Handler) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let ends = Arc::new(AtomicBool::new(false));
        let handler: Arc<dyn Handler> = Arc::new(handler);
        let flag = Arc::clone(&ends);
        let accepting = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if flag.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let handler = Arc::clone(&handler);
                std::thread::spawn(move || serve(&stream, &*handler));
            }
        });
        Ok(Self { address, ends, accepting: Some(accepting) })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            // A panic in it has been printed already.
            drop(accepting.join());
        }
    }
}

/// Answers the requests of one connection.
fn serve(stream: &TcpStream, handler: &dyn Handler) {
    let mut reader = BufReader::new(stream);
    // A client that goes away in the middle needs no answer.
    while let Ok(true) = exchange(stream, &mut reader, handler) {}
    let _ = stream.shutdown(Shutdown::Both);
}

/// One request and its answer; whether another may follow.
fn exchange(
    stream: &TcpStream,
    reader: &mut BufReader<&TcpStream>,
    handler: &dyn Handler,
) -> std::io::Result<bool> {
    let head = match request::read_head(reader) {
        Ok(Some(head)) => head,
        Ok(None) => return Ok(false),
        // Whoever sent that is told what is wrong with it.
        Err(error) => return Reply::bytes(400, error.to_string()).send(stream, false).map(|_| false),
    };
    let continuing = Continuing { stream, wanted: head.expects_continue() };
    let mut body = head.body(reader, continuing);
    let is_head = head.method == "HEAD";
    let keeps = head.keeps_alive();
    let mut request = Request::new(head, &mut body);
    let reply = handler.handle(&mut request);
    let drained = body.drain()?;
    Ok(reply.send(stream, is_head)? && drained && keeps)
}

/// Tells a client that waits for it to go on with its body, when the body is first wanted.
pub(crate) struct Continuing<'a> {
    stream: &'a TcpStream,
    wanted: bool,
}

impl Continuing<'_> {
    pub(crate) fn go_on(&mut self) -> std::io::Result<()> {
        if std::mem::take(&mut self.wanted) {
            (&mut &*self.stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        Ok(())
    }

    /// Whether the client still waits, and so has not sent its body.
    pub(crate) fn waits(&self) -> bool {
        self.wanted
    }
}

/// Waits as a slow server does.
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Reads and forgets at most `most` bytes; whether the end was reached.
pub(crate) fn discard(reader: &mut dyn Read, most: u64) -> std::io::Result<bool> {
    let copied = std::io::copy(&mut reader.take(most), &mut std::io::sink())?;
    Ok(copied < most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(request: &[u8]) -> String {
        let server = Server::start(|_: &mut Request<'_>| Reply::bytes(200, "whole")).expect("a server");
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
        stream.write_all(request).expect("sent");
        stream.shutdown(Shutdown::Write).expect("the end");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    #[test]
    fn a_request_that_was_cut_off_is_told_so() {
        assert!(answer(b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n").ends_with("whole"));
        for cut in ["\r\n\r\n", "GET / HT", "GET / HTTP/1.1\r\nhost: a\r\n"] {
            let answer = answer(cut.as_bytes());
            assert!(answer.starts_with("HTTP/1.1 400") && answer.ends_with("cut off"), "{cut:?}: {answer}");
        }
        assert_eq!(answer(b""), "", "who sends nothing has ended");
    }
}
