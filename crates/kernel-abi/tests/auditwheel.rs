//! Our verdicts beside those of auditwheel, for the libraries of published wheels (`wheels.tsv`): some small wheels in
//! every run, all of them in the long tier. `KERNEL_BUILDER_WHEELS` may name a directory to keep the downloads in.
#![allow(clippy::print_stdout, reason = "the long tier shows what was compared")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use kernel_abi::Image;
use kernel_abi::policy::Manylinux;

#[expect(clippy::disallowed_methods, reason = "tests of this crate have no other door to processes")]
fn run(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{} is needed: {error}", program.display()));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// A line of the list.
struct Wheel {
    file: &'static str,
    specification: &'static str,
    platform: &'static str,
    python: &'static str,
    abi: &'static str,
    short: bool,
}

impl Wheel {
    fn list() -> Vec<Self> {
        let lines = include_str!("wheels.tsv").lines().filter(|line| !line.starts_with('#'));
        let parse = |line: &'static str| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [file, specification, platform, python, abi, tier] = fields[..] else { panic!("{line}") };
            Self { file, specification, platform, python, abi, short: tier == "short" }
        };
        lines.map(parse).collect()
    }

    /// The path below `directory`, downloaded where it is not there yet.
    fn get(&self, python: &Path, directory: &str) -> String {
        let path = Path::new(directory).join(self.file);
        if !path.exists() {
            let Self { platform, python: version, abi, specification, .. } = self;
            let known =
                "-m pip -q download --no-deps --only-binary=:all: --implementation cp --abi abi3 --abi none";
            let known: Vec<&str> = known.split(' ').collect();
            let chosen = ["--platform", platform, "--python-version", version, "--abi", abi, "-d", directory];
            run(python, &[&known[..], &chosen, &[specification]].concat());
        }
        assert!(path.exists(), "{} was not what {} gave", self.file, self.specification);
        path.to_string_lossy().into_owned()
    }
}

/// A Python with the auditwheel from whose policies ours are made.
fn python(directory: &Path) -> PathBuf {
    let environment = directory.join("environment");
    let python = environment.join("bin/python");
    if !python.exists() {
        run(Path::new("python3"), &["-m", "venv", &environment.to_string_lossy()]);
    }
    run(&python, &["-m", "pip", "-q", "install", "auditwheel==6.8.2"]);
    python
}

/// What a comparison saw.
#[derive(Default)]
struct Seen {
    libraries: usize,
    projects: BTreeSet<String>,
    wheels_by_policy: BTreeMap<String, BTreeSet<String>>,
    differing: Vec<String>,
}

impl Seen {
    fn compare(&mut self, row: &serde_json::Value) {
        let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let own: BTreeSet<&str> =
            row["own"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
        let (path, wheel, theirs) = (text("path"), text("wheel"), row["policy"].as_str());
        let bytes = fs_err::read(&path).expect("a library");
        let image = Image::parse(&bytes.as_slice()).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(image.objects[0].refusals.is_empty(), "{path}: {:?}", image.objects[0].refusals);
        let ours = Manylinux::floor(&image.objects[0], |library| own.contains(library));
        self.libraries += 1;
        self.projects.insert(wheel.split('-').next().unwrap_or_default().to_lowercase());
        self.wheels_by_policy.entry(theirs.unwrap_or("none").to_owned()).or_default().insert(wheel);
        if ours.map(Manylinux::name) != theirs {
            self.differing.push(format!("{path}: ours {ours:?}, auditwheel's {theirs:?}"));
        }
    }
}

/// Compares the verdicts on the wheels, in a directory of their own so that two tests at once do not meet.
#[expect(clippy::disallowed_methods, reason = "this crate's tests have no context")]
fn compare(name: &str, wheels: &[Wheel]) -> Seen {
    let cache = std::env::var_os("KERNEL_BUILDER_WHEELS")
        .map_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("wheels"), PathBuf::from)
        .join(name);
    fs_err::create_dir_all(&cache).expect("a directory");
    let python = python(&cache);
    let directory = cache.to_string_lossy().into_owned();
    let paths: Vec<String> = wheels.iter().map(|wheel| wheel.get(&python, &directory)).collect();
    let temporary = tempfile::tempdir().expect("a directory");
    let unpacked = temporary.path().to_string_lossy().into_owned();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/wheel_verdicts.py");
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let told = run(&python, &[&[script, &unpacked], &paths[..]].concat());
    let mut seen = Seen::default();
    for line in told.lines() {
        seen.compare(&serde_json::from_str(line).expect("JSON"));
    }
    let counts: Vec<String> =
        seen.wheels_by_policy.iter().map(|(policy, wheels)| format!("{policy} {}", wheels.len())).collect();
    let (libraries, projects) = (seen.libraries, seen.projects.len());
    let counts = counts.join(", ");
    println!(
        "summary: {libraries} libraries of {} wheels, {projects} projects; wheels by policy: {counts}",
        wheels.len()
    );
    assert!(seen.differing.is_empty(), "{}", seen.differing.join("\n"));
    seen
}

#[test]
fn verdicts_on_small_wheels_equal_auditwheels() {
    let wheels: Vec<Wheel> = Wheel::list().into_iter().filter(|wheel| wheel.short).collect();
    let seen = compare("short", &wheels);
    assert!(seen.libraries >= wheels.len() && wheels.len() >= 10, "{} libraries", seen.libraries);
    assert!(seen.wheels_by_policy.len() >= 6, "{:?}", seen.wheels_by_policy);
}

#[test]
#[ignore = "long: downloads 70 wheels, 0.9 GB, and auditwheel reads every symbol of them in Python"]
fn verdicts_on_all_wheels_equal_auditwheels() {
    let wheels = Wheel::list();
    let seen = compare("all", &wheels);
    assert!(wheels.len() >= 60 && seen.projects.len() >= 15, "{} projects", seen.projects.len());
    for (policy, wheels) in &seen.wheels_by_policy {
        assert!(wheels.len() >= 5, "{policy}: only {wheels:?}");
    }
    assert!(seen.wheels_by_policy.len() >= 8, "{:?}", seen.wheels_by_policy);
}
