//! Everything can fail at any time, the program can be killed, and others upload at once: the branch ends as it should,
//! each change is made once, and nobody ever sees metadata that do not speak of the files beside them.

use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::*;

/// One upload, killed after a while if it still runs.
fn start(scene: &Scene) -> Child {
    use std::process::Stdio;
    scene.command(&["upload", "-q"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

fn files(random: &mut fastrand::Rng, marker: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = sample(marker);
    for number in 0..random.usize(0..12) {
        let text = format!("# {marker}\nNUMBER = {}\n", random.u8(0..2));
        files.insert(format!("part{number}.py"), text.into_bytes());
    }
    files
}

/// Uploads until it succeeds, with kills in between; gives up after many attempts. Answers how many kills hit.
fn insist(scene: &Scene, random: &mut fastrand::Rng, kills: u32) -> u64 {
    let mut hit = 0;
    for _ in 0..kills {
        let mut child = start(scene);
        std::thread::sleep(Duration::from_millis(random.u64(0..400)));
        // It may have ended by itself.
        let _ = child.kill();
        hit += u64::from(child.wait().expect("it ended").code().is_none());
    }
    let ran = (0..5).map(|_| scene.run(&["upload", "--json"])).find(|ran| ran.status == 0);
    assert!(ran.is_some(), "five uploads in a row failed: {}", scene.run(&["upload"]));
    hit
}

/// What an anonymous reader is told, over a connection of its own; nothing where something went wrong on the way.
fn ask(hub: &str, path: &str) -> Option<(String, Vec<u8>)> {
    use std::io::{Read, Write};
    let host = hub.strip_prefix("http://")?;
    let mut stream = std::net::TcpStream::connect(host).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    let at = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8(bytes[..at].to_vec()).ok()?;
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    if let Some(location) = field("location: ").filter(|_| head.starts_with("HTTP/1.1 302")) {
        let path = location.split_once("://")?.1.split_once('/')?.1.to_owned();
        return ask(hub, &format!("/{path}"));
    }
    let body = bytes[at + 4..].to_vec();
    let whole = field("content-length: ")?.parse() == Ok(body.len());
    (head.starts_with("HTTP/1.1 200") && whole).then_some((head, body))
}

/// Reads a branch over and over, as any user of the kernel may at any time, until it is told to stop. Each commit that it sees
/// must be honest: metadata speak of exactly the files beside them. Answers how many commits it saw.
fn read_along(hub: &Hub, done: &AtomicBool) -> u64 {
    use sha2::{Digest, Sha256};
    let url = hub.url();
    let mut seen = std::collections::BTreeSet::new();
    while !done.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(5));
        let look = || {
            let (_, refs) = ask(&url, "/api/kernels/acme/demo/refs")?;
            let refs: Value = serde_json::from_slice(&refs).ok()?;
            let branch = refs["branches"].as_array()?.iter().find(|branch| branch["name"] == "v1")?.clone();
            let commit = branch["targetCommit"].as_str().filter(|commit| !seen.contains(*commit))?.to_owned();
            let mut next = Some(format!("/api/kernels/acme/demo/tree/{commit}?recursive=true&expand=false"));
            let mut files = BTreeMap::new();
            while let Some(page) = next {
                let (head, body) = ask(&url, &page)?;
                for entry in serde_json::from_slice::<Value>(&body).ok()?.as_array()? {
                    let path = entry["path"].as_str().filter(|_| entry["type"] == "file");
                    if let Some(path) = path.filter(|path| path.starts_with("build/")) {
                        let (_, content) = ask(&url, &format!("/kernels/acme/demo/resolve/{commit}/{path}"))?;
                        files.insert(path.to_owned(), content);
                    }
                }
                let link = head.lines().find_map(|line| line.strip_prefix("link: <")).map(str::to_owned);
                next = link.and_then(|link| Some(link.split_once('>')?.0.strip_prefix(&url)?.to_owned()));
            }
            Some((commit, files))
        };
        let Some((commit, files)) = look() else { continue };
        for (path, metadata) in files.iter().filter(|(path, _)| path.ends_with("/metadata.json")) {
            let folder = path.trim_end_matches("metadata.json");
            let metadata: Value = serde_json::from_slice(metadata).expect("JSON");
            let wanted = metadata["digest"]["files"].as_object().expect("a digest");
            let found: BTreeMap<&str, String> = files
                .iter()
                .filter(|(other, _)| other.starts_with(folder) && *other != path)
                .map(|(path, bytes)| (&path[folder.len()..], base64(&Sha256::digest(bytes))))
                .collect();
            let wanted: BTreeMap<&str, String> = wanted
                .iter()
                .map(|(name, hash)| (name.as_str(), hash.as_str().expect("a hash").to_owned()))
                .collect();
            assert_eq!(found, wanted, "{folder} of {commit}");
        }
        seen.insert(commit);
    }
    seen.len() as u64
}

/// What went on in some runs.
#[derive(Default)]
struct Count {
    kills: u64,
    read: u64,
    commits: u64,
    faults: BTreeMap<(String, String), u64>,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.read += other.read;
        self.commits += other.commits;
        for (what, times) in other.faults {
            *self.faults.entry(what).or_default() += times;
        }
    }
}

fn one_run(seed: u64) -> Count {
    let mut random = fastrand::Rng::with_seed(seed);
    let limits = Limits {
        page: random.usize(3..40),
        commit: random.u64(2_000..60_000),
        multipart: random.u64(1_000..4_000),
        part: random.u64(300..1_500),
        ..Limits::default()
    };
    let hub = hub_with(limits);
    let first =
        sealed(variant(manifest(scene(&hub, "writer"), 1), "torch-cpu", 1, &files(&mut random, "first")));
    let second =
        variant(manifest(scene(&hub, "writer"), 1), "torch-universal", 1, &files(&mut random, "second"));
    let second = sealed(second);
    hub.faults().by_chance(seed, 0.12);
    let kills = random.u32(0..3);
    let mut count = Count::default();
    let done = AtomicBool::new(false);
    // Two uploaders at once, on a new branch or, in half of the runs, on one that is there.
    let first = std::thread::scope(|scope| {
        let reader = scope.spawn(|| read_along(&hub, &done));
        if random.bool() {
            insist(&first, &mut random, 0);
        }
        let (second, mut other) = (&second, random.fork());
        let beside = scope.spawn(move || insist(second, &mut other, kills));
        count.kills += insist(&first, &mut random, kills);
        count.kills += beside.join().expect("the other uploader");
        // A change of what is there.
        let first = sealed(variant(first, "torch-cpu", 1, &files(&mut random, "changed")));
        count.kills += insist(&first, &mut random, kills);
        hub.faults().by_chance(0, 0.0);
        done.store(true, Ordering::SeqCst);
        count.read = reader.join().expect("a reader who saw honest commits only");
        first
    });
    let mut expected = local(&first);
    expected.extend(local(&second));
    let history = hub.history(REPOSITORY, "v1");
    assert_eq!(contents(&hub, &history[0]), expected, "seed {seed}");
    assert_honest(&hub, "v1");
    // No commit without a change: each state differs from the one before.
    for pair in history.windows(2) {
        assert_ne!(pair[0].files, pair[1].files, "seed {seed}: a commit that changes nothing");
    }
    let ran = first.run(&["upload", "--json"]);
    assert_eq!(report(&ran)["commits"], 0, "seed {seed}: {ran}");
    count.faults = hub.faults().happened();
    count.commits = history.len() as u64 - 1;
    count
}

/// Some at a time: most of their time they wait.
#[expect(clippy::print_stderr, reason = "the measurement is worth reading")]
fn runs(seeds: std::ops::Range<u64>) -> Count {
    let next = AtomicU64::new(seeds.start);
    let (total, number) = (Mutex::new(Count::default()), seeds.end - seeds.start);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(seed) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < seeds.end)
                {
                    let count = one_run(seed);
                    total.lock().expect("a count").add(count);
                }
            });
        }
    });
    let count = total.into_inner().expect("a count");
    let faults: u64 = count.faults.values().sum();
    eprintln!(
        "{number} runs: {faults} faults, {} kills that hit, {} commits, each honest; a reader saw {} of them on its way",
        count.kills, count.commits, count.read
    );
    count
}

#[test]
fn twelve_runs_of_everything_that_can_go_wrong() {
    let count = runs(0..12);
    assert!(count.faults.len() > 20 && count.read > 12, "{:?}", count.faults);
}

#[test]
#[ignore = "long: 500 uploads that are broken off, killed and repeated, ten minutes"]
fn five_hundred_runs_of_everything_that_can_go_wrong() {
    let count = runs(1000..1500);
    let mut by_request: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((request, fault), times) in &count.faults {
        by_request.entry(request).or_default().push(format!("{fault} {times}"));
    }
    for (request, faults) in &by_request {
        eprintln!("{request}: {}", faults.join(", "));
    }
    // Every request of an upload failed in each of the eight ways.
    for request in [
        "GET refs",
        "GET tree",
        "GET whoami-v2",
        "POST create",
        "POST branch",
        "DELETE branch",
        "POST preupload",
        "POST batch",
        "PUT whole",
        "PUT part",
        "POST complete",
        "POST verify",
        "POST commit",
    ] {
        assert_eq!(by_request.get(request).map_or(0, Vec::len), 8, "{request}");
    }
}
