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
                format!(
                    r#"{{"branches": [{{"name": "v1", "ref": "refs/heads/v1", "targetCommit": "{}"}}]}}"#,
                    "0".repeat(40)
                ),
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
    let long = "a".repeat(256);
    let deep = "a/".repeat(600) + "a";
    for path in
        ["../../outside", "/etc/passwd", "build/../../x", "build/.git/config", "a\u{1b}[2J", &long, &deep]
    {
        assert_eq!(code(&entry(path)), "hub/answer", "{path}");
    }
    let several = |paths: &[&str]| {
        let entries =
            paths.iter().map(|path| serde_json::json!({ "type": "file", "oid": "00", "path": path }));
        let text = Value::Array(entries.collect()).to_string();
        listing(move |_| Reply::json(200, text.clone()))
    };
    assert_eq!(code(&several(&["a", "b", "a"])), "hub/answer", "a name twice");
    assert_eq!(code(&several(&["a/b", "a"])), "hub/answer", "a file that is a folder");
    let page = |link: fn(&str) -> String| {
        listing(move |host| Reply::json(200, "[]").header("link", &format!("<{}>; rel=\"next\"", link(host))))
    };
    assert_eq!(code(&page(|host| format!("http://{host}/tree/again"))), "hub/answer", "a circle");
    assert_eq!(code(&page(|_| "https://example.org/tree/next".to_owned())), "hub/answer", "another host");
    assert_eq!(code(&page(|host| format!("http://{host}:99999/tree/next"))), "hub/answer", "no port");
    assert_eq!(code(&page(|_| "http://127.0.0.1:0/tree/next".to_owned())), "hub/answer", "no port");
    assert_eq!(code(&page(|_| "http://example.org/tree/next".to_owned())), "hub/insecure");
    let endless = listing(|host| {
        // Each page is another one, and large.
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let link = format!("<http://{host}/tree/{next}>; rel=\"next\"");
        Reply::json(200, "[]".to_owned() + &" ".repeat(15 << 20)).header("link", &link)
    });
    assert_eq!(code(&endless), "hub/answer", "pages without end");
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = |reply: fn(&str, usize) -> Reply| {
        let asked = std::sync::Arc::clone(&asked);
        listing(move |host| reply(host, asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst)))
    };
    let repeated = counted(|host, page| {
        let link = format!("<http://{host}/tree/v1?page={page}&cursor=same>; rel=\"next\"");
        Reply::json(200, "[]").header("link", &link)
    });
    assert_eq!(code(&repeated), "hub/answer", "a cursor that comes back");
    assert_eq!(asked.swap(0, std::sync::atomic::Ordering::SeqCst), 2, "it is refused at once");
    let many = counted(|host, page| {
        let names = (0..10_000).map(|at| format!(r#"{{"type":"directory","oid":"","path":"{page}-{at}"}}"#));
        let text = format!("[{}]", names.collect::<Vec<_>>().join(","));
        Reply::json(200, text).header("link", &format!("<http://{host}/tree/v1?cursor={page}>; rel=\"next\""))
    });
    assert_eq!(code(&many), "hub/answer", "entries without end");
    assert_eq!(
        asked.swap(0, std::sync::atomic::Ordering::SeqCst),
        11,
        "more than a hundred thousand entries"
    );
    let short = counted(|host, page| {
        Reply::json(200, "[]").header("link", &format!("<http://{host}/tree/v1?cursor={page}>; rel=\"next\""))
    });
    assert_eq!(code(&short), "hub/answer", "pages without end");
    assert_eq!(asked.swap(0, std::sync::atomic::Ordering::SeqCst), 1_000);
    let huge = listing(|_| Reply { content: Content::Endless(1 << 40), ..Reply::json(200, "") });
    assert_eq!(code(&huge), "hub/answer", "endless JSON");
    let text = listing(|_| Reply::bytes(200, "<html>"));
    assert_eq!(code(&text), "hub/answer", "no JSON");
    let elsewhere = listing(|_| Reply::empty(302).header("location", "http://example.org/"));
    assert_eq!(code(&elsewhere), "hub/insecure");
    for location in ["http://127.0.0.1:99999/", "http://127.0.0.1:0/", "https:///", "ftp://127.0.0.1/"] {
        // It is asked once: what is wrong with it will not mend itself.
        let lost = counted_redirect(&asked, location);
        assert_eq!(code(&lost), "hub/answer", "{location}");
        assert_eq!(asked.swap(0, std::sync::atomic::Ordering::SeqCst), 1, "{location}");
    }
}

/// A listing that leads elsewhere, and counts.
fn counted_redirect(
    asked: &std::sync::Arc<std::sync::atomic::AtomicUsize>,
    location: &'static str,
) -> Server {
    let asked = std::sync::Arc::clone(asked);
    listing(move |_| {
        asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Reply::empty(302).header("location", location)
    })
}

#[test]
fn a_branch_or_a_proposal_that_is_named_twice_is_refused() {
    let refs = |branches: &[&str], pulls: &[&str]| {
        let named = |full: &str| {
            let name = full.rsplit('/').next().expect("a name");
            serde_json::json!({ "name": name, "ref": full, "targetCommit": "0".repeat(40) })
        };
        let all = |names: &[&str]| names.iter().map(|name| named(name)).collect::<Vec<_>>();
        let text = serde_json::json!({ "branches": all(branches), "pullRequests": all(pulls) }).to_string();
        Server::start(move |_: &mut Request<'_>| Reply::json(200, text.clone())).expect("a server")
    };
    let server = refs(&["refs/heads/v1", "refs/heads/main", "refs/heads/v1"], &[]);
    assert_eq!(code(&server), "hub/answer");
    assert_eq!(code(&refs(&["refs/heads/main"], &["refs/pr/1", "refs/pr/1"])), "hub/answer");
}

/// However a server writes the token that it was sent, nobody is shown it.
#[test]
fn a_token_that_comes_back_in_another_form_is_not_shown() {
    use base64::Engine as _;
    let encoded = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let json: String = "hf_secret_writer".chars().map(|letter| format!("\\u{:04x}", letter as u32)).collect();
    let percent: String = "hf_secret_writer".bytes().map(|byte| format!("%{byte:02X}")).collect();
    for echoed in [
        json,
        percent,
        "hf%5fsecret%5fwriter".to_owned(),
        encoded("user:hf_secret_writer"),
        encoded(":hf_secret_writer"),
        encoded("me:hf_secret_writer"),
    ] {
        let text = format!(r#"{{"error": "who is {echoed}?"}}"#);
        let server = listing(move |_| Reply::json(400, text.clone()));
        let scene = project(&hub(), "writer", "one").variable("HF_ENDPOINT", &server.url());
        let ran = scene.run(&["upload", "--json"]);
        let said = ran.to_string();
        assert!(ran.status == 8 && said.contains("who is") && said.contains("[token]"), "{echoed}: {said}");
        assert!(!said.contains("secret") && !said.contains(&echoed[4..]), "{echoed}: {said}");
    }
}

/// What is behind a link is somebody's file, and nothing of it is anybody's business.
#[test]
fn python_behind_a_link_is_neither_read_nor_quoted() {
    use fs_err::os::unix::fs::symlink;
    let hub = hub();
    for (name, text) in [
        ("notes.py", "PASSWORD = 'open sesame\n"),
        ("more.py", "import os, torch\ntorch.ops.load_library('open sesame')\n"),
        ("_ops.py", "open sesame"),
        ("lib.so", "open sesame"),
        ("metadata.json", "{\"open sesame\": 1}"),
    ] {
        let scene = project(&hub, "writer", "one").file("../secret/text", text);
        let place = scene.path(&format!("build/torch-cpu/{name}"));
        if place.exists() {
            fs_err::remove_file(&place).expect("removed");
        }
        symlink(scene.path("../secret/text"), place).expect("linked");
        hub.take_log();
        for command in ["upload", "check", "check-abi"] {
            let directory = if command == "check-abi" { "build" } else { "." };
            let ran = scene.run(&[command, directory, "--json"]);
            let said = ran.to_string();
            assert!(!said.contains("sesame") && !said.contains("secret/text"), "{command} {name}: {said}");
            assert!(
                command == "check-abi" || ran.status != 0 && said.contains("leaves the variant"),
                "{command} {name}: {said}"
            );
        }
        assert!(hub.take_log().is_empty(), "nothing is asked");
    }
}

#[test]
fn a_name_writes_no_lines_of_its_own() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let forged = "a\nerror[hub-forged]: \u{1b}[2Jforged\u{202e}\u{2028}\u{200b}.py";
    fs_err::write(scene.path("build/torch-cpu").join(forged), "").expect("written");
    for arguments in [&["upload"][..], &["check"], &["audit"], &["hash"], &["status"]] {
        let ran = scene.run(arguments);
        let said = ran.to_string();
        assert!(
            !said.lines().any(|line| line.trim_start().starts_with("error[hub-forged]")),
            "{arguments:?}: {said}"
        );
        assert!(!said.contains(['\u{1b}', '\u{202e}', '\u{2028}', '\u{200b}']), "{arguments:?}: {said}");
    }
    let ran = scene.run(&["check"]);
    assert!(ran.to_string().contains("a name that no repository may hold"), "{ran}");
}

/// Whoever only wants to see something is not told about writing.
#[test]
fn a_refusal_to_read_speaks_of_reading() {
    for (status, token) in [(401, "hf_secret_reader"), (401, ""), (403, "hf_secret_reader"), (403, "")] {
        let server = Server::start(move |request: &mut Request<'_>| match request.path.as_str() {
            "/api/whoami-v2" => Reply::json(200, r#"{"name": "reader"}"#),
            _ => Reply::json(status, r#"{"error": "no"}"#),
        });
        let server = server.expect("a server");
        let scene = Scene::new().variable("HF_ENDPOINT", &server.url()).variable("HF_TOKEN", token);
        for command in ["variants", "verify", "hash"] {
            let ran = scene.run(&[command, "acme/demo@v1"]);
            let said = ran.to_string();
            assert!(ran.status == 8 && said.contains("read"), "{status} {token} {command}: {said}");
            assert!(
                !said.contains("publish") && !said.contains("write"),
                "{status} {token} {command}: {said}"
            );
        }
    }
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

/// What nothing vouches for, or no system could load, is not published.
#[test]
fn what_does_not_belong_into_a_variant_is_not_published() {
    let hub = hub();
    let with = |path: &str, text: &str, seals: bool| {
        let scene = project(&hub, "writer", "one").file(&format!("build/torch-cpu/{path}"), text);
        let scene = if seals { sealed(scene) } else { scene };
        hub.take_log();
        let ran = scene.run(&["upload", "--json"]);
        assert!(ran.status == 6 && hub.take_log().is_empty(), "{path}: {ran}");
        let last = ran.json().pop().expect("an answer");
        let findings = last["findings"].as_array().cloned().unwrap_or_default();
        findings
            .iter()
            .map(|finding| finding["code"].as_str().expect("a code").to_owned())
            .collect::<Vec<_>>()
    };
    let has =
        |codes: Vec<String>, code: &str| assert!(codes.iter().any(|one| one == code), "{code}: {codes:?}");
    has(with("more.py", "a = 1\n", false), "artifact/digest");
    has(with("__pycache__/__init__.cpython-311.pyc", "no byte code", true), "artifact/bytecode");
    has(with("more.pyc", "no byte code", true), "artifact/bytecode");
    has(with("lib.so", "no library", true), "abi/not-an-object");
}
