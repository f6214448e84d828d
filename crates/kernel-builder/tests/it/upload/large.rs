//! Many files, and large ones: memory stays flat, and what was sent is not sent again.

use std::process::Stdio;

use hub_testkit::{Fault, Kind};

use super::*;

/// Most memory that a process had, in kilobytes, when it ended.
fn upload_measured(scene: &Scene) -> (Value, u64) {
    let mut child = scene.command(&["upload", "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let mut output = child.stdout.take().expect("output");
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut output, &mut text).map(|_| text)
    });
    while child.try_wait().expect("a state").is_none() {
        let text = fs_err::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(kilobytes.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let text = reading.join().expect("read").expect("UTF-8");
    let last: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["event"], "report", "{text}");
    (last, most)
}

/// Writes a file that nothing can shorten, without ever holding all of it.
fn write_large(scene: &Scene, path: &str, megabytes: usize) {
    let mut file = fs_err::File::create(scene.path(path)).expect("a file");
    let mut random = fastrand::Rng::with_seed(megabytes as u64);
    let mut piece = vec![0; 1 << 20];
    for _ in 0..megabytes {
        random.fill(&mut piece);
        std::io::Write::write_all(&mut file, &piece).expect("written");
    }
}

/// Folders of small files, and a large file.
#[expect(clippy::print_stderr, reason = "the measurement is worth reading")]
fn run(folders: usize, files: usize, megabytes: usize) {
    let hub = hub();
    let mut scene = variant(manifest(scene(&hub, "writer"), 1), "torch-cpu", 1, &sample("one"));
    write_large(&scene, "build/torch-cpu/library.bin", megabytes);
    write_large(&scene, "build/torch-cpu/second.bin", 3);
    for number in 0..folders {
        let mut content = sample(&number.to_string());
        for file in 0..files {
            content.insert(format!("part{file}.py"), format!("NAME = '{number} {file}'\n").into_bytes());
        }
        for (path, bytes) in content {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            scene = scene.file(&format!("build/torch-cpu/folder{number}/{path}"), &text);
        }
    }
    let scene = sealed(scene);
    // The commit is refused for good; everything large is stored by then.
    let kind = Kind::Refused(403, Vec::new());
    hub.faults().plan(Fault { method: "POST", path: "/commit/".to_owned(), times: 1, kind });
    assert_eq!(scene.run(&["upload"]).status, 8);
    let sent = |log: &[String]| log.iter().filter(|line| line.starts_with("PUT ")).count();
    assert!(sent(&hub.take_log()) > 1);
    let (report, memory) = upload_measured(&scene);
    assert_eq!(sent(&hub.take_log()), 0, "what is stored is not sent again");
    assert!(report["bytes"].as_u64() < Some(1_000_000), "{report}");
    assert!(memory > 0 && memory < 100_000, "{memory} kB");
    // What `sample` has, the two large files, and the metadata.
    let expected = (folders * (files + 3)) + 3 + 2 + 1;
    assert_eq!(hub.history(REPOSITORY, "v1")[0].files.len(), expected);
    assert_honest(&hub, "v1");
    eprintln!("{} commits, {memory} kB of memory", report["commits"]);
}

#[test]
fn many_files_and_a_large_one_stay_within_memory() {
    run(4, 150, 120);
}

#[test]
#[ignore = "long: 6,000 files and a library of 2 GB"]
fn six_thousand_files_and_two_gigabytes_stay_within_memory() {
    run(40, 150, 2048);
}
