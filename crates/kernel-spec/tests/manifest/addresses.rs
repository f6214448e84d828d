//! Addresses of Git repositories, in manifests and in metadata: what the package's own parsers take of them we take, and what
//! they refuse we refuse.

use kernel_spec::manifest::parse;
use kernel_spec::metadata::Metadata;
use kernel_spec::{Severity, SourceText};
use serde_json::{Value, json};

use crate::oracle::ask;

const FORMS: &[&str] = &[
    "https://github.com/a/b",
    "HTTPS://GITHUB.COM/A/B",
    " https://github.com/a/b ",
    "https://github.com/a/b#c?d=1",
    "http://x",
    "git://h",
    "git://",
    "ssh://",
    "ssh://h:22/x",
    "git+ssh://u@h/x",
    "git+https://x",
    "git+http:///x",
    "https:x",
    "https:/x",
    "http:///x",
    "git:x",
    "ssh:x",
    "https:\\\\a\\b",
    "https://a\\b",
    "https://:80/x",
    "https://a%20b/x",
    "https://a%zz/x",
    "https://%/",
    "https://a b/",
    "https://a<b/c",
    "https://a^b",
    "https://a|b",
    "https://h:65536/x",
    "https://h:0/x",
    "https://h:/x",
    "https://h:abc/x",
    "http://h:22:33/x",
    "https://[::1]/x",
    "https://[::1/x",
    "https://1.2.3.256/x",
    "https://0x100000000/",
    "https://xn--/x",
    "https://é.com/x",
    "https://ａ/x",
    "https://a／b",
    "https://\u{ad}/x",
    "https://",
    "https://?x",
    "https://#x",
    "https://@",
    "https://user@/x",
    "https://user:p w@h/x",
    "https://_x/",
    "https://-/",
    "https://*/",
    "https://.",
    "https://a..b/x",
    "https:@",
    "git@github.com:a/b.git",
    "git@github.com/a/b",
    "git@host:22/x",
    "git@host:",
    "git@:x",
    "git@host:/x",
    "git@host",
    "git@ho st:x",
    "gi t@host:x",
    "git@host:a b",
    "git@-host:x",
    "@host:x",
    "a@b@c:d",
    "a/b@c:d",
    "git@[::1]:x",
    "git@host:~/x",
    "u@é:x",
    "ssh://git@github.com:a/b.git",
    "git+ssh://git@github.com:a/b.git",
    "ssh://git@ho st/x",
    "ssh://git@host:/x",
    "ssh:git@github.com:a/b",
    "host:path",
    "github.com:a/b",
    "github.com/a/b",
    "a/b",
    "a/b:c",
    "-:x",
    "1a:u@h:p",
    "foo:u@h:p",
    "C:\\x",
    "x:~/y",
    "x@y:z://q",
    "u@h://x",
    "file:///x",
    "ftp://x/y",
    "mailto:a@b.c",
    "doi:10.1/x",
    "/abs/path",
    "./x",
    "~/x",
    "://x",
    "http::x",
    "",
    "x",
    "none",
    "N/A",
    "-",
    "\u{3000}",
    "\u{3000}https://a",
];

fn manifest(address: &str) -> String {
    const REST: &str = r#"
[torch]
src = ["torch-ext/torch_binding.cpp"]

[kernel.ab]
backend = "cpu"
depends = ["torch"]
src = ["ab.cpp"]
"#;
    let general =
        "[general]\nname = \"ab\"\nversion = 1\nedition = 5\nlicense = \"MIT\"\nbackends = [\"cpu\"]";
    format!("{general}\nupstream = {}\n{REST}", toml::Value::from(address))
}

fn metadata(address: &str) -> Value {
    json!({
        "name": "ab", "id": "_ab_cpu_1", "version": 1, "license": "MIT", "python-depends": [], "source": address,
        "backend": { "type": "cpu" },
    })
}

#[test]
fn addresses_are_taken_where_the_package_takes_them() {
    let manifests: Vec<String> = FORMS.iter().map(|form| manifest(form)).collect();
    let all: Vec<Value> = FORMS.iter().map(|form| metadata(form)).collect();
    let of_manifests = ask(&manifests.iter().map(|text| text.as_str().into()).collect::<Vec<_>>());
    let of_metadata = ask(&all);
    let taken = of_metadata.iter().filter(|answer| answer.is_empty()).count();
    assert!(taken > FORMS.len() / 4 && taken < FORMS.len() * 3 / 4, "{taken}");
    for (at, form) in FORMS.iter().enumerate() {
        let ours = parse(&SourceText::new("build.toml", manifests[at].as_str()));
        let errors = ours.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let codes: Vec<&str> = errors.map(|finding| finding.code.id).collect();
        let expected: &[&str] = if of_manifests[at].is_empty() { &[] } else { &["manifest/git-url"] };
        assert_eq!(codes, expected, "{form:?} {}", of_manifests[at]);
        let ours = Metadata::from_json(all[at].to_string().as_bytes());
        assert_eq!(ours.is_ok(), of_metadata[at].is_empty(), "{form:?} {} {ours:?}", of_metadata[at]);
    }
}
