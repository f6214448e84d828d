//! `toolchain`: parts are resolved by the real uv from an index on this machine, fetched, checked and shared.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::scene::{Ran, Scene, python, repository};

/// A running index; it ends with the test.
pub(crate) struct Index {
    server: Child,
    pub(crate) address: String,
    requests: PathBuf,
}

impl Index {
    pub(crate) fn serve(scene: &Scene, name: &str, wheels: &Value, ranges: bool) -> Self {
        Self::describe(scene, name, &json!({"wheels": wheels, "ranges": ranges}))
    }

    /// An index of what a description asks for, see `index.py`.
    #[expect(clippy::disallowed_methods, reason = "the tests start Python as a shell does")]
    pub(crate) fn describe(scene: &Scene, name: &str, description: &Value) -> Self {
        let script = repository().join("crates/kernel-builder/tests/it/index.py");
        let directory = scene.path(name);
        let mut command = Command::new(python());
        command.arg(script).arg(&directory).arg(description.to_string()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("Python starts");
        let mut port = String::new();
        BufReader::new(server.stdout.take().expect("an output")).read_line(&mut port).expect("a port");
        let address = format!("http://127.0.0.1:{}/simple", port.trim());
        Self { server, address, requests: directory.join("requests") }
    }

    /// Bytes that were sent of a wheel.
    pub(crate) fn sent(&self, wheel: &str) -> u64 {
        let text = fs_err::read_to_string(&self.requests).expect("requests");
        let of_it = text.lines().filter_map(|line| line.strip_prefix(wheel)?.trim().parse::<u64>().ok());
        of_it.sum()
    }

    /// Bytes that were sent of all wheels.
    pub(crate) fn sent_in_all(&self) -> u64 {
        let text = fs_err::read_to_string(&self.requests).expect("requests");
        text.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

pub(crate) const TORCH: &str = "torch-2.13.0-py3-none-any.whl";
/// Large enough that only what is needed is read.
pub(crate) const PADDING: u64 = 24 << 20;

/// Wheels of a torch that is mostly something else than headers.
pub(crate) fn torch(fault: Option<&str>) -> Value {
    json!({TORCH: {
        "files": {"torch/include/c10/util/Half.h": "#pragma once\n", "torch/version.py": "__version__ = '2.13.0'\n"},
        "padding": PADDING, "fault": fault,
    }})
}

fn run(scene: &Scene, index: &str, arguments: &[&str]) -> Ran {
    let python = python();
    let mut arguments = [&["toolchain", "--json"], arguments].concat();
    if arguments.contains(&"fetch") {
        arguments.extend(["--python", &python]);
    }
    let mut command = scene.command(&arguments);
    command.env("UV_DEFAULT_INDEX", index).env("UV_NO_CACHE", "1");
    let output = command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("an end");
    Ran { status, stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn last(ran: &Ran) -> Value {
    ran.json().pop().expect("an answer")
}

#[test]
fn only_the_headers_of_a_large_wheel_are_fetched_once() {
    let scene = Scene::new();
    let index = Index::serve(&scene, "index", &torch(None), true);
    let ran = run(&scene, &index.address, &["fetch", "torch-2.13"]);
    assert_eq!(ran.status, 0, "{ran}");
    let part = last(&ran)["parts"][0].clone();
    let directory = PathBuf::from(part["directory"].as_str().expect("a directory"));
    let header = fs_err::read_to_string(directory.join("torch/include/c10/util/Half.h")).expect("a header");
    assert_eq!(header, "#pragma once\n");
    assert!(!directory.join("torch/padding").exists());
    let sent = index.sent(TORCH);
    assert!(sent < PADDING / 4, "{sent} bytes were sent");
    let again = run(&scene, &index.address, &["--offline", "fetch", "torch-2.13"]);
    assert_eq!((again.status, index.sent(TORCH)), (0, sent), "{again}");
    let listed = last(&run(&scene, "", &["list"]));
    assert_eq!(listed["parts"][0]["name"], "torch-2.13");
    let removed = last(&run(&scene, "", &["gc"]));
    assert_eq!(removed["removed"][0]["name"], "torch-2.13");
    assert!(!directory.exists());
}

/// The same tree comes from a server that hands out whole files only.
#[test]
fn a_server_without_parts_gives_the_same() {
    let (one, other) = (Scene::new(), Scene::new());
    let in_parts = Index::serve(&one, "index", &torch(None), true);
    let whole = Index::serve(&other, "index", &torch(None), false);
    let digest = |scene: &Scene, index: &Index| {
        let ran = run(scene, &index.address, &["fetch", "torch-2.13"]);
        assert_eq!(ran.status, 0, "{ran}");
        last(&ran)["parts"][0]["digest"].clone()
    };
    assert_eq!(digest(&one, &in_parts), digest(&other, &whole));
    assert!(whole.sent(TORCH) >= PADDING);
}

#[test]
fn what_is_missing_or_damaged_is_named_and_never_kept() {
    let scene = Scene::new();
    let refused = |ran: Ran, code: &str| {
        assert_eq!(last(&ran)["code"], code, "{ran}");
        assert_ne!(ran.status, 0, "{ran}");
        assert_eq!(last(&run(&scene, "", &["list"]))["parts"], json!([]), "{ran}");
    };
    refused(run(&scene, "", &["--offline", "fetch", "torch-2.13"]), "toolchain/offline");
    refused(run(&scene, "", &["fetch", "cuda-11.8"]), "toolchain/part");
    refused(run(&scene, "http://127.0.0.1:9/simple", &["fetch", "torch-2.13"]), "toolchain/resolver");
    let without = Index::serve(&scene, "without", &json!({}), true);
    refused(run(&scene, &without.address, &["fetch", "torch-2.13"]), "toolchain/resolver");
    let unlisted = Index::serve(&scene, "unlisted", &torch(Some("record")), true);
    refused(run(&scene, &unlisted.address, &["fetch", "torch-2.13"]), "toolchain/wheel");
    let missing = Index::serve(&scene, "missing", &torch(Some("missing")), true);
    refused(run(&scene, &missing.address, &["fetch", "torch-2.13"]), "hub/refused");
    let other = Index::serve(&scene, "other", &torch(Some("hash")), false);
    refused(run(&scene, &other.address, &["fetch", "torch-2.13"]), "hub/content");
    let sound = Index::serve(&scene, "sound", &torch(None), true);
    let ran = run(&scene, &sound.address, &["fetch", "torch-2.13"]);
    assert_eq!(ran.status, 0, "what failed does not stand in the way: {ran}");
}

/// What an earlier try has left is gone on with, and two processes at once fetch once.
#[test]
fn a_broken_off_download_goes_on_and_is_shared() {
    const WHEEL: &str = "apache_tvm_ffi-0.1.9-py3-none-any.whl";
    let scene = Scene::new();
    let files = json!({"tvm_ffi/include/tvm.h": "", "tvm_ffi/_version.py": ""});
    let wheels = json!({WHEEL: {"files": files, "padding": 3 << 20}});
    let index = Index::serve(&scene, "index", &wheels, true);
    let whole = fs_err::read(scene.path("index").join(WHEEL)).expect("a wheel");
    let digest = sha256(&whole);
    let arriving = scene.path("../home/.cache/kernel-builder/toolchain/.arriving-tvm-ffi-0.1");
    fs_err::create_dir_all(&arriving).expect("made");
    fs_err::write(arriving.join(digest), &whole[..whole.len() - 1000]).expect("written");
    let fetch = || run(&scene, &index.address, &["fetch", "tvm-ffi-0.1"]);
    let (one, other) = std::thread::scope(|scope| {
        let both = [scope.spawn(fetch), scope.spawn(fetch)];
        let [one, other] = both.map(|thread| thread.join().expect("a run"));
        (one, other)
    });
    assert_eq!((one.status, other.status), (0, 0), "{one}{other}");
    assert_eq!(last(&one)["parts"], last(&other)["parts"]);
    // Two bytes by which it is seen that parts are handed out, and what uv reads of the metadata, come on top.
    let sent = index.sent(WHEEL);
    assert!(sent < whole.len() as u64, "{sent} of {} bytes were sent", whole.len());
    assert!(!arriving.exists());
}

const TVM_FFI: &str = "apache_tvm_ffi-0.1.9-py3-none-any.whl";

/// A wheel of which all is downloaded, in more than one piece.
fn two_pieces(fault: Option<&str>) -> Value {
    let files = json!({"tvm_ffi/include/tvm.h": "", "tvm_ffi/_version.py": ""});
    json!({TVM_FFI: {"files": files, "padding": 12 << 20, "fault": fault}})
}

/// Nothing that a killed process leaves is taken for whole, and what has arrived is not fetched again.
#[test]
fn a_killed_download_goes_on() {
    let scene = Scene::new();
    let index = Index::serve(&scene, "index", &two_pieces(Some("stalled")), true);
    let whole = fs_err::read(scene.path("index").join(TVM_FFI)).expect("a wheel");
    let store = scene.path("../home/.cache/kernel-builder/toolchain");
    let arriving = store.join(".arriving-tvm-ffi-0.1").join(sha256(&whole));
    let python = python();
    let mut command = scene.command(&["toolchain", "fetch", "tvm-ffi-0.1", "--python", &python]);
    command.env("UV_DEFAULT_INDEX", &index.address).env("UV_NO_CACHE", "1");
    let mut killed = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let has_begun = || fs_err::metadata(&arriving).is_ok_and(|status| status.len() >= 8 << 20);
    while !has_begun() && killed.try_wait().expect("a process").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(has_begun(), "the first piece is kept");
    killed.kill().expect("killed");
    killed.wait().expect("an end");
    assert_eq!(last(&run(&scene, "", &["list"]))["parts"], json!([]));
    fs_err::write(scene.path("index/go"), "").expect("written");
    let before = index.sent(TVM_FFI);
    let ran = run(&scene, &index.address, &["fetch", "tvm-ffi-0.1"]);
    assert_eq!(ran.status, 0, "{ran}");
    let again = index.sent(TVM_FFI) - before;
    // The second piece, perhaps twice.
    assert!(again < 10 << 20, "{again} bytes were sent again");
}

/// A private index gets the credentials that uv has for it; nobody else does, and no output shows them.
#[test]
fn a_private_index_is_asked_with_the_credentials_of_uv() {
    let scene = Scene::new();
    let mut wheels = torch(None);
    wheels[TVM_FFI] = two_pieces(Some("missing"))[TVM_FFI].clone();
    let description = json!({"wheels": wheels, "ranges": true, "password": "someone:p@ss-word-1"});
    let index = Index::describe(&scene, "index", &description);
    let with_user = index.address.replace("http://", "http://someone:p%40ss-word-1@");
    let shown = |ran: &Ran| {
        assert!(!ran.stdout.contains("ss-word") && !ran.stderr.contains("ss-word"), "{ran}");
        last(ran)["code"].clone()
    };
    let ran = run(&scene, &index.address, &["fetch", "torch-2.13"]);
    assert_eq!(shown(&ran), "toolchain/resolver", "{ran}");
    let ran = run(&scene, &with_user, &["fetch", "tvm-ffi-0.1"]);
    assert_eq!(shown(&ran), "hub/refused", "{ran}");
    let ran = run(&scene, &with_user, &["fetch", "torch-2.13"]);
    assert_eq!((ran.status, shown(&ran)), (0, Value::Null), "{ran}");
}

/// On a file system of its own, which is full before everything has arrived; then there is room.
#[test]
fn a_full_disk_is_named_and_a_second_try_goes_on() {
    let scene = Scene::new();
    let headers = json!({"torch/include/large.h": 6 << 20, "torch/version.py": ""});
    let mut wheels = two_pieces(None);
    wheels[TORCH] = json!({"files": headers, "padding": PADDING});
    let index = Index::serve(&scene, "index", &wheels, true);
    for part in ["tvm-ffi-0.1", "torch-2.13"] {
        let script = format!(
            "cd \"$(dirname \"$0\")\" && mkdir -p store && mount -t tmpfs -o size=3m none store || exit 99\n\
             fetch() {{ \"$1\" toolchain fetch --json {part} --python \"$2\" | tail -1; }}\n\
             fetch \"$@\"; \"$1\" toolchain list --json | tail -1\n\
             mount -o remount,size=64m none store && fetch \"$@\"\n"
        );
        fs_err::write(scene.path("full.sh"), script).expect("written");
        let own = scene.command(&[]);
        let (program, store) = (own.get_program().to_owned(), scene.path("store"));
        let mut command = in_own_mounts();
        command.args(["sh".as_ref(), scene.path("full.sh").as_os_str(), &program, python().as_ref()]);
        command.env_clear().envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("KERNEL_BUILDER_CACHE_DIR", store);
        command.env("UV_DEFAULT_INDEX", &index.address).env("UV_NO_CACHE", "1");
        let ran = scene.ran(&mut command);
        assert_eq!(ran.status, 0, "{ran}");
        let [full, listed, room] = &ran.json()[..] else { panic!("{ran}") };
        assert_eq!(full["code"], "environment/file", "{ran}");
        assert!(full.to_string().contains("No space left on device"), "{ran}");
        assert_eq!(listed["parts"], json!([]), "{ran}");
        assert_eq!(room["parts"][0]["name"], part, "{ran}");
    }
}

/// A program that may mount what nobody else sees.
#[expect(clippy::disallowed_methods, reason = "the tests start tools as a shell does")]
fn in_own_mounts() -> Command {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount"]);
    command
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_empty_store_says_what_fills_it() {
    let ran = Scene::new().run(&["toolchain", "list"]);
    assert_eq!(ran.status, 0, "{ran}");
    assert!(ran.stdout.contains("kernel-builder toolchain fetch"), "{ran}");
}

#[test]
fn a_pipe_in_the_place_of_certificates_is_not_handed_to_uv() {
    let scene = Scene::new();
    scene.tool("mkfifo", &["pipe"]);
    let index = Index::serve(&scene, "index", &torch(None), true);
    let pipe = scene.path("pipe").to_str().expect("UTF-8").to_owned();
    let scene = scene.variable("SSL_CERT_FILE", &pipe).variable("UV_DEFAULT_INDEX", &index.address);
    let fetch = ["toolchain", "fetch", "torch-2.13", "--json", "--python", &python()];
    let ran = scene.run_for_a_minute(&fetch);
    assert_eq!(last(&ran)["code"], "environment/unreadable", "{ran}");
    assert!(ran.stdout.contains("SSL_CERT_FILE"), "{ran}");
}
