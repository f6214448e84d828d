//! Our verdicts beside those of auditwheel, for the libraries of published wheels (`wheels.tsv`). Long tier: it makes a
//! Python environment and downloads a gigabyte. A directory of wheels downloaded before can be named in
//! `KERNEL_BUILDER_WHEELS`.

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

/// A Python with the auditwheel from whose policies ours are made.
fn python(directory: &Path) -> PathBuf {
    let environment = directory.join("environment");
    let python = environment.join("bin/python");
    if !python.exists() {
        run(Path::new("python3"), &["-m", "venv", &environment.to_string_lossy()]);
        run(&python, &["-m", "pip", "-q", "install", "auditwheel==6.8.2"]);
    }
    python
}

/// Every wheel of the list, downloaded where it is not there yet.
fn wheels(python: &Path, directory: &Path) -> Vec<String> {
    fs_err::create_dir_all(directory).expect("a directory");
    let directory_text = directory.to_string_lossy();
    for line in include_str!("wheels.tsv").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, specification, platform, version, abi] = fields[..] else { panic!("{line}") };
        if !directory.join(file).exists() {
            let known =
                ["-m", "pip", "-q", "download", "--no-deps", "--only-binary=:all:", "--implementation", "cp"];
            let chosen = [
                "--platform",
                platform,
                "--python-version",
                version,
                "--abi",
                abi,
                "--abi",
                "abi3",
                "--abi",
                "none",
            ];
            run(python, &[&known[..], &chosen, &["-d", &directory_text, specification]].concat());
        }
        assert!(directory.join(file).exists(), "{file} was not what {specification} gave");
    }
    let names = include_str!("wheels.tsv").lines().filter(|line| !line.starts_with('#'));
    let names = names.filter_map(|line| line.split('\t').next());
    names.map(|name| directory.join(name).to_string_lossy().into_owned()).collect()
}

#[test]
#[ignore = "long tier: downloads 60 wheels"]
#[expect(clippy::disallowed_methods, reason = "this crate's tests have no context")]
fn verdicts_equal_auditwheels() {
    let temporary = tempfile::tempdir().expect("a directory");
    let cache = std::env::var_os("KERNEL_BUILDER_WHEELS")
        .map_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("wheels"), PathBuf::from);
    let python = python(&cache);
    let wheels = wheels(&python, &cache);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/wheel_verdicts.py");
    let unpacked = temporary.path().to_string_lossy().into_owned();
    let wheels: Vec<&str> = wheels.iter().map(String::as_str).collect();
    let told = run(&python, &[&[script, &unpacked], &wheels[..]].concat());
    let (mut differing, mut by_policy, mut projects) =
        (Vec::new(), BTreeMap::<String, BTreeSet<String>>::new(), BTreeSet::new());
    let mut compared = 0;
    for line in told.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let own: BTreeSet<&str> =
            row["own"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
        let bytes = fs_err::read(text("path")).expect("a library");
        let image =
            Image::parse(&bytes.as_slice()).unwrap_or_else(|error| panic!("{}: {error}", text("path")));
        let ours = Manylinux::floor(&image.objects[0], |library| own.contains(library));
        let theirs = row["policy"].as_str();
        compared += 1;
        projects.insert(text("wheel").split('-').next().unwrap_or_default().to_lowercase());
        by_policy.entry(theirs.unwrap_or("none").to_owned()).or_default().insert(text("wheel"));
        if ours.map(Manylinux::name) != theirs {
            differing.push(format!("{}: ours {ours:?}, auditwheel's {theirs:?}", text("path")));
        }
    }
    let counts: Vec<String> =
        by_policy.iter().map(|(policy, wheels)| format!("{policy}: {} wheels", wheels.len())).collect();
    println!(
        "{compared} libraries of {} wheels, {} projects; {}",
        wheels.len(),
        projects.len(),
        counts.join(", ")
    );
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(
        wheels.len() >= 60 && projects.len() >= 15,
        "{} wheels, {} projects",
        wheels.len(),
        projects.len()
    );
}
