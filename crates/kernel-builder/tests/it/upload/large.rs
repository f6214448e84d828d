//! Many files, and large ones: memory stays flat, and what arrived before a kill is not sent again.

use std::process::{Child, Stdio};

use super::*;

/// Most memory that a process had so far, in kilobytes.
fn memory(child: &Child) -> u64 {
    let text = fs_err::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Uploads until `enough`, and then kills it; to its end where it never is. Answers the last thing it said whole, and
/// the most memory it had.
fn upload(scene: &Scene, enough: &dyn Fn() -> bool) -> (Option<Value>, u64) {
    let mut child = scene.command(&["upload", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut most = 0;
    let mut output = child.stdout.take().expect("output");
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut output, &mut text).map(|_| text)
    });
    while child.try_wait().expect("a state").is_none() {
        most = most.max(memory(&child));
        if enough() {
            // `kill` is SIGKILL. It may have ended by itself.
            let _ = child.kill();
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let text = reading.join().expect("read").expect("UTF-8");
    let last = text.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok());
    (last, most)
}

/// Waits until the Hub has read what was still on its way when its sender was killed.
fn settle(hub: &Hub) {
    let mut before = u64::MAX;
    while before != hub.received() {
        before = hub.received();
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
}

/// Writes a file that nothing can shorten, without ever holding all of it.
fn write_large(scene: &Scene, path: &str, megabytes: usize, seed: u64) {
    let mut file = fs_err::File::create(scene.path(path)).expect("a file");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut piece = vec![0; 1 << 20];
    for _ in 0..megabytes {
        random.fill(&mut piece);
        std::io::Write::write_all(&mut file, &piece).expect("written");
    }
}

/// Bytes of all files below a folder.
fn size(folder: &std::path::Path) -> u64 {
    let entries = fs_err::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let of = |path: std::path::PathBuf| {
        if path.is_dir() { size(&path) } else { fs_err::metadata(path).expect("a file").len() }
    };
    entries.map(|entry| of(entry.path())).sum()
}

/// The name of a variant of one torch: there are as many as are wanted.
fn name(number: usize) -> String {
    format!("torch2{}-cxx11-cpu-x86_64-linux", number + 10)
}

/// Variants with small files and one file of a few megabytes each, and a large library in one of them. The upload is killed at
/// two places; what has arrived whole by then is not sent again.
#[expect(clippy::print_stderr, reason = "the measurement is worth reading")]
fn run(variants: usize, files: usize, megabytes: usize) {
    let hub = hub();
    let mut scene = manifest(scene(&hub, "writer"), 1);
    for number in 0..variants {
        let mut content = sample(&number.to_string());
        content.insert("_ops.py".to_owned(), b"from . import _demo_cpu_abcdefghijklm\n".to_vec());
        // With the library, the data and the metadata.
        for file in 0..files - content.len() - 3 {
            content.insert(format!("part{file}.py"), format!("NAME = '{number} {file}'\n").into_bytes());
        }
        scene = variant(scene, &name(number), 1, &content);
        write_large(&scene, &format!("build/{}/data.bin", name(number)), 2, number as u64);
    }
    // Real libraries; into one of them goes what makes it large.
    let scene = scene.file("empty.cpp", "extern \"C\" int PyInit__demo_cpu_abcdefghijklm() { return 0; }\n");
    scene.tool("g++", &["-shared", "-fPIC", "-O2", "empty.cpp", "-o", "empty.so"]);
    write_large(&scene, "large.bin", megabytes, 1000);
    scene.tool("objcopy", &["--add-section", ".large=large.bin", "empty.so", "large.so"]);
    fs_err::remove_file(scene.path("large.bin")).expect("gone");
    for number in 0..variants {
        let path = scene.path(&format!("build/{}/_demo_cpu_abcdefghijklm.abi3.so", name(number)));
        if number == 0 {
            fs_err::rename(scene.path("large.so"), path).expect("moved");
        } else {
            fs_err::copy(scene.path("empty.so"), path).expect("a copy");
        }
    }
    let scene = sealed(scene);
    let total = size(&scene.path("build"));
    let stored = || hub.stored().expect("stored files").values().sum::<u64>();
    let (mut most, mut told) = (0, Vec::new());
    // In the middle of the content, and when all of it is there.
    let large = u64::try_from(variants * 2 + megabytes).expect("a size") << 20;
    hub.take_log();
    let committing = || hub.take_log().iter().any(|line| line.contains("/commit/"));
    let part = || hub.received() > large / 2;
    let places: [(&str, &dyn Fn() -> bool); 2] = [("half", &part), ("at the commit", &committing)];
    for (place, enough) in places {
        let (before, received) = (stored(), hub.received());
        let (report, memory) = upload(&scene, enough);
        let goes_on =
            report.as_ref().is_none_or(|last| last["event"] != "error" && last["event"] != "report");
        assert!(goes_on, "killed ({place}): {report:?}");
        most = most.max(memory);
        settle(&hub);
        let (sent, kept) = (hub.received() - received, stored());
        assert!(sent <= large - before + (8 << 20), "{place}: {sent} of {}", large - before);
        assert!(place == "half" || sent == kept - before, "only what is missing is sent");
        told.push(format!("killed ({place}): {sent} bytes had arrived, {kept} of them as whole files"));
    }
    let (before, received) = (stored(), hub.received());
    let (report, memory) = upload(&scene, &|| false);
    let report = report.expect("an answer");
    assert_eq!(report["event"], "report", "{report}");
    most = most.max(memory);
    let sent = hub.received() - received;
    let missing = stored() - before;
    assert_eq!(sent, missing, "only what is missing is sent");
    assert!(most > 0 && most < 100_000, "{most} kB");
    let published = &hub.history(REPOSITORY, "v1")[0].files;
    assert_eq!(published.values().map(|entry| entry.size).sum::<u64>(), total);
    assert_honest(&hub, "v1");
    eprintln!(
        "{} files of {variants} variants, {total} bytes; {}; then {sent} bytes of large files for {missing} missing, {} commits; at most {most} kB of memory",
        published.len(),
        told.join("; "),
        report["commits"]
    );
    let again = report_of_nothing(&scene);
    assert_eq!((&again["commits"], &again["bytes"]), (&0.into(), &0.into()));
}

fn report_of_nothing(scene: &Scene) -> Value {
    report(&scene.run(&["upload", "--json"]))
}

#[test]
fn many_files_and_a_large_one_stay_within_memory() {
    run(6, 100, 120);
}

#[test]
#[ignore = "long: 6,000 files of 40 variants, and a library of 2 GB"]
fn six_thousand_files_and_two_gigabytes_stay_within_memory() {
    run(40, 150, 2048);
}
