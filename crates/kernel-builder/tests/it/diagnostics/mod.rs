//! What compilers say, taken apart: broken sources of many kinds in builds of the real compilers, each of which must give
//! the file, the line and the words.

mod corpus;

use std::fmt::Write;
use std::process::Command;

use serde_json::Value;

use crate::scene::{Ran, Scene, cuda, python};
use corpus::{CLANG_CUDA, CXX, HIP, NVCC};

/// Clang as hipcc brings it.
fn clang() -> String {
    let mut found: Vec<_> = fs_err::read_dir("/usr/lib")
        .expect("a system")
        .map(|entry| entry.expect("an entry").path().join("bin/clang++"))
        .filter(|path| path.exists())
        .collect();
    found.sort();
    let newest = found.pop().expect("clang is installed: `scripts/install-requirements hipcc`");
    newest.to_str().expect("UTF-8").to_owned()
}

/// Where a source is marked.
fn marked(text: &str, mark: &str) -> Option<u64> {
    text.lines().zip(1..).find_map(|(line, number)| line.ends_with(mark).then_some(number))
}

/// Writes the sources and answers the manifest's list of them.
fn written(mut scene: Scene, end: &str, texts: impl Iterator<Item = String>) -> (Scene, String) {
    let mut list = String::new();
    for (number, text) in texts.enumerate() {
        scene = scene.file(&format!("broken/{number}.{end}"), &text);
        write!(list, "\"broken/{number}.{end}\", ").expect("written");
    }
    (scene, list)
}

/// Holds what a build said against what is marked in the sources.
fn assert_told<'a>(ran: &Ran, component: &str, end: &str, corpus: impl Iterator<Item = (&'a str, &'a str)>) {
    assert_eq!(ran.status, 5, "{ran}");
    let events = ran.json();
    let told = |event: &&Value| event["event"] == "diagnostic" && event["diagnostic"]["severity"] == "error";
    let said: Vec<&Value> = events.iter().filter(told).collect();
    for (number, (text, words)) in corpus.enumerate() {
        let file = format!("broken/{number}.{end}");
        let line = marked(text, "//!");
        let of_it: Vec<&Value> = said.iter().filter(|event| event["source"] == *file).copied().collect();
        let found = of_it.iter().find(|event| {
            let place = &event["diagnostic"]["place"];
            let there = line.is_none_or(|line| place["file"] == *file && place["line"] == line);
            there && event["component"] == component && plain(&event["diagnostic"]["message"]).contains(words)
        });
        let found = found.unwrap_or_else(|| panic!("{file}:{line:?}: {words}: {of_it:#?}"));
        if let Some(other) = marked(text, "//?") {
            let notes = found["diagnostic"]["notes"].as_array().expect("remarks");
            let named =
                notes.iter().any(|note| note["place"]["file"] == *file && note["place"]["line"] == other);
            assert!(named, "{file}:{other} is in no remark: {found:#}");
        }
        let fault = finding(events.last().expect("an error"), &file);
        let quoted =
            fault["causes"].as_array().expect("causes").iter().any(|cause| plain(cause).contains(words));
        assert!(quoted && line.is_none_or(|line| fault["span"]["line"] == line), "{fault:#}");
    }
    for event in &said {
        assert_eq!(said.iter().filter(|other| other == &event).count(), 1, "said twice: {event:#}");
    }
}

/// A message with the quotes of ASCII, whatever the compiler's locale has.
fn plain(message: &Value) -> String {
    message.as_str().expect("a message").replace(['\u{2018}', '\u{2019}'], "'")
}

fn finding<'a>(error: &'a Value, file: &str) -> &'a Value {
    let findings = error["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["subject"]["file"] == file);
    found.unwrap_or_else(|| panic!("{file}: {error:#}"))
}

fn cxx(scene: Scene) -> (Scene, Ran) {
    let (scene, sources) = written(scene, "cpp", CXX.iter().map(|(text, ..)| (*text).to_owned()));
    let scene = scene
        .file("broken/in_header.cpp", "#include \"bad.h\"\n")
        .file("broken/bad.h", "\nint f() { return none; } //!\n");
    let more = format!("{sources}\"broken/in_header.cpp\", \"broken/bad.h\"]");
    let manifest = crate::build::MANIFEST.replace("\"a/k.cpp\"]", &more);
    let scene = scene.file("build.toml", &manifest);
    let ran = scene.run(&["build", "--json", "--keep-going"]);
    let events = ran.json();
    let in_header = events
        .iter()
        .find(|event| event["event"] == "diagnostic" && event["source"] == "broken/in_header.cpp")
        .expect("one");
    let said = &in_header["diagnostic"];
    assert_eq!(said["place"]["file"], "broken/bad.h", "{in_header:#}");
    let way = said["notes"].as_array().expect("remarks").iter();
    let way = way.filter(|note| note["place"]["file"] == "broken/in_header.cpp").count();
    assert_eq!(way, 1, "the way there: {in_header:#}");
    (scene, ran)
}

#[test]
fn broken_sources_are_told_as_gcc_sees_them() {
    let (_, ran) = cxx(crate::build::project());
    assert_told(&ran, "kernel.p", "cpp", CXX.iter().map(|(text, words, _)| (*text, *words)));
}

#[test]
fn broken_sources_are_told_as_clang_sees_them() {
    let (_, ran) = cxx(crate::build::project().variable("CXX", &clang()));
    assert_told(&ran, "kernel.p", "cpp", CXX.iter().map(|(text, _, words)| (*text, *words)));
}

fn manifest(backend: &str, sources: &str, target: &str) -> String {
    format!(
        "[general]\nname = \"broken\"\nversion = 1\nedition = 5\nlicense = \"Apache-2.0\"\nbackends = [\"{backend}\"]\n\n\
         [tvm-ffi]\nsrc = []\n\n[kernel.k]\nbackend = \"{backend}\"\ndepends = []\nsrc = [{sources}]\n{target}\n"
    )
}

#[test]
fn broken_sources_are_told_as_nvcc_sees_them() {
    let scene = crate::cuda::scene().variable("CUDA_HOME", &cuda());
    let (scene, sources) = written(scene, "cu", NVCC.iter().map(|(text, _)| (*text).to_owned()));
    let manifest = manifest("cuda", &sources, "cuda-capabilities = [\"8.0\", \"9.0\"]");
    let scene = scene.file("build.toml", &manifest).file("tvm-ffi-ext/broken/__init__.py", "");
    let arguments =
        ["build", "--json", "--keep-going", "--python", &python(), "--variant", crate::cuda::PLAIN];
    assert_told(&scene.run(&arguments), "kernel.k", "cu", NVCC.iter().copied());
}

#[test]
fn broken_sources_are_told_as_clang_sees_them_for_hip() {
    let include = "#include <hip/hip_runtime.h>\n";
    let texts = || HIP.iter().map(|(text, words)| (format!("{include}{text}"), *words));
    let (scene, sources) = written(crate::rocm::scene(), "hip", texts().map(|(text, _)| text));
    let manifest = manifest("rocm", &sources, "rocm-archs = [\"gfx90a\", \"gfx1030\"]");
    let scene = scene.file("build.toml", &manifest).file("tvm-ffi-ext/broken/__init__.py", "");
    let variant = crate::rocm::variant();
    let ran = scene.run(&["build", "--json", "--keep-going", "--python", &python(), "--variant", &variant]);
    let texts: Vec<(String, &str)> = texts().collect();
    assert_told(&ran, "kernel.k", "hip", texts.iter().map(|(text, words)| (text.as_str(), *words)));
}

/// Builds compile CUDA with nvcc; what clang says of it is read all the same, as of a build by hand.
#[test]
#[expect(clippy::disallowed_methods, reason = "the compiler is run as a shell runs it")]
fn broken_sources_are_told_as_clang_sees_them_for_cuda() {
    let words = ["global", "device", "host", "shared"];
    let defined = words.map(|word| format!("-D{}=__attribute__(({word}))", word.to_uppercase()));
    for (text, expected) in CLANG_CUDA {
        let scene = Scene::new().file("k.cu", text);
        let output = Command::new(clang())
            .args(["-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70", "--cuda-device-only"])
            .args(&defined)
            .args(["-fsyntax-only", "-fno-color-diagnostics", "k.cu"])
            .current_dir(scene.path(""))
            .output()
            .expect("clang runs");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        let read = kernel_core::engine::diagnostics::all(said.lines());
        let read = serde_json::to_value(&read).expect("JSON");
        let first = &read[0];
        assert_eq!(first["severity"], "error", "{said}");
        assert!(plain(&first["message"]).contains(expected), "{expected}: {said}");
        assert_eq!(first["place"]["file"], "k.cu");
        assert_eq!(first["place"]["line"].as_u64(), marked(text, "//!"), "{said}");
        let noted =
            first["notes"].as_array().into_iter().flatten().map(|note| note["place"]["line"].as_u64());
        assert!(
            marked(text, "//?").is_none_or(|line| noted.into_iter().any(|at| at == Some(line))),
            "{said}"
        );
    }
}

#[test]
fn the_corpus_is_as_large_as_it_is_said_to_be() {
    let told = 2 * CXX.len() + NVCC.len() + HIP.len() + CLANG_CUDA.len();
    assert!(told >= 40 && CXX.len() + NVCC.len() + HIP.len() + CLANG_CUDA.len() >= 40, "{told}");
}

/// A compiler that says what no reader knows, also bytes that are no text.
#[test]
fn no_line_is_lost_when_none_is_understood() {
    let lines = [
        "::::",
        "k.cpp(: error",
        "%%% E0001 at <k.cpp> !!!",
        "    indented: error: quoted",
        "\u{2018}quotes\u{2019}",
    ];
    let mut wrapper = "#!/bin/sh\ncase \" $* \" in *a/k.cpp*)\n".to_owned();
    for line in lines {
        writeln!(wrapper, "echo '{line}' >&2").expect("written");
    }
    wrapper.push_str("printf 'no text: \\377\\376 end\\n' >&2; exit 1;; esac\nexec c++ \"$@\"\n");
    let scene = crate::build::project().file("compiler/c++", &wrapper);
    scene.tool("chmod", &["+x", "compiler/c++"]);
    let compiler = scene.path("compiler/c++").to_str().expect("UTF-8").to_owned();
    let ran = scene.variable("CXX", &compiler).run(&["build", "--json", "--sandbox", "off"]);
    assert_eq!(ran.status, 5, "{ran}");
    let events = ran.json();
    let logged: Vec<&str> = events
        .iter()
        .filter(|event| event["event"] == "log")
        .filter_map(|event| event["line"].as_str())
        .collect();
    for line in lines {
        assert!(logged.contains(&line), "{line}: {logged:#?}");
    }
    assert!(logged.iter().any(|line| line.starts_with("no text: ") && line.ends_with(" end")), "{logged:#?}");
    assert!(!events.iter().any(|event| event["event"] == "diagnostic"), "{ran}");
    let fault = finding(events.last().expect("an error"), "a/k.cpp");
    assert!(plain(&fault["causes"][0]).starts_with("no text: "), "the last words at least: {fault:#}");
}
