//! Servers that never end and are never silent: each is given up, however the bytes are spread.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use hub_testkit::wire::{Delivery, Reply, Request as Asked, Server};
use kernel_hub::http::{Client, Download, HttpError, Patience, Request, Settings};
use miette::Diagnostic;

fn client(slowest: u32) -> Client {
    let (first, part) = (Duration::from_millis(1), Duration::from_millis(300));
    let patience = Patience {
        attempts: 3,
        first,
        longest: first,
        silence: part,
        grace: part,
        slowest,
        ..Patience::default()
    };
    Client::new(Settings { patience, ..Settings::default() })
}

/// The address of a server that answers so, and goes on with a piece every few milliseconds.
fn trickle(begin: &'static str, piece: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            std::thread::spawn(move || {
                let _asked = stream.read(&mut [0; 4096]);
                let mut next = stream.write_all(begin.as_bytes());
                while next.is_ok() {
                    std::thread::sleep(Duration::from_millis(5));
                    next = stream.write_all(piece.as_bytes());
                }
            });
        }
    });
    address
}

#[test]
fn an_answer_that_never_ends_is_given_up_wherever_it_lingers() {
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let given_up = ["hub/slow"].as_slice();
    // Here the limit of time for an answer ends it as well.
    let no_answer = ["hub/slow", "hub/unreachable"].as_slice();
    for (what, begin, piece, codes) in [
        ("the size of a chunk", CHUNKED.to_owned(), "0", given_up),
        ("an extension", format!("{CHUNKED}2;"), "a", given_up),
        ("trailers", format!("{CHUNKED}2\r\n[]\r\n0\r\n"), "a: b\r\n", given_up),
        ("the body", "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n".to_owned(), " ", given_up),
        ("the headers", "HTTP/1.1 200 OK\r\n".to_owned(), "a", no_answer),
        ("early hints", String::new(), "HTTP/1.1 103 Early Hints\r\n\r\n", no_answer),
    ] {
        let address = trickle(begin.leak(), piece);
        let error = client(100_000).send(&Request::get(address)).expect_err("no end");
        let is = error.code().map(|code| code.to_string()).unwrap_or_default();
        assert!(codes.contains(&is.as_str()), "{what}: {error:?}");
        assert!(!matches!(error, HttpError::SlowToTake { .. }), "{what}: {error:?}");
    }
}

/// What is behind a body comes fast here, so that only its size speaks against it.
#[test]
fn trailers_without_end_are_no_answer() {
    let begin = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n";
    let address = trickle(begin, "a: b\r\n".repeat(20_000).leak());
    let begun = Instant::now();
    let error = client(1).send(&Request::get(&address)).expect_err("no end");
    assert_eq!(error.code().map(|code| code.to_string()).as_deref(), Some("hub/answer"), "{error:?}");
    let directory = tempfile::tempdir().expect("a directory");
    let path = Utf8PathBuf::try_from(directory.path().join("file")).expect("UTF-8");
    let error = client(1).download(&Download::new(address, &path), &mut |_, _| {}).expect_err("no end");
    assert_eq!(error.code().map(|code| code.to_string()).as_deref(), Some("hub/answer"), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

/// The pace counts over all connections together.
#[test]
fn a_byte_on_each_connection_is_no_progress() {
    const LENGTH: usize = 3000;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let server = Server::start(move |asked: &mut Asked<'_>| {
        count.fetch_add(1, Ordering::SeqCst);
        let range = asked.header("range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-'));
        let from: usize = range.and_then(|from| from.parse().ok()).unwrap_or_default();
        let status = if range.is_some() { 206 } else { 200 };
        let reply = Reply::bytes(status, vec![b'x'; LENGTH - from]).header("etag", "\"one\"");
        let reply = reply.header("content-range", &format!("bytes {from}-{}/{LENGTH}", LENGTH - 1));
        reply.delivered(Delivery::Cut(1))
    })
    .expect("a server");
    let directory = tempfile::tempdir().expect("a directory");
    let path = Utf8PathBuf::try_from(directory.path().join("file")).expect("UTF-8");
    let download = Download::new(server.url(), &path);
    let error = client(1_000_000).download(&download, &mut |_, _| {}).expect_err("no end");
    assert_eq!(error.code().map(|code| code.to_string()).as_deref(), Some("hub/unreachable"), "{error:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 3, "as often as anything is tried");
    assert!(!path.exists());
}
