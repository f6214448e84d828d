//! `scripts/install.sh` against releases of this machine, from files and over http: what is wrong installs nothing, and
//! only what was installed is taken away.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::scene::{Ran, Scene, repository};

/// A release whose program is a script that says its version.
fn release(scene: &Scene) {
    let program = scene.path("release/kernel-builder");
    fs_err::create_dir_all(program.parent().expect("a directory")).expect("made");
    fs_err::write(&program, "#!/bin/sh\necho \"kernel-builder 9.9.9 (tests)\"\n").expect("written");
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    scene.tool(
        "sh",
        &[
            "-c",
            "cd release && tar -czf kernel-builder-9.9.9-$(uname -m)-linux.tar.gz kernel-builder && \
        rm kernel-builder && sha256sum *.tar.gz > SHA256SUMS",
        ],
    );
}

#[expect(clippy::disallowed_methods, reason = "the installer is for a shell")]
fn install(scene: &Scene, arguments: &[&str]) -> Ran {
    let mut command = Command::new("sh");
    command
        .arg(repository().join("scripts/install.sh"))
        .args(arguments)
        .current_dir(scene.path(""))
        .env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", scene.path("../home"));
    let output = command.stdin(Stdio::null()).output().expect("a shell");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("an end");
    Ran { status, stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn from(scene: &Scene) -> String {
    format!("file://{}", scene.path("release").to_str().expect("UTF-8"))
}

#[test]
fn a_release_is_installed_and_taken_away_again() {
    let scene = Scene::new();
    release(&scene);
    let ran = install(&scene, &["--from", &from(&scene)]);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(
        ran.stdout.contains("installed kernel-builder 9.9.9 (tests)") && ran.stdout.contains("PATH"),
        "{ran}"
    );
    let program = scene.path("../home/.local/bin/kernel-builder");
    assert!(program.is_file());
    assert_eq!(install(&scene, &["--from", &from(&scene), "--version", "9.9.9"]).status, 0, "again");

    let text = fs_err::read(&program).expect("the program");
    fs_err::write(&program, "edited").expect("written");
    let ran = install(&scene, &["--uninstall"]);
    assert!(ran.status == 6 && program.is_file(), "{ran}");
    let ran = install(&scene, &["--from", &from(&scene)]);
    assert!(ran.status == 6 && ran.stderr.contains("was changed since it was installed"), "{ran}");
    assert_eq!(fs_err::read(&program).expect("the program"), b"edited");
    fs_err::write(&program, text).expect("written");
    let ran = install(&scene, &["--uninstall"]);
    assert!(ran.status == 0 && !program.exists(), "{ran}");
    assert_eq!(install(&scene, &["--uninstall"]).status, 4);
}

#[test]
fn another_program_of_that_name_stays_unless_force_is_used() {
    let scene = Scene::new().file("there/bin/kernel-builder", "somebody else's");
    release(&scene);
    let program = scene.path("there/bin/kernel-builder");
    let place = ["--from", &from(&scene), "--prefix", "there"];
    let ran = install(&scene, &place);
    assert!(ran.status == 6 && ran.stderr.contains("not from this script"), "{ran}");
    assert_eq!(install(&scene, &["--uninstall", "--prefix", "there"]).status, 4);
    assert_eq!(fs_err::read(&program).expect("the program"), b"somebody else's");
    let ran = install(&scene, &[&place[..], &["--force"]].concat());
    assert_eq!(ran.status, 0, "{ran}");
    let ran = install(&scene, &["--uninstall", "--prefix", "there"]);
    assert!(ran.status == 0 && !program.exists(), "{ran}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the tests start Python as a shell does")]
fn a_release_is_fetched_over_http() {
    let scene = Scene::new();
    release(&scene);
    let mut server = Command::new("python3")
        .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
        .current_dir(scene.path("release"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Python starts");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("an output")).read_line(&mut line).expect("a line");
    let port = line.split(" port ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a port");
    let address = format!("http://127.0.0.1:{port}");
    let ran = install(&scene, &["--from", &address, "--prefix", "pre fix"]);
    let missing = install(&scene, &["--from", &address, "--version", "1.2.3", "--prefix", "other"]);
    server.kill().expect("it ends");
    server.wait().expect("it ended");
    assert!(ran.status == 0 && scene.path("pre fix/bin/kernel-builder").is_file(), "{ran}");
    assert!(missing.status == 6 && !scene.path("other").exists(), "{missing}");
}

#[test]
fn what_is_wrong_installs_nothing() {
    let damage: [(&str, &[&str], i32); 5] = [
        ("for file in release/*.tar.gz; do echo x >> \"$file\"; done", &[], 6),
        ("true", &["--sha256", "0000000000000000000000000000000000000000000000000000000000000000"], 6),
        ("rm release/SHA256SUMS", &[], 8),
        (
            "cd release && ln -s /bin/sh kernel-builder && tar -czf *.tar.gz kernel-builder && sha256sum *.tar.gz > SHA256SUMS",
            &[],
            6,
        ),
        ("cd release && echo > other && tar -czf *.tar.gz other && sha256sum *.tar.gz > SHA256SUMS", &[], 6),
    ];
    for (script, more, status) in damage {
        let scene = Scene::new();
        release(&scene);
        scene.tool("sh", &["-c", script]);
        let ran = install(&scene, &[&["--from", &from(&scene)][..], more].concat());
        assert_eq!(ran.status, status, "{script}: {ran}");
        assert!(!scene.path("../home/.local").exists(), "{script}");
    }
    let scene = Scene::new();
    for (arguments, status) in [(&[][..], 2), (&["--from", "ftp://x"], 2), (&["--what"], 2)] {
        assert_eq!(install(&scene, arguments).status, status, "{arguments:?}");
    }
}
