//! The client against a real server on this machine, and against what servers get wrong.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use camino::Utf8PathBuf;
use hub_testkit::wire::{Content, Delivery, Reply, Request as Asked, Server};
use kernel_hub::confined::Confined;
use kernel_hub::http::{
    Body, Client, Download, HttpError, Method, Patience, Pieces, Request, Response, Settings, Token,
};
use miette::Diagnostic;

/// A client that loses patience soon.
fn client() -> Client {
    let first = Duration::from_millis(1);
    Client::new(Settings {
        patience: Patience { attempts: 4, first, longest: first, ..Patience::default() },
        ..Settings::default()
    })
}

fn code(error: &HttpError) -> String {
    error.code().map(|code| code.to_string()).unwrap_or_default()
}

/// A server that answers the first requests one after the other, and all later ones as the last.
fn script(replies: Vec<Reply>) -> (Server, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let (seen, next) = (Arc::clone(&log), AtomicUsize::new(0));
    let server = Server::start(move |asked: &mut Asked<'_>| {
        let header = |name: &str| asked.header(name).unwrap_or("-").to_owned();
        let line = format!("{} {} {} {}", asked.method, asked.path, header("authorization"), header("range"));
        seen.lock().expect("a log").push(line);
        let at = next.fetch_add(1, Ordering::SeqCst).min(replies.len() - 1);
        replies[at].clone()
    });
    (server.expect("a server"), log)
}

fn lines(log: &Mutex<Vec<String>>) -> Vec<String> {
    log.lock().expect("a log").clone()
}

fn scratch() -> (tempfile::TempDir, Utf8PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = Utf8PathBuf::try_from(directory.path().join("new/file")).expect("UTF-8");
    (directory, path)
}

#[test]
fn transient_failures_are_waited_out_where_repeating_is_safe() {
    let failures = vec![
        Reply::empty(503),
        Reply::empty(200).delivered(Delivery::Never),
        Reply::bytes(200, "half of it").delivered(Delivery::Cut(4)),
        Reply::bytes(200, "whole"),
    ];
    let (server, log) = script(failures);
    let answer = client().send(&Request::get(server.url())).expect("an answer");
    assert_eq!((answer.body.as_slice(), lines(&log).len()), (b"whole".as_slice(), 4));

    let (server, log) = script(vec![Reply::empty(200).delivered(Delivery::Never)]);
    let error = client().send(&Request::new(Method::Post, server.url())).expect_err("no answer");
    assert_eq!((code(&error).as_str(), lines(&log).len()), ("hub/unreachable", 1));
    let (server, log) = script(vec![Reply::empty(503)]);
    let answer = client().send(&Request::new(Method::Post, server.url())).expect("an answer");
    assert_eq!((answer.status, lines(&log).len()), (503, 1));
    // Whoever is told to come back later has not been served.
    let (server, log) = script(vec![Reply::empty(429), Reply::empty(200)]);
    let answer = client().send(&Request::new(Method::Post, server.url())).expect("an answer");
    assert_eq!((answer.status, lines(&log).len()), (200, 2));
}

#[test]
fn patience_ends_and_the_server_is_quoted() {
    let refusal = Reply::json(500, r#"{"error": "The disk is full."}"#).header("x-request-id", "Root=1-2");
    let (server, log) = script(vec![refusal]);
    let error = client().send(&Request::get(format!("{}/a?secret", server.url()))).expect_err("an error");
    assert_eq!((code(&error).as_str(), lines(&log).len()), ("hub/server-fault", 4));
    let expected = format!("`{}/a` answered 500: The disk is full (request Root=1-2)", server.url());
    assert_eq!(error.to_string(), expected);

    let (server, _) = script(vec![Reply::empty(429).header("retry-after", "100000")]);
    let error = client().send(&Request::get(server.url())).expect_err("an error");
    assert_eq!(code(&error), "hub/rate-limited");
    let (server, _) = script(vec![Reply::empty(404)]);
    let error = client().send(&Request::get(server.url())).and_then(Response::success);
    assert_eq!(code(&error.expect_err("an error")), "hub/refused");
}

#[test]
fn a_token_stays_with_its_origin_and_out_of_every_text() {
    let echo = Reply::json(403, r#"{"error": "hf_secret may not do this"}"#);
    let (elsewhere, other_log) = script(vec![Reply::bytes(200, "there"), echo]);
    let there = format!("http://localhost:{}/there", elsewhere.port());
    let (server, log) = script(vec![
        Reply::empty(302).header("location", "/inner"),
        Reply::empty(307).header("location", &there),
        Reply::json(403, r#"{"error": "hf_secret may not do this"}"#),
    ]);
    let token = Token::new(" hf_secret\n").expect("a token");
    let answer = client().send(&Request::get(server.url()).token(Some(&token))).expect("an answer");
    assert_eq!(answer.body, b"there");
    assert_eq!(lines(&log), ["GET / Bearer hf_secret -", "GET /inner Bearer hf_secret -"]);
    assert_eq!(lines(&other_log), ["GET /there - -"]);
    let request = Request::get(server.url()).token(Some(&token));
    let error = client().send(&request).and_then(Response::success).expect_err("refused");
    let everything = format!("{error} {error:?} {request:?} {token:?}");
    assert!(everything.contains("[token] may not do this") && !everything.contains("secret"), "{everything}");
}

#[test]
fn what_was_sent_once_comes_back_in_no_answer() {
    let client = client();
    let known = Token::new("hf_secret_of_the_user").expect("a token");
    let (server, _) = script(vec![Reply::empty(200)]);
    client.send(&Request::get(server.url()).token(Some(&known))).expect("an answer");
    let exchanged = Token::new("eyJ.secret.sig").expect("a token");
    client.keep_secret(&exchanged);
    // Another server, which was sent no token, and knows them all the same.
    let echo =
        r#"{"error": "hf_secret_of_the_user, or eyJ.secret.sig, or eyJ.secret.sighf_secret_of_the_user"}"#;
    let reply = Reply::json(403, echo)
        .header("x-error-code", "hf_secret_of_the_user")
        .header("x-request-id", "eyJ.secret.sig");
    let (other, _) = script(vec![reply]);
    let answer = client.send(&Request::get(other.url())).expect("an answer");
    let text = format!("{answer:?} {} {}", String::from_utf8_lossy(&answer.body), answer.problem());
    assert!(text.contains("[token], or [token], or [token][token]") && !text.contains("secret"), "{text}");
    let (directory, path) = scratch();
    let error = client.download(&Download::new(other.url(), &path), &mut |_, _| {}).expect_err("refused");
    assert!(!format!("{error} {error:?}").contains("secret") && !path.exists(), "{error:?}");
    drop(directory);
    let location = Reply::empty(302).header("location", "http://example.org/hf_secret_of_the_user");
    let (other, _) = script(vec![location]);
    let error = client.send(&Request::get(other.url())).expect_err("refused");
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    // What no token can be is no secret: it would be found everywhere.
    client.keep_secret(&Token::new("a").expect("a token"));
    let (other, _) = script(vec![Reply::bytes(200, "banana")]);
    assert_eq!(client.send(&Request::get(other.url())).expect("an answer").body, b"banana");
}

#[test]
fn people_are_shown_no_beginning_of_a_secret_and_no_short_one() {
    let client = client();
    for secret in ["hf_secret_of_the_user", "short"] {
        client.keep_secret(&Token::new(secret).expect("a token"));
    }
    let echo = r#"{"error": "hf_secret_of_th... is not valid, and short is neither"}"#;
    let reply = Reply::json(403, echo).header("x-error-code", "hf%5Fsecret").header("x-request-id", "short");
    let (other, _) = script(vec![reply]);
    let answer = client.send(&Request::get(other.url())).expect("an answer");
    let text = answer.problem().to_string();
    let expected =
        "answered 403: [token]... is not valid, and [token] is neither (code [token], request [token])";
    assert!(text.ends_with(expected), "{text}");
    let location = Reply::empty(302).header("location", "http://example.org/hf_secret_of");
    let (other, _) = script(vec![location]);
    let error = client.send(&Request::get(other.url())).expect_err("refused");
    assert!(!format!("{error} {error:?}").contains("hf_secre"), "{error:?}");
    // What is no word of a server but data is not made unreadable.
    let (other, _) = script(vec![Reply::bytes(200, "hf_secret_of a short story")]);
    assert_eq!(
        client.send(&Request::get(other.url())).expect("an answer").body,
        b"hf_secret_of a short story"
    );
}

#[test]
fn hostile_answers_are_refused() {
    let refused = |reply: Reply| {
        let (server, _) = script(vec![reply]);
        code(&client().send(&Request::get(server.url())).expect_err("an error"))
    };
    let endless = |length| Reply { content: Content::Endless(length), ..Reply::empty(200) };
    assert_eq!(refused(endless(1 << 40)), "hub/answer");
    assert_eq!(refused(Reply::empty(302).header("location", "/again")), "hub/answer");
    assert_eq!(refused(Reply::empty(302).header("location", "http://example.org/")), "hub/insecure");
    assert_eq!(refused(Reply::empty(302).header("location", "file:///etc/passwd")), "hub/answer");
    let (server, _) = script(vec![Reply::bytes(200, "<html>")]);
    let answer = client().send(&Request::get(server.url())).expect("an answer");
    assert_eq!(code(&answer.json::<u32>().expect_err("no JSON")), "hub/answer");
}

#[test]
fn what_cannot_be_asked_is_said_at_once() {
    let ask = |address: &str| code(&client().send(&Request::get(address)).expect_err("an error"));
    assert_eq!(ask("http://example.org/"), "hub/insecure");
    assert_eq!(ask("example.org"), "hub/address");
    // A port nobody listens on: what was bound there is gone again.
    let gone = Server::start(|_: &mut Asked<'_>| Reply::empty(200)).expect("a server").url();
    assert_eq!(ask(&gone), "hub/unreachable");
    let offline = Client::new(Settings { offline: true, ..Settings::default() });
    assert_eq!(code(&offline.send(&Request::get(gone)).expect_err("an error")), "hub/offline");
    let environment = |name: &'static str, value: &'static str| {
        move |asked: &str| (asked == name).then(|| value.to_owned())
    };
    for variable in ["HTTPS_PROXY", "ALL_PROXY"] {
        for value in [
            "://",
            "socks5://127.0.0.1:9",
            "socks5h://127.0.0.1:9",
            "socks4://127.0.0.1:9",
            "socks://127.0.0.1",
            "ftp://127.0.0.1",
            "http://127.0.0.1:43210x",
            "127.0.0.1:43210x",
            "http://user:secret@127.0.0.1:0",
            "http://user:secret@127.0.0.1:65536",
            "http://user:secret@",
            "http://:80",
        ] {
            let error = Settings::from_environment(&environment(variable, value)).err();
            let error = error.unwrap_or_else(|| panic!("{value} is taken"));
            assert_eq!(code(&error), "hub/proxy", "{value}");
            assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
        }
        for value in ["http://127.0.0.1:9", "HTTPS://proxy", "127.0.0.1:9", "proxy", "http://u:p@[::1]:9/"] {
            assert!(Settings::from_environment(&environment(variable, value)).is_ok(), "{value}");
        }
    }
    let settings = Settings::from_environment(&environment("SSL_CERT_FILE", "/nowhere")).expect("settings");
    let error = Client::new(settings).send(&Request::get("https://localhost:1/")).expect_err("an error");
    assert_eq!(code(&error), "environment/unreadable");
    let settings = Settings::from_environment(&environment("SSL_CERT_FILE", "/dev/null")).expect("settings");
    let error = Client::new(settings).send(&Request::get("https://localhost:1/")).expect_err("an error");
    assert_eq!(code(&error), "environment/unreadable", "a device has no end");
    let (_directory, empty) = scratch();
    fs_err::create_dir_all(empty.parent().expect("a parent")).expect("a directory");
    fs_err::write(&empty, "").expect("written");
    let named = |asked: &str| (asked == "SSL_CERT_FILE").then(|| empty.to_string());
    let settings = Settings::from_environment(&named).expect("settings");
    let error = Client::new(settings).send(&Request::get("https://localhost:1/")).expect_err("an error");
    assert_eq!(code(&error), "hub/certificates");
}

#[test]
fn an_interruption_ends_waiting_for_an_answer() {
    let (server, log) = script(vec![Reply::empty(200).delivered(Delivery::Late(Duration::from_mins(10)))]);
    let client = client();
    let cancelled = Arc::clone(&client.settings().cancelled);
    let interrupter = std::thread::spawn(move || {
        while lines(&log).is_empty() {
            std::thread::yield_now();
        }
        cancelled.store(true, Ordering::SeqCst);
    });
    let error = client.send(&Request::get(server.url())).expect_err("an interruption");
    assert_eq!(code(&error), "internal/interrupted");
    interrupter.join().expect("the interrupter");
}

/// However fast an answer comes, it is too slow for who wants gigabytes in the first instant.
#[test]
fn an_answer_that_comes_too_slowly_is_given_up() {
    let (_directory, path) = scratch();
    let (server, asked) = script(vec![Reply::bytes(200, "a few bytes")]);
    let patience = Patience { grace: Duration::ZERO, slowest: u32::MAX, ..Patience::default() };
    let client = Client::new(Settings { patience, ..Settings::default() });
    let answer = client.send(&Request::get(server.url())).expect_err("too slow");
    let download =
        client.download(&Download::new(server.url(), &path), &mut |_, _| {}).expect_err("too slow");
    assert_eq!((code(&answer), code(&download)), ("hub/slow".to_owned(), "hub/slow".to_owned()));
    assert!(!path.exists() && asked.lock().expect("a log").len() == 2, "it is not asked again");
}

/// A server that takes a little now and then never lets an upload end, and is never silent.
#[test]
fn content_that_is_taken_too_slowly_is_given_up() {
    let server = Server::start(|asked: &mut Asked<'_>| {
        let mut piece = vec![0; 64 << 10];
        while asked.body.read(&mut piece).is_ok_and(|count| count > 0) {
            std::thread::sleep(Duration::from_millis(5));
        }
        Reply::empty(200)
    })
    .expect("a server");
    let (grace, slowest) = (Duration::from_millis(500), 100 << 20);
    let patience = Patience { grace, slowest, attempts: 4, ..Patience::default() };
    let client = Client::new(Settings { patience, ..Settings::default() });
    let sent = Request::new(Method::Put, server.url()).body(Body::Bytes(vec![0; 256 << 20]));
    let error = client.send(&sent).expect_err("too slow");
    assert_eq!(code(&error), "hub/slow");
    assert!(error.to_string().contains("takes what it is sent so slowly"), "{error}");
}

#[test]
fn a_part_of_a_file_is_sent() {
    let (_directory, path) = scratch();
    fs_err::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs_err::write(&path, "0123456789").expect("a file");
    let server = Server::start(|asked: &mut Asked<'_>| {
        let body = asked.read_body().expect("a body");
        Reply::bytes(200, body)
    });
    let url = server.as_ref().expect("a server").url();
    let mut pieces = Pieces::default();
    pieces.update(b"0123456789");
    let file = pieces.plan("file", Confined::new(path.parent().expect("a parent"), "file"));
    let body = Body::File { file, offset: 3, length: 4 };
    let answer = client().send(&Request::new(Method::Put, &url).body(body)).expect("an answer");
    assert_eq!(answer.body, b"3456");
    let large = vec![b'x'; 3 << 20];
    let answer = client().send(&Request::new(Method::Put, url).body(Body::Bytes(large.clone())));
    assert!(answer.expect("an answer").body == large, "a large body is asked for and sent");
}

#[test]
fn a_server_that_refuses_a_large_body_unread_is_understood() {
    let (server, _) = script(vec![Reply::json(413, r#"{"error": "too large"}"#)]);
    let request = Request::new(Method::Put, server.url()).body(Body::Bytes(vec![0; 200 << 20]));
    assert_eq!(client().send(&request).expect("an answer").status, 413);
}

const TEXT: &str = "the whole text of the file";

fn sha256(text: &str) -> [u8; 32] {
    use sha2::Digest;
    sha2::Sha256::digest(text).into()
}

#[test]
fn a_download_goes_on_where_it_broke_off() {
    let (_directory, path) = scratch();
    let tagged = |reply: Reply| reply.header("etag", "\"one\"");
    let (server, log) = script(vec![
        tagged(Reply::bytes(200, TEXT)).delivered(Delivery::Cut(4)),
        Reply::empty(503),
        tagged(Reply::bytes(206, &TEXT[4..])).header("content-range", "bytes 4-25/26"),
    ]);
    let download = Download::new(server.url(), &path).sha256(sha256(TEXT)).size(26);
    let mut heard = Vec::new();
    let done = client().download(&download, &mut |done, total| heard.push((done, total)));
    assert_eq!(done.expect("a file").size, 26);
    assert_eq!(fs_err::read_to_string(path).expect("a file"), TEXT);
    assert_eq!(lines(&log), ["GET / - -", "GET / - bytes=4-", "GET / - bytes=4-"]);
    assert_eq!((heard.first(), heard.last()), (Some(&(0, Some(26))), Some(&(26, Some(26)))));
}

#[test]
fn a_file_that_changes_during_a_download_is_fetched_anew() {
    let (_directory, path) = scratch();
    let (server, _) = script(vec![
        Reply::bytes(200, "an older text").header("etag", "\"one\"").delivered(Delivery::Cut(4)),
        Reply::bytes(200, TEXT).header("etag", "\"two\""),
    ]);
    client().download(&Download::new(server.url(), &path), &mut |_, _| {}).expect("a file");
    assert_eq!(fs_err::read_to_string(path).expect("a file"), TEXT);
}

#[test]
fn a_wrong_download_leaves_nothing() {
    let (directory, path) = scratch();
    let refused = |reply: Reply, change: &dyn Fn(Download) -> Download| {
        let (server, _) = script(vec![reply]);
        let error = client().download(&change(Download::new(server.url(), &path)), &mut |_, _| {});
        let left: Vec<_> = fs_err::read_dir(directory.path().join("new")).expect("a directory").collect();
        assert!(left.is_empty(), "{left:?}");
        code(&error.expect_err("an error"))
    };
    let text = || Reply::bytes(200, TEXT);
    assert_eq!(refused(text(), &|download| download.sha256([0; 32])), "hub/content");
    assert_eq!(refused(text(), &|download| download.size(7)), "hub/content");
    assert_eq!(refused(text(), &|download| download.size(700)), "hub/content");
    assert_eq!(refused(text(), &|download| download.at_most(7)), "hub/content");
    let endless = Reply { content: Content::Endless(1 << 40), ..Reply::empty(200) };
    assert_eq!(refused(endless, &|download| download.at_most(1 << 20)), "hub/content");
    assert_eq!(refused(Reply::empty(404), &|download| download), "hub/refused");
    let other_part = Reply::bytes(206, TEXT).header("content-range", "bytes 9-99/100");
    assert_eq!(refused(other_part, &|download| download), "hub/answer");
}

#[test]
fn what_will_not_mend_itself_is_asked_once() {
    let many = (0..300).fold(Reply::empty(200), |reply, at| reply.header(&format!("x-{at}"), "a"));
    let large = Reply::empty(200).header("x-large", &"a".repeat(100 << 10));
    let to = |location: &str| Reply::empty(302).header("location", location);
    for reply in [many, large, to("http://127.0.0.1:99999/"), to("http://127.0.0.1:0/"), to("/a\u{7f}")] {
        let (server, log) = script(vec![reply]);
        let error = client().send(&Request::get(server.url())).expect_err("no answer");
        assert_eq!((code(&error).as_str(), lines(&log).len()), ("hub/answer", 1), "{error}");
    }
}
