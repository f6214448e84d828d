//! What compilers say, taken apart: broken sources of many kinds in one build of the real compiler, each of which must
//! give the file, the line and the words.

use std::fmt::Write;

use serde_json::Value;

use crate::scene::Scene;

/// Each is broken in the line that ends with the mark.
const BROKEN: &[(&str, &str)] = &[
    ("int f() { return 1 } //!", "expected ';'"),
    ("int f() { return missing; } //!", "'missing' was not declared"),
    ("int f();\nint g() { return f(1); } //!", "too many arguments"),
    ("struct S { int a; };\nint f(S s) { return s.b; } //!", "'struct S' has no member named 'b'"),
    ("template <class T> T f(T);\nstatic_assert(sizeof(int) == 1, \"narrow\"); //!", "narrow"),
    ("#include \"nowhere.h\" //!", "nowhere.h"),
    ("#error \"not here\" //!", "not here"),
    ("const int a = 1;\nvoid f() { a = 2; } //!", "read-only"),
    ("int* p = 1.5; //!", "cannot convert"),
    ("class C { int a; };\nint f(C c) { return c.a; } //!", "private"),
    ("void f() { break; } //!", "break statement not within"),
    ("int a;\nfloat a; //!", "conflicting declaration"),
    ("void f(int&);\nvoid g() { f(1); } //!", "cannot bind"),
    ("void f(int);\nvoid f(long);\nvoid g() { f(\"x\"); } //!", "no matching function"),
    ("auto x; //!", "has no initializer"),
    ("int f() { int x[2]; return x.size(); } //!", "non-class type"),
    ("namespace n {}\nusing n::missing; //!", "not been declared"),
    ("struct A { A() = delete; };\nA a; //!", "deleted function"),
    ("int f(int a, int a); //!", "redefinition of 'int a'"),
    ("void f() { goto end; } //!", "label 'end' used but not defined"),
];

#[test]
fn each_broken_source_is_told_with_its_place() {
    let mut scene = crate::build::project();
    let mut sources = String::new();
    for (number, (text, _)) in BROKEN.iter().enumerate() {
        scene = scene.file(&format!("broken/{number}.cpp"), text);
        write!(sources, "\"broken/{number}.cpp\", ").expect("written");
    }
    scene = scene.file("broken/in_header.cpp", "#include \"bad.h\"\n").file("broken/bad.h", "\nint f( //!\n");
    let manifest = crate::build::MANIFEST
        .replace("\"a/k.cpp\"]", &format!("{sources}\"broken/in_header.cpp\", \"broken/bad.h\"]"));
    let scene = scene.file("build.toml", &manifest);
    let ran = scene.run(&["build", "--json", "--keep-going"]);
    assert_eq!(ran.status, 5, "{ran}");
    let events = ran.json();
    let said: Vec<&Value> = events
        .iter()
        .filter(|event| event["event"] == "diagnostic" && event["diagnostic"]["severity"] == "error")
        .collect();
    for (number, (text, words)) in BROKEN.iter().enumerate() {
        let file = format!("broken/{number}.cpp");
        let line = 1 + text.lines().position(|line| line.ends_with("//!")).expect("a mark");
        let found = said.iter().find(|event| {
            let place = &event["diagnostic"]["place"];
            event["source"] == file.as_str()
                && event["component"] == "kernel.p"
                && place["file"] == file.as_str()
                && place["line"] == line
                && plain(&event["diagnostic"]["message"]).contains(words)
        });
        assert!(found.is_some(), "{file}:{line}: {words}: {said:#?}");
        let fault = finding(&scene, events.last().expect("an error"), &file);
        assert_eq!(fault["span"]["line"], line, "{fault:#}");
    }
    let in_header = said.iter().find(|event| event["source"] == "broken/in_header.cpp").expect("one");
    assert_eq!(in_header["diagnostic"]["place"]["file"], "broken/bad.h", "{in_header:#}");
}

/// A message with the quotes of ASCII, whatever the compiler's locale has.
fn plain(message: &Value) -> String {
    message.as_str().expect("a message").replace(['\u{2018}', '\u{2019}'], "'")
}

fn finding(scene: &Scene, error: &Value, file: &str) -> Value {
    let findings = error["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["subject"]["file"] == file);
    found.unwrap_or_else(|| panic!("{file} in {}: {error:#}", scene.path("").display())).clone()
}
