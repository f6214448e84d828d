//! Hubs that lie: what they say is refused, nothing is sent on, and nothing is written anywhere.

use super::*;
use hub_testkit::wire::{Content, Reply, Request, Server};

/// A Hub that is honest but for the listing of the branch.
fn listing(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Server {
    let server = Server::start(move |request: &mut Request<'_>| {
        let host = request.header("host").unwrap_or_default().to_owned();
        match request.path.as_str() {
            "/api/whoami-v2" => Reply::json(200, r#"{"name": "writer"}"#),
            "/api/repos/create" => Reply::json(409, r#"{"error": "exists"}"#),
            "/api/kernels/acme/demo/refs" => Reply::json(
                200,
                r#"{"branches": [{"name": "v1", "ref": "refs/heads/v1", "targetCommit": "00"}]}"#,
            ),
            path if path.contains("/tree/") => reply(&host),
            _ => Reply::json(404, r#"{"error": "not here"}"#),
        }
    });
    server.expect("a server")
}

fn code(server: &Server) -> String {
    let hub = hub();
    let scene = project(&hub, "writer", "one").variable("HF_ENDPOINT", &server.url());
    let before = local(&scene);
    let ran = scene.run(&["upload", "--json"]);
    assert!(ran.status == 8 && !ran.to_string().contains("secret"), "{ran}");
    assert_eq!(local(&scene), before);
    ran.json().pop().expect("a line")["code"].as_str().expect("a code").to_owned()
}

#[test]
fn listings_that_lie_are_refused() {
    let entry = |path: &str| {
        let path = path.to_owned();
        listing(move |_| {
            let value = serde_json::json!([{ "type": "file", "oid": "00", "size": 1, "path": path }]);
            Reply::json(200, value.to_string())
        })
    };
    for path in ["../../outside", "/etc/passwd", "build/../../x", "build/.git/config", "a\u{1b}[2J"] {
        assert_eq!(code(&entry(path)), "hub/answer", "{path}");
    }
    let page = |link: fn(&str) -> String| {
        listing(move |host| Reply::json(200, "[]").header("link", &format!("<{}>; rel=\"next\"", link(host))))
    };
    assert_eq!(code(&page(|host| format!("http://{host}/tree/again"))), "hub/answer", "a circle");
    assert_eq!(code(&page(|_| "https://example.org/tree/next".to_owned())), "hub/answer", "another host");
    assert_eq!(code(&page(|_| "http://example.org/tree/next".to_owned())), "hub/insecure");
    let endless = listing(|host| {
        // Each page is another one, and large.
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let link = format!("<http://{host}/tree/{next}>; rel=\"next\"");
        Reply::json(200, "[]".to_owned() + &" ".repeat(15 << 20)).header("link", &link)
    });
    assert_eq!(code(&endless), "hub/answer", "pages without end");
    let huge = listing(|_| Reply { content: Content::Endless(1 << 40), ..Reply::json(200, "") });
    assert_eq!(code(&huge), "hub/answer", "endless JSON");
    let text = listing(|_| Reply::bytes(200, "<html>"));
    assert_eq!(code(&text), "hub/answer", "no JSON");
    let elsewhere = listing(|_| Reply::empty(302).header("location", "http://example.org/"));
    assert_eq!(code(&elsewhere), "hub/insecure");
}

/// What a build job hands on may be anybody's: a link in it could lead to the secrets of the job that publishes.
#[test]
fn what_a_link_leads_to_is_not_published() {
    use fs_err::os::unix::fs::symlink;
    let hub = hub();
    let with = |path: &str| {
        let scene = project(&hub, "writer", "one").file("secret/benchmark_secret.py", "hidden = 1\n");
        let place = scene.path(path);
        fs_err::create_dir_all(place.parent().expect("a folder")).expect("folders");
        if path == "benchmarks" {
            symlink(scene.path("secret"), place).expect("a link");
        } else {
            symlink("/proc/self/environ", place).expect("a link");
        }
        scene
    };
    for path in ["build/CARD.md", "benchmarks", ".kernel-builder/tests/torch-cpu.json"] {
        let scene = with(path);
        let ran = scene.run(&["collect", ".", "--out", "../set", "--json"]);
        let last = ran.json().pop().expect("an answer");
        assert_eq!((ran.status, &last["code"]), (4, &"environment/file".into()), "{path}: {ran}");
        assert!(last.to_string().contains("is a link") && !scene.path("../set").exists(), "{path}: {last}");
    }
    hub.take_log();
    for path in ["build/CARD.md", "benchmarks"] {
        let ran = with(path).run(&["upload", "--json"]);
        let last = ran.json().pop().expect("an answer");
        assert!(ran.status == 4 && last.to_string().contains("is a link"), "{path}: {ran}");
        assert!(hub.take_log().is_empty(), "nothing is asked");
    }
}

#[test]
fn a_token_is_not_sent_where_the_hub_points() {
    let taken = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = std::sync::Arc::clone(&taken);
    let thief = Server::start(move |request: &mut Request<'_>| {
        log.lock().expect("a log").push(request.header("authorization").map(str::to_owned));
        Reply::json(200, "[]")
    });
    let thief = thief.expect("a server");
    let target = format!("http://localhost:{}/steal", thief.port());
    let server = listing(move |_| Reply::empty(307).header("location", &target));
    assert_ne!(code(&server), "");
    let taken = taken.lock().expect("a log").clone();
    assert!(!taken.is_empty() && taken.iter().all(Option::is_none), "{taken:?}");
}
