//! What others publish may be made to cost much: no command that looks at it takes more memory for that.

use std::process::Stdio;
use std::time::Duration;

use crate::scene::Scene;
use crate::upload::{REPOSITORY, hub, project};

/// Most memory of a command, in kilobytes; this binary is not optimised, so it takes more than one that is.
const MOST: u64 = 150_000;

/// Runs the binary to its end; answers the most memory that it took in kilobytes, its status and its output.
fn measured(scene: &Scene, arguments: &[&str]) -> (u64, Option<i32>, String) {
    let out = scene.path("out");
    let file = fs_err::File::create(&out).expect("a file").into_parts().0;
    let mut command = scene.command(arguments);
    let mut child = command.stdout(file).stderr(Stdio::null()).spawn().expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("it can be waited for").is_none() {
        let text = fs_err::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        peak = peak.max(now.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    let ended = child.wait().expect("it can be waited for");
    let text = fs_err::read_to_string(&out).expect("its output");
    (peak, ended.code(), text)
}

#[test]
fn what_is_published_takes_no_memory_that_its_size_does_not_explain() {
    let hub = hub();
    let publisher = project(&hub, "writer", "one");
    assert_eq!(publisher.run(&["upload"]).status, 0);
    let metadata = fs_err::read_to_string(publisher.path("build/torch-cpu/metadata.json")).expect("metadata");
    let with = |from: &str, to: &str| metadata.replacen(from, to, 1);
    let list = |part: &str, count: usize| vec![part; count].join(",");
    let depends =
        |count| with("\"python-depends\": []", &format!("\"python-depends\": [{}]", list("\"a\"", count)));
    let files: Vec<String> = (0..900_000).map(|number| format!("\"f{number:07}\":\"AA==\"")).collect();
    let digest = with("\"files\": {", &format!("\"files\": {{{},", files.join(",")));
    assert!(digest.len() > metadata.len() && depends(2).len() > metadata.len(), "{metadata}");
    for (what, path, content, code) in [
        ("a long list", "metadata.json", depends(3_000_000), "artifact/metadata"),
        ("as long a list as is read", "metadata.json", depends(900_000), "artifact/metadata"),
        (
            "lists in a list",
            "metadata.json",
            with("{", &format!("{{\"x\":[{}],", list("[1]", 900_000))),
            "artifact/metadata",
        ),
        ("as many values as are read", "metadata.json", depends(19_000), "artifact/metadata"),
        ("a long digest", "metadata.json", digest, "artifact/metadata"),
        ("a large file of Python", "b.py", format!("x=[{}]", list("1", 7_000_000)), "python/too-large"),
        ("many small parts", "b.py", format!("x=[{}]", list("1", 500_000)), "python/too-large"),
        ("as many parts as are read", "b.py", format!("x=[{}]", list("1", 49_000)), "artifact/digest"),
        ("as deep a chain as is read", "b.py", "a.b.c = exec\n".repeat(14_000), "artifact/digest"),
    ] {
        hub.put(REPOSITORY, "v1", &format!("build/torch-cpu/{path}"), content.as_bytes()).expect("changed");
        for command in ["audit", "check", "pin"] {
            let scene = Scene::new().variable("HF_ENDPOINT", &hub.url());
            let (peak, status, text) = measured(&scene, &[command, "acme/demo@v1", "--json"]);
            println!("{what}: {command} ended with {status:?}, and took {} MB", peak / 1000);
            assert!(peak > 0 && peak < MOST, "{what}: {command} took {peak} kB");
            assert!(
                command == "pin" || text.contains(code),
                "{what}: {command}: {}",
                &text[..text.len().min(2000)]
            );
            assert!(text.len() < 400_000, "{what}: {command} said {} bytes", text.len());
        }
        let before = if path == "metadata.json" { metadata.as_str() } else { "" };
        hub.put(REPOSITORY, "v1", &format!("build/torch-cpu/{path}"), before.as_bytes()).expect("put back");
    }
}

/// A finding of each kind is told a hundred times, and then how many more there are.
#[test]
fn findings_of_one_kind_are_counted() {
    let hub = hub();
    let scene = project(&hub, "writer", "one");
    let path = "build/torch-cpu/metadata.json";
    let text = fs_err::read_to_string(scene.path(path)).expect("metadata");
    let names: Vec<String> = (0..250).map(|number| format!("\"no-package-{number}\"")).collect();
    let scene = scene.file(
        path,
        &text.replace("\"python-depends\": []", &format!("\"python-depends\": [{}]", names.join(","))),
    );
    let ran = scene.run(&["audit", "--json"]);
    assert_eq!(ran.stdout.matches("no-package-").count(), 100, "{ran}");
    assert!(ran.stdout.contains("and 150 more of this kind"), "{ran}");
}
